"""Gradients on one worker and on two: times, bytes sent, memory.

    python benchmarks/workers.py                              # two processes of a pool: minutes
    python benchmarks/workers.py --engine dask --programs cnn,transformer
    python benchmarks/workers.py --engine threads --seconds 20 --backend native

Each worker has one thread. In turns in one run: `srcad.value_and_grad` in this process, one worker,
two workers. A cluster of Dask has the samples before the calls, processes are sent them with each
call. "bytes" are those that a call sends, measured, against the least: to each worker the arguments
that are not split, back from each a gradient, and the samples where they are sent. A message by way
of Dask's scheduler counts twice.
"""

# ruff: noqa: E402 (NumPy reads the number of threads when it is imported)

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack, contextmanager
from multiprocessing import connection, get_context
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "SRCAD_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

import numpy as np
from timing import interleave, print_table

import srcad.parallel
from srcad.api.arguments.trees import leaves

# ------------------------------------------------------------------------------- programs


def cnn(rng):
    """The network for digits, batch 512."""
    from training.networks import cnn_loss, cnn_weights

    images, labels = rng.random((512, 1, 28, 28), np.float32), rng.integers(10, size=512)
    return cnn_loss, ("x", "y"), (cnn_weights(rng), images, labels)


def transformer(rng):
    """A layer of width 64, 32 places, batch 512."""
    import transformer as example

    p = example.initial_parameters(80, 32, 64, 1, rng)
    return example.loss.primal, ("ids",), (p, rng.integers(80, size=(512, 33)))


def monte_carlo(rng):
    """An Asian option: 50,000 paths of 50 steps."""
    from option_prices import price

    return price, ("noise",), (np.array([100.0, 0.2, 0.05]), rng.standard_normal((50_000, 50)))


def squares(x, n_cameras, camera, point, seen):
    """Half the squared distance of all points from where they were seen."""
    from bundle_adjustment import residuals

    return 0.5 * np.sum(residuals(x, n_cameras, camera, point, seen) ** 2)


def bundle_adjustment(rng):
    """50 cameras, 4,000 points, about 160,000 places where one sees the other."""
    from bundle_adjustment import residuals, scene

    globals()["residuals"] = residuals
    x, *given = scene(50, 4_000, rng)
    return squares, ("camera", "point", "seen"), (x, 50, *given)


PROGRAMS = {
    "cnn": cnn,
    "transformer": transformer,
    "monte_carlo": monte_carlo,
    "bundle_adjustment": bundle_adjustment,
}

# ------------------------------------------------------------------------------- engines


@contextmanager
def processes(n):
    """A pool, and what tells how much memory its workers ever had."""
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(n, mp_context=get_context("spawn")) as pool:
        yield pool, lambda: [pool.submit(most_memory).result() for _ in range(2 * n)]


@contextmanager
def threads(n):
    """A pool; its memory is this process's."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n) as pool:
        yield pool, lambda: [most_memory()]


@contextmanager
def dask(n):
    """A cluster."""
    from dask.distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        yield client, lambda: list(client.run(most_memory).values())


def most_memory():
    """The megabytes that this process ever had."""
    status = Path("/proc/self/status").read_text()
    return int(next(x for x in status.splitlines() if x.startswith("VmHWM")).split()[1]) / 1e3


def lying(client, given, n):
    """An argument in parts, each with a worker."""
    parts = np.array_split(given, n)
    workers = [*client.nthreads()]
    return [client.scatter(x, workers=[w]) for x, w in zip(parts, workers, strict=True)]


# ------------------------------------------------------------------------------- bytes


def size(tree):
    """The bytes of all arrays."""
    return sum(np.asarray(leaf).nbytes for leaf in leaves(tree))


def sent_by_pipes(call):
    """The bytes that go through pipes to and from other processes while it is called."""
    count, cls = 0, connection.Connection
    send, receive = cls._send_bytes, cls._recv_bytes

    def counted_send(self, data):
        nonlocal count
        count += len(data)
        send(self, data)

    def counted_receive(self, *args):
        nonlocal count
        found = receive(self, *args)
        count += found.getbuffer().nbytes
        return found

    cls._send_bytes, cls._recv_bytes = counted_send, counted_receive
    try:
        call()
    finally:
        cls._send_bytes, cls._recv_bytes = send, receive
    return count


def sent_by_network(call):
    """The bytes that go through the loopback device while it is called ten times, of one call."""

    def count():
        lines = Path("/proc/net/dev").read_text().splitlines()
        return int(next(x for x in lines if x.strip().startswith("lo:")).split(":")[1].split()[0])

    before = count()
    for _ in range(10):
        call()
    return (count() - before) / 10


# ------------------------------------------------------------------------------- measuring


def measure(name, engine, backend, seconds):
    """A row of the table."""
    loss, over, given = PROGRAMS[name](np.random.default_rng(0))
    names = loss.__code__.co_varnames
    places = [names.index(each) for each in over]
    plain = srcad.value_and_grad(loss, backend=backend)
    calls, tell = {"plain": lambda: plain(*given)}, {}
    with ExitStack() as stack:
        for n in (1, 2):
            pool, memory = stack.enter_context(ENGINES[engine](n))
            own = list(given)
            if engine == "dask":
                own = [lying(pool, x, n) if k in places else x for k, x in enumerate(given)]
            step = srcad.parallel.value_and_grad(
                loss, over=over, engine=pool, parts=n, backend=backend
            )
            calls[str(n)] = lambda step=step, own=own: step(*own)
            tell[n] = memory
        wanted, found = calls["plain"](), calls["2"]()
        for a, b in zip(leaves(wanted), leaves(found), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-4 * float(np.max(np.abs(a))))
        times = interleave(calls, seconds)
        sent = {"processes": sent_by_pipes, "dask": sent_by_network}.get(engine, lambda call: 0)(
            calls["2"]
        )
        rest = size([x for k, x in enumerate(given) if k not in places])
        least = 2 * (rest + size(found[1]))
        if engine == "processes":
            least += size([given[k] for k in places])
        memory = max(tell[2]())
    times_as_fast = [times[other] / times["2"] for other in ("plain", "1")]
    return [
        name,
        f"{times['plain'] * 1e3:.1f} ms",
        *(f"{ratio:.2f}" for ratio in times_as_fast),
        f"{sent / 1e6:.2f} MB" if sent else "none",
        f"{sent / least:.2f}" if sent else "",
        f"{memory:.0f} MB",
    ]


ENGINES = {"processes": processes, "threads": threads, "dask": dask}
HEAD = ["program", "one process", "two against it", "against one worker", "bytes", "of the least",
        "memory of a worker"]  # fmt: skip


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", choices=ENGINES, default="processes")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--backend", default="numpy", choices=("numpy", "native", "auto"))
    parser.add_argument("--seconds", type=float, default=5.0, help="for each in turn")
    given = parser.parse_args()
    print(f"{given.engine}, backend {given.backend}, {os.cpu_count()} cores\n")
    rows = []
    for name in given.programs.split(","):
        rows.append(measure(name, given.engine, given.backend, given.seconds))
        print(*rows[-1], sep=", ", file=sys.stderr)
    print_table(HEAD, rows)


if __name__ == "__main__":
    main()
