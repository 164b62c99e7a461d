"""The same models trained from the same weights on the same batches, by several systems in turn.

    python benchmarks/models.py --model cnn --model rnn --peers torch,jax,autograd --threads 1
    python benchmarks/models.py --write-docs        # all models: docs/results.md, docs/results.png

Prints the time of a training step (gradient and update), of the first step (with compilation) and
of an epoch (steps in an epoch times the median), the memory, and the loss after the last step. That
losses and weights agree between the systems is checked. Ratios are of medians of steps that took
turns in one process. Data: the real sets from the folder `SRCAD_DATA`, else random numbers.
"""

from __future__ import annotations

import argparse
import os
import sys

NAMES = ("cnn", "rnn", "imdb", "ae", "aeb", "tr", "tra")
PEERS = ("torch", "jax", "autograd")


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"of {PEERS}; '' for none")
    parser.add_argument("--native", action="store_true", help="srcad's compiled backend as well")
    parser.add_argument("--threads", type=int, default=1, help="of every system (default: 1)")
    parser.add_argument("--seconds", type=float, default=4.0, help="for a system and model")
    parser.add_argument("--steps", type=int, default=0, help="instead of --seconds")
    parser.add_argument("--memory", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--write-docs", action="store_true", help="docs/results.md and its plot")
    return parser.parse_args(argv)


def limit_threads(n):
    """Give all thread pools `n` threads; to be called before any of the systems is imported.

    What has no such variable (XLA) counts the cores that the process may use.
    """
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "SRCAD_NUM_THREADS"):
        os.environ[variable] = str(n)
    os.environ["OMP_WAIT_POLICY"] = "passive"  # spinning threads would take the others' time
    os.environ["SRCAD_CACHE"] = "0"  # the first step compiles
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[-n:])


def main(argv=None):
    """Measure and print; return the figures by model and system."""
    chosen = options(argv)
    limit_threads(chosen.threads)
    from training import measure, report
    from training.networks import MODELS

    names = [
        "hand",
        "tuned",
        *("srcad", "whole"),
        *["native", "compiled"] * chosen.native,
        *filter(None, chosen.peers.split(",")),
    ]
    found = {}
    for key in chosen.model or NAMES:
        model = MODELS[key]
        figures = measure.compare(model, names, chosen.seconds, chosen.steps)
        for name in figures if chosen.memory else ():
            figures[name].peak, figures[name].allocated = measure.memory(model, name)
        report.show(model, figures)
        found[key] = figures
    if chosen.write_docs:
        report.write(found, chosen.threads)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
