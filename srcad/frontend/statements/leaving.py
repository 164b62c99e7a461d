"""Paths that end in different ways: joined, and what stands after them lowered where it runs.

if c:  break                  left = c
y = f(y)               ->     If(left): yield y    else: y' = f(y); yield y'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.statements.branches import RAISED, Branching
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
    left_by = [k for k in (0, 1) if pairs[2][k] is True]
    returned = left_by[0] if len(left_by) == 1 else None
    try:
        *joined, value = fork.join(
            *names, (first, second), names=(*names.values(), result), returned=returned
        )
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


class Leaving:
    """How a loop that is kept is left, among what the frame binds so that the loop carries it.

    After each iteration its flag says whether the loop is left, as the last result of its body.
    What the code after the loop asks for (was it left? did it return, and what?) has names that no
    program has.
    """

    def __init__(self, frame: Frame) -> None:
        self._env = frame.env
        self._left, self._returned, self._result = (
            f"{name}.{frame.loop_depth}" for name in ("left", "returned", "result")
        )
        self._env.update({self._left: False, self._returned: False})
        self.flag: Abstract = False
        self._always_left = self._always_returns = False

    def note(self, outcome: Outcome | None, flag: Abstract) -> None:
        """Take down how the body ended, and whether the loop did with it."""
        self.flag = flag
        _, left, returned = flags_of(outcome)
        self._env[self._left] = left
        self._always_left = left is flag and flag is not False
        # What is left by `return` alone needs no second flag.
        self._always_returns = returned is left
        self._env[self._returned] = False if self._always_returns else returned
        if outcome is not None and outcome.value is not UNBOUND:
            self._env[self._result] = outcome.value

    def exits(self) -> list[Any]:
        """The last result of the body, if the loop may be left."""
        return [] if self.flag is False else [self.flag]

    def outcome(self, *, endless: bool = False) -> Outcome | None:
        """How the loop has been left, after it; an `endless` one was not left by its test."""
        last = self._env.pop(self._left)
        left = True if endless and self._always_left else last
        returned = self._env.pop(self._returned)
        if self._always_returns:
            returned = left
        value = check_conflict(self._env.pop(self._result, UNBOUND))
        return outcome_of((left, left, returned), value)


def run_iteration(body: Callable[[], Outcome | None]) -> Outcome | None:
    """Lower an iteration; one that raises does so as soon as it runs."""
    try:
        return body()
    except Pending:
        raise
    except Raising:
        return Outcome("raise")


__all__ = ["Leaving", "join_outcomes", "run_iteration", "unless"]
