"""What srcad costs beside the arithmetic: calls, first gradients, imports; the targets beside.

    python benchmarks/overhead.py [--quick]

First gradients and imports are measured in processes of their own, the smallest of several runs.
Nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from gradients import generated
from timing import interleave, print_table

import srcad

HERE = Path(__file__).parent

IMPORT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""

# The clock starts where a user's program has its data and its loss, and srcad is imported.
FIRST = """
import time
import programs, srcad
mlp = next(p for p in programs.programs() if p.name.startswith("MLP"))
other = next(p for p in programs.programs() if p.name.startswith("logistic"))
if {warm}:
    srcad.value_and_grad(other.loss, other.argnums)(*other.args)
mlp.hand(*mlp.args)
start = time.perf_counter()
srcad.value_and_grad(mlp.loss, mlp.argnums)(*mlp.args)
print(time.perf_counter() - start)
"""


def five_arrays(a, b, c, d, e):
    """Return a loss so small that a call is all overhead."""
    return np.sum(a * b + c * d + e)


def call_overhead(seconds):
    """Return the time of a warm decorated call over the generated function's, in seconds."""
    gradient = srcad.value_and_grad(five_arrays, argnums=(0, 1, 2, 3, 4))
    args = tuple(np.ones(4) for _ in range(5))
    gradient(*args)
    direct = generated(gradient, args)
    medians = interleave(
        {"decorated": lambda: gradient(*args), "direct": lambda: direct(*args)}, seconds
    )
    return medians["decorated"] - medians["direct"]


def in_new_process(code, runs, **environment):
    """Return the smallest number that `code` prints, each run in a fresh interpreter."""
    env = {**os.environ, **environment}
    path = os.pathsep.join(filter(None, [str(HERE), env.get("PYTHONPATH")]))
    command = [sys.executable, "-c", code]
    return min(
        float(subprocess.check_output(command, env={**env, "PYTHONPATH": path}, text=True))
        for _ in range(runs)
    )


def first_gradient(warm, runs, **environment):
    """Return the time from an MLP's loss to its first gradient, in seconds."""
    return in_new_process(FIRST.format(warm=warm), runs, **environment)


def main(argv=None):
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    runs = 3 if parser.parse_args(argv).quick else 10
    overhead = call_overhead(0.1 * runs)
    cold, warm = (first_gradient(w, runs, SRCAD_CACHE="0") for w in (False, True))
    with tempfile.TemporaryDirectory() as folder:
        first_gradient(False, 1, SRCAD_CACHE_DIR=folder)
        disk = first_gradient(False, runs, SRCAD_CACHE_DIR=folder)
    # numpy is imported on the way to srcad: the ratio is of whole imports, as a user sees them.
    numpy, ours = (in_new_process(IMPORT.format(module=m), runs) for m in ("numpy", "srcad"))
    rows = [
        ["warm call, 5 arrays, over the generated function", f"{overhead * 1e6:.1f} us", "5 us"],
        ["first gradient, MLP, fresh process", f"{cold * 1e3:.1f} ms", "60 ms"],
        ["first gradient, MLP, compiler in use", f"{warm * 1e3:.1f} ms", "60 ms"],
        ["first gradient, MLP, from the disk cache", f"{disk * 1e3:.1f} ms", "15 ms"],
        ["import srcad / import numpy", f"{ours / numpy:.2f}", "1.3"],
    ]
    print_table(["what", "measured", "target"], rows)


if __name__ == "__main__":
    main()
