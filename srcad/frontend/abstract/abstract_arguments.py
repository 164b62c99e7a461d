"""Values that stand for the arguments of a function that is lowered by itself.

    f({"w": w, "n": 2}, 0.5)         parameters of the program of f: w (for w), a number (for 0.5)

What is known of an argument is known of what stands for it: its extents, that it is an input, that
its memory may be that of another. Containers are new ones with the new leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcad.frontend.abstract.containers.containers import CONTAINERS
from srcad.frontend.abstract.containers.contents import known_contents, like
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType, Type
from srcad.rules.core.facts import type_of_constant

Bindings = dict[str, tuple[Abstract, Any]]  # argument and kind, by the name of the parameter


@dataclass
class StandIns:
    """The new `values`, the outer `atoms` that they stand for, and the arguments made of them."""

    values: list[Value] = field(default_factory=list)
    atoms: list[Any] = field(default_factory=list)
    bound: Bindings = field(default_factory=dict)
    containers: list[Abstract] = field(default_factory=list)
    outer: dict[int, Abstract] = field(default_factory=dict)  # what one stands for, by its id


def is_input(x: Abstract) -> bool:
    """Whether a leaf of an argument becomes a parameter of the inner program."""
    return isinstance(x, Value | float | complex) and not isinstance(x, bool)


def stand_ins(
    session: Session,
    bound: Bindings,
    *,
    frozen: Callable[[Abstract], bool],
    replaces: Callable[[Abstract], bool] = is_input,
) -> StandIns:
    """What stands for bound arguments.

    Args:
        frozen: which containers may not be changed in the function.
        replaces: which leaves get a value that stands for them; the others stay what they are.
    """
    made = StandIns()
    by_outer: dict[int, list[Any]] = {}

    def fresh(x: Abstract) -> Abstract:
        if isinstance(x, tuple):
            return tuple(map(fresh, x))
        if isinstance(x, CONTAINERS):
            new = like(x, {key: fresh(item) for key, item in known_contents(x).items()})
            made.containers.append(new)
            made.outer[id(new)] = x
            twins = by_outer.setdefault(id(x), [])
            twins.append(new)
            new.path, new.frozen = x.path, x.frozen or frozen(x)
            if len(twins) > 1:  # what is changed under one name would have to be under the other
                for twin in twins:
                    twin.frozen = True
            return new
        if not replaces(x):
            return x
        value = _stand_in(session, x)
        made.atoms.append(x)
        made.values.append(value)
        return value

    made.bound = {name: (fresh(x), kind) for name, (x, kind) in bound.items()}
    return made


def _stand_in(session: Session, x: Abstract) -> Value:
    if not isinstance(x, Value):
        return Value("", type_of_constant(x))
    value = Value(x.name, _type_of(x))
    session.memory.tell(value, [x])
    if x in session.inputs.paths:
        session.inputs.paths[value] = session.inputs.paths[x]
    if x in session.loop_varying:
        session.loop_varying[value] = session.loop_varying[x]
    session.kinds.meet(value, [x])
    return value


def _type_of(x: Value) -> Type:
    return NumberType(x.type.kind) if isinstance(x.type, NumberType) else x.type


__all__ = ["Bindings", "StandIns", "is_input", "stand_ins"]
