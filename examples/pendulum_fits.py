"""How sure are a pendulum's constants? Many fits of a simulation, shared by joblib.

A pendulum with friction is filmed: angles with noise. Its constants are found by least squares of a
simulation (Runge-Kutta's fourth order), with srcad's gradient for SciPy's L-BFGS. How far they can
be trusted, an ensemble tells: the same fit to many recordings, made from the first fit with other
noise (a parametric bootstrap). Fits are independent of each other, so that any number of processes
can share them:

    python examples/pendulum_fits.py                   # two processes
    python examples/pendulum_fits.py --processes 4 --fits 400

The model has a file of its own, pendulum.py, which the processes import: joblib sends what stands
in the started file without its source. Prints the constants with their deviations, and the
efficiency: what the processes do together, of what they would if none had to wait. The picture
shows which process made which fit when.
"""

import argparse
import time

import numpy as np
from pendulum import NOISE, TRUE, fit, simulate
from timeline import draw_timeline

NAMES = ("frequency", "friction", "first angle", "first speed")


def main(argv=None):
    """Fit one recording, then many, in one process and in several."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fits", type=int, default=40)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", default="pendulum_fits.png")
    args = parser.parse_args(argv)
    from joblib import Parallel, delayed

    rng = np.random.default_rng(args.seed)

    def filmed(constants):
        return simulate(constants, args.points) + NOISE * rng.standard_normal(args.points)

    best, _ = fit(filmed(TRUE))
    recordings = [filmed(best) for _ in range(args.fits)]
    start = time.perf_counter()
    alone = [fit(seen)[0] for seen in recordings]
    one = time.perf_counter() - start
    with Parallel(args.processes) as parallel:
        parallel(delayed(fit)(seen) for seen in recordings[: args.processes])  # processes start
        start = time.perf_counter()
        found = parallel(delayed(fit)(seen) for seen in recordings)
        many = time.perf_counter() - start
    constants = np.array([x for x, _ in found])
    assert np.array_equal(constants, alone)
    for name, true, x, deviation in zip(NAMES, TRUE, best, constants.std(axis=0), strict=True):
        print(f"{name:12} {x:8.4f} +- {deviation:.4f}   (true {true})")
    print(f"{args.fits} fits      {one:.2f} s in one process, {many:.2f} s in {args.processes}")
    print(f"efficiency   {one / many / args.processes:.0%}")
    title = f"{args.fits} fits, joblib"
    print(f"picture      {draw_timeline(args.output, [span for _, span in found], title)}")


if __name__ == "__main__":
    main()
