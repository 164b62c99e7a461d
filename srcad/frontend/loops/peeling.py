"""Loop peeling: the first iteration of a loop stands before it, where it makes another thing of
what the loop carries than was there.

total = 0                              total = 0
for r in rows:                         total = total + rows[0]
    total = total + r         ->       for i in range(1, n):
                                           total = total + rows[i]

A number becomes an array, an array of ints one of floats, a vector a matrix, and what was not
bound is bound. In the loop it is one thing then, of which shape and dtype are known. That there is
a first iteration is known, or is made a guard; where it depends on more than the arguments the loop
stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from srcad.errors import SrcadError
from srcad.errors.telling import most_telling
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.outcomes import Outcome, flags_of
from srcad.frontend.loops.carried_types import FirstDiffers
from srcad.frontend.statements.leaving import unless


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
    session, go_back = frame.session, st.backtrack_point(frame)
    differs: FirstDiffers | None = None
    refused: list[SrcadError] = []
    try:
        return keep(session.checkpointing is None)
    except FirstDiffers as found:
        differs = found
    except SrcadError as refusal:  # of what the body does with a thing of two kinds, perhaps
        if refusal.code != "E129" or refusal is session.refused_peeled or session.checkpointing:
            raise
        refused.append(refusal)
    go_back()
    does = runs()
    if does is not None and not does:
        return None
    if does:
        try:
            outcome = first()
            if differs is None or not differs.remains():
                return _go_on(frame, outcome, rest)
        except SrcadError as refusal:
            refused.append(refusal)
        go_back()
    if differs is not None:
        try:
            return keep(False)
        except SrcadError as refusal:
            refused.append(refusal)
    session.refused_peeled = most_telling(refused)
    raise session.refused_peeled from None


def _go_on(
    frame: Frame, outcome: Outcome | None, rest: Callable[[], Outcome | None]
) -> Outcome | None:
    """The other iterations, where the first one has not left the loop."""
    _, left, _ = flags_of(outcome)
    if outcome is None or left is False:
        return outcome if outcome is not None and outcome.kind == "raise" else rest()
    return unless(frame, left, outcome, rest)


__all__ = ["kept_or_peeled"]
