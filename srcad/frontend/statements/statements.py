"""Statements: each handler lowers one kind of node."""

from __future__ import annotations

from functools import partial
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.iterators import Sparing
from srcad.frontend.abstract.kinds_by_data import resolved
from srcad.frontend.abstract.objects import CAUGHT, Abstract, Either, Raised, Ref
from srcad.frontend.abstract.outcomes import Ended, Outcome, flags_of, outcome_of
from srcad.frontend.builtins.object_calls import is_caught_instance
from srcad.frontend.dispatch import assign, block, call, expression, handles_statement
from srcad.frontend.exceptions.made_nodes import Computed
from srcad.frontend.expressions.by_case import is_of_kind
from srcad.frontend.expressions.expressions import make_function
from srcad.frontend.iterators.suspended import yielded
from srcad.frontend.lists.growing_lists import find_growing
from srcad.frontend.loops.iteration import iterated
from srcad.frontend.loops.loops import for_each
from srcad.frontend.loops.whiles import while_loop
from srcad.frontend.statements.assign import augmented
from srcad.frontend.statements.branches import Branching
from srcad.frontend.statements.conditions import condition
from srcad.frontend.statements.deletion import delete
from srcad.frontend.statements.leaving import join_outcomes, unless
from srcad.ir.nodes import Block, If, Value
from srcad.ir.types import ObjectType
from srcad.runtime.effects import ensure, raise_, reraise

Rest = list[Any]


@handles_statement(gast.Expr)
def _expr(frame: Frame, node: gast.Expr, rest: Rest) -> Outcome | None:
    if isinstance(node.value, gast.Yield | gast.YieldFrom):
        return yielded(frame, node.value)
    if not isinstance(node.value, gast.Constant):
        expression(frame, node.value)
    return None


@handles_statement(gast.Assign)
def _assign(frame: Frame, node: gast.Assign, rest: Rest) -> None:
    value = expression(frame, node.value)
    for target in node.targets:
        with errors_at(frame, target):
            assign(frame, target, value)


@handles_statement(gast.AnnAssign)
def _ann_assign(frame: Frame, node: gast.AnnAssign, rest: Rest) -> None:
    if node.value is not None:
        assign(frame, node.target, expression(frame, node.value))


@handles_statement(gast.AugAssign)
def _aug_assign(frame: Frame, node: gast.AugAssign, rest: Rest) -> None:
    augmented(frame, node)


@handles_statement(gast.Return)
def _return(frame: Frame, node: gast.Return, rest: Rest) -> Outcome:
    return Outcome("return", None if node.value is None else expression(frame, node.value))


@handles_statement(gast.Pass)
def _pass(frame: Frame, node: gast.Pass, rest: Rest) -> None:
    pass


@handles_statement(gast.Delete)
def _delete(frame: Frame, node: gast.Delete, rest: Rest) -> None:
    for target in node.targets:
        delete(frame, target)


@handles_statement(gast.FunctionDef)
def _function(frame: Frame, node: gast.FunctionDef, rest: Rest) -> None:
    decorators = [expression(frame, decorator) for decorator in node.decorator_list]
    made: Abstract = make_function(frame, node)
    for decorator in reversed(decorators):
        made = call(frame, decorator, (made,))
    frame.bind(node.name, made)


@handles_statement(gast.Assert)
def _assert(frame: Frame, node: gast.Assert, rest: Rest) -> Outcome | Ended | None:
    cond = condition(frame, node.test)
    if cond is True:
        return None
    if node.msg is not None and not isinstance(node.msg, gast.Constant):
        return _if(frame, _raised_unless(cond, node), rest)
    message = () if node.msg is None else (expression(frame, node.msg),)
    frame.session.effect(ensure, cond, *message)
    return None


def _raised_unless(cond: Any, node: gast.Assert) -> gast.If:
    """`if cond: pass; else: raise AssertionError(message)`: only then is there a message."""

    def made(frame: Frame) -> Abstract:
        return Raised(AssertionError, (expression(frame, node.msg),))

    test, problem = Computed(lambda _: cond, node.test), Computed(made, node.msg)
    fails = gast.copy_location(gast.Raise(problem, None), node)
    return gast.copy_location(gast.If(test, [gast.copy_location(gast.Pass(), node)], [fails]), node)


@handles_statement(gast.Raise)
def _raise(frame: Frame, node: gast.Raise, rest: Rest) -> Outcome:
    made = frame.env.get(CAUGHT) if node.exc is None else expression(frame, node.exc)
    if isinstance(made, Value) and isinstance(made.type, ObjectType):
        _raise_of_generator(frame, made)
        frame.session.effect(reraise, made)
        return Outcome("raise")
    if isinstance(made, Ref) and isinstance(made.obj, type) and issubclass(made.obj, BaseException):
        made = Raised(made.obj, ())
    if not isinstance(made, Raised):
        raise error("E105", None)
    frame.session.effect(raise_, Ref(made.cls, ""), *made.args)
    return Outcome("raise")


def _raise_of_generator(frame: Frame, problem: Value) -> None:
    """Raise what a StopIteration is that gets to what asks for an item, if `problem` is one."""
    session = frame.session
    if not session.is_stopping(is_certain=False):
        return
    is_one = is_caught_instance(frame, problem, StopIteration)
    with session.block() as body:
        session.effect(raise_, Ref(StopIteration, ""))
    branch = If(is_one, Block([], body, []), Block([], [], []), (), session.builder.loc)
    session.builder.body.append(branch)


@handles_statement(gast.Break)
def _break(frame: Frame, node: gast.Break, rest: Rest) -> Outcome:
    return Outcome("break")


@handles_statement(gast.Continue)
def _continue(frame: Frame, node: gast.Continue, rest: Rest) -> Outcome:
    return Outcome("continue")


# Branches ----------------------------------------------------------------------------------------


@handles_statement(Outcome)
def _left(frame: Frame, outcome: Outcome, rest: Rest) -> Ended:
    return Ended(unless(frame, flags_of(outcome)[0], outcome, lambda: block(frame, rest)))


@handles_statement(gast.If)
def _if(frame: Frame, node: gast.If, rest: Rest) -> Outcome | Ended | None:
    """Lower an `if`. Where one branch always leaves, the statements after it go into the other."""
    with errors_at(frame, node.test):
        cond = condition(frame, node.test)
    if not isinstance(cond, Value):
        chosen = node.body if cond else node.orelse
        if not _may_leave(chosen):
            return block(frame, chosen)
        return Ended(block(frame, [*chosen, *rest]))
    frame.session.builder.loc = frame.at(node.test)
    takes_rest = always_leaves(node.body) or always_leaves(node.orelse)
    more = rest if takes_rest else []
    paths = [[*node.body, *more], [*node.orelse, *more]]
    outcome = _fork(frame, Branching(frame, cond), paths, raises_first=_always_raises(node.orelse))
    return Ended(outcome) if takes_rest else outcome


def _fork(
    frame: Frame, fork: Branching, paths: list[Rest], *, raises_first: bool
) -> Outcome | None:
    """Lower both paths; where one raises, only the other one goes on, after the `if`."""
    outcomes: dict[int, Outcome | None] = {}
    for which in (1, 0) if raises_first else (0, 1):
        outcome = outcomes[which] = fork.run(partial(block, frame, paths[which]), which == 0)
        if outcome is not None and outcome.kind == "raise":
            fork.only(which)
            return block(frame, paths[1 - which])
    if raises_first:
        fork.swap()
    return join_outcomes(fork, outcomes[0], outcomes[1])


def always_leaves(body: list[Any]) -> bool:
    """Whether every path through `body` leaves it, as far as can be seen."""
    return any(
        isinstance(node, gast.Return | gast.Raise | gast.Break | gast.Continue)
        or (isinstance(node, gast.If) and always_leaves(node.body) and always_leaves(node.orelse))
        for node in body
    )


def _may_leave(body: list[Any]) -> bool:
    leaving = gast.Return | gast.Break | gast.Continue
    return any(isinstance(node, leaving) for stmt in body for node in gast.walk(stmt))


def _always_raises(body: list[Any]) -> bool:
    return bool(body) and isinstance(body[-1], gast.Raise)


# Loops -------------------------------------------------------------------------------------------


@handles_statement(gast.For)
def _for(frame: Frame, node: gast.For, rest: Rest) -> Outcome | Ended | None:
    iterable = expression(frame, node.iter)
    if isinstance(iterable, Either):
        iterable = iterated(frame, iterable)
    if isinstance(iterable, Either):
        return _for_of_kinds(frame, node, iterable, rest)
    name = node.target.id if isinstance(node.target, gast.Name) else "i"

    growing = find_growing(frame, node)

    def body(item: Abstract) -> Outcome | None:
        frame.session.builder.loc = frame.at(node)
        assign(frame, node.target, item)
        with frame.in_loop():
            return block(frame, node.body)

    if not isinstance(iterable, Sparing):
        return _after_loop(frame, node, for_each(frame, iterable, body, name, growing))
    with frame.session.checkpointed(iterable.how):
        outcome = for_each(frame, iterable.inner, body, name, growing)
    return _after_loop(frame, node, outcome)


def _for_of_kinds(frame: Frame, node: gast.For, x: Either, rest: Rest) -> Outcome | Ended | None:
    """`for a in x: ...` becomes `if kind == 0: for a in first: ... else: for a in others: ...`."""
    first = frame.session.codes.possible(x)[0]
    test = Computed(lambda frame: is_of_kind(frame, x, first), node.iter)
    of_kind = Computed(lambda frame: resolved(frame.session.codes, x), node.iter)
    loop = gast.For(node.target, of_kind, node.body, node.orelse, node.type_comment)
    gast.copy_location(loop, node)
    return _if(frame, gast.copy_location(gast.If(test, [loop], [loop]), node), rest)


@handles_statement(gast.While)
def _while(frame: Frame, node: gast.While, rest: Rest) -> Outcome | None:
    def test() -> Abstract:
        with errors_at(frame, node.test):
            return condition(frame, node.test)

    def body() -> Outcome | None:
        with frame.in_loop():
            return block(frame, node.body)

    return _after_loop(frame, node, while_loop(frame, test, body, find_growing(frame, node)))


def _after_loop(
    frame: Frame, node: gast.For | gast.While, outcome: Outcome | None
) -> Outcome | None:
    """The outcome of a loop of which `outcome` tells how it was left; lowers its `else`."""
    if outcome is not None and outcome.kind == "raise":
        return outcome
    _, left, returned = flags_of(outcome)
    value = None if outcome is None else outcome.value
    ended = outcome_of((returned, returned, returned), value)
    if not node.orelse:
        return ended
    return unless(frame, left, ended, lambda: block(frame, node.orelse))
