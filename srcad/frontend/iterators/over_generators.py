"""Loops over generators: their bodies stand in the generator, in place of each `yield`.

    for v in g(x):                       <g: until it yields v>
        if v > 1:              ->        left = gt(v, 1)
            break                        If(not left): s = s + v; <g: what follows the `yield`>
        s = s + v

A loop that is left leaves the generator, too: as if its `yield` were a `return`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import gast

from srcad.errors import Location, error
from srcad.frontend.abstract.closures import Suspended
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.iterators import Enumerate
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.expressions.operators import binary
from srcad.frontend.iterators.pulled import consume, is_at_home
from srcad.frontend.reading.binding import yields
from srcad.frontend.statements.leaving import run_iteration


def over_generator(
    frame: Frame, x: Suspended, body: Callable[[Abstract], Outcome | None]
) -> Outcome | None:
    """`for item in x: body(item)`; how the loop was left, None where the generator ended."""
    consume(frame.session, x)
    frame.share()
    loc = frame.session.builder.loc
    ends = _Ends(frame)

    def take(item: Abstract) -> Abstract:
        with frame.in_loop():
            outcome = run_iteration(lambda: body(item))
        if outcome is not None and outcome.kind == "raise":
            raise Raising
        if flags_of(outcome)[1] is not False:
            _check_left(x, loc)
        return ends.note(outcome)

    try:
        x.run(take)
    except Raising:
        return Outcome("raise")
    outcome = ends.outcome()
    if outcome is None and is_at_home(frame.session, x):
        x.items = iter(())  # a later read finds nothing
    return outcome


def over_enumerated(
    frame: Frame, x: Enumerate, body: Callable[[Abstract], Outcome | None]
) -> Outcome | None:
    """`for pair in enumerate(generator): body(pair)`."""
    frame.session.consumed.append(x)
    count = f"count.{frame.loop_depth}"
    frame.env[count] = x.start

    def iteration(item: Abstract) -> Outcome | None:
        k = frame.env[count]
        frame.env[count] = binary(frame, operator.add, k, 1)
        return body((k, item))

    outcome = over_generator(frame, x.inner, iteration)
    del frame.env[count]
    return outcome


def is_waiting(x: Abstract) -> bool:
    """Whether `x` is a generator of which nothing was taken yet."""
    return isinstance(x, Suspended) and x.items is None


class _Ends:
    """How the iterations of a loop over a generator have ended, among the names of its frame, so
    that the loops and branches of the generator carry it.
    """

    def __init__(self, frame: Frame) -> None:
        self._env = frame.env
        self._left, self._returned, self._result = (
            f"{name}.{frame.loop_depth}" for name in ("left", "returned", "result")
        )
        self._env.update({self._left: False, self._returned: False})
        self._only_returns = True  # what is left by `return` alone needs no second flag

    def note(self, outcome: Outcome | None) -> Abstract:
        """Take down how an iteration ended; whether the loop is left with it."""
        _, left, returned = flags_of(outcome)
        self._only_returns &= left is returned
        self._env[self._left], self._env[self._returned] = left, returned
        if outcome is not None and outcome.value is not UNBOUND:
            self._env[self._result] = outcome.value
        return left

    def outcome(self) -> Outcome | None:
        """How the loop has been left, after it."""
        left, returned = (check_conflict(self._env.pop(x)) for x in (self._left, self._returned))
        value = check_conflict(self._env.pop(self._result, UNBOUND))
        return outcome_of((left, left, left if self._only_returns else returned), value)


def _check_left(x: Suspended, loc: Location | None) -> None:
    """Refuse to leave a generator where it would still run: its `finally` when it is closed."""
    for node in gast.walk(x.node):
        if isinstance(node, gast.Try | gast.With) and any(True for _ in yields(node)):
            what = "leaving a loop over a generator with `yield` in a `try` or `with`"
            raise error("E111", loc, what=what)


__all__ = ["is_waiting", "over_enumerated", "over_generator"]
