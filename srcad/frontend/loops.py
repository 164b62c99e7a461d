"""Loops: `for` over anything and `while`, unrolled where the items are known or the body needs
constants.

A loop that is left while it runs says after each turn whether: the flag is the last result of its
body. What the code after it asks for (was it left? did it return, and what?) it carries under
names that no program has.

    for x in xs:                                      left = False
        if x > 1:                                     For(xs): If(gt(x, 1)): yield True
            break                             ->               else: ...; yield False
        s = s + x                                              -> left, exit: left
    else:                                             If(not left): s = 0
        s = 0
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from srcad.errors import SrcadError, UnsupportedSyntax, error
from srcad.frontend import state as st
from srcad.frontend.branches import RAISED, Branching
from srcad.frontend.carrying import Carrying
from srcad.frontend.frame import Frame, check_conflict
from srcad.frontend.iteration import MAX_UNROLL, Trip, counted, is_listed, iterated, listed
from srcad.frontend.joins import Growth, refuse_growth
from srcad.frontend.leaving import join_outcomes, unless
from srcad.frontend.objects import UNBOUND, Abstract, Range
from srcad.frontend.operators import binary
from srcad.frontend.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.signals import Pending, Raising, Unroll
from srcad.ir.nodes import Block, For, Value, While
from srcad.ir.types import NumberType
from srcad.ir.walk import copy_block, fresh_like
from srcad.rules.facts import unknown_extent

Body = Callable[[Abstract], Outcome | None]
MAX_NESTING = 40
_WHAT = "the number of turns of a loop that needs its index or variables while compiling,"


def for_each(frame: Frame, iterable: Abstract, body: Body, name: str = "i") -> Outcome | None:
    """Run `body(item)` for each item, unrolled or as a `For`; returns how the loop was left, None
    where its items ran out.
    """
    iterable = iterated(frame, iterable)
    if is_listed(iterable):
        return _unrolled(frame, listed(frame, iterable, "a loop"), body)
    frame.session.consume(iterable)
    # The target is the index only of a range, and `_` says that nobody reads it.
    counts = isinstance(iterable, range | Range) and name != "_"
    trip = replace(counted(frame, iterable), name=name if counts else "i")
    return _kept_or_unrolled(
        frame,
        lambda: _counted_loop(frame, trip, body),
        lambda otherwise: _unrolled(frame, _constant_items(frame, trip, otherwise), body),
    )


def _kept_or_unrolled(
    frame: Frame,
    keep: Callable[[], Outcome | None],
    unroll: Callable[[Exception | None], Outcome | None],
) -> Outcome | None:
    """Lower a loop as one; unrolled, from the state before it, where its body asks for that.

    `unroll` gets the error for a loop that cannot be unrolled either, if the body has told it.
    """
    before = st.snapshot(frame)
    mark = len(frame.session.builder.body)
    otherwise = None
    try:
        return keep()
    except (_Unrolled, Growth) as wanted:
        if isinstance(wanted, Growth):
            otherwise = refuse_growth("a container that grows or shrinks")
    st.restore(before)
    del frame.session.builder.body[mark:]
    return unroll(otherwise)


class _Unrolled(Exception):  # noqa: N818 - from a loop's body to the loop
    """This very loop must be unrolled."""


class _Leaving:
    """How a loop that is kept is left, among what the frame binds so that the loop carries it."""

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


# Unrolled ----------------------------------------------------------------------------------------


def _constant_items(frame: Frame, trip: Trip, otherwise: Exception | None) -> Iterator[Abstract]:
    """The items of a loop to be unrolled; `otherwise` is raised where its bounds cannot be
    constants.
    """
    try:
        bounds = [frame.session.static(b, _WHAT) for b in (trip.start, trip.stop, trip.step)]
    except UnsupportedSyntax as problem:
        raise otherwise or problem from None
    indices = range(*bounds)
    if len(indices) > MAX_UNROLL:
        raise error("E123", None, what=f"{_WHAT} {len(indices)},")
    ordered: Iterable[int] = reversed(indices) if trip.reverse else indices
    return map(trip.item, ordered)  # each is read when its turn comes


def _unrolled(
    frame: Frame, items: Iterator[Abstract], body: Body, nesting: int = 0
) -> Outcome | None:
    """Turn after turn; what follows one that may leave stands where it has not."""
    for item in items:
        outcome = body(item)
        _, left, _ = flags_of(outcome)
        if outcome is None or left is False:
            if outcome is not None and outcome.kind == "raise":
                return outcome
            continue
        if nesting == MAX_NESTING:
            raise error("E113", None, what=f"leaving an unrolled loop of more than {nesting} turns")
        return unless(frame, left, outcome, lambda: _unrolled(frame, items, body, nesting + 1))
    return None


# Kept --------------------------------------------------------------------------------------------


def _index_type(trip: Trip) -> NumberType:
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


def _counted_loop(frame: Frame, trip: Trip, body: Body) -> Outcome | None:
    """Lower a `For`: find what it carries, then append it."""
    session = frame.session
    loc = session.builder.loc
    token = object()
    leaving = _Leaving(frame)
    loop = Carrying(frame, token)
    while True:
        session.builder.loc = loc
        index = Value(trip.name, _index_type(trip))
        session.turning[index] = token
        loop.enter()
        try:
            with session.block() as statements:
                outcome = _turn(lambda: body(trip.item(index)))  # noqa: B023 - called at once
                leaving.note(outcome, flags_of(outcome)[1])
        except Unroll as wanted:
            if wanted.token is token:
                raise _Unrolled from None
            raise
        except SrcadError as problem:
            raise loop.refusal(problem) from problem.__cause__
        if loop.is_complete():
            break
    params, init, results, outs = loop.leave(statements)
    exits = leaving.exits()
    session.builder.loc = loc
    if exits and trip.reverse:
        trip = _turned(frame, trip)
    start, stop, step = (session.atom(b) for b in (trip.start, trip.stop, trip.step))
    block = Block([index, *params], statements, [*results, *exits])
    session.builder.body.append(
        For(start, stop, step, trip.reverse, init, [], block, outs, (), loc, exits=bool(exits))
    )
    return leaving.outcome()


def _turn(body: Callable[[], Outcome | None]) -> Outcome | None:
    """Lower a turn; one that raises does so as soon as it runs."""
    try:
        return body()
    except Pending:
        raise
    except Raising:
        return Outcome("raise")


def _turned(frame: Frame, trip: Trip) -> Trip:
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
        turns = less(less(stop, start), 1 if step > 0 else -1)
        turns = binary(frame, operator.floordiv, turns, step)
        last = binary(frame, operator.add, start, binary(frame, operator.mul, turns, step))
    return replace(trip, start=last, stop=less(start, step), step=-step, reverse=False)


# While -------------------------------------------------------------------------------------------


Turn = Callable[[], tuple[Outcome | None, Abstract]]


def while_loop(
    frame: Frame, test: Callable[[], Abstract], body: Callable[[], Outcome | None]
) -> Outcome | None:
    """Lower a `While`; `test` gives the condition, `body` lowers the statements.

    Unrolled if its turns are known while compiling; the outcome is as that of `for_each`.
    """
    return _kept_or_unrolled(
        frame,
        lambda: _kept_while(frame, test, body),
        lambda otherwise: _unrolled(frame, _tested(frame, test, otherwise), lambda _: body()),
    )


def _tested(
    frame: Frame, test: Callable[[], Abstract], otherwise: Exception | None
) -> Iterator[None]:
    """A turn for each time that the test holds; `otherwise` is raised where it cannot be a
    constant.
    """
    for _ in range(MAX_UNROLL):
        cond = test()
        if isinstance(cond, Value):
            if otherwise is not None and not frame.session.can_be_static(cond):
                raise otherwise
            frame.session.static(cond, _WHAT)
        if not cond:
            return
        yield
    raise error("E123", None, what=_WHAT)


def _kept_while(
    frame: Frame, test: Callable[[], Abstract], body: Callable[[], Outcome | None]
) -> Outcome | None:
    """A test that binds names or changes containers runs at the start of the body."""

    def turn() -> tuple[Outcome | None, Abstract]:
        outcome = _turn(body)
        return outcome, flags_of(outcome)[1]

    before = st.snapshot(frame)
    try:
        return _general_while(frame, test, turn)
    except _Impure:
        st.restore(before)
    return _general_while(frame, lambda: True, lambda: _tested_turn(frame, test, body))


class _Impure(Exception):  # noqa: N818 - from a test to its loop
    """The test of a `while` does more than give a condition."""


def _tested_turn(
    frame: Frame, test: Callable[[], Abstract], body: Callable[[], Outcome | None]
) -> tuple[Outcome | None, Abstract]:
    """`if test: body` and `else: break`: how the body ends, and whether the loop does."""
    cond = test()
    if not isinstance(cond, Value):
        outcome = body() if cond else None
        return outcome, flags_of(outcome)[1] if cond else True
    flag = f"leave.{frame.loop_depth}"
    fork = Branching(frame, cond)

    def go_on() -> Outcome | None:
        outcome = _turn(body)
        frame.env[flag] = flags_of(outcome)[1]
        return outcome

    outcome = fork.run(go_on)
    if outcome is not None and outcome.kind == "raise":
        fork.only(0)
        return None, True
    fork.run(lambda: frame.env.update({flag: True}))
    return join_outcomes(fork, outcome, None), frame.env.pop(flag)


def _general_while(frame: Frame, test: Callable[[], Abstract], turn: Turn) -> Outcome | None:
    session = frame.session
    loc = session.builder.loc
    token = object()
    leaving = _Leaving(frame)
    loop = Carrying(frame, token)
    try:
        while True:
            session.builder.loc = loc
            loop.enter()
            with session.block() as test_body:
                try:
                    cond = _pure_test(frame, test)
                except Raising:
                    cond = RAISED
            if cond is RAISED:
                if loop.params:
                    raise error("E100", None, what="a `while` test that always raises")
                session.builder.body.extend(test_body)
                raise Raising
            if not isinstance(cond, Value) and not cond and not loop.params:
                session.builder.body.extend(test_body)
                return leaving.outcome()  # no turn at all
            with session.block() as statements:
                leaving.note(*turn())
            if loop.is_complete():
                break
    except Unroll as wanted:
        if wanted.token is token:
            raise _Unrolled from None
        raise
    except SrcadError as problem:
        raise loop.refusal(problem) from problem.__cause__
    params, init, results, outs = loop.leave(statements)
    exits = leaving.exits()
    again = {p: fresh_like(p) for p in params}
    test_block = copy_block(Block([], test_body, [cond]), again)
    test_block.params = [again[p] for p in params]
    session.builder.loc = loc
    block = Block(params, statements, [*results, *exits])
    session.builder.body.append(While(test_block, init, block, outs, loc=loc, exits=bool(exits)))
    return leaving.outcome(endless=cond is True)


def _pure_test(frame: Frame, test: Callable[[], Abstract]) -> Abstract:
    """The condition of a `while`.

    Raises:
        _Impure: it binds names or changes containers, which it may not: it runs once more than the
            body.
    """
    before = st.snapshot(frame)
    cond = test()
    after = st.snapshot(frame)
    old: dict[Any, dict[Any, Abstract]] = {**before.envs, **before.heap}
    new: dict[Any, dict[Any, Abstract]] = {**after.envs, **after.heap}
    for owner, items in old.items():
        now = new.get(owner, items)
        if list(now) != list(items) or not all(st.same(items[k], now[k]) for k in items):
            raise _Impure
    return cond


__all__ = ["for_each", "while_loop"]
