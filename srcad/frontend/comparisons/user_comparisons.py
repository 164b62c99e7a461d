"""Comparisons by methods of the user's classes: `__eq__`, `__lt__` and the others."""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import RecordObj, is_array_record
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Ref
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.by_case import negation
from srcad.frontend.expressions.object_operators import check_defers, is_numpy
from srcad.frontend.objects.class_functions import definer, field_of, find, is_generated, is_written
from srcad.frontend.objects.members import method_of, python_class
from srcad.frontend.statements.truth import truth
from srcad.runtime.records import is_dataclass

# The method of the right operand that answers where the left one has none.
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def by_method(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a.__lt__(b)` or `b.__gt__(a)` of the user's classes; None where they have neither."""
    if not any(isinstance(x, RecordObj | Instance) for x in (a, b)):
        return None
    name = fn.__name__
    tries = [(a, b, name), (b, a, _MIRRORED[name])]
    if isinstance(a, RecordObj | Ref) and isinstance(b, RecordObj | Ref):
        first, second = python_class(a), python_class(b)
        # What stands for another's class has subclasses where that has none.
        if first is not second and issubclass(second, first) and not is_written(second):
            tries.reverse()
    for owner, other, each in tries:
        method = method_of(frame, owner, f"__{each}__")
        if method is None or is_generated(getattr(method.fn, "obj", method.fn)):
            continue
        if owner is b and is_numpy(a):
            if is_array_record(b):  # of a class below that of the other array
                other = call(frame, Ref(np.asarray, ""), (a,))
            else:
                check_defers(b, fn)
        answer = call(frame, method, (other,))
        if not (isinstance(answer, Ref) and answer.obj is NotImplemented):
            return answer
    if name == "ne":
        equal = by_method(frame, operator.eq, a, b)
        return None if equal is None else negation(frame, truth(frame, equal))
    return None


def has_equality(cls: type) -> bool:
    """Whether objects of a class can be equal to those of another."""
    plainly = (object, types.BuiltinFunctionType)
    return not (has_generated(cls) or definer(cls, "__eq__") in plainly)


def has_generated(cls: type, name: str = "__eq__") -> bool:
    """Whether `dataclass` made a comparison of a class."""
    found = find(cls, name)
    return is_dataclass(cls) and found is not None and is_generated(found[1])


def ordered_fields(
    fn: Callable[..., Any], a: Abstract, b: Abstract
) -> tuple[list[Abstract], list[Abstract]] | None:
    """The fields of two objects that `dataclass(order=True)` compares; None of others."""
    if not isinstance(a, RecordObj) or not isinstance(b, RecordObj) or a.cls is not b.cls:
        return None
    if not has_generated(a.cls, f"__{fn.__name__}__"):
        return None
    return compared_fields(a), compared_fields(b)


def compared_fields(x: RecordObj) -> list[Abstract]:
    """What the comparisons that `dataclass` makes read of an object."""
    return [field_of(x, each.name) for each in dataclasses.fields(x.cls) if each.compare]


__all__ = ["by_method", "compared_fields", "has_equality", "has_generated", "ordered_fields"]
