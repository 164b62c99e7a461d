"""`while`: its test is a block of its own, run before each iteration.

A test that binds names or changes containers runs at the start of the body:

    while (d := f(x)) > tol: x = g(x, d)    ->    while True: d = f(x); If(gt(d, tol)): x' = g(x, d)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.lists.growing import Growing
from srcad.frontend.lists.growing_lists import opening
from srcad.frontend.loops.iteration import MAX_UNROLL
from srcad.frontend.loops.open_loop import OpenLoop
from srcad.frontend.loops.peeling import kept_or_peeled
from srcad.frontend.loops.unrolling import WHAT, kept_or_unrolled, unrolled
from srcad.frontend.statements.branches import RAISED, Branching
from srcad.frontend.statements.leaving import join_outcomes, run_iteration
from srcad.ir.nodes import Block, Op, Stmt, Value, While
from srcad.ir.walk import copy_block, fresh_like
from srcad.ops.raising import raises_by_value

Iteration = Callable[[], tuple[Outcome | None, Abstract]]


def while_loop(
    frame: Frame,
    test: Callable[[], Abstract],
    body: Callable[[], Outcome | None],
    growing: Growing | None = None,
) -> Outcome | None:
    """Lower a `While`; `test` gives the condition, `body` lowers the statements.

    Unrolled if its iterations are known while compiling; the outcome is as that of `for_each`.
    """
    return kept_or_unrolled(
        frame,
        lambda: _peeled_while(frame, test, body, growing or Growing(frame, {})),
        lambda otherwise: unrolled(frame, _tested(frame, test, otherwise), lambda _: body()),
    )


def _tested(
    frame: Frame, test: Callable[[], Abstract], otherwise: SrcadError | None
) -> Iterator[None]:
    """An iteration for each time that the test holds; `otherwise` is raised where it cannot be a
    constant.
    """
    for _ in range(MAX_UNROLL):
        cond = test()
        if isinstance(cond, Value):
            frame.session.carry_instead(otherwise)
            if otherwise is not None and not frame.session.can_be_static(cond):
                raise otherwise
            frame.session.static(cond, WHAT)
        if not cond:
            return
        yield
    raise error("E123", None, what=WHAT)


def _peeled_while(
    frame: Frame, test: Callable[[], Abstract], body: Callable[[], Outcome | None], growing: Growing
) -> Outcome | None:
    """A `While`, after its first iteration where that is another one than those that follow."""

    def keep(growing: Growing, peels: bool) -> Outcome | None:
        return opening(frame, growing, partial(_kept_while, frame, test, body, peels))

    return kept_or_peeled(
        frame,
        partial(keep, growing),
        lambda: _holds_at_first(frame, test),
        body,
        lambda: keep(growing.again(), False),
    )


def _holds_at_first(frame: Frame, test: Callable[[], Abstract]) -> bool | None:
    """Whether the test holds before the loop, as far as constants and the arguments say."""
    session = frame.session
    try:
        with session.trial() as made_for_it:
            cond = _condition(frame, test)
    except _Impure:
        return None
    is_silent = all(_is_silent(stmt) for stmt in made_for_it)
    if cond is RAISED or not is_silent:
        return None
    if not isinstance(cond, Value):
        return bool(cond)
    made = session.memory.producers.get(cond)
    if made is None or len(made.args) != 2:  # no comparison
        return None
    if made.fn in (operator.lt, operator.gt):
        known = session.is_less(*(made.args if made.fn is operator.lt else made.args[::-1]))
        if known is not None:
            return known
    return session.holds(made.fn, *made.args)


def _is_silent(stmt: Stmt) -> bool:
    return isinstance(stmt, Op) and not stmt.effect and not raises_by_value(stmt)


def _kept_while(
    frame: Frame,
    test: Callable[[], Abstract],
    body: Callable[[], Outcome | None],
    peels: bool,
    growing: Growing,
) -> Outcome | None:
    """A test that binds names or changes containers runs at the start of the body."""

    def iteration() -> tuple[Outcome | None, Abstract]:
        outcome = run_iteration(lambda: growing.iteration(body))
        return outcome, flags_of(outcome)[1]

    before = st.snapshot(frame)
    try:
        return _general_while(frame, test, iteration, growing, peels)
    except _Impure:
        if growing.lists:
            growing.decline()
        st.restore(before)
    return _general_while(
        frame, lambda: True, lambda: _tested_iteration(frame, test, body), growing, peels
    )


class _Impure(Exception):  # noqa: N818 - from a test to its loop
    """The test of a `while` does more than give a condition."""


def _tested_iteration(
    frame: Frame, test: Callable[[], Abstract], body: Callable[[], Outcome | None]
) -> tuple[Outcome | None, Abstract]:
    """`if test: body` and `else: break`: how the body ends, and whether the loop does."""
    try:
        cond = test()
    except Pending:
        raise
    except Raising:
        return Outcome("raise"), False
    if not isinstance(cond, Value):
        outcome = body() if cond else None
        return outcome, flags_of(outcome)[1] if cond else True
    flag = f"leave.{frame.loop_depth}"
    fork = Branching(frame, cond)

    def go_on() -> Outcome | None:
        outcome = run_iteration(body)
        frame.env[flag] = flags_of(outcome)[1]
        return outcome

    outcome = fork.run(go_on)
    if outcome is not None and outcome.kind == "raise":
        fork.only(0)
        return None, True
    fork.run(lambda: frame.env.update({flag: True}))
    return join_outcomes(fork, outcome, None), frame.env.pop(flag)


def _general_while(
    frame: Frame, test: Callable[[], Abstract], iteration: Iteration, growing: Growing, peels: bool
) -> Outcome | None:
    session = frame.session
    loop = OpenLoop(frame, growing, peels)
    with loop.refusals():
        while True:
            session.builder.loc = loop.loc
            with loop.carrying.attempt():
                with session.block() as test_body:
                    cond = _condition(frame, partial(growing.test, test))
                if cond is RAISED and loop.carrying.waits():
                    continue
                if cond is RAISED or (not isinstance(cond, Value) and not cond):
                    if not loop.carrying.params:
                        session.builder.body.extend(test_body)
                        return _never_run(loop, cond)
                    if cond is RAISED:
                        raise error("E100", None, what="a `while` test that always raises")
                with session.block() as statements, session.checkpointed(None):
                    session.codes.assume(cond, True)
                    loop.note(*iteration())
            if loop.is_complete():
                break
    ends = loop.ends(statements)
    params = ends.params
    if not ends.has_exits:  # its test does not hold any more
        session.codes.tell_of(dict(zip(params, ends.outs, strict=True)), cond)
    again = {p: fresh_like(p) for p in params}
    test_block = copy_block(Block([], test_body, [cond]), again)
    test_block.params = [again[p] for p in params]
    seqs = growing.sequences()
    how = session.checkpointing
    stmt = While(
        test_block, ends.init, ends.block, ends.outs, seqs, None, loop.loc, ends.has_exits, how
    )
    loop.close(stmt, ends.outs, seqs)
    return loop.leaving.outcome(endless=cond is True)


def _never_run(loop: OpenLoop, cond: Abstract) -> Outcome | None:
    """A loop whose test does not hold the first time, or raises."""
    if cond is RAISED:
        raise Raising
    loop.session.entered.pop()
    loop.growing.bind((), ())
    return loop.leaving.outcome()


def _condition(frame: Frame, test: Callable[[], Abstract]) -> Abstract:
    try:
        return _pure_test(frame, test)
    except Raising:
        return RAISED


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


__all__ = ["while_loop"]
