"""`is`: answered where the kinds of both sides or the objects are known, else refused."""

from __future__ import annotations

import enum
import itertools
import types
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
)
from srcad.frontend.abstract.containers.laid import LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import (
    Abstract,
    CaughtClass,
    Either,
    Ref,
    ShapeTuple,
    describe,
    is_static,
)
from srcad.frontend.expressions.by_case import asked, negation
from srcad.frontend.python_types import possible_classes
from srcad.frontend.written.groups import Shown
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NumberType, ObjectType, TupleType
from srcad.runtime.effects import is_exactly

# Objects of which there is one for each value.
_SINGLE = (bool, types.NoneType, types.EllipsisType, types.NotImplementedType)
_SMALL = range(-5, 257)  # the ints of which CPython keeps one each


def identical(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    """`a is b`, a constant or (of a bool) a value.

    Raises:
        UnsupportedSyntax: E128, where the program does not keep which object it is.
    """
    if isinstance(a, Either) or isinstance(b, Either):
        return asked(frame, (a, b), partial(identical, frame))
    known = known_identity(frame, a, b)
    if known is not None:
        return known
    for x, other in ((a, b), (b, a)):
        if isinstance(x, CaughtClass) and isinstance(other, Ref):
            return _of_caught(frame, x, other)
        is_bool = isinstance(x, Value) and x.type == NumberType(bool)
        if is_bool and isinstance(other, bool) and frame.session.is_certain(x):
            return x if other else negation(frame, x)
    raise error("E128", None, what=f"`is` between {describe(a)} and {describe(b)}")


def _of_caught(frame: Frame, x: CaughtClass, other: Ref) -> Value:
    """`t is ValueError` in `__exit__(self, t, value, traceback)`."""
    same = Value("", NumberType(bool))
    wanted = frame.session.raw(other)
    frame.session.add(Op(is_exactly, (x.error, wanted), {}, (same,), frame.session.builder.loc))
    return same


def known_identity(frame: Frame, a: Abstract, b: Abstract) -> bool | None:
    """Whether two abstract values are one object in every call; None where that is not known."""
    if isinstance(a, Either) or isinstance(b, Either):
        return None
    if a is b and not isinstance(a, ShapeTuple):
        return _is_one(a)
    if a is None or b is None:
        other = b if a is None else a
        is_any = isinstance(other, Value) and other.type == ObjectType()
        return None if is_any else a is b
    members = [x.obj if isinstance(x, Ref) else x for x in (a, b)]
    if all(isinstance(x, enum.Enum) for x in members):
        return members[0] is members[1]  # captured ones are guarded to be what they are
    first, second = (possible_classes(frame, x) for x in (a, b))
    if first and second and first.isdisjoint(second):
        return False
    if is_static(a) and is_static(b) and not isinstance(a, tuple):
        return _of_constants(a, b)
    if isinstance(a, Ref) and isinstance(b, Ref):
        return _of_references(frame, a, b)
    if is_array(a) and is_array(b):
        return _of_arrays(frame, a, b)
    if any(isinstance(x, OneShot) for x in (a, b)) and any(map(_is_no_iterator, (a, b))):
        return False
    if isinstance(a, tuple) and isinstance(b, tuple):
        return False if len(a) != len(b) else None
    # The caller may pass one object twice; one that is frozen may be one of two.
    objects = [x for x in (a, b) if isinstance(x, (FunctionObj, *CONTAINERS))]
    made_here = [x for x in objects if not getattr(x, "path", "")]
    is_row = any(isinstance(x, ListObj) and isinstance(x.form, LaidRow) for x in objects)
    is_shown = any(isinstance(x, RecordObj) and issubclass(x.cls, Shown) for x in objects)
    is_unsure = is_row or is_shown or any(getattr(x, "frozen", False) for x in objects)
    if len(objects) < 2 or is_unsure:
        return None
    return False if made_here else _of_outside(frame, *(getattr(x, "path", "") for x in objects))


def _is_no_iterator(x: Abstract) -> bool:
    return is_array(x) or is_static(x) or isinstance(x, tuple | ListObj | DictObj | SetObj)


def _is_one(x: Abstract) -> bool | None:
    """Whether what stands twice in the program is one object each time."""
    if isinstance(x, Value):
        return None if isinstance(x.type, TupleType) else True
    if is_static(x) and not isinstance(x, tuple):
        return _of_constants(x, x)
    return True


def _of_constants(a: Any, b: Any) -> bool | None:
    if isinstance(a, _SINGLE):
        return a is b
    if type(a) is int and a in _SMALL:
        return bool(a == b)
    # Unequal ones are two; of equal ones there may be one or two. NaN is not equal to itself.
    is_plain = isinstance(a, int | str | bytes | range | np.dtype)
    return False if is_plain and bool(a != b) else None


def _of_arrays(frame: Frame, a: Value, b: Value) -> bool | None:
    """Two inputs are compared at each call; one object would be one memory."""
    memory, inputs = frame.session.memory, frame.session.inputs
    if a in inputs.paths and b in inputs.paths:
        return _is_one_input(frame, inputs.paths[a], inputs.paths[b])
    sides = [memory.roots_of(x) for x in (a, b)]
    if memory.overlaps(a, b) or any(memory.unowned & roots for roots in sides):
        return None
    paths = [[inputs.paths[root] for root in roots if root in inputs.paths] for roots in sides]
    is_one = any([_is_one_input(frame, *pair) for pair in itertools.product(*paths)])
    return None if is_one else False


def _is_one_input(frame: Frame, first: str, second: str) -> bool:
    inputs = frame.session.inputs
    same = inputs.samples[first] is inputs.samples[second]
    inputs.guard(f"{first} is {second}", "equals", same)
    return same


def _of_outside(frame: Frame, first: str, second: str) -> bool | None:
    """Two objects of the caller's or captured ones, which are compared at each call."""
    inputs = frame.session.inputs
    found = [inputs.object_at(path) for path in (first, second)]
    if first == second or any(each is None for each in found):
        return None
    same = found[0] is found[1]
    inputs.guard(f"{first} is {second}", "equals", same)
    return same


def _of_references(frame: Frame, a: Ref, b: Ref) -> bool:
    same = a.obj is b.obj
    if a.path and b.path and a.path != b.path:
        frame.session.inputs.guard(f"{a.path} is {b.path}", "equals", same)
    return same


__all__ = ["identical", "known_identity"]
