"""A sample call: what each line takes, which values it makes, how much the reverse sweep keeps.

The generated program runs with ticks between its statements, which measure its lines and look at
its values. The function itself runs under `sys.settrace`, which looks at the values of the user's
variables. Both run on copies of the arguments; what they print is dropped.
"""

from __future__ import annotations

import ast
import copy
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from types import FrameType
from typing import Any

import numpy as np

from srcad.errors import Location
from srcad.explore.instrument import TICK, instrumented, names_bound
from srcad.explore.sources import Sources, function_of
from srcad.explore.values import Observations, Seen
from srcad.interrupts import raise_users_own
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.dispatch import MISS
from srcad.pipeline.calls.holding import unsteady
from srcad.pipeline.reports.saved_values import Kept, measure
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import activate
from srcad.silence import silenced

_REPEAT_S = 0.3
_MOST_RUNS = 20
_WITHOUT_SWEEPS = (
    "compile", "primal", "vmap", "sparsity", "path_sparsity", "jvp", "vjp", "linearize",
)  # fmt: skip
_Place = tuple[str, int]


@dataclass
class Sample:
    """What a sample call tells.

    `line_ns` are nanoseconds of each line of the generated program, of one call; `made` its values,
    `own` those of the function's lines, by file and line. `saved` is what is kept between the
    sweeps. `call_s` and `primal_s` are seconds of one call as it runs without any of this. `notes`
    say what could not be found out.
    """

    line_ns: dict[int, float] = field(default_factory=dict)
    made: dict[int, dict[str, Seen]] = field(default_factory=dict)
    own: dict[_Place, dict[str, Seen]] = field(default_factory=dict)
    saved: list[Kept] = field(default_factory=list)
    call_s: float = 0.0
    primal_s: float = 0.0
    notes: list[str] = field(default_factory=list)


def sample(
    request: Request, artifact: Artifact, args: Sequence[Any], n_primal: int, sources: Sources
) -> Sample:
    """Run a sample call of NumPy's program `artifact`, and of the function."""
    found = Sample()
    call = Call(request, artifact, args, n_primal)
    parts: tuple[Callable[[Call, Sample, Sources], None], ...] = (_time, _look, _trace, _keep)
    for part in parts:
        try:
            # The call runs many times; its values show NaN.
            with silenced(), np.errstate(all="ignore"):
                part(call, found, sources)
        except Exception as problem:
            raise_users_own(problem)
            text = f"the sample call raised {type(problem).__name__}: {problem}"
            if text not in found.notes:
                found.notes.append(text)
    return found


@dataclass(frozen=True)
class Call:
    """A sample call of a program, of which each run gets copies of the arguments."""

    request: Request
    artifact: Artifact
    given: Sequence[Any]
    n_primal: int

    def args(self) -> list[Any]:
        """Copies of the arguments."""
        return copy.deepcopy(list(self.given))

    @property
    def n_extra(self) -> int:
        """How many arguments come after the primal's."""
        return len(self.given) - self.n_primal

    def program(self, text: str, tick: Callable[..., None]) -> Callable[[], float]:
        """What runs a text in the place of the program's, with `tick`."""
        own = {**self.artifact.globals, TICK: tick}
        artifact = replace(self.artifact, text=text, globals=own)
        made = activate(artifact, self.request, self.n_primal, self.n_extra)
        return self.runs(made.dispatch, tick)

    def runs(self, dispatch: Callable[..., Any], tick: Callable[..., None]) -> Callable[[], float]:
        """What makes a call and tells how long it took."""

        def run() -> float:
            args = self.args()
            start = time.perf_counter()
            tick(0)
            found = dispatch(*args)
            if found is MISS:
                raise unsteady(self.artifact, args, self.request.primal, self.n_primal)
            return time.perf_counter() - start

        return run


def _time(call: Call, found: Sample, sources: Sources) -> None:
    """Seconds of a call, and of each line."""
    found.call_s = shortest(call.program(call.artifact.text, lambda line: None))
    text = instrumented(call.artifact.text, with_values=False)
    found.line_ns = time_lines(lambda tick: call.program(text, tick))


def time_lines(
    program: Callable[[Callable[[int], None]], Callable[[], float]],
) -> dict[int, float]:
    """Nanoseconds of each line of what `program` makes run with a given `tick`."""
    spent: defaultdict[int, int] = defaultdict(int)
    clock = time.perf_counter_ns
    last = clock()

    def tick(line: int) -> None:
        nonlocal last
        spent[line] += clock() - last
        last = clock()

    run = program(tick)
    runs: list[dict[int, int]] = []

    def measured() -> float:
        spent.clear()
        seconds = run()
        runs.append(dict(spent))
        return seconds

    if measured() < _REPEAT_S:
        runs.clear()
        list(_repeated(measured))
    lines = runs[0].keys() - {0}
    return {line: median(each.get(line, 0) for each in runs) for line in sorted(lines)}


def _repeated(run: Callable[[], float]) -> Iterator[float]:
    start = time.perf_counter()
    for _ in range(_MOST_RUNS):
        yield run()
        if time.perf_counter() - start > _REPEAT_S:  # with what copies of the arguments take
            return


def shortest(run: Callable[[], float]) -> float:
    """The least of several times."""
    return min(_repeated(run))


def _look(call: Call, found: Sample, sources: Sources) -> None:
    """The values that the generated program makes."""
    observed: Observations[int] = Observations()
    text = instrumented(call.artifact.text, with_values=True)
    call.program(text, lambda line, *items: observed.look(line, items) if items else None)()
    found.made = observed.found
    if observed.is_over:
        found.notes.append("values are those of the first iterations")


def _keep(call: Call, found: Sample, sources: Sources) -> None:
    """What the reverse sweep reads of the forward sweep."""
    if call.request.kind not in _WITHOUT_SWEEPS:
        found.saved, _ = measure(call.request, call.args()[: call.n_primal])


# The function itself -----------------------------------------------------------------------------


def _trace(call: Call, found: Sample, sources: Sources) -> None:
    """The values that the function's own variables get, and how long a call takes."""
    primal, n = call.request.primal, call.n_primal
    observed: Observations[_Place] = Observations()
    tracer = _Tracer(sources, observed, primal)
    args = _spread(primal, call.args()[:n])
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        args.run()
    finally:
        sys.settrace(before)
    found.own = observed.found

    def run() -> float:
        args = _spread(primal, call.args()[:n])
        start = time.perf_counter()
        args.run()
        return time.perf_counter() - start

    found.primal_s = shortest(run)


@dataclass(frozen=True)
class _Bound:
    primal: Callable[..., Any]
    args: Sequence[Any]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.primal(*self.args, **self.kwargs)


def _spread(primal: Callable[..., Any], args: Sequence[Any]) -> _Bound:
    """The call for arguments that are one for each parameter."""
    import inspect

    given: list[Any] = []
    named: dict[str, Any] = {}
    for parameter, arg in zip(inspect.signature(primal).parameters.values(), args, strict=False):
        match parameter.kind:
            case parameter.VAR_POSITIONAL:
                given += arg
            case parameter.VAR_KEYWORD:
                named.update(arg)
            case parameter.KEYWORD_ONLY:
                named[parameter.name] = arg
            case _:
                given.append(arg)
    return _Bound(primal, given, named)


class _Tracer:
    """A trace function that looks at what each statement of the listed functions has bound."""

    def __init__(
        self, sources: Sources, observed: Observations[_Place], primal: Callable[..., Any]
    ) -> None:
        code = getattr(function_of(primal), "__code__", None)
        self.whole = code if getattr(code, "co_name", "") == "<lambda>" else None
        self.sources = sources
        self.observed = observed
        self.bound = {at: names_bound(stmt) for at, stmt in sources.statements.items()}
        self.files = {file for file, _ in self.bound}

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The trace function of a frame; None where its lines are not looked at."""
        file = frame.f_code.co_filename
        if event != "call" or file not in self.files or self.observed.is_over:
            return None
        last = 0

        def step(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal last
            line = frame.f_lineno
            if event == "return" and frame.f_code is self.whole:
                self.observed.look((file, frame.f_code.co_firstlineno), [("return", arg)])
            elif last and not (event == "line" and self._goes_on(file, last, line)):
                self._left((file, last), frame, arg if event == "return" else None, line)
            if event == "line":
                last = line
            return None if self.observed.is_over else step

        return step

    def _goes_on(self, file: str, last: int, line: int) -> bool:
        """Whether another line of the same statement is next."""
        groups = [self.sources.group(Location(file, each)) for each in (last, line)]
        return last != line and groups[0] == groups[1] is not None

    def _left(self, at: _Place, frame: FrameType, result: Any, line: int) -> None:
        """A statement has ended; `line` is next."""
        match self.sources.statements.get(at):
            case ast.Return() if not frame.f_code.co_name.startswith("<"):
                self.observed.look(at, [("return", result)])
            case ast.For() as loop if not loop.lineno <= line <= (loop.end_lineno or 0):
                return  # it has ended, and bound nothing
            case _ if names := self.bound.get(at):
                here = frame.f_locals
                self.observed.look(at, [(name, here[name]) for name in names if name in here])


__all__ = ["Call", "Sample", "sample", "shortest", "time_lines"]
