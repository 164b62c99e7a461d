"""`backend="auto"` in parts: NumPy's program runs, the other is compiled in the background.

    watches    NumPy's runs; after `WORTH_S` seconds in `WORTH_CALLS` calls a thread here makes the
               compiled program, and a process its machine code, which workers are sent
    compiles   NumPy's runs
    ready      the next call has a worker run the first part by both, which compares them
    decided    one of them runs, for all parts

All parts of a call are computed by the same program, and so give the same on each worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from srcad.interrupts import raise_users_own
from srcad.parallel.programs import (
    Failed,
    Program,
    Shared,
    Task,
    arguments,
    keep,
    keep_sent,
    sendable,
)
from srcad.pipeline.calls.agreement import difference
from srcad.pipeline.calls.aside import (
    WORTH_CALLS,
    WORTH_S,
    in_background,
    machine_code_of,
    program_beside,
    why_not,
)
from srcad.pipeline.reports.logs import tell
from srcad.pipeline.request import Request

_CLEAR, _MOST_PAIRS = 1.3, 3

Entry = Callable[..., Any]


@dataclass
class Choice:
    """What is known of a program: whether a compiled one may be better.

    program: what runs. rival: the compiled one, once it is ready.
    """

    request: Request
    program: Program
    state: str = "watches"
    rival: Program | None = None
    _calls: int = 0
    _seconds: float = field(default=0.0)

    def after(self, seconds: float, args: Sequence[Any]) -> None:
        """A call has taken so long."""
        self._calls += 1
        self._seconds += seconds
        if self.state != "watches" or self._calls < WORTH_CALLS or self._seconds <= WORTH_S:
            return
        if why := why_not():
            self.leave(why)
            return
        self.state, given = "compiles", [args]  # to be let go of as soon as their types are known
        in_background(lambda: self._make(given), self.leave)

    def decide(self, raced: Raced) -> None:
        """Keep the faster one, or NumPy's where the results differ by more than rounding."""
        if raced.why:
            self.leave(f"the compiled program's results differ: {raced.why}")
            return
        assert self.rival is not None
        self.state = "decided"
        if raced.native_s <= raced.numpy_s:
            self.program = self.rival
        times = f"compiled code takes {1e3 * raced.native_s:.3g} ms for a part"
        tell(self.request, f"{times}, NumPy {1e3 * raced.numpy_s:.3g}: the faster one runs")

    def leave(self, why: str) -> None:
        """Stay with NumPy's."""
        self.state = "left"
        tell(self.request, f"stays on NumPy: {why}")

    def _make(self, given: list[Sequence[Any]]) -> None:
        numpy, args = self.program.numpy, given.pop()
        native = program_beside(self.request, args, frozenset())
        machine_code_of(native, numpy, keep=True)
        self.rival = Program(numpy, native)
        self.state = "ready"


@dataclass(frozen=True, slots=True)
class Raced:
    """Seconds of a part by both programs, and how their results differ."""

    numpy_s: float
    native_s: float
    why: str


def race(shared: Shared, task: Task, *blocks: Any) -> Any:
    """What a worker finds out about the two programs that it is sent, by one part."""
    try:
        assert shared.program is not None
        both = keep_sent(shared.program)
        by_numpy, by_machine = keep(replace(both, native=None)), keep(both)
        return raced(by_numpy, by_machine, arguments(shared, task, blocks))
    except Exception as problem:
        raise_users_own(problem)
        return Failed(sendable(problem), task.number)


def raced(by_numpy: Entry, by_machine: Entry, args: Sequence[Any]) -> Raced:
    """Both programs, by turns, until one is clearly faster."""
    best, why = [float("inf")] * 2, ""
    for pair in range(_MOST_PAIRS):
        results = []
        for k, entry in enumerate((by_numpy, by_machine)):
            start = time.perf_counter()
            results.append(entry(*args))
            best[k] = min(best[k], time.perf_counter() - start)
        if pair == 0:
            why = difference(*results)
        if why or max(best) > _CLEAR * min(best):
            break
    return Raced(best[0], best[1], why)


__all__ = ["Choice", "Raced", "race", "raced"]
