"""What a program may ask of the memory of its arrays, as far as lowering knows it.

np.shares_memory(x, x.copy())       False
np.shares_memory(x, x[1:])          gt(size(x[1:]), 0)
x.flags.writeable                   True, guarded of what comes from outside
x.flags.c_contiguous                likewise
x.strides                           (8,), likewise
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.devices import is_on_device
from srcad.errors import SrcadError, error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Flags
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of

_FIX = "make a copy in any case: `x.copy()`"


def attribute_of_flags(frame: Frame, flags: Flags, name: str) -> bool:
    """`x.flags.writeable`, and `c_contiguous` of what lies row by row or comes from outside; the
    others depend on the memory layout.
    """
    memory, inputs = frame.session.memory, frame.session.inputs
    if name == "c_contiguous":
        answer = memory.is_row_by_row(flags.array)
        if not answer and memory.handle(flags.array) not in inputs.paths:
            raise _refusal("ndarray.flags.c_contiguous")
        return answer
    root = memory.root(flags.array)
    if name != "writeable" or not memory.is_plain(root) or root in memory.unowned:
        raise _refusal(f"ndarray.flags.{name}")
    path = inputs.paths.get(root)
    if path is None or memory.is_read_only(flags.array):
        return not memory.is_read_only(flags.array)
    if is_on_device(inputs.samples[path]):
        raise _refusal("ndarray.flags.writeable")
    answer = bool(inputs.samples[path].flags.writeable)
    inputs.guard(f"{path}.flags.writeable", "equals", answer)
    return answer


def strides(frame: Frame, x: Value) -> tuple[Abstract, ...]:
    """`x.strides` of an array that lies row by row: products of extents, of one from outside those
    it has, for an axis with one entry may have any.
    """
    session, dtype, rank = frame.session, dtype_of(x.type), rank_of(x.type)
    if not session.memory.is_row_by_row(x) or dtype is None or rank is None:
        raise _refusal("ndarray.strides")
    path = session.inputs.paths.get(x)
    if path is not None:
        found = session.inputs.samples[path].strides
        session.inputs.guard(f"{path}.strides", "equals", found)
        return tuple(found)
    shape = session.emit_shape(x)
    steps: list[Abstract] = [dtype.itemsize][:rank]
    for k in range(rank - 1, 0, -1):
        extent = session.emit(operator.getitem, (shape, k))
        steps.append(session.emit(operator.mul, (steps[-1], extent)))
    return tuple(reversed(steps))


def _asks(fn: Any) -> Callable[..., Abstract]:
    def handler(frame: Frame, a: Abstract, b: Abstract, max_work: Abstract = None) -> Abstract:
        memory = frame.session.memory
        if not (is_array(a) and is_array(b)) or max_work is not None:
            raise _refusal(f"np.{fn.__name__}")
        if memory.is_within(a, b) or memory.is_within(b, a):
            return _has_entries(frame, a if memory.is_within(a, b) else b)
        if memory.overlaps(a, b) or _may_be_given(frame, a, b):
            raise _refusal(f"np.{fn.__name__}")
        return False

    return handler


def _has_entries(frame: Frame, x: Value) -> Abstract:
    """Whether an array is not empty, a constant where the arguments tell."""
    session = frame.session
    shape = session.emit_shape(x)
    extents = [session.emit(operator.getitem, (shape, k)) for k in range(rank_of(x.type) or 0)]
    answers = [session.is_less(0, extent) for extent in extents]
    if False in answers or None not in answers:
        return False not in answers
    return session.emit(operator.gt, (session.emit(np.size, (x,)), 0))


def _may_be_given(frame: Frame, a: Value, b: Value) -> bool:
    """Whether both may be arrays from outside, which may share memory with each other."""
    memory = frame.session.memory
    return memory.is_from_outside(a) and memory.is_from_outside(b)


def by_layout(what: str, fix: str) -> SrcadError:
    """The refusal of what is read for some arrays, and depends on the layout of others."""
    notes = ("it depends on the memory layout of an array, which the program chooses",)
    return error("E204", None, what=what, notes=notes, fix=fix)


def _refusal(name: str) -> SrcadError:
    return by_layout(f"`{name}`, of these arrays,", _FIX)


SHARING = {fn: _asks(fn) for fn in (np.shares_memory, np.may_share_memory)}

__all__ = ["SHARING", "attribute_of_flags", "strides"]
