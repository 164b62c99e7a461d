"""One `Specializer` for each transformed function: finds, compiles, calls its specialisations.

A compiled program that raises is run again by NumPy, whose result or exception the caller gets.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from srcad.errors import InternalError, SrcadError
from srcad.ir.guards import RuleVersion
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.dispatch import MISS, build_dispatch
from srcad.pipeline.request import Request
from srcad.pipeline.translate import translated

if TYPE_CHECKING:
    from srcad.pipeline.takeover import Takeover


class CacheInfo(NamedTuple):
    """Calls served by a compiled program, calls that had to compile, programs held."""

    hits: int
    misses: int
    size: int


# A compiled program that raised so often, one call after the other, where NumPy did not, is left.
_MAX_FAILURES = 3


class Again(Protocol):
    """The program of NumPy for what a compiled one has refused."""

    def __call__(self, args: Sequence[Any], n_primal: int, /) -> Any:
        """Run it."""

    def find(self, args: Sequence[Any], n_primal: int, /) -> Specialisation:
        """The program itself."""


@dataclass(slots=True)
class Failures:
    """How often a compiled program raised and NumPy did not, since `hits` calls were served."""

    times: int = 0
    hits: int = -1


@dataclass(frozen=True, slots=True)
class Specialisation:
    """A program in use: its data, its callable, and the guarded call of it.

    `again` is called with the arguments, and with how many of them are the primal's, when a
    compiled program has raised, and finds NumPy's program; None for a program of NumPy. `why` tells
    why it is not compiled; `takeover` decides about it where the backend is "auto".
    """

    artifact: Artifact
    entry: Callable[..., Any]
    dispatch: Callable[..., Any]
    filename: str
    again: Again | None = None
    why: str = ""
    load_seconds: float = 0.0
    takeover: Takeover | None = None
    failures: Failures = field(default_factory=Failures)

    def reraise(self, problem: Exception) -> NoReturn:
        """Raise what an exception of the generated text means in terms of the user's source."""
        meant = translated(problem, self.filename, self.artifact.line_map)
        if meant is problem:
            raise problem
        raise meant from None


class Specializer:
    """The programs compiled for one request, newest use first.

    Calling is lock-free: the tuple of specialisations is replaced as a whole. Compiling is done by
    one thread at a time; others that need the same program wait for it.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self._specialisations: tuple[Specialisation, ...] = ()
        self._statics: frozenset[str] = frozenset()
        self._plain: Specializer | None = None
        self._lock = threading.RLock()
        self._rules = RuleVersion.number
        self._hits = 0
        self._misses = 0

    def __call__(self, args: Sequence[Any], n_primal: int) -> Any:
        """Call the program for these arguments, the first `n_primal` of which are the primal's."""
        if self._rules != RuleVersion.number:
            self._forget_programs()
        for specialisation in self._specialisations:
            try:
                result = specialisation.dispatch(*args)
            except Exception as problem:
                raised = problem
            else:
                if result is MISS:
                    continue
                self._hits += 1
                return result
            return self._after(raised, specialisation, args, n_primal)
        specialisation = self.find(args, n_primal)
        try:
            result = specialisation.dispatch(*args)
        except Exception as problem:
            raised = problem
        else:
            assert result is not MISS, "the guards of a fresh program do not hold"
            return result
        return self._after(raised, specialisation, args, n_primal)

    def _after(
        self, problem: Exception, failed: Specialisation, args: Sequence[Any], n_primal: int
    ) -> Any:
        """What NumPy returns where a compiled program raised; else raise what that means."""
        if failed.again is None:
            failed.reraise(problem)
        result = failed.again(args, n_primal)
        self._hits += 1
        failures = failed.failures
        failures.times = failures.times + 1 if failures.hits + 1 == self._hits else 1
        failures.hits = self._hits
        if failures.times >= _MAX_FAILURES:
            why = f"the compiled program raised {type(problem).__name__} in {failures.times} calls"
            self._give_up(failed, args, n_primal, f"{why} that NumPy served: {problem}")
        return result

    def _give_up(
        self, failed: Specialisation, args: Sequence[Any], n_primal: int, why: str
    ) -> None:
        """Let NumPy serve what a compiled program fails at."""
        assert failed.again is not None
        self._swap(failed, replace(failed.again.find(args, n_primal), why=why))

    def _swap(self, old: Specialisation, new: Specialisation) -> None:
        """Put a program in the place of one that may have been forgotten meanwhile."""
        with self._lock:
            self._specialisations = tuple(
                new if each is old else each for each in self._specialisations
            )

    def find(self, args: Sequence[Any], n_primal: int) -> Specialisation:
        """The specialisation for these arguments, compiled if need be."""
        if self._rules != RuleVersion.number:
            self._forget_programs()
        with self._lock:
            for known in self._specialisations:
                if holds(known, args, self.request.primal, n_primal):
                    return known
            self._misses += 1
            made = self._compile(args, n_primal)
            self._specialisations = (made, *self._specialisations)
            return made

    def _forget_programs(self) -> None:
        """A rule was added or replaced: what was compiled without it may be wrong."""
        with self._lock:
            self._specialisations = ()
            self._rules = RuleVersion.number

    def _compile(self, args: Sequence[Any], n_primal: int) -> Specialisation:
        from srcad.pipeline.store import compile_or_load

        try:
            artifact, self._statics = compile_or_load(self.request, args[:n_primal], self._statics)
        except InternalError:
            raise
        except SrcadError as refusal:
            # The message has the user's lines; how the compiler came there helps nobody.
            raise refusal.with_traceback(None) from None
        n_extra = len(args) - n_primal
        if not artifact.compiled:
            made = activate(artifact, self.request, n_primal, n_extra)
            return self._watched(made, n_primal, n_extra)
        try:
            made = activate(artifact, self.request, n_primal, n_extra)
        except Exception as problem:  # Numba's own errors are of many classes
            why = f"Numba cannot compile it: {type(problem).__name__}: {problem}"
            text = f"`{self.request.name}` runs on NumPy: {why}"
            warnings.warn(text, RuntimeWarning, stacklevel=5)
            return replace(self._numpy().find(args, n_primal), why=why)
        return replace(made, again=self._numpy())

    def _watched(self, made: Specialisation, n_primal: int, n_extra: int) -> Specialisation:
        """A program of NumPy, which a compiled version may take over."""
        if self.request.backend != "auto":
            return made
        from srcad.pipeline.takeover import Takeover, why_not

        if why := why_not():
            return replace(made, why=why)
        request, statics = self.request, self._statics
        return Takeover(request, statics, made, n_primal, n_extra, self._swap).current

    def _numpy(self) -> Specializer:
        """The same derivative by NumPy alone."""
        if self._plain is None:
            self._plain = Specializer(replace(self.request, backend="numpy"))
        return self._plain

    @property
    def newest(self) -> Specialisation | None:
        """The program compiled last."""
        return self._specialisations[0] if self._specialisations else None

    def info(self) -> CacheInfo:
        """How the calls so far were served."""
        size = len(self._specialisations)
        return CacheInfo(self._hits, self._misses, size)

    def clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._specialisations = ()
            self._statics = frozenset()
            self._hits = self._misses = 0


def activate(
    artifact: Artifact, request: Request, n_primal: int, n_extra: int = 0
) -> Specialisation:
    """Make a program callable."""
    if artifact.compiled:
        path = machine.path_of(artifact, request.cache)
        entry, filename, seconds = machine.load(artifact, path)
    else:
        import hashlib

        digest = hashlib.sha256(artifact.text.encode()).hexdigest()[:8]
        filename = f"<srcad {artifact.entry} {digest}>"
        entry, seconds = artifact.load(filename), 0.0
    dispatch = build_dispatch(
        entry, request.primal, n_primal, n_extra, artifact.guards, artifact.captures, artifact.kept
    )
    return Specialisation(artifact, entry, dispatch, filename, load_seconds=seconds)


def holds(
    specialisation: Specialisation, args: Sequence[Any], primal: Callable[..., Any], n_primal: int
) -> bool:
    """Whether the guards of a program hold for these arguments, without running it."""
    artifact = specialisation.artifact
    probe = build_dispatch(
        lambda *_: None, primal, n_primal, len(args) - n_primal,
        artifact.guards, artifact.captures, artifact.kept,
    )  # fmt: skip
    return probe(*args) is not MISS
