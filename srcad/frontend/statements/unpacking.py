"""Assignment by unpacking.

a, b = x             a = x[0]; b = x[1], of an array of length 2
a, *rest = xs        rest = [...]
m[i], m[j] = m[j], m[i]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.containers.laid import LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import Abstract, Either, describe
from srcad.frontend.dispatch import assign, expression, handles_target
from srcad.frontend.expressions.by_case import by_case
from srcad.frontend.expressions.missing import raise_unless, raised_by, raised_by_class
from srcad.frontend.iterators.counted import length
from srcad.frontend.laid import writing
from srcad.frontend.loops.iteration import is_listed, items_of, iterated
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, rank_of


@handles_target(gast.Tuple, gast.List)
def _unpack(frame: Frame, target: gast.Tuple | gast.List, x: Abstract) -> None:
    items = _unpacked(frame, target, x)
    if all(isinstance(item, ListObj) and isinstance(item.form, LaidRow) for item in items):
        places = _places(frame, target.elts)
        text = f"`{gast.unparse(target)} = ...`"
        if places and writing.permuted(frame, places, list(items), text):
            return
    for each, part in zip(target.elts, items, strict=True):
        assign(frame, each.value if isinstance(each, gast.Starred) else each, part)


def _places(frame: Frame, targets: list[Any]) -> list[tuple[Abstract, Abstract]]:
    """The lists and indices of what is assigned to at once; nothing where the one might change the
    other.
    """
    if not all(isinstance(each, gast.Subscript) and _is_simple(each) for each in targets):
        return []
    return [(expression(frame, each.value), expression(frame, each.slice)) for each in targets]


def _is_simple(node: Any) -> bool:
    plain = gast.Subscript | gast.Name | gast.Constant | gast.BinOp | gast.UnaryOp
    kinds = plain | gast.operator | gast.unaryop | gast.expr_context
    return all(isinstance(each, kinds) for each in gast.walk(node))


def _unpacked(frame: Frame, target: Any, x: Abstract) -> tuple[Abstract, ...]:
    """What each target gets; one with a star a list."""
    if isinstance(x, Either):
        act = partial(_unpacked, frame, target)
        parts: tuple[Abstract, ...] = by_case(frame, (x,), act, _unpacking(target))
        return parts
    items, n = _items(frame, target, x), len(target.elts)
    stars = [k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
    if not (len(items) >= n - 1 if stars else len(items) == n):
        raise _misfit(frame, target, list(range(len(items))), f"{len(items)} items")
    for at in stars:
        end = len(items) - (n - at - 1)
        items = [*items[:at], ListObj(items[at:end]), *items[end:]]
    return tuple(items)


def _items(frame: Frame, target: Any, x: Abstract) -> list[Abstract]:
    x = iterated(frame, x)
    if is_listed(x) is not False or isinstance(x, OneShot):
        return items_of(frame, x, "what is unpacked")
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and rank_of(x.type):
        starred = any(isinstance(t, gast.Starred) for t in target.elts)
        return _rows(frame, x) if starred else _unpack_array(frame, target, x)
    refusal = error("E134", frame.at(target), what=describe(x))
    is_number = rank_of(x.type) == 0 if isinstance(x, Value) else type(x) in (int, float, complex)
    raise raised_by_class(frame, x, _unpacking(target), refusal) if is_number else refusal


def _misfit(frame: Frame, target: Any, like: Any, what: str) -> Exception:
    """What is raised of a sequence that has other than as many items: a sequence `like` it."""
    return raised_by(frame, _unpacking(target), like, error("E134", frame.at(target), what=what))


def _unpacking(target: Any) -> Callable[[Any], None]:
    """What unpacks Python's objects: it tells what is raised."""
    names = "".join("*_, " if isinstance(t, gast.Starred) else "_, " for t in target.elts)
    return lambda x: exec(f"{names}= x" if names else "() = x", {"x": x})


def _unpack_array(frame: Frame, target: Any, x: Value) -> list[Abstract]:
    """`a, b = x` of an array, the length of which is checked at run time."""
    session = frame.session
    n, known = len(target.elts), length(session, x)
    if isinstance(known, Value):
        fits = session.emit(operator.eq, (known, n))
        message = f"cannot unpack an array into {n} names: its length differs"
        raise_unless(frame, fits, ValueError, message)
    elif known != n:
        raise _misfit(frame, target, np.zeros(known), f"an array of length {known}")
    return [session.emit(operator.getitem, (x, i)) for i in range(n)]


def _rows(frame: Frame, x: Value) -> list[Abstract]:
    """All rows of an array, whose number becomes a constant: `a, *rest = x`."""
    session = frame.session
    n = session.static(length(session, x), "the length of what is unpacked into a starred name")
    return [session.emit(operator.getitem, (x, i)) for i in range(n)]
