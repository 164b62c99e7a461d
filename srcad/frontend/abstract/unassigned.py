"""What some paths leave unbound: names, attributes, and reads of them.

if c: y = x                     y: a question ahead of each read; what raises there asks nothing
if c: mode = "a"                mode_is_bound: asked for, since no run-time value stands for it
p.v                             what Python raises is an AttributeError
"""

from __future__ import annotations

import builtins

from srcad.frontend.abstract.objects import UNBOUND, Abstract, Ref, flagged
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Raising
from srcad.ir.nodes import Value
from srcad.runtime.effects import ensure_bound, raise_, unassigned


def is_handled(session: Session, cls: type[Exception]) -> bool:
    """Whether a `try` around may handle an exception of this class."""
    return any(issubclass(cls, caught) for caught in session.catching)


def tells(x: Abstract) -> bool:
    """Whether `x` is its own flag: every read of it asks Python whether it is bound."""
    return x is UNBOUND or (isinstance(x, Value) and x.partial)


def check_name(session: Session, x: Abstract, name: str, *, is_own: bool) -> Abstract:
    """What a name stands for where it is bound; raise what Python raises where it is not.

    `is_own`: a name of the function that reads it.
    """
    cls = UnboundLocalError if is_own else NameError
    unbound = unbound_part(x)
    if unbound is not None:
        # Of a name of its own Python says the same, and asks where a run-time value is read.
        is_plain = unbound is x and is_own and not is_handled(session, cls)
        said = () if is_plain else (Ref(cls, ""), unassigned(name))
        session.effect(ensure_bound, unbound, *said)
    return flagged(x)[1]


def raised_by_name(session: Session, name: str, *, is_own: bool) -> Raising | None:
    """What a name raises that has no value on any path, where a `try` may handle it."""
    cls = UnboundLocalError if is_own else NameError
    if not is_handled(session, cls):
        return None
    session.effect(raise_, Ref(cls, ""), unassigned(name))
    return Raising()


def raised_by_global(session: Session, name: str) -> Raising | None:
    """What a name raises that neither the module nor Python has, where a `try` may handle it:
    `try: profile` / `except NameError`.
    """
    if not is_handled(session, NameError):
        return None
    at = session.inputs.keep(builtins)  # to which a name may be added later
    session.inputs.guard(f"hasattr({at}, {name!r})", "equals", False)
    session.effect(raise_, Ref(NameError, ""), f"name {name!r} is not defined")
    return Raising()


def check_attribute(
    session: Session, x: Abstract, name: str, cls: type, *, of_class: bool = False
) -> Abstract:
    """What an attribute is, of an object or of its class; raise what Python raises where it was not
    set on the path taken.
    """
    unbound = unbound_part(x)
    if unbound is not None:
        owner = f"type object {cls.__name__!r}" if of_class else f"{cls.__name__!r} object"
        said = f"{owner} has no attribute {name!r}"
        session.effect(ensure_bound, unbound, Ref(AttributeError, ""), said)
    return flagged(x)[1]


def unbound_part(x: Abstract) -> Value | None:
    """What is unbound where `x` is: itself, or the flag beside it; None where it never is."""
    flag, value = flagged(x)
    if isinstance(flag, Value):
        return flag
    return value if isinstance(value, Value) and value.partial else None


__all__ = ["check_attribute", "check_name", "is_handled", "raised_by_name", "tells", "unbound_part"]
