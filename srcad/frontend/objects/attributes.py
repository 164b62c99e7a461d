"""Attributes: of arrays, numbers, modules, records and the user's own objects."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import SrcadError, UnsupportedSyntax, error
from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    Closed,
    Conflict,
    Either,
    Flags,
    Instance,
    Method,
    Partial,
    Ref,
    ShapeTuple,
    Super,
    describe,
    is_partial,
    is_static,
)
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.expressions.broadcasts import Broadcast, attribute_of_broadcast
from srcad.frontend.expressions.by_case import by_case, narrowed
from srcad.frontend.expressions.missing import raised_by_class
from srcad.frontend.expressions.sharing import attribute_of_flags, strides
from srcad.frontend.objects.class_functions import find, is_written
from srcad.frontend.objects.members import missing, of_record, of_reference, of_super
from srcad.frontend.objects.namespaces import namespace
from srcad.frontend.python_types import joined_classes, python_type
from srcad.ir.nodes import Value
from srcad.ir.types import EXCEPTION, ArrayType, NumberType
from srcad.rules import RULES
from srcad.rules.core.names import refusal_of
from srcad.rules.core.table import name_of
from srcad.rules.draws import GENERATOR, PYTHON_RANDOM, RANDOM_STATE
from srcad.rules.scipy import FROZEN


def attribute(frame: Frame, owner: Abstract, name: str) -> Abstract:
    """`owner.name`; in a `try`, of what has none, the exception."""
    if isinstance(owner, Either):
        return _of_kinds(frame, owner, name)
    try:
        return _attribute(frame, owner, name)
    except UnsupportedSyntax as refusal:
        is_handled = refusal.code in ("E121", "E124") and frame.session.watchers
        if not is_handled or has_attribute(frame, owner, name):
            raise
        raise raised_by_class(frame, owner, lambda x: getattr(x, name), refusal) from None


def _of_kinds(frame: Frame, owner: Either, name: str) -> Abstract:
    """The attribute of what is of several kinds by data; the method where several have one."""
    act, plain = partial(attribute, frame, name=name), partial(_getattr, name)
    kinds = frame.session.codes.possible(owner)
    able = [kind for kind in kinds if _is_method(frame, owner.cases[kind], name)]
    if len(able) < 2:
        return by_case(frame, (owner,), act, plain)
    receiver = narrowed(frame, owner, able, act, plain)
    return Method(receiver, name) if isinstance(receiver, Either) else act(receiver)


def _is_method(frame: Frame, x: Abstract, name: str) -> bool:
    try:
        with frame.session.trial() as body:
            found = attribute(frame, x, name)
    except (SrcadError, Raising):  # told where it is asked for
        return False
    return isinstance(found, Method | Bound) and not body


def _getattr(name: str, x: object) -> Any:
    return getattr(x, name)


def _attribute(frame: Frame, owner: Abstract, name: str) -> Abstract:
    if isinstance(owner, RecordObj | Instance) and owner.path:
        frame.session.attributes_read.add(f"{owner.path}.{name}")
    if isinstance(owner, RecordObj) and name not in owner.fields:
        frame.session.inputs.beside.ask(owner.cls, name)
    if name == "__dict__" and isinstance(owner, RecordObj | Instance):
        return namespace(frame, owner)
    is_own = isinstance(owner, RecordObj) and not is_written(owner.cls)
    if name == "__class__" and not (is_own or isinstance(owner, Super | Ref)):
        return Ref(python_type(frame, owner), "")
    match owner:
        case Value():
            return _of_value(frame, owner, name)
        case RecordObj():
            return of_record(frame, owner, name)
        case Super():
            return of_super(frame, owner, name)
        case Ref():
            return of_reference(frame, owner, name)
        case ListObj() | DictObj() | SetObj() if hasattr(owner.cls, name):
            return Method(owner, name)
        case Partial(named=DictObj()) if name in ("func", "args", "keywords"):
            return {"func": owner.fn, "args": owner.args, "keywords": owner.named}[name]
        case Partial() if isinstance(owner.fn, Ref) and owner.fn.obj in FROZEN:
            return _of_distribution(owner, name)
        case slice() if name in ("start", "stop", "step"):
            return getattr(owner, name)
        case slice() if name == "indices":
            return Method(owner, name)
        case Broadcast():
            return attribute_of_broadcast(frame, owner, name)
        case Flags():
            return attribute_of_flags(frame, owner, name)
        case property() if name in ("getter", "setter"):
            return accessor(owner, name)
        case (
            frozenset()
            | tuple()
            | str()
            | int()
            | float()
            | complex()
            | range()
            | np.generic()
            | np.dtype()
        ):
            found = getattr(owner, name, UNBOUND)
            if isinstance(found, type):  # `x.dtype.type`
                return Ref(found, "")
            if found is not UNBOUND:
                return Method(owner, name) if callable(found) else found
    raise missing(name, owner)


def has_attribute(frame: Frame, x: Abstract, name: str) -> bool:
    """Whether an object has an attribute; that it has none is guarded."""
    is_private = name.startswith("_") and not name.endswith("__")
    if is_private and isinstance(x, RecordObj) and is_written(x.cls):
        raise error("E123", None, what=f"whether {describe(x)} has `{name}`")
    if isinstance(x, RecordObj) and name not in x.fields:
        frame.session.inputs.beside.ask(x.cls, name)
    if isinstance(x, RecordObj | Instance) and name in x.fields:
        found = x.fields[name]
        if found is UNBOUND:
            return False
        if isinstance(found, Conflict) or is_partial(found):
            raise error("E129", None, what=f"whether {describe(x)} has `{name}`")
        return True
    if isinstance(x, Instance) and x.fields and find(type(x.obj), "__getattr__") is not None:
        raise error("E123", None, what=f"whether {describe(x)} has `{name}`")
    if isinstance(x, Ref):
        known = hasattr(x.obj, name)
        if known and isinstance(x.obj, type) and is_partial((find(x.obj, name) or (0, 0))[1]):
            raise error("E129", None, what=f"whether {describe(x)} has `{name}`")
        if x.path and not (known and hasattr(type(x.obj), name)):
            frame.session.inputs.guard(f"hasattr({x.path}, {name!r})", "equals", known)
        return known
    if isinstance(x, Value) and x.type == EXCEPTION and hasattr(BaseException, name):
        return True
    if isinstance(x, RecordObj) and not hasattr(x.cls, name) and hasattr(x.cls, "__getattr__"):
        raise error("E123", None, what=f"whether {describe(x)} has `{name}`")
    if isinstance(x, Value) and name == "mT":  # raises for fewer than two axes
        raise error("E123", None, what=f"whether {describe(x)} has `{name}`")
    if isinstance(x, OneShot) and name == "__len__":
        return False
    if isinstance(x, (FunctionObj, Partial, Bound, Closed, Method, Super, OneShot)):
        try:
            _attribute(frame, x, name)
        except UnsupportedSyntax:
            raise error("E123", None, what=f"whether {describe(x)} has `{name}`") from None
        return True
    return hasattr(x if is_static(x) else python_type(frame, x), name)


# Methods of a distribution that take its parameters alone.
_OF_NO_POINT = ("entropy", "mean", "median", "std", "var")


def _of_distribution(owner: Partial, name: str) -> Closed:
    """A method of a distribution of SciPy's that holds its parameters: `norm(loc, s).logpdf`."""
    assert isinstance(owner.fn, Ref)
    method = getattr(owner.fn.obj, name, None)
    if method not in RULES:
        raise error("E120", None, what=f"`{name_of(owner.fn.obj)}(...).{name}`")

    def summed_up(frame: Frame) -> Abstract:
        return frame.session.emit(method, owner.args, owner.kwargs)

    def called(frame: Frame, x: Abstract) -> Abstract:
        return frame.session.emit(method, (x, *owner.args), owner.kwargs)

    return Closed(summed_up if name in _OF_NO_POINT else called, name)


def accessor(owner: property, name: str) -> Closed:
    """`prop.setter`: takes a function, gives the property with it."""

    def change(frame: Frame, fn: Abstract) -> Abstract:
        if name == "setter":
            return property(owner.fget, fn)
        return property(fn, owner.fset)

    return Closed(change, name)


# Arrays and numbers ------------------------------------------------------------------------------


def shape(frame: Frame, x: Value) -> Abstract:
    """`x.shape`: constants where extents are known, which a test may branch on."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape is None:
        raise error("E123", None, what=f"the number of axes of `{x.name or 'an array'}`")
    if all(isinstance(e, int) for e in x.type.shape):
        return x.type.shape
    whole = frame.session.emit_shape(x)
    extents = tuple(
        e if isinstance(e, int) else frame.session.emit(operator.getitem, (whole, i))
        for i, e in enumerate(x.type.shape)
    )
    return ShapeTuple(extents, x)


def _ndim(frame: Frame, x: Value) -> int:
    assert isinstance(x.type, ArrayType)
    if x.type.shape is None:
        raise error("E123", None, what=f"the number of axes of `{x.name or 'an array'}`")
    return len(x.type.shape)


def _transposed(frame: Frame, x: Value) -> Abstract:
    """`x.T`: a view, which is another object also where it has the axes of `x`; a scalar is its
    own.
    """
    is_scalar = isinstance(x.type, ArrayType) and x.type.scalar
    return x if is_scalar else frame.session.emit(np.transpose, (x,))


def _dtype(frame: Frame, x: Value) -> Abstract:
    assert isinstance(x.type, ArrayType)
    if not frame.session.kinds.has_one_dtype(x):
        raise error("E123", None, what=f"the dtype of `{x.name or 'an array'}`")
    return x.type.dtype


def flat(frame: Frame, x: Value) -> Value:
    """`x.flat`: all entries, through which they are written, whatever the memory looks like."""
    found: Value = frame.session.emit(np.ravel, (x,))
    frame.session.memory.note_flat(found)
    return found


ARRAY_ATTRIBUTES: dict[str, Callable[[Frame, Value], Abstract]] = {
    "shape": shape,
    "ndim": _ndim,
    "size": lambda frame, x: frame.session.emit(np.size, (x,)),
    "dtype": _dtype,
    "T": _transposed,
    "mT": lambda frame, x: frame.session.emit(np.swapaxes, (x, -1, -2)),
    "real": lambda frame, x: frame.session.emit(np.real, (x,)),
    "imag": lambda frame, x: frame.session.emit(np.imag, (x,)),
    "flat": flat,
    "itemsize": lambda frame, x: _dtype(frame, x).itemsize,
    "nbytes": lambda frame, x: frame.session.emit(
        operator.mul, (frame.session.emit(np.size, (x,)), _dtype(frame, x).itemsize)
    ),
    "device": lambda frame, x: "cpu",
    "flags": lambda frame, x: Flags(x),
    "strides": strides,
}


def _of_value(frame: Frame, x: Value, name: str) -> Abstract:
    if x in frame.session.kinds and not _all_have(joined_classes(frame, x), name):
        frame.session.effect(getattr, x, name)  # raises where x is Python's, say
    if x in frame.session.memory.flat and not hasattr(np.flatiter, name):
        raise missing(name, x)
    if isinstance(x.type, ArrayType):
        if name in ARRAY_ATTRIBUTES:
            return ARRAY_ATTRIBUTES[name](frame, x)
        refused = refusal_of(f"ndarray.{name}")
        if refused is not None:
            raise refused
        if callable(getattr(x.type.dtype.type if x.type.scalar else np.ndarray, name, None)):
            return Method(x, name)
    elif isinstance(x.type, NumberType):
        if name in ("real", "imag"):
            if x.type.kind is complex:
                return frame.session.emit(float, (frame.session.emit(getattr(np, name), (x,)),))
            return x if name == "real" else x.type.kind(0)
        if name in ("numerator", "denominator") and x.type.kind in (int, bool):
            return x if name == "numerator" else 1
        if callable(getattr(x.type.kind, name, None)):
            return Method(x, name)
    elif x.type == GENERATOR:
        if callable(getattr(np.random.Generator, name, None)):
            return Method(x, name)
    elif x.type == RANDOM_STATE:
        if callable(getattr(np.random.RandomState, name, None)):
            return Method(x, name)
    elif x.type == PYTHON_RANDOM:
        if callable(getattr(random.Random, name, None)):
            return Method(x, name)
    elif hasattr(str, name):
        return Method(x, name)
    raise missing(name, x)


def _all_have(classes: set[type], name: str) -> bool:
    return all(hasattr(cls, name) for cls in classes)


__all__ = ["attribute", "has_attribute", "shape"]
