"""Tangents and cotangents that a function passes to a transformation inside: in the forms of
their primals.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.abstract_arguments import is_input
from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    is_array_record,
)
from srcad.frontend.abstract.containers.contents import known_contents, like
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Ref, is_leaf, is_static
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.expressions.missing import raise_unless
from srcad.frontend.reading.signature import vector_name, vector_position
from srcad.ir.interface import Record, Slot, Static, holds_numbers
from srcad.ir.types import ArrayType, NumberType, dtype_of, is_inexact, rank_of, shape_of
from srcad.rules.core.staged import type_of


def leaves_like(frame: Frame, xs: Abstract, ts: Abstract) -> list[Any]:
    """The leaves of tangents, for those leaves of their primals that are inputs."""
    if is_input(xs) and is_leaf(ts):
        return [_in_type_of(frame, xs, ts)]
    if is_input(xs) and ts is None and not is_inexact(type_of(xs)):
        return [xs]  # as in a gradient; nothing reads it
    if isinstance(xs, tuple) and isinstance(ts, tuple) and len(xs) == len(ts):
        return [t for x, each in zip(xs, ts, strict=True) for t in leaves_like(frame, x, each)]
    if isinstance(xs, RecordObj) and is_array_record(xs):
        return leaves_like(frame, xs.fields[ARRAY], _entries(ts))
    if isinstance(xs, ListObj | DictObj | RecordObj) and type(xs) is type(ts):
        a, b = known_contents(xs), known_contents(ts)
        if a.keys() == b.keys():
            return [t for key in a for t in leaves_like(frame, a[key], b[key])]
    for x in (xs, ts):
        if isinstance(x, Instance):
            frame.session.inputs.beside.ask_object(x.obj, x.path)
    is_plain = isinstance(xs, str | Ref) and not holds_numbers(getattr(xs, "obj", None))
    if is_leaf(xs) or xs is None or (is_plain and not isinstance(xs, Instance)):
        return []
    raise error("E310", None, what="a tangent of another structure")


def leaves_at(frame: Frame, tree: Any, xs: Abstract, ts: Abstract) -> list[Any]:
    """The leaves of tangents at the slots of `tree`, of which the primals may have more."""
    if isinstance(tree, Slot | Static):
        return leaves_like(frame, xs, ts) if isinstance(tree, Slot) else []
    if isinstance(ts, Instance):
        frame.session.inputs.beside.ask_object(ts.obj, ts.path)
    if isinstance(xs, RecordObj) and is_array_record(xs):
        xs, ts = (
            RecordObj(xs.cls, {ARRAY: xs.fields[ARRAY]}),
            RecordObj(xs.cls, {ARRAY: _entries(ts)}),
        )
    if type(xs) is not type(ts):
        raise error("E310", None, what="a tangent of another structure")
    if isinstance(tree, tuple | list):
        parts: Any = dict(enumerate(tree))
    else:
        parts = tree.fields if isinstance(tree, Record) else tree
    a, b = (dict(enumerate(x)) if isinstance(x, tuple) else known_contents(x) for x in (xs, ts))
    if a.keys() != b.keys():
        raise error("E310", None, what="a tangent of another structure")
    return [t for key, part in parts.items() for t in leaves_at(frame, part, a[key], b[key])]


def with_attributes(t: Abstract, x: Abstract) -> Abstract:
    """A cotangent whose arrays of classes have the attributes of those of its primal."""
    if isinstance(t, RecordObj) and is_array_record(t) and isinstance(x, RecordObj):
        return RecordObj(t.cls, {**x.fields, **t.fields})
    if isinstance(t, tuple) and isinstance(x, tuple):
        return tuple(map(with_attributes, t, x))
    if isinstance(t, CONTAINERS) and isinstance(x, CONTAINERS):
        items = known_contents(x)
        parts = {key: with_attributes(part, items[key]) for key, part in known_contents(t).items()}
        return like(t, parts)
    return t


def _entries(ts: Abstract) -> Abstract:
    """A tangent of an array of a class: another one, or a plain array."""
    return ts.fields[ARRAY] if isinstance(ts, RecordObj) and is_array_record(ts) else ts


def _in_type_of(frame: Frame, x: Abstract, t: Abstract) -> Abstract:
    """A tangent in the dtype of its primal."""
    wanted, given = type_of(x), type_of(t)
    dtype, own = dtype_of(wanted), dtype_of(given)
    if dtype is None or own is None or dtype.kind not in "fc":
        return t
    if own.kind == "c" and dtype.kind != "c":
        raise error("E310", None, what="a complex tangent of a real value")
    if rank_of(wanted) is not None and rank_of(wanted) != rank_of(given):
        raise error("E310", None, what="a tangent of another number of axes")
    _check_shape(frame, x, t)
    if isinstance(wanted, NumberType):
        return _converted(frame, wanted.kind, t) if given != wanted else t
    if isinstance(wanted, ArrayType) and wanted.scalar:
        return _converted(frame, dtype.type, t) if given != wanted else t
    if isinstance(given, NumberType) or (isinstance(given, ArrayType) and given.scalar):
        return frame.session.emit(np.asarray, (t, dtype))
    return t if own == dtype else frame.session.emit(np.astype, (t, dtype))


def _converted(frame: Frame, kind: Any, t: Abstract) -> Any:
    """`kind(t)`, now if that is known."""
    return kind(t) if is_static(t) else frame.session.emit(kind, (t,))


def _check_shape(frame: Frame, x: Abstract, t: Abstract) -> None:
    """Refuse a tangent of another shape than its primal's, in the call if it is not known here."""
    before, after = shape_of(type_of(x)), shape_of(type_of(t))
    if before == after or before is None or after is None:
        return
    for a, b in zip(before, after, strict=True):
        if isinstance(a, int) and isinstance(b, int) and a != b:
            raise error("E310", None, what="a tangent of another shape")
    session = frame.session
    same = session.emit(operator.eq, (session.emit_shape(x), session.emit(np.shape, (t,))))
    raise_unless(frame, same, ValueError, "a tangent has another shape than its primal")


def take_vector(
    parameters: Sequence[inspect.Parameter],
    argnums: Sequence[int | str],
    args: Args,
    kwargs: Kwargs,
) -> tuple[Args, Kwargs, Abstract]:
    """The arguments of the primal of an `hvp`, and the vector among them."""
    name, at = vector_name(parameters), vector_position(parameters, argnums)
    if name in kwargs:
        rest = dict(kwargs)
        return args, rest, rest.pop(name)
    if at is None or len(args) <= at:
        raise error("E315", None, what="`hvp`", notes=(f"`{name}` is missing",))
    return (*args[:at], *args[at + 1 :]), kwargs, args[at]


def wanted_arguments(
    bound: Mapping[str, tuple[Abstract, Any]], positions: Sequence[int], single: bool
) -> Abstract:
    """The arguments that are differentiated by, a tuple of them unless `single`."""
    flat: list[Abstract] = []
    for x, kind in bound.values():
        flat.extend(x if kind is inspect.Parameter.VAR_POSITIONAL else (x,))
    found = tuple(flat[i] for i in positions)
    return found[0] if single else found
