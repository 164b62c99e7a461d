"""The trip of a loop that counts: its index, and how often it runs.

for i in range(2, n):             i is in 2 ... n - 1; there were i - 2 iterations before
for i in reversed(range(n)):      range(n - 1, -1, -1), where it may be left
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.expressions.operators import binary
from srcad.frontend.extents.index_bounds import affine_of, extent_of
from srcad.frontend.iterators.counted import Trip
from srcad.ir.affine import Affine
from srcad.ir.nodes import Value
from srcad.ir.types import Dim, Extent, NumberType
from srcad.rules.core.facts import unknown_extent


def index_type(trip: Trip) -> NumberType:
    """The index is an extent of its own where it is not negative: `x[i:]` is as long as `y[i:]`."""

    def is_natural(x: Any) -> bool:
        return (type(x) is int and x >= 0) or (
            isinstance(x, Value) and isinstance(x.type, NumberType) and x.type.extent is not None
        )

    if type(trip.step) is not int:
        return NumberType(int)
    upwards = trip.step > 0 and is_natural(trip.start)
    downwards = trip.step < 0 and (is_natural(trip.stop) or trip.stop == -1)
    return NumberType(int, unknown_extent() if upwards or downwards else None)


def note_span(session: Session, trip: Trip, index: Value) -> None:
    """Note what an index is at least and at most."""
    if type(trip.step) is not int or not trip.step:
        return
    first, end = affine_of(session, trip.start), affine_of(session, trip.stop)
    session.spans[index] = (first, end - 1) if trip.step > 0 else (end + 1, first)
    if isinstance(index.type, NumberType) and isinstance(index.type.extent, Dim):
        session.extent_values[index.type.extent.symbol] = index


def iterations_before(session: Session, trip: Trip, index: Value) -> Affine | None:
    """How many iterations there were before the one with this index."""
    if trip.reverse or trip.step != 1 or isinstance(trip.step, Value):
        return None
    return Affine.of(index) - affine_of(session, trip.start)


def surely_runs(trip: Trip) -> bool:
    """Whether the loop has an iteration, whatever the arguments are."""
    bounds = trip.start, trip.stop, trip.step
    return all(type(bound) is int for bound in bounds) and len(range(*bounds)) > 0


def number_of_iterations(session: Session, trip: Trip) -> Extent | None:
    """The number of iterations of a loop that runs over 0, 1, 2, ..."""
    return extent_of(session, trip.stop) if trip.counts_up else None


def ordered_bounds(trip: Trip) -> tuple[Abstract, Abstract] | None:
    """Ints of which the first is less than the second where the loop has an iteration."""
    counts_up = type(trip.step) is int and trip.step > 0
    return (trip.start, trip.stop) if counts_up and not trip.reverse else None


def backwards(frame: Frame, trip: Trip) -> Trip:
    """The range that counts down as `reversed` does: `range(last, start - step, -step)`."""
    start, stop, step = trip.start, trip.stop, trip.step
    if isinstance(step, Value):
        what = "leaving a loop over a reversed range of unknown step"
        raise error("E113", None, what=what, fix="write it as a range that counts down")

    def less(a: Abstract, b: Abstract) -> Abstract:
        plus = isinstance(b, int) and b < 0
        return binary(frame, operator.add if plus else operator.sub, a, -b if plus else b)

    if abs(step) == 1:
        last = less(stop, step)
    else:
        iterations = less(less(stop, start), 1 if step > 0 else -1)
        iterations = binary(frame, operator.floordiv, iterations, step)
        last = binary(frame, operator.add, start, binary(frame, operator.mul, iterations, step))
    return replace(trip, start=last, stop=less(start, step), step=-step, reverse=False)
