"""Loop peeling: the first iteration of a loop stands before it, where it makes another thing of
what the loop carries than was there.

total = 0                              total = 0
for r in rows:                         total = total + rows[0]
    total = total + r         ->       for i in range(1, n):
                                           total = total + rows[i]

A number becomes an array, an array of ints one of floats, and what was not bound is bound. In the
loop it is one thing then, of which shape and dtype are known. That there is a first iteration is
known, or is made a guard; where it depends on more than the arguments the loop stays as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from srcad.errors import SrcadError
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of
from srcad.frontend.abstract.session import Session
from srcad.frontend.statements.leaving import unless
from srcad.frontend.statements.loop_fixpoint import FirstDiffers
from srcad.ir.nodes import Value
from srcad.ir.types import Dim, NumberType


def kept_or_peeled(
    frame: Frame,
    keep: Callable[[bool], Outcome | None],
    runs: Callable[[], bool | None],
    first: Callable[[], Outcome | None],
    rest: Callable[[], Outcome | None],
) -> Outcome | None:
    """Lower a loop as one, or its `first` iteration and the `rest` of it.

    Args:
        keep: lowers the whole loop; with True it raises `FirstDiffers` where it is better peeled.
        runs: whether there is a first iteration, of which it makes a guard; None where that is not
            to be known.
    """
    go_back = st.backtrack_point(frame)
    try:
        return keep(frame.session.checkpointing is None)
    except FirstDiffers as found:
        differs = found
    go_back()
    does = runs()
    if does is None:
        return keep(False)
    if not does:
        return None
    try:
        outcome = first()
        if not differs.remains():
            return _go_on(frame, outcome, rest)
    except SrcadError:
        pass  # the loop as it is tells what is wrong
    go_back()
    return keep(False)


def _go_on(
    frame: Frame, outcome: Outcome | None, rest: Callable[[], Outcome | None]
) -> Outcome | None:
    """The other iterations, where the first one has not left the loop."""
    _, left, _ = flags_of(outcome)
    if outcome is None or left is False:
        return outcome if outcome is not None and outcome.kind == "raise" else rest()
    return unless(frame, left, outcome, rest)


def is_less(session: Session, a: Abstract, b: Abstract) -> bool | None:
    """Whether `a < b` in this call, of ints and of what the arguments alone say, which becomes a
    guard; None of others.
    """
    first, second = (_told(session, x) for x in (a, b))
    if first is None or second is None:
        return None
    holds = first[1] < second[1]
    if isinstance(a, Value) or isinstance(b, Value):
        session.inputs.guard(f"{first[0]} < {second[0]}", "equals", holds)
    return holds


def _told(session: Session, x: Abstract) -> tuple[str, int] | None:
    """An int as an expression of the arguments, and what it is in this call."""
    if type(x) is int:
        return f"({x})" if x < 0 else str(x), x
    if not isinstance(x, Value) or not isinstance(x.type, NumberType) or x.type.kind is not int:
        return None
    inputs, extent = session.inputs, x.type.extent
    path = inputs.paths.get(x)
    if path is not None:
        return path, int(inputs.samples[path])
    if isinstance(extent, int):
        return str(extent), extent
    if isinstance(extent, Dim):
        for place, symbol in inputs.extents.items():
            if symbol == extent.symbol:
                known = max(0, inputs.sizes[place] - extent.minus)
                return f"max(0, {place} - {extent.minus})" if extent.minus else place, known
    made = session.memory.producers.get(x)
    write = None if made is None else _WRITTEN.get(made.key)
    if made is None or write is None or len(made.args) != 2:
        return None
    parts = [part for part in (_told(session, arg) for arg in made.args) if part is not None]
    if len(parts) < len(made.args):
        return None
    compute: Any = made.fn
    texts, numbers = zip(*parts, strict=True)
    return write(*texts), compute(*numbers)


# How an operation with two operands is written.
_WRITTEN: Final[dict[Any, Callable[[str, str], str]]] = {
    operator.add: "({} + {})".format,
    operator.sub: "({} - {})".format,
    operator.mul: "({} * {})".format,
    min: "min({}, {})".format,
    max: "max({}, {})".format,
}


__all__ = ["is_less", "kept_or_peeled"]
