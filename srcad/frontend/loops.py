"""Loops: `for` over anything, `while`, and the search for what a loop carries.

A loop's body is lowered until nothing new turns up: the first time to see which locations it changes, again with
these as parameters of the body, and again where a type widened (`s = 0` that becomes a float). Loops over
containers known while compiling are unrolled, as are loops whose body needs the index as a constant
(`params[i]` of a list).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from srcad.errors import error
from srcad.frontend import state as st
from srcad.frontend.frame import Conflict, Frame, UnrollLoop, tuple_items
from srcad.frontend.objects import (
    UNBOUND,
    Abstract,
    DictObj,
    Enumerate,
    ListObj,
    Map,
    Range,
    Ref,
    Reversed,
    Zip,
    describe,
)
from srcad.ir.nodes import UNDEFINED, Block, For, Value, While
from srcad.ir.types import ArrayType, NumberType, SeqType, TupleType, Type, rank_of
from srcad.ir.walk import copy_block, fresh_like

MAX_UNROLL = 10_000
MAX_ATTEMPTS = 8

Body = Callable[[Abstract], Any]


# What is iterated over ---------------------------------------------------------------------------


def static_items(frame: Frame, x: Abstract) -> list[Abstract] | None:
    """The items of an iterable whose length is known while compiling; None for the others."""
    if isinstance(x, tuple):
        return list(x)
    if isinstance(x, ListObj):
        return list(x.items)
    if isinstance(x, DictObj):
        return list(x.items)
    if isinstance(x, str | range | bytes | frozenset):
        return None if isinstance(x, range) else list(x)
    if isinstance(x, Ref) and isinstance(x.obj, dict | list | tuple | set | frozenset):
        return None
    if isinstance(x, Value) and isinstance(x.type, TupleType):
        return list(tuple_items(frame.session, x))
    if isinstance(x, Enumerate):
        inner = static_items(frame, x.inner)
        start = frame.session.static(x.start, "the start of `enumerate`")
        return None if inner is None else list(enumerate(inner, start))
    if isinstance(x, Reversed):
        inner = static_items(frame, x.inner)
        return None if inner is None else inner[::-1]
    if isinstance(x, Zip | Map):
        return _static_zip(frame, x)
    return None


def _static_zip(frame: Frame, x: Zip | Map) -> list[Abstract] | None:
    parts = [static_items(frame, part) for part in x.parts]
    known = [len(p) for p in parts if p is not None]
    ranges = [len(p) for p in x.parts if isinstance(p, range)]
    if not known or len(known) + len(ranges) < len(parts):
        if known:
            raise error("E123", None, what="the length of every part of `zip` or `map`, or of none,")
        return None
    n = min(known + ranges)
    columns = [
        part[:n] if part is not None else list(whole[:n])  # type: ignore[index]
        for part, whole in zip(parts, x.parts, strict=True)
    ]
    rows = list(zip(*columns, strict=True))
    if isinstance(x, Zip):
        return rows
    from srcad.frontend.calls import call

    return [call(frame, x.fn, row, {}) for row in rows]


@dataclass(frozen=True, slots=True)
class Trip:
    """A counted loop: the bounds, the direction, and the item for an index."""

    start: Abstract
    stop: Abstract
    step: Abstract
    item: Callable[[Value], Abstract]
    reverse: bool = False
    name: str = "i"


def counted(frame: Frame, x: Abstract) -> Trip:
    """The counted loop that iterates over `x`."""
    session = frame.session
    if isinstance(x, range | Range):
        return Trip(x.start, x.stop, x.step, lambda i: i)
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and rank_of(x.type) != 0:
        n = length(frame, x)
        return Trip(0, n, 1, lambda i: session.emit(operator.getitem, (x, i)))
    if isinstance(x, Value) and isinstance(x.type, SeqType):
        return Trip(0, session.emit(len, (x,)), 1, lambda i: session.emit(operator.getitem, (x, i)))
    if isinstance(x, Enumerate):
        return _counted_enumerate(frame, x)
    if isinstance(x, Reversed):
        inner = counted(frame, x.inner)
        return Trip(inner.start, inner.stop, inner.step, inner.item, not inner.reverse)
    if isinstance(x, Zip | Map):
        return _counted_zip(frame, x)
    raise error("E127", None, what=describe(x))


def _counted_enumerate(frame: Frame, x: Enumerate) -> Trip:
    inner = counted(frame, x.inner)
    if (inner.start, inner.step, inner.reverse) != (0, 1, False):
        raise error("E127", None, what="`enumerate` of a range that does not count up from 0")
    emit = frame.session.emit

    def item(i: Value) -> Abstract:
        number = i if x.start == 0 else emit(operator.add, (i, x.start))
        return (number, inner.item(i))

    return Trip(0, inner.stop, 1, item)


def _counted_zip(frame: Frame, x: Zip | Map) -> Trip:
    trips = [counted(frame, part) for part in x.parts]
    if any((t.start, t.step, t.reverse) != (0, 1, False) for t in trips):
        raise error("E127", None, what="`zip` of a range that does not count up from 0")
    stop = trips[0].stop
    for other in trips[1:]:
        if not _same_length(stop, other.stop):
            stop = frame.session.emit(min, (stop, other.stop))

    def item(i: Value) -> Abstract:
        row = tuple(t.item(i) for t in trips)
        if isinstance(x, Zip):
            return row
        from srcad.frontend.calls import call

        return call(frame, x.fn, row, {})

    return Trip(0, stop, 1, item)


def _same_length(a: Abstract, b: Abstract) -> bool:
    if isinstance(a, Value) and isinstance(b, Value):
        extents = [v.type.extent for v in (a, b) if isinstance(v.type, NumberType)]
        return a is b or (len(extents) == 2 and extents[0] is not None and extents[0] == extents[1])
    return not isinstance(a, Value) and not isinstance(b, Value) and a == b


def length(frame: Frame, x: Value) -> Abstract:
    """`len(x)` of an array: a constant where the extent is known."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape and isinstance(x.type.shape[0], int):
        return x.type.shape[0]
    shape = frame.session.emit_shape(x)
    return frame.session.emit(operator.getitem, (shape, 0))


# Lowering loops ----------------------------------------------------------------------------------


def for_each(
    frame: Frame, iterable: Abstract, body: Body, exits: bool = False, name: str = "i"
) -> Any:
    """Run `body(item)` for each item, unrolled or as a `For`; returns an outcome that leaves the loop.

    `exits`: the body has `break` or `continue`, which only an unrolled loop can do.
    """
    items = static_items(frame, iterable)
    if items is None and exits and isinstance(iterable, range) and len(iterable) <= MAX_UNROLL:
        items = list(iterable)
    if items is not None:
        return _unrolled(items, body)
    trip = replace(counted(frame, iterable), name=name)
    before = st.snapshot(frame)
    mark = len(frame.session.builder.body)
    try:
        counted_loop(frame, trip, body)
    except _IndexNeeded:
        st.restore(before)
        del frame.session.builder.body[mark:]
        return _unrolled(_constant_items(frame, trip), body)
    return None


class _IndexNeeded(Exception):  # noqa: N818 - a signal from a loop's body to the loop
    """The body of this very loop needs its index while compiling."""


def _constant_items(frame: Frame, trip: Trip) -> list[Abstract]:
    what = "the number of turns of a loop whose index selects from a container"
    bounds = (frame.session.static(b, what) for b in (trip.start, trip.stop, trip.step))
    indices = range(*bounds)
    if len(indices) > MAX_UNROLL:
        raise error("E123", None, what=f"a loop of {len(indices)} turns cannot be unrolled; its index")
    ordered: Iterable[int] = reversed(indices) if trip.reverse else indices
    return [trip.item(i) for i in ordered]  # type: ignore[arg-type]


def _unrolled(items: list[Abstract], body: Body) -> Any:
    for item in items:
        outcome = body(item)
        if outcome is not None and not outcome.goes_on:
            return outcome
    return None


def counted_loop(frame: Frame, trip: Trip, body: Body) -> None:
    """Lower a `For`: find what it carries, then append it."""
    session = frame.session
    loc = session.builder.loc
    loop = _Carrying(frame)
    for _ in range(MAX_ATTEMPTS):
        session.builder.loc = loc
        index = Value(trip.name, NumberType(int))
        session.indices.add(index)
        loop.enter()
        try:
            with session.block() as statements:
                body(trip.item(index))
        except UnrollLoop as wanted:
            if wanted.index is index:
                raise _IndexNeeded from None
            raise
        finally:
            session.indices.discard(index)
        if loop.is_complete():
            break
    else:
        raise error("E122", None, what="a variable of the loop")
    params, init, results, outs = loop.leave()
    start, stop, step = (session.atom(b) for b in (trip.start, trip.stop, trip.step))
    block = Block([index, *params], statements, results)
    session.builder.loc = loc
    stmt = For(start, stop, step, trip.reverse, init, [], block, outs, (), loc)
    session.builder.body.append(stmt)


def while_loop(frame: Frame, test: Callable[[], Value], body: Callable[[], Any]) -> None:
    """Lower a `While`; `test` emits the condition, `body` the statements."""
    session = frame.session
    loc = session.builder.loc
    loop = _Carrying(frame)
    for _ in range(MAX_ATTEMPTS):
        session.builder.loc = loc
        loop.enter()
        with session.block() as test_body:
            cond = _pure_test(frame, test)
        with session.block() as statements:
            body()
        if loop.is_complete():
            break
    else:
        raise error("E122", None, what="a variable of the loop")
    params, init, results, outs = loop.leave()
    again = {p: fresh_like(p) for p in params}
    test_block = copy_block(Block([], test_body, [cond]), again)
    test_block.params = [again[p] for p in params]
    block = Block(params, statements, results)
    session.builder.loc = loc
    session.builder.body.append(While(test_block, init, block, outs, loc=loc))


def _pure_test(frame: Frame, test: Callable[[], Value]) -> Value:
    """The condition of a `while`; it may not bind names, since it runs once more than the body."""
    before = st.snapshot(frame)
    cond = test()
    after = st.snapshot(frame).locations()
    old = before.locations()
    if any(location not in old or not st.same(old[location], x) for location, x in after.items()):
        raise error("E100", None, what="`:=` in the test of a `while`")
    return cond


Key = tuple[st.Location, int]


@dataclass
class _Carrying:
    """The leaves that a loop body changes, with the types they must have at its entry."""

    frame: Frame
    types: dict[Key, Type] = field(default_factory=dict)
    whole: dict[st.Location, Abstract] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.before = st.snapshot(self.frame)
        self.found = False

    def enter(self) -> None:
        """Set the state at the body's entry: parameters for what is known to be carried."""
        st.restore(self.before)
        self.params: dict[Key, Value] = {}
        locations = self.before.locations()
        for location in {key[0] for key in self.types}:
            initial = locations.get(location, UNBOUND)
            if initial is not UNBOUND and not isinstance(initial, Conflict):
                st.assign(location, self._with_params(location, initial))

    def _with_params(self, location: st.Location, initial: Abstract) -> Abstract:
        counter = iter(range(1 << 30))

        def leaf(x: Abstract) -> Abstract:
            key = (location, next(counter))
            if key not in self.types:
                return x
            name = st.location_name(location) or (x.name if isinstance(x, Value) else "")
            param = self.params[key] = Value(name, self.types[key])
            if isinstance(x, Value):
                self.frame.session.roots[param] = self.frame.session.root(x)
            return param

        return st.rebuild(initial, leaf)

    def is_complete(self) -> bool:
        """Compare entry and exit of the body; note new or wider leaves. True when there are none."""
        after = st.snapshot(self.frame)
        before = self.before.locations()
        for obj, items in self.before.heap.items():
            if obj in after.heap and list(after.heap[obj]) != list(items):
                raise error("E119", None, what="a container that grows or shrinks")
        owners = {*self.before.envs, *self.before.heap}
        st_entry = self._entry(before)
        known = dict(self.types)
        self.exits: dict[Key, Abstract] = {}
        self.conflicts: dict[st.Location, Conflict] = {}
        self.after = {k: x for k, x in after.locations().items() if k[0] in owners}
        for location, x in self.after.items():
            entry = st_entry.get(location, UNBOUND)
            if st.same(entry, x) and not any(k[0] == location for k in known):
                continue
            self._compare(location, before.get(location, UNBOUND), entry, x)
        return self.types == known

    def _entry(self, before: dict[st.Location, Abstract]) -> dict[st.Location, Abstract]:
        entry = dict(before)
        for (location, _), _param in self.params.items():
            entry[location] = self._tree_of(location, before[location])
        return entry

    def _tree_of(self, location: st.Location, initial: Abstract) -> Abstract:
        counter = iter(range(1 << 30))
        return st.rebuild(initial, lambda x: self.params.get((location, next(counter)), x))

    def _compare(
        self, location: st.Location, initial: Abstract, entry: Abstract, after: Abstract
    ) -> None:
        counter = iter(range(1 << 30))
        missing = initial is UNBOUND

        def leaf(first: Abstract, last: Abstract) -> None:
            key = (location, next(counter))
            self.exits[key] = last
            current = first if missing else entry_leaves[key[1]]
            if key not in self.types and not missing and st.same(current, last):
                return
            last_type = st.type_of_leaf(last)
            if missing:
                self.types.setdefault(key, last_type)
                if not _fits(last_type, self.types[key]):
                    self.types[key] = st.join_types(self.types[key], last_type)
                return
            wanted = self.types.get(key, st.type_of_leaf(first))
            joined = wanted if _fits(last_type, wanted) else st.join_types(wanted, last_type)
            # An int that changes from turn to turn is no array's extent.
            self.types[key] = NumberType(joined.kind) if isinstance(joined, NumberType) else joined

        entry_leaves: list[Abstract] = []
        st.rebuild(entry, entry_leaves.append)
        try:
            _zip_leaves(initial, after, leaf)
        except st.Mismatch:
            if not missing:
                name = st.location_name(location)
                self.conflicts[location] = Conflict("E122", f"`{name}`")
            self.types = {k: t for k, t in self.types.items() if k[0] != location}

    def leave(self) -> tuple[list[Value], list[Any], list[Any], tuple[Value, ...]]:
        """Parameters, initial atoms, results and outs of the loop; sets the state after it."""
        before = self.before.locations()
        params: list[Value] = []
        init: list[Any] = []
        results: list[Any] = []
        outs: dict[Key, Value] = {}
        initial_leaves: dict[st.Location, list[Abstract]] = {}
        for key, kind in self.types.items():
            location, position = key
            if location not in initial_leaves:
                leaves: list[Abstract] = []
                x = before.get(location, UNBOUND)
                if x is not UNBOUND and not isinstance(x, Conflict):
                    st.rebuild(x, leaves.append)
                initial_leaves[location] = leaves
            leaves = initial_leaves[location]
            first = leaves[position] if leaves else UNDEFINED
            name = st.location_name(location)
            params.append(self.params.get(key) or Value(name, kind, partial=not leaves))
            init.append(first)
            last = self.exits[key]
            results.append(last)
            out = outs[key] = Value(name, kind, partial=not leaves)
            session = self.frame.session
            for x in (first, last):
                if isinstance(x, Value) and isinstance(x.type, ArrayType):
                    session.roots.setdefault(out, session.root(x))
        self._settle(before, outs)
        return params, init, results, tuple(outs.values())

    def _settle(self, before: dict[st.Location, Abstract], outs: dict[Key, Value]) -> None:
        """The state after the loop: outs where something is carried, else what was there before."""
        st.restore(self.before)
        for location in dict.fromkeys(key[0] for key in self.types):
            counter = iter(range(1 << 30))
            shape = before.get(location, UNBOUND)
            shape = self.after[location] if shape is UNBOUND else shape
            st.assign(
                location,
                st.rebuild(shape, lambda x, c=counter, at=location: outs.get((at, next(c)), x)),
            )
        for location, conflict in self.conflicts.items():
            st.assign(location, conflict)


def _zip_leaves(initial: Abstract, after: Abstract, leaf: Callable[[Any, Any], None]) -> None:
    """Call `leaf(first, last)` for each leaf of two trees of one structure."""

    if initial is UNBOUND:
        if isinstance(after, Conflict):
            raise st.Mismatch
        st.rebuild(after, lambda x: leaf(UNBOUND, x))
        return
    if st.is_leaf(initial) and st.is_leaf(after):
        leaf(initial, after)
        return
    if isinstance(initial, tuple) and isinstance(after, tuple) and len(initial) == len(after):
        for x, y in zip(initial, after, strict=True):
            _zip_leaves(x, y, leaf)
        return
    if type(initial) is type(after) and isinstance(initial, st.ListObj | st.DictObj | st.RecordObj):
        a, b = st.contents(initial), st.contents(after)
        if list(a) == list(b):
            for key in a:
                _zip_leaves(a[key], b[key], leaf)
            return
    if st.same(initial, after):
        return
    raise st.Mismatch


def _fits(t: Type, into: Type) -> bool:
    """Whether a value of type `t` may stand where `into` is declared: equal, or its extents unknown."""
    if t == into:
        return True
    if isinstance(t, NumberType) and isinstance(into, NumberType):
        return t.kind is into.kind and into.extent is None
    if not (isinstance(t, ArrayType) and isinstance(into, ArrayType)) or t.dtype != into.dtype:
        return False
    if into.shape is None or t.shape is None or len(t.shape) != len(into.shape):
        return into.shape is None
    scalar = t.scalar == into.scalar or not into.scalar
    return scalar and all(
        a == b
        or (
            not isinstance(b, int)
            and b.symbol.startswith("?")
            and (not b.never_one or st.is_never_one(a))
        )
        for a, b in zip(t.shape, into.shape, strict=True)
    )


__all__ = ["Trip", "counted", "counted_loop", "for_each", "length", "static_items", "while_loop"]
