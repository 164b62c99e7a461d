"""What a gradient of the pressure equation takes that is written by hand in C, over the function.

    python benchmarks/saved_sweeps.py
    python benchmarks/saved_sweeps.py --seconds 5

The sweeps of `cavity_flow` at the sizes of `benchmarks/kernels.py`, by one thread. The pressure of
each sweep, which the derivatives by the widths of the mesh need, is saved, or computed again for
each step. The three take turns; the figures are ratios of medians. They say what can be expected of
the gradient of the whole program.
"""

from __future__ import annotations

import argparse
import ctypes
from functools import partial

import numpy as np
from numerical.programs import PROGRAMS
from numerical.with_c import library, pointer
from timing import interleave, print_table


class Numbers(ctypes.Structure):
    """What a sweep is given beside arrays."""

    _fields_ = [(name, ctypes.c_double) for name in ("x2", "y2", "c", "d")]


def calls(size: str) -> dict[str, partial[None]]:
    """The function and its two gradients."""
    _, _, p, *_, dx, dy, steps, sweeps = PROGRAMS["cavity_flow"].arguments(size)
    n, c = len(p), 2 * (dx**2 + dy**2)
    numbers = Numbers(dx**2, dy**2, c, dx**2 * dy**2 / c)
    other, b, p_bar, b_bar = np.random.default_rng(0).random((4, n, n))
    sums, tape, starts = np.zeros(3), np.zeros((steps * sweeps, n, n)), np.zeros((steps, n, n))
    counts = map(ctypes.c_long, (n, steps, sweeps))
    first = (*counts, *map(pointer, (p, other, b)), numbers)
    kept, rest = pointer(tape), tuple(map(pointer, (p_bar, b_bar, sums)))
    c_file = library("sweeps.c")
    found = {
        "function": partial(c_file.function, *first),
        "saved": partial(c_file.gradient_saved, *first, kept, *rest),
        "again": partial(c_file.gradient_again, *first, kept, pointer(starts), *rest),
    }
    for call in found.values():  # arrays live as long as what points to them
        call.arrays = (p, other, b, p_bar, b_bar, sums, tape, starts)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each of the three")
    chosen = parser.parse_args()
    rows = []
    for size in ("S", "M"):
        times = interleave(calls(size), chosen.seconds)
        own = times["function"]
        rows.append(
            [size, f"{1e3 * own:.2f}", f"{times['saved'] / own:.1f}", f"{times['again'] / own:.1f}"]
        )
    print_table(["size", "function, ms", "gradient / function, saved", "computed again"], rows)


if __name__ == "__main__":
    main()
