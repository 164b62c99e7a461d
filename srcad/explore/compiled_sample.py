"""A sample call of the compiled form: what it takes, and what the calls of compiled functions take.

The functions run as Numba compiles them; between the lines of the program that calls them are
ticks. What a compiled function takes is the time of its calls: its own lines become one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.explore.instrument import TICK, instrumented_alone, lines_of_calls
from srcad.explore.programs import Program
from srcad.explore.sample import Call, shortest, time_lines
from srcad.interrupts import raise_users_own
from srcad.pipeline.calls.dispatch import build_dispatch
from srcad.pipeline.calls.plain import with_plain_results
from srcad.pipeline.request import Request
from srcad.pipeline.targets import NATIVE
from srcad.silence import silenced


@dataclass
class CompiledSample:
    """Seconds of one call, and nanoseconds of its lines; `note` says why there are none."""

    call_s: float = 0.0
    line_ns: dict[int, float] = field(default_factory=dict)
    note: str = ""


def compiled_sample(
    request: Request, native: Program, args: Sequence[Any], n_primal: int
) -> CompiledSample:
    """Run a sample call of the compiled form."""
    found = CompiledSample()
    try:
        with silenced(), np.errstate(all="ignore"):
            _time(Call(request, native.artifact, args, n_primal), found)
    except Exception as problem:
        raise_users_own(problem)
        found.note = f"the compiled form does not serve this call: {type(problem).__name__}"
    return found


def _time(call: Call, found: CompiledSample) -> None:
    artifact = call.artifact
    entry = NATIVE.load(artifact, call.request.cache).entry
    found.call_s = shortest(call.runs(_dispatch(call, entry), lambda line: None))
    text = instrumented_alone(artifact.text, artifact.entry)
    module = inspect.unwrap(entry).__globals__

    def program(tick: Callable[[int], None]) -> Callable[[], float]:
        names = {**module, TICK: tick}
        exec(compile(text, "<explored>", "exec"), names)
        return call.runs(_dispatch(call, names[artifact.entry]), tick)

    found.line_ns = time_lines(program)
    for line, calls in lines_of_calls(artifact.text, artifact.compiled).items():
        found.line_ns[line] = sum(found.line_ns.get(each, 0.0) for each in calls)


def _dispatch(call: Call, entry: Callable[..., Any]) -> Callable[..., Any]:
    artifact, request = call.artifact, call.request
    return build_dispatch(
        with_plain_results(entry, artifact, request), request.primal, call.n_primal, call.n_extra,
        artifact.guards, artifact.captures, artifact.kept,
    )  # fmt: skip


__all__ = ["CompiledSample", "compiled_sample"]
