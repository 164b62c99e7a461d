"""Value and gradient of numerical programs, by srcad, JAX and hand-written C in turn.

    python benchmarks/kernels.py --programs lu,jacobi_1d --sizes S --rounds 5
    python benchmarks/kernels.py --write-docs       # all: docs/kernels.md, docs/kernels.png

The programs are plain NumPy with loops and writes in place (`numerical/`). The loss is half the sum
of the squares of every output; all floating arguments are differentiated. JAX has each program
twice: *loops* is the same loops as its `fori_loop`s, *best* the fastest form that was found. Three
adjoints are written by hand in C. Before anything is timed, all systems' values and gradients are
compared. Ratios are of medians, and in brackets of the least times, in one process.
"""

from __future__ import annotations

import argparse
import sys

from models import limit_threads


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default="", help="names, separated by commas; default: all")
    parser.add_argument("--sizes", default="S,M", help="of T, S and M (default: S,M)")
    parser.add_argument("--systems", default="numpy,native,loops,best,c")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2, help="of every system (default: 2)")
    parser.add_argument("--write-docs", action="store_true", help="docs/kernels.md and its plot")
    return parser.parse_args(argv)


def main(argv=None):
    """Measure and print; return the figures by size, program and system."""
    chosen = options(argv)
    limit_threads(chosen.threads)
    from numerical import measure, report
    from numerical.programs import PROGRAMS

    keys = chosen.programs.split(",") if chosen.programs else list(PROGRAMS)
    found = {}
    for size in chosen.sizes.split(","):
        found[size] = {}
        for key in keys:
            names = chosen.systems.split(",")
            found[size][key] = measure.compare(PROGRAMS[key], size, chosen.rounds, names)
        report.show(size, found[size])
        if chosen.write_docs:
            report.write({size: found[size]}, chosen.threads)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
