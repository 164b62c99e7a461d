"""Exceptions that Python and NumPy raise by themselves: of items that are not there, of shapes that
do not fit.

rates = {"a": 0.1}
r = rates["b"]                          refused
if x > 2: r = rates["b"]                raised, as Python raises it: it may not run
try: r = rates["b"]                     likewise: it may be handled
except KeyError: r = 0.0
try: r = float(x)                       so what every object of a class raises: an array of rows
except TypeError: r = np.sum(x)         is no number
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Ref, describe
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.python_types import possible_classes
from srcad.interrupts import raise_users_own
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Block, If, Value
from srcad.ir.types import ArrayType
from srcad.runtime.effects import raise_
from srcad.runtime.records import is_written_in_c


def missing(frame: Frame, problem: LookupError, key: Any, what: str | None = None) -> Exception:
    """What is to be raised where there is no such item: `problem`, as Python raises it."""
    if _may_not_run(frame):
        return fails(frame, problem)
    kind = "key" if isinstance(problem, KeyError) else "index"
    return error("E135", None, what=f"{kind} {key!r}" if what is None else what)


def _may_not_run(frame: Frame) -> bool:
    """Whether what raises here may be handled, or is on a path that data decides on."""
    return bool(frame.session.watchers or frame.session.conditions)


def check_bounds(frame: Frame, x: Value, index: Abstract) -> None:
    """Raise what NumPy raises of an index that is beyond an extent that is known."""
    shape = x.type.shape if isinstance(x.type, ArrayType) else None
    parts = index_parts(index)
    for part, extent in zip(parts, shape or (), strict=False):
        if not (type(part) is int or isinstance(part, slice)):
            return  # what follows may be of another axis
        if type(part) is int and type(extent) is int and not -extent <= part < extent:
            what = f"index {part} is out of bounds for an axis of size {extent}"
            if not _may_not_run(frame):
                raise error("E405", None, what=what)
            frame.session.effect(raise_, Ref(IndexError, ""), what)
            raise Raising


def fails(frame: Frame, problem: Exception) -> Raising:
    """What is to be raised where an operation on constants raises: at run time it raises this."""
    frame.session.effect(raise_, Ref(type(problem), ""), *problem.args)
    return Raising()


def check_is_array(frame: Frame, x: Value, index: Abstract) -> None:
    """Raise what NumPy raises of an item of one of its numbers, which are no arrays."""
    is_item = isinstance(index, int | slice) and not isinstance(index, bool)
    if is_item and isinstance(x.type, ArrayType) and x.type.scalar:
        refusal = error("E132", None, what=f"indexing of {describe(x)}")
        raise raised_by_class(frame, x, lambda number: number[0], refusal)


def refuse_slice(frame: Frame, owner: Abstract, index: Abstract) -> None:
    """Raise what Python raises of a slice of a deque, which has items alone."""
    if isinstance(owner, ListObj) and owner.cls is deque and isinstance(index, slice):
        raise fails(frame, TypeError("sequence index must be integer, not 'slice'"))


def raised_by_class(
    frame: Frame, x: Abstract, act: Callable[[Any], Any], refusal: Exception
) -> Exception:
    """What `act` raises of every object of the class of `x`, which lacks what is asked of it: to be
    raised in the body of a `try`; elsewhere the refusal.

    The caller has proved that it raises; a bare object of the class says what.
    """
    found = _stand_in(frame, x) if frame.session.watchers else UNBOUND
    return refusal if found is UNBOUND else raised_by(frame, act, found, refusal)


def raised_by(
    frame: Frame, act: Callable[[Any], Any], stand_in: Any, refusal: Exception
) -> Exception:
    """What `act` raises of an object that stands for all that the value may be."""
    if not frame.session.watchers:
        return refusal
    try:
        act(stand_in)
    except (TypeError, ValueError, AttributeError, LookupError) as problem:
        raise_users_own(problem)
        return fails(frame, problem)
    return refusal


def _stand_in(frame: Frame, x: Abstract) -> Any:
    """An object without attributes of its own, of the class of `x`; `UNBOUND` if it may have
    several.
    """
    if isinstance(x, Ref) and isinstance(x.obj, types.ModuleType | type):
        return x.obj
    classes = possible_classes(frame, x)
    if len(classes) != 1:
        return UNBOUND
    (cls,) = classes
    if cls is types.NoneType:
        return None
    if cls is np.ndarray:
        rank = len(getattr(x.type, "shape", None) or ()) if isinstance(x, Value) else 1
        return np.empty((0,) * rank)
    if cls not in _MAKES_ITSELF and not is_written_in_c(cls):
        return type(cls.__name__, (), {})()
    return cls() if cls in _MAKES_ITSELF or issubclass(cls, np.generic) else UNBOUND


_MAKES_ITSELF = (
    bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, types.SimpleNamespace,
)  # fmt: skip


def raise_unless(frame: Frame, fits: Abstract, cls: type[Exception], message: str) -> None:
    """`if not fits: raise cls(message)`, where that is known at run time only."""
    session = frame.session
    if not isinstance(fits, Value):
        raise TypeError("what is known while compiling is refused there")
    with session.block() as body:
        session.effect(raise_, Ref(cls, ""), message)
    session.builder.body.append(
        If(fits, Block([], [], []), Block([], body, []), (), session.builder.loc)
    )


__all__ = [
    "check_bounds", "check_is_array", "fails", "missing", "raise_unless", "raised_by",
    "raised_by_class", "refuse_slice",
]  # fmt: skip
