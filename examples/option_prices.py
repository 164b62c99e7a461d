"""How an option's price depends on the market, from simulated paths that processes share.

The price of an Asian option is a mean over paths: what the average of a share's price over a year
is above the strike. Its derivatives (delta, vega, rho) are the gradient of that mean. The paths are
independent of each other, so that any number of processes can share them:

    python examples/option_prices.py                       # here, part by part
    python examples/option_prices.py --processes 4         # four processes
    python examples/option_prices.py --engine dask --processes 4
    python examples/option_prices.py --engine joblib --processes 4

All print the same numbers. The paths lie in a file, of which a part at a time is in memory.
"""

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import srcad.parallel

STRIKE = 100.0


def price(market, noise):
    """Return the price of the option, an average over the paths.

    Args:
        market: the share's price today, its volatility, and the rate of interest.
        noise: normal numbers (paths, steps).
    """
    spot, sigma, rate = market
    dt = 1 / noise.shape[1]
    steps = (rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * noise
    paths = spot * np.exp(np.cumsum(steps, axis=1))
    return np.exp(-rate) * np.mean(np.maximum(paths.mean(axis=1) - STRIKE, 0))


@contextmanager
def engine_of(name, processes):
    """Give what runs the parts."""
    if name == "dask":
        from dask.distributed import Client, LocalCluster

        options = {"n_workers": processes, "threads_per_worker": 1}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            yield client
    elif name == "joblib":
        from joblib import Parallel

        with Parallel(processes) as parallel:
            yield parallel
    elif processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            yield pool
    else:
        yield None


def draw(file, n_paths, n_steps, seed):
    """Write normal numbers to a file, and return them as an array in it."""
    rng = np.random.default_rng(seed)
    noise = np.lib.format.open_memmap(file, "w+", float, (n_paths, n_steps))
    for start in range(0, n_paths, 10_000):
        part = noise[start : start + 10_000]
        part[:] = rng.standard_normal(part.shape)
    return noise


def main(argv=None):
    """Run the program; `argv` are the words of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=("pool", "dask", "joblib"), default="pool")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--paths", type=int, default=200_000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    market = np.array([100.0, 0.2, 0.05])
    options = {"over": "noise", "parts": args.parts}
    with tempfile.TemporaryDirectory() as folder:
        noise = draw(Path(folder) / "noise.npy", args.paths, args.steps, args.seed)
        alone = srcad.parallel.value_and_grad(price, **options)
        with engine_of(args.engine, args.processes) as engine:
            shared = srcad.parallel.value_and_grad(price, engine=engine, **options)
            shared(market, noise)  # workers start, and get the program
            times = []
            for step in (alone, shared):
                start = time.perf_counter()
                value, gradient = step(market, noise)
                times.append(time.perf_counter() - start)
        del noise, step
    for name, number in zip(("price", "delta", "vega", "rho"), (value, *gradient), strict=True):
        print(f"{name:6}{number:9.4f}")
    ratio = times[0] / times[1]
    print(f"{args.processes} processes: {ratio:.2f} times as fast as one")


if __name__ == "__main__":
    main()
