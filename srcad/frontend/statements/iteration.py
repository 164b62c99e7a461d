"""What is iterated over: containers known while compiling, or a counted loop over ranges and
arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from collections.abc import Iterator as Items
from dataclasses import dataclass
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator, Suspended
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.iterators import Enumerate, Iterator, Lazy, Map, OneShot, Reversed, Zip
from srcad.frontend.abstract.objects import (
    Abstract,
    DictObj,
    Grown,
    ListObj,
    Range,
    RecordObj,
    View,
    describe,
)
from srcad.frontend.abstract.reachable import parts_of
from srcad.frontend.abstract.session import MAX_OPERATIONS, Session
from srcad.frontend.dispatch import assign, call, expression
from srcad.frontend.expressions.members import method_of
from srcad.frontend.expressions.missing import raised_by_class
from srcad.frontend.statements.branches import truth
from srcad.frontend.statements.grown_lists import row
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, SeqType, TupleType, rank_of

MAX_UNROLL = 10_000


def is_listed(x: Abstract) -> bool | None:
    """Whether the items of `x` are known while compiling; None for a range, which may be taken
    either way.
    """
    match x:
        case (
            tuple()
            | ListObj()
            | DictObj()
            | View()
            | Lazy()
            | str()
            | bytes()
            | set()
            | frozenset()
        ):
            return True
        case range():
            return None
        case RecordObj():
            return x.is_tuple
        case Value():
            return isinstance(x.type, TupleType)
        case Enumerate() | Reversed() | Iterator():
            return is_listed(x.inner)
        case Zip() | Map():
            kinds = [is_listed(part) for part in x.parts]
            return True if True in kinds else False if False in kinds else None
        case Generator():
            return is_listed(x.source)
        case _:
            return False


def iterated(frame: Frame, x: Abstract) -> Abstract:
    """What is iterated over where `x` is: what `__iter__` of a user's object gives."""
    method = method_of(frame, x, "__iter__")
    return x if method is None else iterated(frame, call(frame, method, ()))


def consume(session: Session, x: Abstract) -> None:
    """Note that an iterator is used up; a second use would see nothing, and is refused."""
    if not isinstance(x, OneShot):
        return
    if any(x is other for other in session.consumed):
        raise error("E127", None, what=f"{describe(x)} that was used before")
    session.consumed.append(x)
    if not isinstance(x, Generator | Lazy):  # these ask for their items themselves
        for part in parts_of(x):
            consume(session, part)


def listed(frame: Frame, x: Abstract, what: str) -> Items[Abstract]:
    """The items of `x`, one by one as Python would make them; specialises to ints that fix their
    number.
    """
    x = iterated(frame, x)
    consume(frame.session, x)
    if isinstance(x, tuple | ListObj):
        items, most = (x, MAX_OPERATIONS) if isinstance(x, tuple) else (x.items, MAX_UNROLL)
        if len(items) > most:
            what = f"{what} over {len(items):,} items that are taken one by one"
            raise error("E140", None, what=f"{what} (at most {most:,})")
    return _listed(frame, x, what)


def _listed(frame: Frame, x: Abstract, what: str) -> Items[Abstract]:
    match x:
        case tuple() | str() | bytes() | range():
            return iter(x)
        case set() | frozenset() if len(x) < 2:
            return map(fixed, x)
        case set() | frozenset():
            raise error("E127", None, what="a set, which has no order,")
        case ListObj():
            return _limited(iter(x.items))
        case DictObj():
            return _unchanged(x)
        case RecordObj() if x.is_tuple:
            return iter(x.fields.values())
        case Value(type=TupleType()):
            return iter(tuple_items(frame.session, x))
        case Enumerate():
            start = frame.session.static(x.start, "the start of `enumerate`")
            return enumerate(_listed(frame, x.inner, what), start)
        case View():
            return _shown(x)
        case Lazy():
            return iter(x.make())
        case Iterator():
            return _listed(frame, x.inner, what)
        case Reversed(inner=ListObj(items=items)):
            return iter(reversed(items))
        case Reversed():
            return iter(list(_listed(frame, x.inner, what))[::-1])
        case Zip():
            return zip(*(_listed(frame, part, what) for part in x.parts), strict=False)
        case Map():
            columns = [_listed(frame, part, what) for part in x.parts]
            return map(lambda *row: call(frame, x.fn, row), *columns)
        case Generator():
            scopes = turns(x.frame, x.node.generators, what, x.source)
            return (expression(inner, x.node.elt) for inner in scopes)
        case _:
            return _counted_out(frame, counted(frame, x), what)


def _limited(items: Items[Abstract]) -> Items[Abstract]:
    """A list may grow while it is iterated over, as in Python; not without end."""
    for n, item in enumerate(items):
        if n >= MAX_UNROLL:
            raise error("E119", None, what="a list that grows while it is iterated over")
        yield item


def _unchanged(x: DictObj) -> Items[Abstract]:
    """The keys of a dict, which may not change meanwhile."""
    keys = list(x.items)
    for key in keys:
        yield key
        if list(x.items) != keys:
            raise error("E119", None, what="a dict whose keys change while it is iterated over")


def _shown(x: View) -> Items[Abstract]:
    """What a view of a dict shows, as the dict changes; its keys may not."""
    for key in _unchanged(x.owner):
        item = x.owner.items[key]
        yield {"keys": key, "values": item, "items": (key, item)}[x.kind]


def _counted_out(frame: Frame, trip: Trip, what: str) -> Items[Abstract]:
    """The items of a counted loop whose bounds can be made constants; each read when asked for."""
    bounds = (
        frame.session.static(b, f"the length of {what}") for b in (trip.start, trip.stop, trip.step)
    )
    indices = range(*bounds)
    if len(indices) > MAX_UNROLL:
        raise error("E123", None, what=f"{what} has {len(indices)} items, which are too many: it")
    return map(trip.item, reversed(indices) if trip.reverse else indices)


def items_of(frame: Frame, x: Abstract, what: str) -> list[Abstract]:
    """All items of an iterable; their number must be known while compiling."""
    return list(listed(frame, x, what))


def tuple_items(session: Session, value: Value) -> tuple[Abstract, ...]:
    """The items of a run-time tuple of known length."""
    assert isinstance(value.type, TupleType)
    return tuple(session.emit(operator.getitem, (value, i)) for i in range(len(value.type.items)))


# Comprehensions ----------------------------------------------------------------------------------


def turns(frame: Frame, generators: list[Any], what: str, first: Abstract = None) -> Items[Frame]:
    """The comprehension's frame, once for each turn of its clauses; `first`: what the first
    iterates over.
    """
    inner = frame.scope()
    source = expression(frame, generators[0].iter) if first is None else first
    yield from _clauses(inner, generators, source, what)


def _clauses(inner: Frame, generators: list[Any], source: Abstract, what: str) -> Items[Frame]:
    clause, *rest = generators
    for item in listed(inner, source, what):
        assign(inner, clause.target, item)
        if not all(_holds(inner, test, what) for test in clause.ifs):
            continue
        if rest:
            yield from _clauses(inner, rest, expression(inner, rest[0].iter), what)
        else:
            yield inner


def _holds(inner: Frame, test: Any, what: str) -> bool:
    known = truth(inner, expression(inner, test))
    if isinstance(known, Value):
        found = inner.session.static(known, f"the condition of {what}")
        return bool(found)
    return bool(known)


# Counted loops -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trip:
    """A counted loop: the bounds, the direction, and the item for an index."""

    start: Abstract
    stop: Abstract
    step: Abstract
    item: Callable[[Any], Abstract]
    reverse: bool = False
    name: str = "i"

    @property
    def counts_up(self) -> bool:
        """Whether it runs over 0, 1, 2, ..."""
        plain = not isinstance(self.start, Value) and not isinstance(self.step, Value)
        return plain and (self.start, self.step, self.reverse) == (0, 1, False)


def counted(frame: Frame, x: Abstract) -> Trip:
    """The counted loop that iterates over `x`."""
    session = frame.session
    match x:
        case range() | Range():
            return Trip(x.start, x.stop, x.step, lambda i: i)
        case Value(type=ArrayType()) if rank_of(x.type) != 0:
            n = length(session, x)
            return Trip(0, n, 1, lambda i: session.emit(operator.getitem, (x, i)))
        case Grown():
            n = length(session, x.columns[0])
            return Trip(0, n, 1, lambda i: row(frame, x, i))
        case Value(type=SeqType()):
            n = session.emit(len, (x,))
            return Trip(0, n, 1, lambda i: session.emit(operator.getitem, (x, i)))
        case Enumerate():
            return _counted_enumerate(frame, x)
        case Iterator():
            return counted(frame, x.inner)
        case Reversed():
            inner = counted(frame, x.inner)
            return Trip(inner.start, inner.stop, inner.step, inner.item, not inner.reverse)
        case Zip() | Map():
            return _counted_zip(frame, x)
        case Generator():
            return _counted_generator(x)
    if isinstance(x, Suspended):
        raise error("E111", None, what="a generator that is used like this")
    refusal = error("E127", None, what=describe(x))
    lacks_it = isinstance(x, Value | int | float | complex | None)
    raise raised_by_class(frame, x, iter, refusal) if lacks_it else refusal


def _counted_enumerate(frame: Frame, x: Enumerate) -> Trip:
    inner = counted(frame, x.inner)
    if not inner.counts_up:
        raise error("E127", None, what="`enumerate` of a range that does not count up from 0")
    emit = frame.session.emit

    def item(i: Any) -> Abstract:
        plain = not isinstance(x.start, Value) and x.start == 0
        return (i if plain else emit(operator.add, (i, x.start)), inner.item(i))

    return Trip(0, inner.stop, 1, item)


def _counted_zip(frame: Frame, x: Zip | Map) -> Trip:
    trips = [counted(frame, part) for part in x.parts]
    if not all(trip.counts_up for trip in trips):
        raise error("E127", None, what="`zip` of a range that does not count up from 0")
    stop = trips[0].stop
    for other in trips[1:]:
        if not _same_length(stop, other.stop):
            stop = frame.session.emit(min, (stop, other.stop))

    def item(i: Any) -> Abstract:
        row = tuple(trip.item(i) for trip in trips)
        return call(frame, x.fn, row) if isinstance(x, Map) else row

    return Trip(0, stop, 1, item)


def _counted_generator(x: Generator) -> Trip:
    """A generator expression with one clause and no condition."""
    (clause, *more) = x.node.generators
    if more or clause.ifs:
        raise error(
            "E127",
            x.frame.at(x.node),
            what="a generator expression with a condition over an array or range",
        )
    inner = x.frame.scope()
    consume(inner.session, x.source)
    trip = counted(inner, x.source)

    def item(i: Any) -> Abstract:
        assign(inner, clause.target, trip.item(i))
        return expression(inner, x.node.elt)

    return Trip(trip.start, trip.stop, trip.step, item, trip.reverse)


def _same_length(a: Abstract, b: Abstract) -> bool:
    if isinstance(a, Value) and isinstance(b, Value):
        extents = [v.type.extent for v in (a, b) if isinstance(v.type, NumberType)]
        return a is b or (len(extents) == 2 and extents[0] is not None and extents[0] == extents[1])
    return not isinstance(a, Value) and not isinstance(b, Value) and bool(a == b)


def length(session: Session, x: Value) -> Abstract:
    """`len(x)` of an array: a constant where the extent is known."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape and isinstance(x.type.shape[0], int):
        return x.type.shape[0]
    return session.emit(operator.getitem, (session.emit_shape(x), 0))
