"""Workers of a Dask cluster are killed at random moments: each gradient is what it was, to the bit.

    cd tests && python -m parallel.kills 100

Calls follow each other without a pause, and so a kill may come while arguments are sent, parts are
computed, samples are loaded again, or results come back; one in five comes before the last
one's worker is there again.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

import numpy as np

import srcad.parallel
from srcad.api.arguments.trees import flatten

SLOWEST_S = 120.0  # a call that takes longer hangs


def waves(w, x):
    total = 0.1 * np.sum(w**2)
    for row in x:
        r = row @ w
        for _ in range(100):
            r = np.sin(r) + w[0]
        total += r
    return total


def wide(w, x):
    z = np.tanh(x @ w[:3])
    for _ in range(200):
        z = np.sin(z) + 0.1 * x[:, 0]
    return np.mean(z**2) + 0.1 * np.sum(w**2)


def told(w, x):
    z = np.tanh(x @ w)
    for _ in range(200):
        z = np.sin(z) + 0.1 * x[:, 0]
    return np.mean(z), {"each": z, "mean": np.mean(z**2)}


def cases(client):
    """Calls by name: each computes on the cluster, and what it must give."""
    import dask.array as da

    rng = np.random.default_rng(0)
    w, x = rng.standard_normal(3), rng.standard_normal((400, 3))
    many, large = rng.standard_normal((20_000, 3)), rng.standard_normal(300_000)
    lying = client.persist(da.from_array(many, chunks=(5_000, 3)))
    loaded = da.from_array(many, chunks=(5_000, 3)) * 1.0
    # Under "auto" machine code may take over between two calls, and round otherwise.
    made = partial(srcad.parallel.value_and_grad, backend="numpy")
    for name, f, given, samples, parts, options in (
        ("a loop", waves, w, x, 2, {}),
        ("more parts than workers", waves, w, x, 8, {"argnums": (0, 1)}),
        ("a large argument", wide, large, many, 2, {}),
        ("chunks that lie there", wide, w, lying, 4, {}),
        ("chunks that are loaded", wide, large, loaded, 4, {}),
        ("aux", told, w, many, 2, {"has_aux": True}),
    ):
        array = samples if isinstance(samples, np.ndarray) else many
        wanted = made(f, over="x", parts=parts, **options)(given, array)
        given_parts = parts if parts == 8 else None
        step = made(f, over="x", engine=client, parts=given_parts, **options)
        yield name, step, (given, samples), wanted


@dataclass
class Report:
    """What a campaign met."""

    kills: int = 0
    calls: Counter = field(default_factory=Counter)
    struck: int = 0  # calls during which a worker was killed
    wrong: list = field(default_factory=list)
    slowest_s: float = 0.0

    def __str__(self):
        told = ", ".join(f"{name} {n}" for name, n in self.calls.items())
        return "\n".join(
            [
                f"{self.kills} kills, {sum(self.calls.values())} calls ({told})",
                f"{self.struck} calls had a worker killed; slowest {self.slowest_s:.1f} s",
                f"{len(self.wrong)} calls raised or differ",
                *self.wrong,
            ]
        )


def same(found, wanted):
    """Whether two results are equal to the bit, and of one type."""
    pairs = zip(flatten(found)[0], flatten(wanted)[0], strict=True)
    return all(np.array_equal(a, b) and type(a) is type(b) for a, b in pairs)


def strike(cluster, n, seed, report, ended):
    """Kill workers until there were so many kills."""
    rng = random.Random(seed)
    while report.kills < n and not ended.is_set():
        time.sleep(rng.uniform(0.0, 0.8))
        known = [*cluster.scheduler.workers]
        nannies = [nanny for nanny in cluster.workers.values() if nanny.worker_address in known]
        # Dask gives a worker up that ends while it starts.
        processes = [nanny.pid for nanny in nannies if nanny.status.name == "running" and nanny.pid]
        if not processes:
            wait_for_two(cluster, ended)
            continue
        os.kill(rng.choice(processes), signal.SIGKILL)
        report.kills += 1
        if rng.random() < 0.8:
            wait_for_two(cluster, ended)
    wait_for_two(cluster, ended)


def wait_for_two(cluster, ended):
    """Until there are two workers again."""
    start = time.monotonic()
    while len(cluster.scheduler.workers) < 2 and not ended.is_set():
        time.sleep(0.05)
        if time.monotonic() - start > 10:
            cluster.scale(len(cluster.workers) + 1)
            start = time.monotonic()
    time.sleep(0.1)


def campaign(n, seed=0):
    """Kill so many workers while gradients are computed.

    Dask takes a task for deadly that has been with four workers when they ended, however long ago;
    samples that lie there for all of the campaign have been with more.
    """
    import dask
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    report, ended = Report(), threading.Event()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": n}),
        distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        known = list(cases(client))
        for name, step, given, wanted in known:
            assert same(step(*given), wanted), name
        killer = threading.Thread(target=strike, args=(cluster, n, seed, report, ended))
        killer.start()
        try:
            while killer.is_alive():
                for name, step, given, wanted in known:
                    one_call(report, name, step, given, wanted)
        finally:
            ended.set()
            killer.join()
    return report


def one_call(report, name, step, given, wanted):
    """A call, and what it adds to the report."""
    before, start = report.kills, time.monotonic()
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in given]
    watch = threading.Timer(SLOWEST_S, os._exit, (3,))
    watch.start()
    try:
        if not same(step(*given), wanted):
            report.wrong.append(f"{name}: differs")
    except Exception as problem:
        report.wrong.append(f"{name}: {type(problem).__name__}: {problem}")
    watch.cancel()
    if not all(a is b or np.array_equal(a, b) for a, b in zip(given, copies, strict=True)):
        report.wrong.append(f"{name}: arguments are changed")
    report.calls[name] += 1
    report.struck += report.kills > before
    report.slowest_s = max(report.slowest_s, time.monotonic() - start)


if __name__ == "__main__":
    found = campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(found)
    sys.exit(bool(found.wrong))
