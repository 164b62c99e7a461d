"""A program as one function of C: all of it becomes loops over numbers, or it is refused.

f(x) -> IR -> derivative -> optimised        the stages of every program
     -> loops                                `WHOLE`: those of compiled functions
     -> flat                                 one index for each entry
     -> C                                    `srcad.native.c`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.frontend.lower import Lowered
from srcad.ir import ArrayType, Block, Function, Value, show
from srcad.ir.guards import Guard
from srcad.ir.passes import run
from srcad.ir.types import Dim, shape_of
from srcad.native.boundary.constant_arrays import bind_constants
from srcad.native.c.flat import Flat, flatten
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.scalarize.scalars.weak_scalars import Kinds, guarded
from srcad.optimize.simplify.dce import dce
from srcad.pipeline.passes import WHOLE
from srcad.pipeline.request import Request
from srcad.pipeline.stages import (
    derive_request,
    lower_with_statics,
    optimized,
    plain_program,
    prepared,
)


@dataclass(frozen=True, slots=True)
class Whole:
    """A program of loops, the values of its parameters that are known, and what it was made of."""

    flat: Flat
    constants: dict[Value, Any]
    lowered: Lowered
    program: Function


def c_program(request: Request, args: Sequence[Any], names: Mapping[str, str]) -> Whole:
    """The program for arguments like `args` as loops over numbers.

    Args:
        names: what extents are called, by their symbols.

    Raises:
        CacheError: E506, at the user's line: a part of it has no form in C.
    """
    program, lowered, _ = optimized_program(request, args, frozenset())
    interface = program.interface
    assert interface is not None
    if interface.writes:
        raise error("E506", None, what=f"`{request.name}`, which changes its arguments,")
    statements, bound = bind_constants(guarded(program.body.body, Kinds(program)))
    captured = _captured(request, args, lowered, program)
    constants = {**captured, **{op.out: np.asarray(op.args[0]) for op in bound}}
    results = list(program.body.results)
    params = [*program.params, *(op.out for op in bound)]
    fn = Function(program.name, Block(params, list(statements), results))
    try:
        loops = run(WHOLE, fn, tags={}, read=plain_program)
        own = loops.body.results[: len(results)]  # those that follow say which are Python's
        loops = dce(replace(loops, body=replace(loops.body, results=own)))
        flat = flatten(loops, _known(constants), names)
    except Unsuited as why:
        raise refusal(str(why), statements, why.at) from None
    return Whole(flat, constants, lowered, program)


def optimized_program(
    request: Request, args: Sequence[Any], statics: frozenset[str]
) -> tuple[Function, Lowered, frozenset[str]]:
    """The program before it becomes loops."""
    lowered, statics = lower_with_statics(request, args, statics)
    primal = prepared(request, lowered.function)
    program = optimized(request, derive_request(request, primal))
    return program, lowered, statics


def as_text(
    request: Request, args: Sequence[Any], statics: frozenset[str]
) -> tuple[str, Sequence[Guard]]:
    """A program to be compared, and what it assumes."""
    program, lowered, _ = optimized_program(request, args, statics)
    return show(program), lowered.guards


def refusal(why: str, body: Sequence[Any], at: int) -> SrcadError:
    """The error for a statement that has no form in C."""
    where = _location(body, at)
    return error("E506", where, what=why)


def _location(body: Sequence[Any], at: int) -> Location | None:
    """Where a statement comes from, or the next one with a location."""
    places = (stmt.loc for stmt in [*body[at:], *body[:at][::-1]] if stmt.loc is not None)
    found = next(places, None)
    return None if found is None else found.shown


def _captured(
    request: Request, args: Sequence[Any], lowered: Lowered, program: Function
) -> dict[Value, Any]:
    """The captured values as they are now."""
    interface = program.interface
    assert interface is not None
    scope = {"F": request.primal, "A": args, "K": lowered.kept}
    found = {}
    for param in interface.captures:
        value = program.params[param.tree.index]
        known = eval(param.captured, dict(scope))
        if not isinstance(known, int | float | complex | np.number | np.ndarray | np.bool_):
            raise error("E506", None, what=f"captured value `{param.name}`")
        found[value] = known
    return found


def _known(constants: Mapping[Value, Any]) -> dict[str, int]:
    """The extents that captured arrays tell."""
    found: dict[str, int] = {}
    for value, known in constants.items():
        shape = shape_of(value.type) if isinstance(value.type, ArrayType) else ()
        for extent, n in zip(shape or (), np.shape(known), strict=True):
            if isinstance(extent, Dim):
                found[extent.symbol] = n + extent.minus
    return found


__all__ = ["WHOLE", "Whole", "as_text", "c_program", "refusal"]
