"""Paths that end in different ways: joined, and what stands after them lowered where it runs.

if c:  break                  left = c
y = f(y)               ->     If(left): yield y    else: y' = f(y); yield y'
"""

from __future__ import annotations

from collections.abc import Callable

from srcad.errors import error
from srcad.frontend.branches import RAISED, Branching
from srcad.frontend.frame import Frame
from srcad.frontend.joins import Mismatch
from srcad.frontend.objects import UNBOUND, Abstract
from srcad.frontend.outcomes import Outcome, flags_of, outcome_of
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType


def join_outcomes(fork: Branching, a: Outcome | None, b: Outcome | None) -> Outcome | None:
    """Join the two paths of a fork, neither of which raises, with how they end."""
    pairs = list(zip(flags_of(a), flags_of(b), strict=True))
    names = dict(zip(pairs, ("skip", "left", "returned"), strict=True))
    if pairs[1] == pairs[2]:
        names[pairs[1]] = "left" if fork.frame.loop_depth else "returned"
    result = "" if pairs[2] == (True, True) else "result"
    first, second = (UNBOUND if o is None else o.value for o in (a, b))
    try:
        *joined, value = fork.join(*names, (first, second), names=(*names.values(), result))
    except Mismatch:
        raise error("E129", fork.loc, what="the returned value") from None
    found = dict(zip(names, joined, strict=True))
    fork.frame.session.builder.loc = fork.loc
    if (True, False) in found and not any(fork.bodies) and _is_bool(fork.cond):
        found[True, False] = fork.cond  # nothing else to choose
    skip, left, returned = (found[pair] for pair in pairs)
    return outcome_of((skip, left, returned), value)


def _is_bool(x: Value) -> bool:
    return isinstance(x.type, NumberType) and x.type.kind is bool


def unless(
    frame: Frame, flag: Abstract, ended: Outcome | None, rest: Callable[[], Outcome | None]
) -> Outcome | None:
    """Lower `rest` where `flag` is false; where it is true things have `ended` before."""
    if not isinstance(flag, Value):
        return ended if flag else rest()
    if ended is not None:
        skip, left, returned = (True if each is flag else each for each in flags_of(ended))
        ended = outcome_of((skip, left, returned), ended.value)
    fork = Branching(frame, flag)
    fork.run(lambda: None)
    outcome = fork.run(rest)
    if outcome is RAISED or (outcome is not None and outcome.kind == "raise"):
        fork.only(1)
        return ended
    return join_outcomes(fork, ended, outcome)


__all__ = ["join_outcomes", "unless"]
