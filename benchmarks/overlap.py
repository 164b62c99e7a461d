"""What a training step could save by adding gradients of some layers while others are computed.

    OPENBLAS_NUM_THREADS=1 mpiexec -n 2 python benchmarks/overlap.py

In turns: the gradient of each rank's half of the samples alone, the sums over the ranks alone, and
the whole call. If all of the sums were hidden behind the computing, a step would take as long as
the computing alone: that is the most that overlap can save. The last column is the same for a
network that sends 1.25 GB a second with 20 microseconds for each message, computed.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
import workers
from mpi4py import MPI
from timing import print_table

import srcad.parallel
from srcad.api.arguments.trees import leaves

ROUNDS = 15
comm = MPI.COMM_WORLD


def together(call):
    """The seconds of a call that all ranks begin together, of the slowest one."""
    comm.Barrier()
    start = time.perf_counter()
    call()
    return comm.allreduce(time.perf_counter() - start, MPI.MAX)


def measure(name):
    """A row of the table."""
    loss, over, given = workers.PROGRAMS[name](np.random.default_rng(0))
    places = [loss.__code__.co_varnames.index(each) for each in over]
    n = len(given[places[0]])
    own = slice(n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size)
    part = [x[own] if k in places else x for k, x in enumerate(given)]
    alone = srcad.value_and_grad(loss, backend="numpy")
    step = srcad.parallel.value_and_grad(loss, over=over, engine=comm, backend="numpy")
    gradients = [np.require(x, requirements="CW") for x in leaves(alone(*part)[1])]

    def sums():
        for x in gradients:
            comm.Allreduce(MPI.IN_PLACE, x)

    calls = {"alone": lambda: alone(*part), "sums": sums, "whole": lambda: step(*part)}
    times = {key: [] for key in calls}
    for k in range(ROUNDS + 2):
        for key in [*calls][k % 3 :] + [*calls][: k % 3]:
            found = together(calls[key])
            if k > 1:
                times[key].append(found)
    computing, adding, whole = (median(times[key]) for key in calls)
    size = sum(x.nbytes for x in gradients)
    sent = 2 * (size / 1.25e9 + 2e-5 * len(gradients))
    return [
        name, f"{computing * 1e3:.1f} ms", f"{adding * 1e3:.2f} ms", f"{whole * 1e3:.1f} ms",
        f"{100 * adding / (computing + adding):.1f} %", f"{100 * sent / (computing + sent):.1f} %",
    ]  # fmt: skip


def main():
    """Print the table."""
    rows = [measure(name) for name in ("cnn", "transformer", "monte_carlo", "bundle_adjustment")]
    if comm.rank == 0:
        head = ["program", "computing", "adding", "call", "at most saved", "on a network"]
        print_table(head, rows)


if __name__ == "__main__":
    main()
