"""Loops: `for` over anything and `while`, unrolled where the items are known or the body needs
constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from srcad.errors import SrcadError, UnsupportedSyntax, error
from srcad.frontend import state as st
from srcad.frontend.branches import RAISED
from srcad.frontend.carrying import Carrying
from srcad.frontend.dispatch import Outcome
from srcad.frontend.frame import Frame
from srcad.frontend.iteration import MAX_UNROLL, Trip, counted, is_listed, listed
from srcad.frontend.joins import Growth, refuse_growth
from srcad.frontend.objects import Abstract, Range
from srcad.frontend.signals import Pending, Raising, Unroll
from srcad.ir.nodes import Block, For, Value, While
from srcad.ir.types import NumberType
from srcad.ir.walk import copy_block, fresh_like
from srcad.rules.facts import unknown_extent

Body = Callable[[Abstract], Outcome | None]
_WHAT = "the number of turns of a loop that needs its index or variables while compiling,"


def for_each(
    frame: Frame, iterable: Abstract, body: Body, exits: Exception | None = None, name: str = "i"
) -> Outcome | None:
    """Run `body(item)` for each item, unrolled or as a `For`; returns an outcome that leaves the
    loop.

    `exits`: the error for a body with `break` or `return`, which only an unrolled loop can do.
    """
    known = is_listed(iterable)
    if known or (known is None and exits):
        return _unrolled(listed(frame, iterable, "a loop"), body)
    frame.session.consume(iterable)
    # The target is the index only of a range, and `_` says that nobody reads it.
    counts = isinstance(iterable, range | Range) and name != "_"
    trip = replace(counted(frame, iterable), name=name if counts else "i")
    if exits is not None:
        return _unrolled(_constant_items(frame, trip, exits), body)
    return _kept_or_unrolled(
        frame,
        lambda: _counted_loop(frame, trip, body),
        lambda otherwise: _unrolled(_constant_items(frame, trip, otherwise), body),
    )


def _kept_or_unrolled(
    frame: Frame,
    keep: Callable[[], None],
    unroll: Callable[[Exception | None], Outcome | None],
) -> Outcome | None:
    """Lower a loop as one; unrolled, from the state before it, where its body asks for that.

    `unroll` gets the error for a loop that cannot be unrolled either, if the body has told it.
    """
    before = st.snapshot(frame)
    mark = len(frame.session.builder.body)
    otherwise = None
    try:
        keep()
    except (_Unrolled, Growth) as wanted:
        if isinstance(wanted, Growth):
            otherwise = refuse_growth("a container that grows or shrinks")
    else:
        return None
    st.restore(before)
    del frame.session.builder.body[mark:]
    return unroll(otherwise)


class _Unrolled(Exception):  # noqa: N818 - from a loop's body to the loop
    """This very loop must be unrolled."""


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


def _unrolled(items: Iterable[Abstract], body: Body) -> Outcome | None:
    for item in items:
        outcome = body(item)
        if outcome is not None and outcome.kind != "continue":
            return outcome
    return None


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


def _counted_loop(frame: Frame, trip: Trip, body: Body) -> None:
    """Lower a `For`: find what it carries, then append it."""
    session = frame.session
    loc = session.builder.loc
    token = object()
    loop = Carrying(frame, token)
    while True:
        session.builder.loc = loc
        index = Value(trip.name, _index_type(trip))
        session.turning[index] = token
        loop.enter()
        try:
            with session.block() as statements:
                try:
                    body(trip.item(index))
                except Pending:
                    raise
                except Raising:  # as soon as it runs
                    pass
        except Unroll as wanted:
            if wanted.token is token:
                raise _Unrolled from None
            raise
        except SrcadError as problem:
            raise loop.refusal(problem) from problem.__cause__
        if loop.is_complete():
            break
    params, init, results, outs = loop.leave(statements)
    start, stop, step = (session.atom(b) for b in (trip.start, trip.stop, trip.step))
    block = Block([index, *params], statements, results)
    session.builder.loc = loc
    session.builder.body.append(
        For(start, stop, step, trip.reverse, init, [], block, outs, (), loc)
    )


# While -------------------------------------------------------------------------------------------


def while_loop(
    frame: Frame,
    test: Callable[[], Abstract],
    body: Callable[[], Outcome | None],
    exits: Exception | None = None,
) -> Outcome | None:
    """Lower a `While`; `test` gives the condition, `body` lowers the statements.

    Unrolled if its turns are known while compiling; `exits` as of `for_each`.
    """
    if exits is not None:
        return _unrolled_while(frame, test, body, exits)
    return _kept_or_unrolled(
        frame,
        lambda: _general_while(frame, test, body),
        lambda otherwise: _unrolled_while(frame, test, body, otherwise),
    )


def _unrolled_while(
    frame: Frame,
    test: Callable[[], Abstract],
    body: Callable[[], Outcome | None],
    otherwise: Exception | None,
) -> Outcome | None:
    """Turn after turn; `otherwise` is raised where the condition cannot be a constant."""
    for _ in range(MAX_UNROLL):
        cond = test()
        if isinstance(cond, Value):
            if otherwise is not None and not frame.session.can_be_static(cond):
                raise otherwise
            frame.session.static(cond, _WHAT)
        if not cond:
            return None
        outcome = body()
        if outcome is not None and outcome.kind != "continue":
            return outcome
    raise error("E123", None, what=_WHAT)


def _general_while(frame: Frame, test: Callable[[], Abstract], body: Callable[[], Any]) -> None:
    session = frame.session
    loc = session.builder.loc
    token = object()
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
                return  # no turn at all
            with session.block() as statements:
                body()
            if loop.is_complete():
                break
    except Unroll as wanted:
        if wanted.token is token:
            raise _Unrolled from None
        raise
    except SrcadError as problem:
        raise loop.refusal(problem) from problem.__cause__
    params, init, results, outs = loop.leave(statements)
    again = {p: fresh_like(p) for p in params}
    test_block = copy_block(Block([], test_body, [cond]), again)
    test_block.params = [again[p] for p in params]
    session.builder.loc = loc
    session.builder.body.append(
        While(test_block, init, Block(params, statements, results), outs, loc=loc)
    )


def _pure_test(frame: Frame, test: Callable[[], Abstract]) -> Abstract:
    """The condition of a `while`; it may not bind names, since it runs once more than the body."""
    before = st.snapshot(frame)
    cond = test()
    after = st.snapshot(frame)
    old: dict[Any, dict[Any, Abstract]] = {**before.envs, **before.heap}
    new: dict[Any, dict[Any, Abstract]] = {**after.envs, **after.heap}
    for owner, items in old.items():
        now = new.get(owner, items)
        if list(now) != list(items) or not all(st.same(items[k], now[k]) for k in items):
            what = "`:=` or a change of a container in the test of a `while`"
            raise error("E100", None, what=what)
    return cond


__all__ = ["for_each", "while_loop"]
