"""`backend="auto"`: NumPy answers, a compiled version is made aside, and the faster of both stays.

    watches    NumPy runs; calls are counted and timed
    compiles   NumPy runs; after `WORTH_S` seconds in `WORTH_CALLS` calls a thread makes the
               compiled program, a process has Numba compile it, and the thread imports it
    compares   both run, the first few times for arguments of each size; then the faster one alone;
               of functions that change their arguments the one or the other by turns
    left       NumPy runs: there is nothing to compile, or it fails

A size class is a power of four of the numbers in the arguments' arrays. A compiled program whose
results differ by more than rounding is not used.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from typing import Any

from srcad.forks import lock
from srcad.interrupts import raise_users_own, users_own
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact, Loaded
from srcad.pipeline.calls.agreement import difference
from srcad.pipeline.calls.aside import (
    WORTH_CALLS,
    WORTH_S,
    in_background,
    machine_code_of,
    program_beside,
)
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.calls.holding import unsteady
from srcad.pipeline.calls.plain import with_plain_results
from srcad.pipeline.calls.refusal import Refused, meant, raise_meant
from srcad.pipeline.calls.undone import tried
from srcad.pipeline.calls.warnings_of_compiled import with_warnings
from srcad.pipeline.reports.logs import tell
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation
from srcad.pipeline.targets import NATIVE, NUMPY

# Pairs of calls that are compared, for calls of up to so many seconds, where one is clearly faster
# by this factor; where they are close, more.
_PAIRS, _MOST_PAIRS, _CLEAR = ((0.01, 5), (0.1, 3), (float("inf"), 2)), 10, 1.3
_MAX_FAILURES = 3
_N_CLASSES = 33

Swap = Callable[[Specialisation, Specialisation], None]


@dataclass(slots=True)
class Race:
    """NumPy against the compiled program, for arguments of one size class."""

    takeover: Takeover
    sizes: tuple[int, int]
    numpy_s: float = float("inf")
    native_s: float = float("inf")
    pairs: int = 0
    turns: int = 0
    winner: str = ""

    def __call__(self, /, *args: Any) -> Any:
        """Run both, each first by turns; returns what NumPy returns."""
        if self.takeover.numpy.artifact.writes:
            return self.by_turns(args)
        trial = self.takeover.trial
        # The numbers that are drawn are the same as NumPy's if it does not come after it.
        native_first = self.pairs % 2 == 1 or trial is not self.takeover.native_entry
        problem: Exception | None
        if native_first:
            other, problem = self.run(args, trial)
        result = self.run_numpy(args)
        if not native_first:
            other, problem = self.run(args, trial)
        self.pairs += 1
        if problem is not None:
            self.takeover.fail(problem)
        elif self.pairs == 1 and (why := difference(result, other)):
            self.takeover.leave(f"the compiled program's results differ: {why}")
        elif self.is_decided():
            self.takeover.decide(self)
        return result

    def by_turns(self, args: Sequence[Any]) -> Any:
        """Run one of them, as what both change is changed once; the first time the compiled one
        gets copies, for its results to be compared.
        """
        self.turns += 1
        if self.turns == 1:
            copies = _copied(args)
            other, problem = self.run(copies, self.takeover.trial) if copies else (None, None)
            result = self.run_numpy(args)
            if problem is not None:
                self.takeover.fail(problem)
            elif copies and (why := difference((result, *args), (other, *copies))):
                self.takeover.leave(f"the compiled program's results differ: {why}")
            return result
        if self.turns % 2 == 1:
            return self.run_numpy(args)
        result, problem = self.run(args, self.takeover.native_entry)
        self.pairs += 1
        if problem is not None:  # nothing was changed
            self.takeover.fail(problem)
            return self.takeover.numpy_entry(*args)
        if self.is_decided():
            self.takeover.decide(self)
        return result

    def run_numpy(self, args: Sequence[Any]) -> Any:
        """NumPy's program, timed."""
        start = time.perf_counter()
        result = self.takeover.numpy_entry(*args)
        self.numpy_s = min(self.numpy_s, time.perf_counter() - start)
        return result

    def run(self, args: Sequence[Any], program: Callable[..., Any]) -> tuple[Any, Exception | None]:
        """The compiled program, timed; its result, or why it refuses these arguments."""
        native, loaded = self.takeover.native, self.takeover.loaded
        assert native is not None
        assert loaded is not None
        start = time.perf_counter()
        try:
            result = program(*args)
        except Exception as problem:
            if users_own(problem) is not None:
                raise  # `Specialisation.handle` finishes what was begun
            refused = meant(problem, native, loaded.filename)
            if isinstance(refused, Refused):
                return None, refused
            raise_meant(problem, native, loaded.filename)
        self.native_s = min(self.native_s, time.perf_counter() - start)
        return result, None

    def is_decided(self) -> bool:
        """Whether one is faster beyond doubt, or enough was tried."""
        slow, fast = max(self.numpy_s, self.native_s), min(self.numpy_s, self.native_s)
        enough = next(pairs for limit, pairs in _PAIRS if slow <= limit)
        return self.pairs >= _MOST_PAIRS or (self.pairs >= enough and slow > _CLEAR * fast)


@dataclass(slots=True, eq=False)
class Takeover:
    """The state of one specialisation: from NumPy alone to the better of both."""

    request: Request
    statics: frozenset[str]
    numpy: Specialisation
    n_primal: int
    n_extra: int
    swap: Swap
    state: str = "watches"
    why: str = ""
    calls: int = 0
    seconds: float = 0.0
    failures: int = 0
    process: int = 0
    native: Artifact | None = None
    loaded: Loaded | None = None
    current: Specialisation = field(init=False)
    table: list[Callable[..., Any]] = field(default_factory=list)
    races: list[Race] = field(default_factory=list)
    lock: Any = field(default_factory=lock)

    def __post_init__(self) -> None:
        self.current = replaced(self.numpy, dispatch=self.watched(), direct=None, takeover=self)

    @property
    def numpy_entry(self) -> Callable[..., Any]:
        """The program of NumPy."""
        return self.numpy.entry

    @property
    def native_entry(self) -> Callable[..., Any]:
        """The compiled program."""
        assert self.loaded is not None
        return self.loaded.entry

    @property
    def trial(self) -> Callable[..., Any]:
        """The compiled program, without its draws of random numbers."""
        assert self.native is not None
        return tried(self.native, self.native_entry)

    # Watching ------------------------------------------------------------------------------------

    def watched(self) -> Callable[..., Any]:
        """The guarded call of NumPy's program, counted and timed."""
        inner, clock = self.numpy.dispatch, time.perf_counter

        def dispatch(*args: Any) -> Any:
            start = clock()
            result = inner(*args)
            if result is not MISS:
                self.seconds += clock() - start
                self.calls += 1
                if self.seconds > WORTH_S and self.calls >= WORTH_CALLS:
                    self.begin(args)
            return result

        return dispatch

    def begin(self, args: Sequence[Any]) -> None:
        """Have the compiled version made; calls go to NumPy's program directly meanwhile."""
        with self.lock:
            if self.state != "watches":  # another thread's call came first
                return
            self.state, self.process = "compiles", os.getpid()
        self.use(self.numpy)
        given = [args]  # to be let go of as soon as their types are known
        in_background(lambda: self.make(given), self.leave)

    def use(self, wanted: Specialisation) -> None:
        """Serve the calls from now on by `wanted`."""
        with self.lock:
            wanted = replaced(wanted, takeover=self)
            self.swap(self.current, wanted)
            self.current = wanted

    def leave(self, why: str) -> None:
        """Stay with NumPy."""
        self.state, self.why = "left", why
        tell(self.request, f"stays on NumPy: {why}")
        self.use(replaced(self.numpy, why=why))

    # Compiling, in the thread --------------------------------------------------------------------

    def make(self, given: list[Sequence[Any]]) -> None:
        """Put the compiled program beside NumPy's."""
        request, args = self.request, given.pop()[: self.n_primal]
        self.native = native = program_beside(request, args, self.statics)
        path = machine_code_of(native, self.numpy.artifact, request.cache)
        loaded = machine.load(native, path)
        request = replaced(request, backend=NATIVE.name)
        entry = with_plain_results(loaded.entry, native, request)
        entry = with_warnings(entry, native, request, self.run_numpy)
        self.loaded = loaded._replace(entry=entry)
        self.compare()

    def compare(self) -> None:
        """Let both run, for each size class until one has won there."""
        numpy = self.numpy.artifact
        self.races = [Race(self, (4**k // 2, 2 * 4**k - 1)) for k in range(_N_CLASSES)]
        self.table = [self.races[bits // 2] for bits in range(2 * _N_CLASSES)]
        dispatch = build_dispatch(
            self.table, self.request.primal, self.n_primal, self.n_extra,
            numpy.guards, numpy.captures, numpy.kept,
        )  # fmt: skip
        self.state = "compares"
        self.use(replaced(self.numpy, dispatch=dispatch, direct=self.table))

    # Deciding ------------------------------------------------------------------------------------

    def decide(self, race: Race) -> None:
        """Keep the faster program for a size class."""
        wins = race.native_s <= race.numpy_s
        race.winner = (NATIVE if wins else NUMPY).name
        told = f"compiled code takes {1e3 * race.native_s:.3g} ms, NumPy {1e3 * race.numpy_s:.3g}"
        tell(self.request, f"{told}: the faster one runs for arguments of such sizes")
        for bits, each in enumerate(self.table):
            if each is race:
                self.table[bits] = self.native_entry if wins else self.numpy_entry
        if wins and self.state == "compares" and self.current.again is None:
            assert self.native is not None
            assert self.loaded is not None
            self.use(
                replaced(
                    self.current, artifact=self.native, entry=self.loaded.entry,
                    filename=self.loaded.filename, again=self,
                )
            )  # fmt: skip

    def copy(self) -> None:
        """Let the compiled program get copies of read-only arrays from now on."""
        assert self.loaded is not None
        with self.lock:
            before, after = self.loaded.entry, machine.copying(self.loaded.entry)
            self.loaded = self.loaded._replace(entry=after)
            self.table[:] = [after if each is before else each for each in self.table]
            self.use(replaced(self.current, copies=True))

    def fail(self, problem: Exception) -> None:
        """Count an exception of the compiled program while it is compared."""
        copies = self.current.copies or self.numpy.artifact.writes
        if machine.refuses_read_only(str(problem)) and not copies:
            self.copy()
            return
        self.failures += 1
        if self.failures >= _MAX_FAILURES:
            self.leave(f"the compiled program raised {problem}")

    def __call__(self, args: Sequence[Any], n_primal: int) -> Any:
        """Run NumPy's program, where the compiled one raised."""
        try:
            result = self.numpy.dispatch(*args)
        except Exception as problem:
            self.numpy.reraise(problem)
        if result is MISS:  # what both programs read has changed while the compiled one ran
            raise unsteady(self.numpy.artifact, args, self.request.primal, n_primal)
        return result

    def run_numpy(self, args: Sequence[Any]) -> Any:
        """The result of NumPy's program."""
        try:
            return self.numpy_entry(*args)
        except Exception as problem:
            self.numpy.reraise(problem)

    def find(self, args: Sequence[Any], n_primal: int) -> Specialisation:
        """NumPy's program, to stay."""
        self.state = "left"
        return replaced(self.numpy, takeover=self)


def _copied(args: Sequence[Any]) -> Sequence[Any] | None:
    """Copies of arguments with all that they lead to; None where objects refuse."""
    try:
        return copy.deepcopy(args)
    except Exception as problem:  # of the user's classes
        raise_users_own(problem)
        return None
