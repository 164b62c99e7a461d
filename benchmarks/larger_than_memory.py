"""An epoch over a file that is larger than the memory it takes.

    python benchmarks/larger_than_memory.py                 # 4 GB in the current folder
    python benchmarks/larger_than_memory.py --gigabytes 0.2 --folder /tmp

Writes samples into a file, and measures in a process of its own the largest memory it ever held
(VmHWM: code, libraries and pages of files included), and the seconds, for one pass by parts, which
are read one ahead, and for one that reads each part when it is computed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES = 256
PART = 16_384  # samples: 32 MB


def loss(w, x, y):
    """Logistic regression."""
    z = x @ w
    return np.mean(np.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0) - y * z)


def write(folder, n):
    """So many samples, part by part."""
    rng = np.random.default_rng(0)
    x = np.memmap(folder / "x", np.float64, "w+", shape=(n, FEATURES))
    part = rng.standard_normal((min(n, PART), FEATURES))
    for k in range(0, n, PART):
        x[k : k + PART] = part[: n - k]
    x.flush()
    np.save(folder / "y.npy", rng.integers(2, size=n).astype(float))


def epoch(folder, how):
    """One pass; prints the loss, seconds and megabytes."""
    import srcad.parallel

    y = np.load(folder / "y.npy")
    x = np.memmap(folder / "x", np.float64, "r", shape=(len(y), FEATURES))
    w = np.full(FEATURES, 0.01)
    step = srcad.parallel.value_and_grad(loss, over=("x", "y"), parts=-(-len(y) // PART))
    if how == "one by one":
        from srcad.parallel.engines import Here

        Here.map = lambda self, fn, shared, tasks, blocks: (fn(shared, task) for task in tasks)
    step(w, x[:PART], y[:PART])
    with (folder / "x").open("rb") as file:  # out of the system's cache
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    start = time.perf_counter()
    value, _ = step(w, x, y)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(f"{how}: loss {value:.6f}, {seconds:.1f} s, at most {int(peak.split()[1]) / 1e3:.0f} MB")


def main():
    """Measure both in turns."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--epoch", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.epoch:
        epoch(given.folder, given.epoch)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        write(Path(folder), round(given.gigabytes * 1e9 / (8 * FEATURES)))
        for k in range(given.rounds):
            for how in ("read ahead", "one by one")[:: 1 - 2 * (k % 2)]:
                command = [sys.executable, __file__, "--folder", folder, "--epoch", how]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
