"""Where laid lists are made: lists of numbers of which data gives the length, and lists of these.

[[0.0] * m for _ in range(n)]            full((n, m), 0.0)
list(x)                                  copy(x)

A list of which the items are known one by one stays as it is (`laid.known`).
"""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import partial
from typing import Any

import gast
import numpy as np

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.containers.laid import NOT_LAID, Laid, Width
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Range
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.dispatch import expression
from srcad.frontend.extents.index_bounds import affine_of, extent_of
from srcad.frontend.laid.entry_kinds import (
    are_held_exactly,
    dtype_of_kinds,
    has_marks,
    is_held,
    is_held_exactly,
    kinds_of_number,
    known_kinds,
)
from srcad.frontend.laid.reading import as_grown, width_of
from srcad.frontend.lists.growing_lists import is_asked_for, origin_of
from srcad.frontend.lists.marks import mark_of
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, Dim, NumberType, dtype_of
from srcad.ir.walk import outputs
from srcad.rules.core.joined_kinds import Kind, is_numpys


def filled_table(frame: Frame, node: gast.ListComp) -> ListObj | None:
    """`[[a] * m for _ in range(n)]` of a number; None of another comprehension, or where its items
    are known one by one.
    """
    found = _extents_and_item(frame, node, ())
    if found is None:
        return triangle(frame, node)
    if len(found[0]) < 2:
        return None
    extents, item = found
    if not any(isinstance(extent, Value) for extent in extents) and not is_asked_for(frame, node):
        return None
    return filled(frame, extents, item, node)


def _extents_and_item(
    frame: Frame, node: Any, extents: tuple[Abstract, ...]
) -> tuple[tuple[Abstract, ...], Abstract] | None:
    """How often each list around a number repeats what is in it, and the number."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
        pair = node.left, node.right
        one = next((x for x in pair if isinstance(x, gast.List) and len(x.elts) == 1), None)
        if one is None or not _is_plain(node):
            return None
        count = expression(frame, pair[1] if one is pair[0] else pair[0])
        return _with(extents, count, one.elts[0], frame) if is_python_int(count) else None
    if extents and isinstance(node, gast.List) and len(node.elts) > 1:
        same = all(isinstance(x, gast.Constant) for x in node.elts) and len(
            set(map(gast.dump, node.elts))
        )
        return _with(extents, len(node.elts), node.elts[0], frame) if same == 1 else None
    if not isinstance(node, gast.ListComp) or len(node.generators) != 1:
        return None
    (clause,) = node.generators
    names = {x.id for x in gast.walk(clause.target) if isinstance(x, gast.Name)}
    read = {x.id for x in gast.walk(node.elt) if _is_read(x)}
    if clause.ifs or names & read or not _is_range(clause.iter) or not _is_plain(node.elt):
        return None
    source = expression(frame, clause.iter)
    if not isinstance(source, range | Range) or (source.start, source.step) != (0, 1):
        return None
    inner = _extents_and_item(frame, node.elt, (*extents, source.stop))
    if inner is not None or isinstance(node.elt, gast.ListComp | gast.List):
        return inner
    return _with(extents, source.stop, node.elt, frame)


def _is_read(x: Any) -> bool:
    return isinstance(x, gast.Name) and isinstance(x.ctx, gast.Load)


def _with(
    extents: tuple[Abstract, ...], count: Abstract, item: Any, frame: Frame
) -> tuple[tuple[Abstract, ...], Abstract]:
    return (*extents, count), expression(frame, item)


def _is_range(node: Any) -> bool:
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
    return is_call and node.func.id == "range" and len(node.args) == 1 and _is_plain(node.args[0])


_PLAIN = (
    gast.Constant, gast.Name, gast.BinOp, gast.UnaryOp, gast.List, gast.ListComp,
    gast.comprehension, gast.operator, gast.unaryop, gast.expr_context,
)  # fmt: skip


def _is_plain(node: Any) -> bool:
    """Whether an expression may be evaluated once in place of many times, or never: it gives the
    same, and does not fail.
    """
    if isinstance(node, gast.Call):
        is_name = isinstance(node.func, gast.Name) and node.func.id in ("float", "len", "range")
        return is_name and not node.keywords and all(map(_is_plain, node.args))
    if isinstance(node, gast.BinOp) and not isinstance(node.op, gast.Add | gast.Sub | gast.Mult):
        return False
    return isinstance(node, _PLAIN) and all(map(_is_plain, gast.iter_child_nodes(node)))


def filled(
    frame: Frame, extents: tuple[Abstract, ...], item: Abstract, node: Any
) -> ListObj | None:
    """A list of equal numbers, or of rows of them; None where it is to have no array."""
    session, origin = frame.session, origin_of(frame, node)
    kinds = kinds_of_number(session, item)
    if kinds is None or not may_be_laid(frame, origin):
        return None
    kinds = known_kinds(session, origin, kinds)
    dtype = dtype_of_kinds(kinds)
    if dtype is None:
        return None
    shape = tuple(_natural(frame, extent) for extent in extents)
    numbers = session.emit(np.full, (shape, item, dtype))
    marks = None
    if has_marks(kinds):
        marks = session.emit(np.full, (shape, mark_of(session, item), np.dtype(bool)))
    made = laid(frame, numbers, marks, kinds, origin)
    rows = [each for each in gast.walk(node) if isinstance(each, gast.ListComp | gast.BinOp)]
    asked = {origin_of(frame, each) for each in rows if is_asked_for(frame, each)}
    made = replace(made, origins=made.origins | asked)
    if not is_held_exactly(session, made, item):
        made.decline()
    return ListObj([], form=made)


def listed(frame: Frame, x: Abstract) -> ListObj | None:
    """`list(x)` of an array or range of which data gives the length; None of anything else, or
    where its items are known one by one.
    """
    session, origin = frame.session, origin_of(frame, frame.node)
    numbers: Abstract = None
    if isinstance(x, Range) and (x.start, x.step) == (0, 1) and is_python_int(x.stop):
        kind: Kind = int
        if isinstance(x.stop, Value) and may_be_laid(frame, origin):
            numbers = session.emit(np.arange, (_natural(frame, x.stop),))
    elif isinstance(x, Value) and isinstance(x.type, ArrayType) and session.is_certain(x):
        kind = (x.type.dtype, True)
        is_open = (
            x.type.shape is not None and len(x.type.shape) == 1 and type(x.type.shape[0]) is not int
        )
        if is_open and is_held(kind) and may_be_laid(frame, origin):
            numbers = session.emit(np.copy, (x,))
    if numbers is None:
        return None
    return _of_array(frame, numbers, kind, origin)


def _of_array(frame: Frame, numbers: Value, kind: Kind, origin: str) -> ListObj | None:
    """The list of the numbers of an array of its own."""
    kinds = known_kinds(frame.session, origin, [kind])
    dtype = dtype_of_kinds(kinds)
    if not are_held_exactly(numbers, dtype):
        return None
    if dtype_of(numbers.type) != dtype:
        numbers = frame.session.emit(np.astype, (numbers, dtype))
    marks = None
    if has_marks(kinds):
        make = np.ones_like if is_numpys(kind) else np.zeros_like
        marks = frame.session.emit(make, (numbers,), {"dtype": bool})
    return ListObj([], form=laid(frame, numbers, marks, kinds, origin))


def triangle(frame: Frame, node: gast.ListComp) -> ListObj | None:
    """`[[a] * (i + 1) for i in range(n)]`; None of another comprehension."""
    clause = node.generators[0]
    if len(node.generators) > 1 or clause.ifs or not isinstance(clause.target, gast.Name):
        return None
    parts = _repeated_parts(node.elt)
    if parts is None or not _is_range(clause.iter) or not all(map(_is_plain, parts)):
        return None
    (one, count), name = parts, clause.target.id
    if any(_is_read(x) and x.id == name for x in gast.walk(one)):
        return None
    source = expression(frame, clause.iter)
    is_counted = isinstance(source, Range) or (isinstance(source, range) and source.start == 0)
    if not is_counted or not is_python_int(source.stop):
        return None
    if isinstance(source, range) and not is_asked_for(frame, node):
        return None
    width = _width(frame, name, count)
    if width is None:
        return None
    session = frame.session
    is_known = not isinstance(source.stop, Value)
    last = source.stop - 1 if is_known else session.emit(operator.sub, (source.stop, 1))
    longest = width_of(session, width, last if width.slope > 0 else 0)
    made = filled(frame, (source.stop, longest), expression(frame, one), node)
    if made is not None:
        made.form = replace(made.form, width=width)
    return made


def _repeated_parts(node: Any) -> tuple[Any, Any] | None:
    """The item and the count of `[a] * count` or `[a for _ in range(count)]`."""
    match node:
        case gast.BinOp(left=gast.List(elts=[one]), op=gast.Mult(), right=count):
            return one, count
        case gast.BinOp(left=count, op=gast.Mult(), right=gast.List(elts=[one])):
            return one, count
        case gast.ListComp(
            elt=one,
            generators=[
                gast.comprehension(target=gast.Name(id=name), iter=gast.Call() as source, ifs=[])
            ],
        ) if _is_range(source):
            is_read = any(_is_read(x) and x.id == name for x in gast.walk(one))
            return None if is_read else (one, source.args[0])
    return None


def _width(frame: Frame, name: str, count: Any) -> Width | None:
    """How long rows are by their index, which has a `name`; None where that is no sum with it."""
    session, inner = frame.session, frame.scope()
    index = inner.env[name] = Value(name, NumberType(int))
    try:
        with session.trial() as scratch:
            found = expression(inner, count)
            size = affine_of(session, found) if is_python_int(found) else Affine()
    except Raising:  # where the rows are made
        return None
    rest = size - Affine.of(index) * size.coefficient(index)
    made = {out for stmt in scratch for out in outputs(stmt)}
    slope = size.coefficient(index)
    if not slope or any(value in made for value, _ in rest.terms):
        return None
    inner.env[name] = 0
    return Width(slope, rest, expression(inner, count))


def _natural(frame: Frame, extent: Abstract) -> Abstract:
    """An extent, 0 in place of a negative one."""
    if not isinstance(extent, Value):
        return max(extent, 0)
    session, known = frame.session, extent_of(frame.session, extent)
    is_extent = isinstance(extent.type, NumberType) and extent.type.extent is not None
    if is_extent and (not isinstance(known, Dim) or known.floor >= 0):
        return extent
    made = Value("", NumberType(int, known))
    session.add(Op(max, (extent, 0), {}, (made,), session.builder.loc))
    return made


def may_be_laid(frame: Frame, origin: str) -> bool:
    """Whether a list made at a place may stand in an array, which is undone where that does not
    serve.
    """
    key = NOT_LAID + origin
    if key in frame.session.inputs.statics:
        return False
    frame.session.laid.add(key)
    return True


def laid(
    frame: Frame, numbers: Value, marks: Value | None, kinds: frozenset[Kind], origin: str
) -> Laid:
    """A list of numbers that stands in these arrays."""
    grown = partial(as_grown, frame.session)
    return Laid(numbers, marks, kinds, frozenset([origin]), grown)


__all__ = ["filled", "filled_table", "laid", "listed", "may_be_laid"]
