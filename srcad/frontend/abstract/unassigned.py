"""Reads of what some paths leave unbound: names, attributes.

if c: y = x                     y: bound on one path only; later passes ask where it is read
try: z = y                      asked here: there is a handler for what Python raises
except NameError: z = 0.0
p.v                             asked here: it is an AttributeError
"""

from __future__ import annotations

from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.joined_types import is_partial
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Raising
from srcad.ir.nodes import Value
from srcad.runtime.effects import ensure_bound, raise_, unassigned


def is_handled(session: Session, cls: type[Exception]) -> bool:
    """Whether a `try` around may handle an exception of this class."""
    return any(issubclass(cls, caught) for caught in session.catching)


def check_name(session: Session, x: Abstract, name: str, *, is_own: bool) -> None:
    """Raise what Python raises of a name that has no value, where a `try` may handle it.

    `is_own`: a name of the function that reads it.
    """
    cls = UnboundLocalError if is_own else NameError
    if session.catching and is_handled(session, cls):
        unbound = _unbound_part(x)
        if unbound is not None:
            session.effect(ensure_bound, unbound, Ref(cls, ""), unassigned(name))


def raised_by_name(session: Session, name: str, *, is_own: bool) -> Raising | None:
    """What a name raises that has no value on any path, where a `try` may handle it."""
    cls = UnboundLocalError if is_own else NameError
    if not is_handled(session, cls):
        return None
    session.effect(raise_, Ref(cls, ""), unassigned(name))
    return Raising()


def check_attribute(
    session: Session, x: Abstract, name: str, cls: type, *, of_class: bool = False
) -> None:
    """Raise what Python raises of an attribute that was not set on the path taken, of an object or
    of its class.
    """
    unbound = _unbound_part(x)
    if unbound is not None:
        owner = f"type object {cls.__name__!r}" if of_class else f"{cls.__name__!r} object"
        said = f"{owner} has no attribute {name!r}"
        session.effect(ensure_bound, unbound, Ref(AttributeError, ""), said)


def _unbound_part(x: Abstract) -> Value | None:
    """What is unbound where all of `x` is: itself, or what it consists of; None where it is not.

    An object that is there may have attributes that are not.
    """
    if isinstance(x, Value):
        return x if x.partial else None
    if isinstance(x, RecordObj) and not x.uneven:
        items = list(x.fields.values())
    elif isinstance(x, tuple):
        items = list(x)
    elif isinstance(x, ListObj) and x.form is None:
        items = x.items
    else:
        return None
    is_whole = bool(items) and all(isinstance(item, Value) and is_partial(item) for item in items)
    return items[0] if is_whole else None


__all__ = ["check_attribute", "check_name", "is_handled", "raised_by_name"]
