"""Comparisons beside an array or a NumPy scalar, which decides, as in NumPy.

A sequence becomes an array; what is no number is unequal to each entry.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Range, Ref, describe
from srcad.frontend.comparisons.user_comparisons import has_equality
from srcad.frontend.expressions.operators import is_operand
from srcad.frontend.objects.members import python_class
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, ObjectType, rank_of

Operator = Callable[..., Any]


def is_text(x: Abstract) -> bool:
    """Whether `x` is a string or bytes."""
    return isinstance(x, str | bytes) or (
        isinstance(x, Value) and x.type in (ObjectType("str"), ObjectType("bytes"))
    )


def beside_numpy(
    frame: Frame, fn: Operator, x: Abstract, other: Abstract, pair: tuple[Abstract, Abstract]
) -> Abstract:
    """`==` or `!=` of the `pair`, of which `x` is an array or a NumPy scalar."""
    dtype, is_scalar = _dtype_of(x)
    if dtype.kind == "V" or not frame.session.is_certain(x):
        raise undefined(fn, *pair)
    is_string = is_scalar and dtype.kind in "US"
    if is_text(other):
        return frame.session.emit(fn, pair)
    if is_string and not is_operand(other):  # a `str`, as Python has it
        return _never_equal(frame, fn, x, other)
    sequence = as_sequence(other)
    if sequence is None:
        return _never_equal(frame, fn, x, other)
    array = as_array(frame, sequence)
    return frame.session.emit(fn, tuple(array if each is not x else x for each in pair))


def _dtype_of(x: Abstract) -> tuple[np.dtype[Any], bool]:
    """The dtype of an array or a NumPy scalar, and whether it is a scalar."""
    if isinstance(x, Value) and isinstance(x.type, ArrayType):
        return x.type.dtype, x.type.scalar
    assert isinstance(x, np.generic)
    return x.dtype, True


def as_sequence(x: Abstract) -> Abstract | None:
    """The items of what NumPy takes for a sequence; None for what it takes for one object."""
    if isinstance(x, RecordObj) and x.is_tuple:
        return tuple(x.fields.values())
    return x if isinstance(x, tuple | ListObj | range | Range) else None


def as_array(frame: Frame, x: Abstract) -> Abstract:
    """The array that NumPy makes of a sequence beside an array."""
    if isinstance(x, range | Range):
        return frame.session.emit(np.arange, (x.start, x.stop, x.step))
    if _is_formed(x):
        return frame.session.emit(np.array, (x,))
    leaves = list(_leaves(x))
    if all(map(is_operand, leaves)) and not any(_is_big(leaf) for leaf in leaves):
        return frame.session.emit(np.array, (_lists(x),))
    if leaves and all(isinstance(leaf, str) for leaf in leaves):
        return _array_of_strings(frame, x)
    raise error("E132", None, what=f"an array compared with {describe(x)} of objects")


def _array_of_strings(frame: Frame, x: Abstract) -> np.ndarray[Any, Any]:
    try:
        return np.array(frame.session.raw(_lists(x)))
    except ValueError as reason:  # of several lengths
        raise error("E132", None, what=f"an array compared with {describe(x)} ({reason})") from None


def _leaves(x: Abstract) -> list[Abstract]:
    sequence = as_sequence(x)
    if sequence is None or isinstance(sequence, range | Range) or _is_formed(sequence):
        return [x]
    items = sequence.items if isinstance(sequence, ListObj) else sequence
    return [leaf for item in items for leaf in _leaves(item)]


def _lists(x: Abstract) -> Abstract:
    """A sequence of sequences as lists and tuples."""
    sequence = as_sequence(x)
    if sequence is None or isinstance(sequence, range | Range):
        return x
    if isinstance(sequence, ListObj):
        return ListObj([_lists(item) for item in sequence.items])
    return tuple(_lists(item) for item in sequence)


def _is_formed(x: Abstract) -> bool:
    """Whether `x` is a list whose items are not known one by one."""
    return isinstance(x, ListObj) and x.form is not None


def _is_big(x: Abstract) -> bool:
    return type(x) is int and not -(2**63) <= x < 2**63


def _never_equal(frame: Frame, fn: Operator, x: Abstract, other: Abstract) -> Abstract:
    """The answer where `other` is an object to NumPy, unequal to each entry of `x`."""
    if not _has_no_equality(other):
        raise undefined(fn, x, other)
    answer = fn is operator.ne
    if not isinstance(x, Value) or _dtype_of(x)[1]:
        return answer
    rank = rank_of(x.type)
    if rank is None:
        raise undefined(fn, x, other)
    if rank == 0:
        return np.bool_(answer)
    like = frame.session.emit(operator.eq, (x, x))  # no array in a file
    return frame.session.emit(np.full_like, (like, answer))


# What NumPy takes for an array or a sequence, or leaves the comparison to, has one of these.
_OF_OBJECTS = ("__array__", "__array_interface__", "__array_struct__", "__array_wrap__")
_OF_CLASSES = (
    *_OF_OBJECTS, "__array_priority__", "__array_ufunc__", "__buffer__", "__getitem__",
)  # fmt: skip
_UNEQUAL = (type(None), type(Ellipsis), slice, set, frozenset, str, bytes)


def _has_no_equality(x: Abstract) -> bool:
    """Whether an object is unequal to all numbers and strings, and no array to NumPy."""
    if isinstance(x, RecordObj | Ref):
        cls = python_class(x)
        own = any(hasattr(cls, name) for name in _OF_CLASSES)
        return not (has_equality(cls) or own or _has_buffer(x) or _has_protocol(x))
    kinds = (*_UNEQUAL, DictObj, SetObj, FunctionObj, tuple, ListObj, range, Range)
    return isinstance(x, kinds)


def _has_protocol(x: RecordObj | Ref) -> bool:
    """Whether NumPy finds at an object itself what makes it an array, as at `np.int64`."""
    if isinstance(x, RecordObj):
        return any(name in x.fields for name in _OF_OBJECTS)
    levels = x.obj.__mro__ if isinstance(x.obj, type) else (x.obj,)
    return any(name in getattr(each, "__dict__", ()) for each in levels for name in _OF_OBJECTS)


def _has_buffer(x: RecordObj | Ref) -> bool:
    """Whether NumPy reads the memory of an object, as of the numbers of `ctypes`."""
    if isinstance(x, RecordObj):
        return False
    try:
        memoryview(x.obj)
    except TypeError:
        return False
    return True


def undefined(fn: Operator, a: Abstract, b: Abstract) -> Exception:
    """The error for a comparison that is not known."""
    sign = "==" if fn is operator.eq else "!="
    return error("E132", None, what=f"`{sign}` of {describe(a)} and {describe(b)}")


__all__ = ["as_array", "as_sequence", "beside_numpy", "is_text", "undefined"]
