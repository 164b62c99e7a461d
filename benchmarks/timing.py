"""Timing in one process, alternating, and tables.

What is compared takes turns, each round starting with another, so that a slow moment of the machine
hits all alike. Report ratios of medians: absolute times say more about the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import geometric_mean, median

__all__ = ["geometric_mean", "interleave", "median", "print_table"]

SAMPLE_S = 2e-4  # a sample shorter than this would measure the clock
MIN_ROUNDS = 5


def interleave(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Return the median time of one call of each, in seconds.

    seconds: how long to measure each of them.
    """
    names = list(calls)
    repeats = {name: _repeats(calls[name]) for name in names}
    samples: dict[str, list[float]] = {name: [] for name in names}
    end = time.perf_counter() + seconds * len(names)
    rounds = 0
    while rounds < MIN_ROUNDS or time.perf_counter() < end:
        for name in names[rounds % len(names) :] + names[: rounds % len(names)]:
            samples[name].append(_time(calls[name], repeats[name]))
        rounds += 1
    return {name: median(times) for name, times in samples.items()}


def _time(call: Callable[[], object], repeats: int) -> float:
    call()  # untimed: it pays for the memory and caches that its predecessor left otherwise
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def _repeats(call: Callable[[], object]) -> int:
    """Return how many calls make one sample."""
    once = min(_time(call, 1) for _ in range(5))
    return max(1, round(SAMPLE_S / once))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table, first column to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        first, *others = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join([first, *others])} |"

    rules = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    print(line(head), line(rules), *map(line, rows), sep="\n")
