"""Tangents and cotangents that a function passes to a transformation inside: in the forms of
their primals.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.frame import Frame
from srcad.frontend.objects import Abstract, DictObj, ListObj, RecordObj, contents
from srcad.frontend.signature import vector_name, vector_position
from srcad.frontend.stand_ins import is_input
from srcad.frontend.state import is_leaf
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of
from srcad.rules.staged import type_of


def leaves_like(frame: Frame, xs: Abstract, ts: Abstract) -> list[Any]:
    """The leaves of tangents, for those leaves of their primals that are inputs."""
    if is_input(xs) and is_leaf(ts):
        return [_in_type_of(frame, xs, ts)]
    if isinstance(xs, tuple) and isinstance(ts, tuple) and len(xs) == len(ts):
        return [t for x, each in zip(xs, ts, strict=True) for t in leaves_like(frame, x, each)]
    if isinstance(xs, ListObj | DictObj | RecordObj) and type(xs) is type(ts):
        a, b = contents(xs), contents(ts)
        if a.keys() == b.keys():
            return [t for key in a for t in leaves_like(frame, a[key], b[key])]
    if is_leaf(xs) or xs is None:
        return []
    raise error("E310", None, what="a tangent of another structure")


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
    if isinstance(wanted, NumberType):
        return frame.session.emit(wanted.kind, (t,)) if own.kind in "iub" else t
    if own == dtype:
        return t
    if isinstance(given, ArrayType) and not given.scalar:
        return frame.session.emit(np.astype, (t, dtype))
    return frame.session.emit(dtype.type, (t,))


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
