"""Counted loops: what is iterated over by an index, with its bounds and the item for an index.

for a, b in zip(x, y):              0, min(len(x), len(y)), 1; i -> (x[i], y[i])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator
from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Enumerate, Iterator, Map, OneShot, Reversed, Zip
from srcad.frontend.abstract.objects import Abstract, Range, describe
from srcad.frontend.abstract.session import Session
from srcad.frontend.dispatch import assign, call, expression
from srcad.frontend.expressions.missing import raised_by_class
from srcad.frontend.iterators.pulled import begun, consume
from srcad.frontend.laid.reading import AnyLaid, item_of, size_of
from srcad.frontend.lists.grown_lists import row
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, SeqType, rank_of


@dataclass(frozen=True, slots=True)
class Beyond:
    """What `zip` asks of its parts after its last row, until one of them has no more.

    zip(map(f, x), x[1:])       f(x[-1]), which no row has
    """

    parts: tuple[Abstract, ...]
    trips: list[Trip]
    stop: Abstract


@dataclass(frozen=True, slots=True)
class Trip:
    """A counted loop: the bounds, the direction, and the item for an index; `beyond`: what is asked
    for after the last one.
    """

    start: Abstract
    stop: Abstract
    step: Abstract
    item: Callable[[Any], Abstract]
    reverse: bool = False
    name: str = "i"
    beyond: Beyond | None = None

    @property
    def counts_up(self) -> bool:
        """Whether it runs over 0, 1, 2, ..."""
        plain = not isinstance(self.start, Value) and not isinstance(self.step, Value)
        return plain and (self.start, self.step, self.reverse) == (0, 1, False)


def counted(frame: Frame, x: Abstract) -> Trip:
    """The counted loop that iterates over `x`."""
    session = frame.session
    if isinstance(x, ListObj) and isinstance(x.form, AnyLaid):
        return Trip(0, size_of(session, x.form), 1, lambda i: item_of(frame, x, i))
    match form_of(x):
        case range() | Range():
            return Trip(x.start, x.stop, x.step, lambda i: i)
        case Value(type=ArrayType()) if rank_of(x.type) != 0:
            n = length(session, x)
            return Trip(0, n, 1, lambda i: _entry(session, x, i))
        case Grown() as form:
            n = length(session, form.columns[0])
            return Trip(0, n, 1, lambda i: row(frame, form, i))
        case Value(type=SeqType()):
            n = session.emit(len, (x,))
            return Trip(0, n, 1, lambda i: _entry(session, x, i))
        case Enumerate():
            return _counted_enumerate(frame, x)
        case Iterator():
            return counted(frame, x.inner)
        case Reversed():
            if isinstance(x.inner, ListObj):
                begun(x)
            inner = counted(frame, x.inner)
            return Trip(inner.start, inner.stop, inner.step, inner.item, not inner.reverse)
        case Zip() | Map():
            return _counted_zip(frame, x)
        case Generator():
            return _counted_generator(x)
    refusal = error("E127", None, what=describe(x))
    lacks_it = isinstance(x, Value | int | float | complex | None)
    raise raised_by_class(frame, x, iter, refusal) if lacks_it else refusal


def _entry(session: Session, x: Value, i: Abstract) -> Abstract:
    """The item of an iteration, which is there."""
    with session.unwatched():
        return session.emit(operator.getitem, (x, i))


def _counted_enumerate(frame: Frame, x: Enumerate) -> Trip:
    inner = _from_zero(frame, counted(frame, x.inner))
    emit = frame.session.emit

    def item(i: Any) -> Abstract:
        plain = not isinstance(x.start, Value) and x.start == 0
        return (i if plain else emit(operator.add, (i, x.start)), inner.item(i))

    return Trip(0, inner.stop, 1, item, beyond=inner.beyond)


def _from_zero(frame: Frame, trip: Trip) -> Trip:
    """The loop by the number of the iteration: `start + i * step` in place of its index."""
    if trip.counts_up:
        return trip
    of = partial(_computed, frame.session)
    if not isinstance(trip.step, int) or trip.step == 0:
        raise error("E127", None, what="`enumerate` or `zip` of a range of unknown step")
    if values_of((trip.start, trip.stop)):
        ahead = of(operator.sub, trip.stop, trip.start)
        whole = ahead if trip.step == 1 else of(operator.sub, ahead, 1 if trip.step > 0 else -1)
        iterations = whole
        if trip.step != 1:
            iterations = of(operator.add, of(operator.floordiv, whole, trip.step), 1)
        iterations = frame.session.emit(max, (iterations, 0))
    else:
        iterations = len(range(trip.start, trip.stop, trip.step))

    def item(i: Any) -> Abstract:
        k = of(operator.sub, of(operator.sub, iterations, 1), i) if trip.reverse else i
        return trip.item(of(operator.add, of(operator.mul, k, trip.step), trip.start))

    return Trip(0, iterations, 1, item, beyond=trip.beyond)


def _computed(session: Session, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`fn(a, b)` of ints, a constant where both are."""
    return session.emit(fn, (a, b)) if values_of((a, b)) else fn(a, b)


def _counted_zip(frame: Frame, x: Zip | Map) -> Trip:
    trips = [_from_zero(frame, counted(frame, part)) for part in x.parts]
    stop = trips[0].stop
    for other in trips[1:]:
        if not same_length(stop, other.stop):
            stop = frame.session.emit(min, (stop, other.stop))

    def item(i: Any) -> Abstract:
        row = tuple(trip.item(i) for trip in trips)
        return mapped(frame, x, *row) if isinstance(x, Map) else row

    beyond = None
    is_uneven = any(not same_length(trip.stop, stop) for trip in trips)
    if (is_uneven and any(map(_computes, x.parts))) or any(trip.beyond for trip in trips):
        beyond = Beyond(x.parts, trips, stop)
    return Trip(0, stop, 1, item, beyond=beyond)


def mapped(frame: Frame, x: Map, *row: Abstract) -> Abstract:
    """What `map` makes of a row of items."""
    with frame.session.stopping("map"):
        return call(frame, x.fn, row)


def made_of(inner: Frame, node: Any) -> Abstract:
    """What stands in a generator expression, for one iteration."""
    with inner.session.stopping("generator"):
        return expression(inner, node)


def _computes(x: Abstract) -> bool:
    """Whether the user's code makes the items of an iterator."""
    return isinstance(x, Map | Generator) or (
        isinstance(x, OneShot) and any(map(_computes, parts_of(x)))
    )


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
        return made_of(inner, x.node.elt)

    return Trip(trip.start, trip.stop, trip.step, item, trip.reverse, beyond=trip.beyond)


def same_length(a: Abstract, b: Abstract) -> bool:
    """Whether two lengths are known to be the same."""
    if isinstance(a, Value) and isinstance(b, Value):
        extents = [v.type.extent for v in (a, b) if isinstance(v.type, NumberType)]
        return a is b or (len(extents) == 2 and extents[0] is not None and extents[0] == extents[1])
    return not isinstance(a, Value) and not isinstance(b, Value) and bool(a == b)


def length(session: Session, x: Value) -> Abstract:
    """`len(x)` of an array: a constant where the extent is known."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape and isinstance(x.type.shape[0], int):
        return x.type.shape[0]
    return session.emit_extent(x, 0)


__all__ = ["Beyond", "Trip", "counted", "length", "made_of", "mapped", "same_length"]
