"""What `zip` asks of its parts after its last row: of those that are longer than the shortest one.

for a, b in zip(map(f, x), x[1:]):      For(len(x) - 1): ...
    s = s + a * b                       f(x[len(x) - 1]), if that does anything but compute
"""

from __future__ import annotations

import operator

from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import Abstract, Range
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.iterators.counted import Beyond, Trip, same_length
from srcad.frontend.loops.acting import Watch
from srcad.frontend.statements.branches import choose
from srcad.ir.nodes import Op, Value


def acts(frame: Frame, beyond: Beyond) -> bool:
    """Whether that may do anything but compute."""
    watch = Watch(frame)
    raises = False
    try:
        for trip in beyond.trips:
            if _is_longer(trip, beyond.stop) is not False:
                trip.item(beyond.stop)
    except Pending:
        raise
    except Raising:
        raises = True
    made = [each for each in watch.made if isinstance(each, Op)]
    found = watch.acts(() if _counts(beyond.parts) else _reads(made, beyond.stop))
    watch.undo()
    nested = (trip.beyond for trip in beyond.trips if trip.beyond is not None)
    return raises or found or any(acts(frame, each) for each in nested)


def ask(frame: Frame, beyond: Beyond, k: int = 0) -> None:
    """Ask the parts from `k` on for one more item each, until one has none."""
    if k == len(beyond.trips):
        return
    trip = beyond.trips[k]

    def one_more() -> None:
        trip.item(beyond.stop)
        ask(frame, beyond, k + 1)

    def no_more() -> None:
        if trip.beyond is not None:
            ask(frame, trip.beyond)

    longer = _is_longer(trip, beyond.stop)
    if longer is None:
        choose(frame, frame.session.emit(operator.lt, (beyond.stop, trip.stop)), one_more, no_more)
    elif longer:
        one_more()
    else:
        no_more()


def _is_longer(trip: Trip, stop: Abstract) -> bool | None:
    """Whether a part has an item for this index; None where data says."""
    if same_length(trip.stop, stop):
        return False
    is_known = not isinstance(trip.stop, Value) and not isinstance(stop, Value)
    return bool(stop < trip.stop) if is_known else None


def _counts(parts: tuple[Abstract, ...]) -> bool:
    """Whether a part goes over a range, by whose numbers it may index whatever it likes."""
    return any(
        isinstance(x, range | Range) or (isinstance(x, OneShot) and _counts(parts_of(x)))
        for x in parts
    )


def _reads(made: list[Op], index: Abstract) -> list[Op]:
    """The operations that read the entry of an array at an index: it is there."""
    indices, found = [index], []
    for op in made:
        if op.fn is operator.getitem and any(op.args[1] is each for each in indices):
            found.append(op)
        elif any(arg is each for arg in op.args for each in indices):
            indices.extend(op.outs if op.fn in (operator.add, operator.sub, operator.mul) else ())
    return found


__all__ = ["acts", "ask"]
