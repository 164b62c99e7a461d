"""What changes on a path: snapshots of names and containers, and how two paths are joined.

    if c:  y = x; k = 1          y -> out of the If, typed join(x, z)
    else:  y = z; k = 1          k -> 1 on both paths: stays a constant

A *location* is a name in a frame or an item of a mutable container. Where two paths put different values there,
the leaves that differ become results of the `If` or are carried by the loop; where they put different
*structures*, the location holds a `Conflict`, an error only if the program reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.frame import Conflict, Frame
from srcad.frontend.objects import (
    UNBOUND,
    Abstract,
    Bound,
    DictObj,
    Enumerate,
    FunctionObj,
    Generator,
    ListObj,
    Map,
    Method,
    Partial,
    RecordObj,
    Reversed,
    Zip,
    contents,
    set_contents,
)
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Extent, NumberType, Shape, Type
from srcad.rules.facts import type_of_constant, unknown_extent

Location = tuple[Any, Any]  # (frame or container, name or key)


@dataclass(frozen=True, slots=True)
class State:
    """The content of every location at one point of the program."""

    envs: dict[Frame, dict[str, Abstract]]
    heap: dict[Any, dict[Any, Abstract]]

    def locations(self) -> dict[Location, Abstract]:
        found: dict[Location, Abstract] = {}
        for owner, items in (*self.envs.items(), *self.heap.items()):
            found.update(((owner, key), item) for key, item in items.items())
        return found


def snapshot(frame: Frame) -> State:
    """The state as `frame` and the frames around it see it."""
    envs: dict[Frame, dict[str, Abstract]] = {}
    walk: Frame | None = frame
    while walk is not None:
        envs[walk] = dict(walk.env)
        walk = walk.outer
    roots = [*envs.values(), *(each.env for each in frame.session.frames)]
    return State(envs, {obj: contents(obj) for obj in _reachable(roots)})


def _reachable(envs: list[dict[str, Abstract]]) -> dict[Any, None]:
    """The mutable containers that names lead to, in order of discovery."""
    found: dict[Any, None] = {}
    seen: set[int] = set()

    def visit(x: Abstract) -> None:
        if isinstance(x, tuple):
            for item in x:
                visit(item)
        elif isinstance(x, ListObj | DictObj | RecordObj):
            if x not in found:
                found[x] = None
                for item in contents(x).values():
                    visit(item)
        elif isinstance(x, FunctionObj | Generator):
            walk: Frame | None = x.frame
            while walk is not None and id(walk) not in seen:
                seen.add(id(walk))
                for item in list(walk.env.values()):
                    visit(item)
                walk = walk.outer
        elif isinstance(x, Partial):
            visit((*x.args, *x.kwargs.values()))
        elif isinstance(x, Method | Bound):
            visit(x.receiver)
        elif isinstance(x, Enumerate | Reversed):
            visit(x.inner)
        elif isinstance(x, Zip | Map):
            visit(x.parts)

    for env in envs:
        for x in list(env.values()):
            visit(x)
    return found


def restore(state: State) -> None:
    """Make `state` the current one again."""
    for frame, env in state.envs.items():
        frame.env.clear()
        frame.env.update(env)
    for obj, items in state.heap.items():
        set_contents(obj, items)


def assign(location: Location, x: Abstract) -> None:
    """Put `x` at a location."""
    owner, key = location
    if isinstance(owner, Frame):
        owner.env[key] = x
    elif isinstance(owner, ListObj):
        owner.items[key] = x
    elif isinstance(owner, DictObj):
        owner.items[key] = x
    else:
        owner.fields[key] = x


def location_name(location: Location) -> str:
    """The name under which a location is reported and its values are printed."""
    owner, key = location
    return key if isinstance(owner, Frame) or isinstance(key, str) else ""


def is_leaf(x: Abstract) -> bool:
    """Whether `x` can be a run-time value: one already, or a number."""
    return isinstance(x, Value | bool | int | float | complex | np.generic)


def is_opaque(x: Abstract) -> bool:
    """Whether `x` is neither a leaf nor a container of leaves (a conflict, a function, None)."""
    return not is_leaf(x) and not isinstance(x, tuple | ListObj | DictObj | RecordObj)


def same(a: Abstract, b: Abstract) -> bool:
    """Whether two paths agree on a value without any code."""
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value) or type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool | int | str | bytes | np.dtype):
        return bool(a == b)
    # NaN is no change, -0.0 is: numbers are compared as they print.
    return isinstance(a, float | complex) and repr(a) == repr(b)


class Mismatch(Exception):  # noqa: N818 - turned into a Conflict by `join_locations`
    """Two paths disagree in structure."""


def join_trees(a: Abstract, b: Abstract, leaf: Callable[[Abstract, Abstract], Abstract]) -> Abstract:
    """The common structure of `a` and `b` with `leaf(x, y)` where they differ.

    Raises:
        Mismatch: the structures differ.
    """
    if same(a, b):
        return a
    missing_a, missing_b = a is UNBOUND, b is UNBOUND
    if (is_leaf(a) or missing_a) and (is_leaf(b) or missing_b):
        return leaf(a, b)
    if missing_a or missing_b:
        known = b if missing_a else a
        return rebuild(known, lambda x: leaf(UNBOUND, x) if missing_a else leaf(x, UNBOUND))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(join_trees(x, y, leaf) for x, y in zip(a, b, strict=True))
    if type(a) is type(b) and isinstance(a, ListObj | DictObj | RecordObj):
        items_a, items_b = contents(a), contents(b)
        fits = list(items_a) == list(items_b) and getattr(a, "cls", None) is getattr(b, "cls", None)
        if fits and not a.path and not b.path:
            joined = {key: join_trees(items_a[key], items_b[key], leaf) for key in items_a}
            return _like(a, joined)
    raise Mismatch


def rebuild(x: Abstract, leaf: Callable[[Abstract], Abstract]) -> Abstract:
    """`x` with `leaf` applied to its leaves; constants that are no leaves are kept."""
    if is_leaf(x):
        return leaf(x)
    if isinstance(x, tuple):
        return tuple(rebuild(item, leaf) for item in x)
    if isinstance(x, ListObj | DictObj | RecordObj):
        return _like(x, {key: rebuild(item, leaf) for key, item in contents(x).items()})
    return x


def _like(x: Any, items: dict[Any, Abstract]) -> Any:
    if isinstance(x, ListObj):
        return ListObj(list(items.values()))
    return DictObj(items) if isinstance(x, DictObj) else RecordObj(x.cls, items)


def join_states(a: State, b: State, leaf: Callable[[Abstract, Abstract, str], Abstract]) -> State:
    """The state after two paths met: `leaf(x, y, name)` stands where leaves differ."""
    envs = {f: _join_items(f, a.envs[f], b.envs[f], leaf) for f in a.envs if f in b.envs}
    heap: dict[Any, dict[Any, Abstract]] = {}
    for obj in {**a.heap, **b.heap}:
        if obj not in a.heap or obj not in b.heap:
            heap[obj] = a.heap.get(obj) or b.heap[obj]
            continue
        if list(a.heap[obj]) != list(b.heap[obj]):
            raise error("E119", None, what="a container of different length in each branch")
        heap[obj] = _join_items(obj, a.heap[obj], b.heap[obj], leaf)
    return State(envs, heap)


def _join_items(
    owner: Any, a: dict[Any, Abstract], b: dict[Any, Abstract], leaf: Callable[..., Abstract]
) -> dict[Any, Abstract]:
    joined: dict[Any, Abstract] = {}
    for key in {**a, **b}:
        name = location_name((owner, key))
        try:
            joined[key] = join_trees(
                a.get(key, UNBOUND), b.get(key, UNBOUND), lambda x, y, n=name: leaf(x, y, n)
            )
        except Mismatch:
            joined[key] = Conflict("E129", f"`{name}`")
    return joined


# Joining types -----------------------------------------------------------------------------------


def type_of_leaf(x: Abstract) -> Type:
    """The type of a value or number."""
    return x.type if isinstance(x, Value) else type_of_constant(x)


_KINDS = (bool, int, float, complex)


def join_types(a: Type, b: Type) -> Type:
    """The most precise type of something that is an `a` on one path and a `b` on another."""
    if a == b:
        return a
    if isinstance(a, NumberType) and isinstance(b, NumberType):
        return NumberType(max(a.kind, b.kind, key=_KINDS.index))
    if isinstance(a, ArrayType | NumberType) and isinstance(b, ArrayType | NumberType):
        arrays = [t for t in (a, b) if isinstance(t, ArrayType)]
        dtype = np.result_type(*(t.dtype if isinstance(t, ArrayType) else t.kind(0) for t in (a, b)))
        shapes = [t.shape if isinstance(t, ArrayType) else () for t in (a, b)]
        return ArrayType(dtype, join_shapes(*shapes), all(t.scalar for t in arrays))
    raise Mismatch


def join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """The extents on which both shapes agree, the others unknown; None where ranks differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(_join_extents(x, y) for x, y in zip(a, b, strict=True))


def _join_extents(a: Extent, b: Extent) -> Extent:
    """The common extent, else an unknown one, which is not 1 if neither is."""
    if a == b:
        return a
    return replace(unknown_extent(), never_one=is_never_one(a) and is_never_one(b))


def is_never_one(extent: Extent) -> bool:
    """Whether an extent is known to differ from 1."""
    return extent != 1 if isinstance(extent, int) else extent.never_one
