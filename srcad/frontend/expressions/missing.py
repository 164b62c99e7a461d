"""Exceptions that Python and NumPy raise by themselves: of items that are not there, of shapes that
do not fit.

rates = {"a": 0.1}
r = rates["b"]                          refused
try: r = rates["b"]                     raised, as Python raises it: it may be handled
except KeyError: r = 0.0
"""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.signals import Raising
from srcad.ir.nodes import Block, If, Value
from srcad.ir.types import ArrayType
from srcad.runtime.effects import raise_


def missing(frame: Frame, cls: type[LookupError], key: Any, what: str | None = None) -> Exception:
    """What is to be raised where there is no such item: of a dict a `KeyError`, else an
    `IndexError`.
    """
    if frame.session.watchers:  # the body of a `try`
        frame.session.effect(raise_, Ref(cls, ""), key)
        return Raising()
    kind = "key" if cls is KeyError else "index"
    return error("E135", None, what=f"{kind} {key!r}" if what is None else what)


def check_bounds(frame: Frame, x: Value, index: Abstract) -> None:
    """Raise what NumPy raises of an index that is beyond an extent that is known."""
    shape = x.type.shape if isinstance(x.type, ArrayType) else None
    parts = index if isinstance(index, tuple) else (index,)
    for part, extent in zip(parts, shape or (), strict=False):
        if not (type(part) is int or isinstance(part, slice)):
            return  # what follows may be of another axis
        if type(part) is int and type(extent) is int and not -extent <= part < extent:
            what = f"index {part} is out of bounds for an axis of size {extent}"
            if not frame.session.watchers:
                raise error("E405", None, what=what)
            frame.session.effect(raise_, Ref(IndexError, ""), what)
            raise Raising


def fails(frame: Frame, problem: Exception) -> Raising:
    """What is to be raised where an operation on constants raises: at run time it raises this."""
    frame.session.effect(raise_, Ref(type(problem), ""), *problem.args)
    return Raising()


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


__all__ = ["check_bounds", "fails", "missing", "raise_unless"]
