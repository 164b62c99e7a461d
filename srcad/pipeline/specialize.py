"""One `Specializer` for each transformed function: finds, compiles, calls its specialisations.

A compiled program that raises is run again by NumPy, whose result or exception the caller gets.
Most calls do not come here: `srcad/pipeline/calls/direct.py`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcad.errors import InternalError, SrcadError
from srcad.forks import lock
from srcad.interrupts import is_of_others, raise_users_own
from srcad.ir.guards import rule_version
from srcad.kernels.recycled import release_memory, withdraw
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.aside import why_not
from srcad.pipeline.calls.checking import is_checking, with_located_checks
from srcad.pipeline.calls.direct import Direct
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.calls.holding import holds, unsteady
from srcad.pipeline.calls.plain import with_plain_results
from srcad.pipeline.calls.recompiling import warn_of_many
from srcad.pipeline.calls.stepping import step_into_programs
from srcad.pipeline.calls.takeover import Takeover
from srcad.pipeline.calls.warned import tell_users_lines
from srcad.pipeline.calls.warnings_of_compiled import with_warnings
from srcad.pipeline.defects import why_failed
from srcad.pipeline.depth import with_room
from srcad.pipeline.disk.dump import dump
from srcad.pipeline.reports.logs import tell, tell_compiled
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation
from srcad.pipeline.targets import NUMPY, backend_for, targets_of


class CacheInfo(NamedTuple):
    """Calls served by a compiled program, calls that had to compile, programs held."""

    hits: int
    misses: int
    size: int


# A compiled program that raised so often, one call after the other, where NumPy did not, is left.
_MAX_FAILURES = 3
# What a program reads may change while it is compiled: `sys.modules` does.
_MAX_ATTEMPTS = 3

# Where there are generated programs, warnings and debuggers shall know them.
tell_users_lines()
step_into_programs()


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
        self._checked: Specializer | None = None
        self._lock = lock()
        self._rules = rule_version.number
        self._code = getattr(request.primal, "__code__", None)
        self._hits = 0
        self._misses = 0
        self.direct: Direct | None = None

    def __call__(
        self, args: Sequence[Any], n_primal: int, skipped: Specialisation | None = None
    ) -> Any:
        """Call the program for these arguments, the first `n_primal` of which are the primal's;
        it is not the one `skipped`.
        """
        if self._rules != rule_version.current and (other := self._detour()) is not None:
            return other(args, n_primal)
        for specialisation in self._specialisations:
            if specialisation is skipped:
                continue
            try:
                result = specialisation.dispatch(*args)
            except BaseException as problem:
                told = specialisation.handle(problem)
            else:
                if result is MISS:
                    continue
                self._hits += 1
                if self.direct is not None and self.direct.program is None:
                    self._begin(specialisation, len(args), n_primal)
                return result
            result = self._again(told, specialisation, args, n_primal)
            self._hits += 1
            return result
        for _ in range(_MAX_ATTEMPTS):
            specialisation = self.find(args, n_primal)
            try:
                result = specialisation.dispatch(*args)
            except BaseException as problem:
                told = specialisation.handle(problem)
            else:
                if result is MISS:  # another thread, or an import, has changed what it reads
                    continue
                return result
            return self._again(told, specialisation, args, n_primal)
        raise unsteady(specialisation.artifact, args, self.request.primal, n_primal)

    def _begin(self, served: Specialisation, n_args: int, n_primal: int) -> None:
        """Call the program directly that has served a call."""
        with self._lock:
            if self.direct is None or served.direct is None or n_args != n_primal:
                return
            if not any(served is each for each in self._specialisations):
                return  # replaced meanwhile
            self.direct.begin(served, self.request.primal, n_args, self._failed, self._missed)

    def _failed(self, failed: Specialisation, problem: BaseException, args: tuple[Any, ...]) -> Any:
        """What a direct call returns whose program raised."""
        told = failed.handle(problem)
        try:
            return self._again(told, failed, args, len(args))
        except BaseException as later:
            if later.__context__ is problem:  # which means no more than that NumPy was to run
                later.__context__ = None
            raise

    def _missed(self, tried: Specialisation, args: tuple[Any, ...]) -> Any:
        """What a direct call returns that was ended, or is not for these arguments."""
        assert self.direct is not None
        if getattr(self.request.primal, "__code__", None) is not self._code:
            return self.direct.general(*args)  # it may have other parameters by now
        is_unfit = self.direct.program is tried and rule_version.current is not None
        return self(args, len(args), tried if is_unfit else None)

    def _hold(self, programs: tuple[Specialisation, ...]) -> None:
        """Use these from now on."""
        self._specialisations = programs
        if self.direct is not None:
            self._hits += self.direct.end()

    def _again(self, told: str, failed: Specialisation, args: Sequence[Any], n_primal: int) -> Any:
        """What NumPy returns where a compiled program has raised."""
        assert failed.again is not None
        result = failed.again(args, n_primal)
        writes = failed.artifact.writes  # into what it is given: it gets no copies
        if machine.refuses_read_only(told) and not failed.copies and not writes:
            self._copy(failed, n_primal, len(args) - n_primal)
            return result
        failures = failed.failures
        hits = self.info().hits
        failures.times = failures.times + 1 if hits - failures.hits <= 1 else 1
        failures.hits, failures.last = hits, told
        failures.total += 1
        tell(self.request, f"the compiled program has left a call to NumPy: {told}")
        if failures.times >= _MAX_FAILURES:
            why = f"the compiled program failed in {failures.times} calls that NumPy served: {told}"
            tell(self.request, f"runs on NumPy: {why}", warns=True)
            self._swap(failed, replace(failed.again.find(args, n_primal), why=why))
        return result

    def _copy(self, failed: Specialisation, n_primal: int, n_extra: int) -> None:
        """Let a compiled program get copies of read-only arrays from now on."""
        if failed.takeover is not None:
            failed.takeover.copy()
            return
        entry = machine.copying(failed.entry)
        dispatch = _dispatch(entry, failed.artifact, self.request, n_primal, n_extra)
        copying = replace(failed, entry=entry, dispatch=dispatch, direct=entry, copies=True)
        self._swap(failed, copying)

    def _swap(self, old: Specialisation, new: Specialisation) -> None:
        """Put a program in the place of one that may have been forgotten meanwhile."""
        with self._lock:
            self._hold(tuple(new if each is old else each for each in self._specialisations))

    def find(self, args: Sequence[Any], n_primal: int) -> Specialisation:
        """The specialisation for these arguments, compiled if need be."""
        if self._rules != rule_version.current and (other := self._detour()) is not None:
            return other.find(args, n_primal)
        with self._lock:
            for known in self._specialisations:
                if holds(known.artifact, args, self.request.primal, n_primal):
                    return known
            self._misses += 1
            start, others = time.perf_counter(), [each.artifact for each in self._specialisations]
            made = self._compile(args, n_primal)
            tell_compiled(self.request, made.artifact, others, time.perf_counter() - start)
            self._hold((made, *self._specialisations))
        warn_of_many(self.request, [each.artifact for each in self._specialisations])
        return made

    def _detour(self) -> Specializer | None:
        """Whose programs are wanted instead; forget own ones if a rule was added or replaced, for
        what was compiled without it may be wrong.
        """
        if self._rules != rule_version.number:
            with self._lock:
                self._hold(())
                self._rules = rule_version.number
        if not is_checking() or self.request.debug_nans:
            return None
        if self._checked is None:
            request = replace(self.request, backend=NUMPY.name, debug_nans=True)
            self._checked = Specializer(request)
        return self._checked

    def _compile(self, args: Sequence[Any], n_primal: int) -> Specialisation:
        from srcad.pipeline.disk.store import compile_or_load

        withdraw()  # memory was offered before it was known what this program reads
        request = replace(self.request, backend=backend_for(self.request.backend, args))
        try:
            artifact, self._statics = with_room(
                lambda: compile_or_load(request, args[:n_primal], self._statics), request.primal
            )
        except InternalError:
            raise
        except SrcadError as refusal:
            # The message has the user's lines; a traceback of the compiler would not help.
            raise refusal.with_traceback(None) from None
        n_extra = len(args) - n_primal
        if artifact.compiled:
            return self._unloaded(artifact, n_primal, n_extra)
        made = activate(artifact, request, n_primal, n_extra)
        if request.backend != self.request.backend:
            return replace(made, why=f"of {request.target.title}'s arrays among the arguments")
        may_be_taken_over = len(targets_of(request.backend)) > 1
        return self._watched(made, n_primal, n_extra) if may_be_taken_over else made

    def _unloaded(self, artifact: Artifact, n_primal: int, n_extra: int) -> Specialisation:
        """A compiled program, which is loaded when it is called: to read it takes no compiler."""
        target = self.request.target

        def first(*args: Any) -> Any:
            given = args[: n_primal + n_extra]
            try:
                entry, filename, seconds = target.load(artifact, self.request.cache)
            except Exception as problem:  # a compiler's own errors are of many classes
                raise_users_own(problem)
                if is_of_others(problem):
                    raise
                why = why_failed(problem)
                text = f"`{self.request.name}` runs on NumPy: {why}"
                warnings.warn(text, RuntimeWarning, stacklevel=5)
                tell(self.request, f"runs on NumPy: {why}", warns=True)
                plain = self.by_numpy().find(given, n_primal)
                self._swap(unloaded, replace(plain, why=why))
                return plain.dispatch(*given)
            entry = with_plain_results(entry, artifact, self.request)
            entry = with_warnings(
                entry, artifact, self.request,
                lambda args: self._run_by_numpy(args[: n_primal + n_extra], n_primal),
            )  # fmt: skip
            dispatch = _dispatch(entry, artifact, self.request, n_primal, n_extra)
            made = replace(
                unloaded, entry=entry, dispatch=dispatch, direct=entry, filename=filename,
                load_seconds=seconds,
            )  # fmt: skip
            self._swap(unloaded, made)
            return entry(*args)

        dispatch = _dispatch(first, artifact, self.request, n_primal, n_extra)
        unloaded = Specialisation(artifact, first, dispatch, "", again=self.by_numpy())
        return unloaded

    def _run_by_numpy(self, args: Sequence[Any], n_primal: int) -> Any:
        """The result of a call by NumPy's program."""
        plain = self.by_numpy().find(args, n_primal)
        try:
            return plain.dispatch(*args)
        except Exception as problem:
            plain.reraise(problem)

    def _watched(self, made: Specialisation, n_primal: int, n_extra: int) -> Specialisation:
        """A program of NumPy, which a compiled version may take over."""
        if why := why_not():
            return replace(made, why=why)
        request, statics = self.request, self._statics
        return Takeover(request, statics, made, n_primal, n_extra, self._swap).current

    def by_numpy(self) -> Specializer:
        """The same derivative by NumPy alone."""
        if self._plain is None:
            self._plain = Specializer(replace(self.request, backend=NUMPY.name))
        return self._plain

    @property
    def programs(self) -> tuple[Specialisation, ...]:
        """All programs held."""
        return self._specialisations

    @property
    def newest(self) -> Specialisation | None:
        """The program compiled last."""
        return self._specialisations[0] if self._specialisations else None

    def info(self) -> CacheInfo:
        """How the calls so far were served."""
        direct = self.direct.hits if self.direct is not None else 0
        return CacheInfo(self._hits + direct, self._misses, len(self._specialisations))

    def clear(self) -> None:
        """Forget all programs."""
        with self._lock:
            self._hold(())
            self._code = getattr(self.request.primal, "__code__", None)
            self._statics = frozenset()
            self._hits = self._misses = 0
            self._plain = self._checked = None
        release_memory()


def activate(
    artifact: Artifact, request: Request, n_primal: int, n_extra: int = 0
) -> Specialisation:
    """Make a program of NumPy callable."""
    import hashlib

    digest = hashlib.sha256(artifact.text.encode()).hexdigest()[:8]
    filename = dump(artifact) or f"<srcad {artifact.entry} {digest}>"
    loaded = with_room(lambda: artifact.load(filename), request.primal)
    if request.debug_nans:
        loaded = with_located_checks(loaded, artifact, filename, request)
    entry = with_plain_results(loaded, artifact, request)
    dispatch = _dispatch(entry, artifact, request, n_primal, n_extra)
    backend = request.backend
    return Specialisation(artifact, entry, dispatch, filename, direct=entry, backend=backend)


def _dispatch(
    entry: Callable[..., Any], artifact: Artifact, request: Request, n_primal: int, n_extra: int
) -> Callable[..., Any]:
    """The call of a program, guarded."""
    return build_dispatch(
        entry, request.primal, n_primal, n_extra, artifact.guards, artifact.captures, artifact.kept
    )
