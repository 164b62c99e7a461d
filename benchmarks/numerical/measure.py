"""Times of one program on all systems, after a check that they compute the same.

Systems take turns, each round beginning with another. Before each timed call there is one that is
not: it pays for the caches that the predecessor left otherwise.
"""

from __future__ import annotations

import copy
import functools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from . import systems
from .programs import Program, loss_of
from .systems import Call

PRIMAL, COMPILED = "primal", "compiled primal"
TOLERANCE = 1e-8
LIMIT_S = 10.0  # a system that has used this much time takes part no more
SLOW_S = 1.0  # what takes so long needs no untimed call before it


@dataclass
class Figures:
    """Seconds: of the first call, with compilation, and of each timed one."""

    first: float
    times: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of all timed calls."""
        return median(self.times)

    @property
    def least(self) -> float:
        """The fastest call."""
        return min(self.times)


def compare(program: Program, size: str, rounds: int, names: list[str]) -> dict[str, Figures]:
    """Time the function in plain NumPy, and its gradient on every system that there is.

    Raises:
        AssertionError: the systems do not agree on value or gradient.
    """
    args = program.arguments(size)
    value = loss_of(program.fn)(*copy.deepcopy(args))
    prepare, primal = systems.primal(program, args)
    prepare()
    found = {PRIMAL: Figures(_timed(primal)[0])}
    calls: dict[str, tuple[Call, Call]] = {PRIMAL: (prepare, primal)}
    bars = None
    for name in [*names, *([COMPILED] if "native" in names else [])]:
        try:
            before, call = _maker(name)(program, args)
            before()
            took, result = _timed(call)
        except systems.AbsentError as error:
            _tell(f"{name}: left out: {error}")
            continue
        if name != COMPILED:
            bars = result[1] if bars is None else bars
            check_same(f"{program.name}: {name}", result, (value, bars))
        calls[name] = (before, call)
        found[name] = Figures(took)
    _alternate(calls, found, rounds)
    return found


def _maker(name: str) -> Callable[..., tuple[Call, Call]]:
    if name == COMPILED:
        return systems.compiled_primal
    return lambda program, args: (_nothing, systems.gradient(name, program, args))


def check_same(what: str, found: Any, wanted: Any) -> None:
    """Compare values and gradients, each with the size of its largest entry as the scale."""
    for x, y in zip((found[0], *found[1]), (wanted[0], *wanted[1]), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.shape == y.shape, f"{what}: shape {x.shape}, not {y.shape}"
        error = np.max(np.abs(x - y)) / max(np.max(np.abs(y)), 1e-300)
        assert error <= TOLERANCE, f"{what}: off by {error}"


def _alternate(calls: dict[str, tuple[Call, Call]], found: dict[str, Figures], rounds: int) -> None:
    """Let the calls take turns; the results are in `found`."""
    spent = dict.fromkeys(calls, 0.0)
    for k in range(rounds):
        order = list(calls)
        for name in order[k % len(order) :] + order[: k % len(order)]:
            times = found[name].times
            if spent[name] > LIMIT_S:
                continue
            for _ in range(2):
                prepare, call = calls[name]
                prepare()
                took = _timed(call)[0]
                spent[name] += took
                if took > SLOW_S:
                    break
            times.append(took)


def _timed(call: Call) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


@functools.cache
def _tell(line: str) -> None:
    """Print what holds for many programs once."""
    print(line, file=sys.stderr)


def _nothing() -> None:
    pass
