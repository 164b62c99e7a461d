"""Containers on two paths: whether one can stand for both, and what is raised where none can.

if c:  xs.append(x)          -> Growth: `xs` has another length on each path
if c:  ys = [x]              -> one list of one item stands for both
else:  ys = [z]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.containers import (
    MUTABLE,
    Container,
    Grown,
    ListObj,
    RecordObj,
)
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.containers.reachable import containers_in, reachable
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    Conflict,
    Instance,
    is_leaf,
    is_nothing,
)
from srcad.frontend.abstract.state import State, same
from srcad.frontend.lists.entry_kinds import have_same_kinds
from srcad.frontend.lists.items import are_alike
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.objects.class_functions import value_of_class
from srcad.frontend.reading.capture import Inputs
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of


def have_one_form(x: Abstract, y: Abstract) -> bool:
    """Whether the items of two lists are read alike from arrays of one dtype."""
    if isinstance(x, Laid | LaidRow):
        return type(x) is type(y)
    if not isinstance(x, Grown) or not isinstance(y, Grown):
        return False
    pairs = zip(x.columns, y.columns, strict=False)
    same = all(dtype_of(a.type) == dtype_of(b.type) for a, b in pairs)
    return same and are_alike(x.item, y.item) and have_same_kinds(x, y)


def behave_alike(x: Container, y: Container) -> bool:
    """Whether two containers behave alike: their class, the room of a deque, what a dict makes of
    a missing key.
    """
    first, second = ((getattr(obj, "cls", None), getattr(obj, "maxlen", None)) for obj in (x, y))
    return first == second and same(getattr(x, "factory", None), getattr(y, "factory", None))


def with_attributes(
    obj: RecordObj | Instance, x: dict[Any, Abstract], y: dict[Any, Abstract], inputs: Inputs
) -> tuple[dict[Any, Abstract], dict[Any, Abstract]]:
    """The attributes set on each path; what only the other path sets is as the object came, or as
    its class has it.
    """
    if not isinstance(obj, Instance):
        obj.uneven = obj.uneven or list(x) != list(y)
        return _with_those_of_class(obj.cls, x, y, inputs)
    names = {**x, **y}
    new = [[n for n in items if obj.original(n) is UNBOUND] for items in (x, y)]
    obj.uneven = obj.uneven or new[0] != new[1]
    came = {n: obj.original(n) for n in names}
    return {n: x.get(n, came[n]) for n in names}, {n: y.get(n, came[n]) for n in names}


def _with_those_of_class(
    cls: type, x: dict[Any, Abstract], y: dict[Any, Abstract], inputs: Inputs
) -> tuple[dict[Any, Abstract], dict[Any, Abstract]]:
    """The attributes on each path; what only the other one has is as the class has it."""
    names = [n for n in {**x, **y} if n not in x or n not in y]
    more = {n: value_of_class(inputs, cls, n) for n in names}
    more = {n: item for n, item in more.items() if item is not UNBOUND}
    return {**more, **x}, {**more, **y}


def with_like_attributes(
    first: Container, second: Container, items: list[dict[Any, Abstract]], inputs: Inputs
) -> list[dict[Any, Abstract]]:
    """The attributes of two objects of one class of which one stands on each path, in one order."""
    if not isinstance(first, RecordObj) or not isinstance(second, RecordObj):
        return items
    if first.cls is not second.cls or list(items[0]) == list(items[1]):
        return items
    x, y = _with_those_of_class(first.cls, items[0], items[1], inputs)
    return [x, {n: y[n] for n in x}] if x.keys() == y.keys() else items


class OtherLists(Exception):  # noqa: N818 - becomes a list of arrays
    """Paths put lists of different lengths into one place."""

    def __init__(self, pair: tuple[ListObj, ListObj]) -> None:
        super().__init__(pair)
        self.pair = pair


class Growth(Exception):  # noqa: N818 - refused or unrolled by the branch or loop
    """A container has another length on each path; `several`: what it holds there. Or another
    list, where it `is_other`.
    """

    def __init__(self, obj: Any, *several: dict[Any, Abstract], is_other: bool = False) -> None:
        super().__init__(obj)
        self.obj = obj
        self.several = several
        self.is_other = is_other


def refuse_growth(what: str) -> SrcadError:
    """The error for a container whose length depends on the path."""
    return error("E119", None, what=what)


def freeze_merged(
    merged: Mapping[tuple[Any, Any], Container],
    held: Iterable[Abstract],
    results: Iterable[Abstract],
) -> None:
    """Forbid changes of containers that each stand for two, and of these where something still
    holds them, names or `results`: it is not known any more which is which.

    Two that are swapped stay two: on each path they are different ones.
    """
    if not merged:
        return
    kept = set(containers_in([*held, *results]))
    uses = [Counter(side) for side in zip(*merged, strict=True)]
    for pair, new in merged.items():
        olds = [(obj, used) for obj, used in zip(pair, uses, strict=True) if not is_nothing(obj)]
        if any(obj in kept or used[obj] > 1 for obj, used in olds):
            for obj in (*(obj for obj, _ in olds), new):
                obj.frozen = True


def hide_escaping(state: State, made: set[Value], code: str) -> None:
    """Put a conflict where a function or iterator holds on to values made in a block that has
    ended.
    """
    for owner, key, x in list(state.locations()):
        if is_leaf(x) or isinstance(x, (*MUTABLE, Open, Pieces)):
            continue
        if any(isinstance(v, Value) and v in made for v in reachable([x], state.envs)):
            items = state.envs[owner] if owner in state.envs else state.heap[owner]
            items[key] = Conflict(code, f"`{key}`")
