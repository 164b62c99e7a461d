"""How a step scales to a thousand workers: a model, with latencies and bandwidths measured here.

    python benchmarks/many_workers.py                    # measures, prints, seconds
    python benchmarks/many_workers.py --output docs/many_workers.png

    t(1) = c n
    star(W) = c n / W + a W + 2 W m / b              Dask: one scheduler tells and gathers all
            = c n / W + a (W + g) + (1 + g) m / b + (g + log2(W)) m / l_b, g = sqrt(W), if m is
              large: workers pass the weights on, and add gradients in groups of g
    ring(W) = c n / W + 2 (W - 1) (l + m / (W b))    Allreduce of large gradients
    tree(W) = c n / W + 2 log2(W) (l + m / b)        Allreduce of small ones; MPI takes the faster

c: seconds a sample; n: samples; m: bytes of a gradient, which are those of the weights; a: seconds
a part costs the scheduler and the client; b: bytes a second of a link; l: seconds a message takes;
l_b: bytes a second between two workers.
a, and b by way of the scheduler, are measured with a cluster of two workers here; l and the ring's
b with two ranks of MPI. A network between machines is
slower than this one's memory: the model takes the smaller of the measured b and `--network`.

A step bends where the next worker no longer makes it faster, or where it is half as efficient as
one worker: both are printed.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
MOST = 1000
LARGE = 1 << 18  # bytes of a gradient that workers of Dask add


@dataclass(frozen=True)
class Network:
    """What a message costs.

    part_s: of a part at the scheduler. star: bytes a second to and from the scheduler. message_s
    and link: latency and bytes a second between two workers.
    """

    part_s: float
    star: float
    message_s: float
    link: float


@dataclass(frozen=True)
class Step:
    """A training step: seconds on one worker, and the bytes of a gradient."""

    name: str
    seconds: float
    gradient: float


STEPS = (
    Step("a network of 40,000 weights, 1 s", 1.0, 1.6e5),
    Step("a network of 10 million weights, 10 s", 10.0, 4e7),
    Step("10 parameters, a Monte-Carlo run of 100 s", 100.0, 80),
)


def star(step, workers, net):
    """The seconds of a step that one process gathers."""
    m, size = step.gradient, math.isqrt(workers - 1) + 1
    told = step.seconds / workers + net.part_s * workers
    if m < LARGE:
        return told + 2 * workers * m / net.star
    groups = math.ceil(workers / size)
    passed = (size + math.log2(workers)) * m / net.link
    return told + net.part_s * groups + (1 + groups) * m / net.star + passed


def allreduce(step, workers, net):
    """The seconds of a step whose gradients are added by all."""
    ring = 2 * (workers - 1) * (net.message_s + step.gradient / workers / net.link)
    tree = 2 * math.log2(workers) * (net.message_s + step.gradient / net.link)
    return step.seconds / workers + min(ring, tree)


def bends(time_of):
    """From how many workers on a step is half as efficient as one, and which number is fastest."""
    times = [time_of(w) for w in range(1, MOST + 1)]
    efficiency = [times[0] / (w * t) for w, t in enumerate(times, 1)]
    half = next((w for w, e in enumerate(efficiency, 1) if e < 0.5), None)
    return half, min(range(1, MOST + 1), key=lambda w: times[w - 1])


# ------------------------------------------------------------------------------- measured


def seconds_of(call, rounds=15):
    """The median of some calls."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)


def measured_star():
    """The seconds of a part, and bytes a second through the scheduler, of Dask's cluster here."""
    import logging

    import numpy as np
    from dask.distributed import Client, LocalCluster

    import srcad.parallel

    def loss(w, x):
        return np.sum(w) * np.sum(x)

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        LocalCluster(**options, silence_logs=logging.ERROR) as cluster,
        Client(cluster) as client,
    ):
        x, small, large = np.ones(64), np.ones(1), np.ones(2_000_000)

        def of(parts, w):
            step = srcad.parallel.value_and_grad(loss, over="x", engine=client, parts=parts)
            return seconds_of(lambda: step(w, x))

        part_s = (of(32, small) - of(2, small)) / 30
        # One gets the weights, and one sends the sum; what passes between them counts as no time.
        bandwidth = 2 * large.nbytes / (of(2, large) - of(2, small))
    return max(part_s, 1e-6), bandwidth


PING = """
import sys, time
from mpi4py import MPI
import numpy as np
comm, other = MPI.COMM_WORLD, 1 - MPI.COMM_WORLD.rank
for count, n in ((2000, 1), (50, 1 << 20)):
    x = np.zeros(n)
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(count):
        if comm.rank:
            comm.Recv(x, other); comm.Send(x, other)
        else:
            comm.Send(x, other); comm.Recv(x, other)
    if comm.rank == 0:
        print((time.perf_counter() - start) / count / 2)
"""


def measured_link():
    """Seconds of a message and bytes a second between two ranks of MPI on this machine."""
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpiexec", "-n", "2", sys.executable, "-c", PING]
    found = subprocess.run(
        command, env={**os.environ, **more}, capture_output=True, text=True, check=True
    )
    small, large = map(float, found.stdout.split())
    return small, 8 * (1 << 20) / max(large - small, 1e-9)


# ------------------------------------------------------------------------------- shown


def draw(file, net):
    """The efficiency over the workers."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    workers = [round(10 ** (k / 20)) for k in range(61)]
    for k, step in enumerate(STEPS):
        for time_of, line in ((star, "-"), (allreduce, "--")):
            speed = [step.seconds / time_of(step, w, net) for w in workers]
            axes.loglog(workers, speed, f"C{k}{line}", label=step.name if line == "-" else None)
    axes.loglog(workers, workers, "k:", linewidth=0.8)
    axes.set(xlabel="workers", ylabel="times as fast as one", ylim=(0.8, MOST))
    axes.plot([], [], "k-", label="Dask: one scheduler")
    axes.plot([], [], "k--", label="MPI: Allreduce")
    axes.legend(fontsize="small")
    figure.savefig(file, dpi=120)


def main():
    """Measure, and print what the model says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--network", type=float, default=1.25e9, help="bytes a second of a link")
    parser.add_argument("--latency", type=float, default=2e-5, help="seconds, of a network")
    parser.add_argument("--output", help="a picture")
    given = parser.parse_args()
    (part_s, star_bandwidth), (message_s, link) = measured_star(), measured_link()
    print(f"measured: a part at Dask's scheduler {part_s * 1e3:.2f} ms,", end=" ")
    print(f"{star_bandwidth / 1e6:.0f} MB/s through it;", end=" ")
    print(f"a message of MPI {message_s * 1e6:.1f} us, {link / 1e9:.2f} GB/s")
    net = Network(
        part_s, min(star_bandwidth, given.network),
        max(message_s, given.latency), min(link, given.network),
    )  # fmt: skip
    print(f"taken: {net}")
    for step in STEPS:
        for name, time_of in (("star", star), ("Allreduce", allreduce)):
            half, fastest = bends(lambda w, f=time_of, step=step: f(step, w, net))
            speed = step.seconds / time_of(step, MOST, net)
            print(
                f"{step.name}, {name}: half as efficient from {half or f'more than {MOST}'} workers"
                f" on, fastest with {fastest}; a thousand are {speed:.3g} times as fast as one"
            )
    if given.output:
        draw(given.output, net)


if __name__ == "__main__":
    main()
