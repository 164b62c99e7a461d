"""Bounds of a search: two more args of the function, which it does not read.

minimize(f, x0, (p,), bounds=b)         minimize(f, x0, (p, lower, upper), bounded=True)
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.solvers.calls import named, vector
from srcad.ir.nodes import Block, Function, Value
from srcad.ir.types import rank_of
from srcad.rules.core.staged import type_of


def with_bounds(
    frame: Frame, fn: Any, bounds: Abstract, start: Value, functions: list[Function], passed: Any
) -> tuple[list[Function], Any]:
    """The functions with two more parameters, and what they are passed.

    Raises:
        SrcadError: E203, bounds of another form.
    """
    pair = _of_each(frame, bounds) if fn.__name__ == "minimize" else _of_all(frame, bounds)
    if pair is None:
        fix = "pass a pair for each unknown, or two arrays"
        raise error("E203", None, what=f"{named(fn)} with these `bounds=`", fix=fix)
    emit = frame.session.emit
    zeros = emit(np.zeros_like, (start,))
    ends = [emit(operator.add, (zeros, vector(frame, fn, end))) for end in pair]
    return [_wider(f, start) for f in functions], (*passed, *ends)


def _of_each(frame: Frame, bounds: Abstract) -> tuple[Abstract, Abstract] | None:
    """`[(0, None), (None, 1)]`, an array of two columns, or a captured `Bounds`."""
    if isinstance(bounds, Ref):
        return attribute(frame, bounds, "lb"), attribute(frame, bounds, "ub")
    if isinstance(bounds, Value) and rank_of(bounds.type) == 2:
        columns = [frame.session.emit(operator.getitem, (bounds, (slice(None), k))) for k in (0, 1)]
        return columns[0], columns[1]
    pairs = [_items(each) for each in _items(bounds) or ()]
    if not pairs or any(each is None or len(each) != 2 for each in pairs):
        return None
    lower = [-np.inf if each[0] is None else each[0] for each in pairs if each]
    upper = [np.inf if each[1] is None else each[1] for each in pairs if each]
    return ListObj(lower), ListObj(upper)


def _of_all(frame: Frame, bounds: Abstract) -> tuple[Abstract, Abstract] | None:
    """`(0, [1, 2])`, or a captured `Bounds`."""
    if isinstance(bounds, Ref):
        return attribute(frame, bounds, "lb"), attribute(frame, bounds, "ub")
    pair = _items(bounds)
    return None if pair is None or len(pair) != 2 else (pair[0], pair[1])


def _items(x: Abstract) -> list[Abstract] | None:
    return list(x) if isinstance(x, tuple) else x.items if isinstance(x, ListObj) else None


def _wider(f: Function, start: Value) -> Function:
    more = [Value(name, type_of(start)) for name in ("lower", "upper")]
    return Function(f.name, Block([*f.params, *more], f.body.body, f.body.results))


__all__ = ["with_bounds"]
