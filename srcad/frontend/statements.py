"""Statements: each handler lowers one kind of node."""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.assign import augmented, delete
from srcad.frontend.branches import Branching, truth
from srcad.frontend.dispatch import Outcome, assign, block, call, expression, handles_statement
from srcad.frontend.expressions import make_function
from srcad.frontend.frame import Frame, errors_at
from srcad.frontend.joins import Mismatch
from srcad.frontend.loops import for_each, while_loop
from srcad.frontend.objects import CAUGHT, Abstract, Raised, Ref
from srcad.ir.nodes import Value
from srcad.ir.types import ObjectType
from srcad.runtime.effects import ensure, raise_, reraise

Rest = list[Any]


@handles_statement(gast.Expr)
def _expr(frame: Frame, node: gast.Expr, rest: Rest) -> None:
    if not isinstance(node.value, gast.Constant):
        expression(frame, node.value)


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
def _assert(frame: Frame, node: gast.Assert, rest: Rest) -> None:
    cond = truth(expression(frame, node.test))
    if cond is True:
        return
    message = () if node.msg is None else (expression(frame, node.msg),)
    frame.session.effect(ensure, cond, *message)


@handles_statement(gast.Raise)
def _raise(frame: Frame, node: gast.Raise, rest: Rest) -> Outcome:
    made = frame.env.get(CAUGHT) if node.exc is None else expression(frame, node.exc)
    if isinstance(made, Value) and isinstance(made.type, ObjectType):
        frame.session.effect(reraise, made)
        return Outcome("raise")
    if isinstance(made, Ref) and isinstance(made.obj, type) and issubclass(made.obj, BaseException):
        made = Raised(made.obj, ())
    if not isinstance(made, Raised):
        raise error("E105", None)
    frame.session.effect(raise_, Ref(made.cls, ""), *made.args)
    return Outcome("raise")


@handles_statement(gast.Break)
def _break(frame: Frame, node: gast.Break, rest: Rest) -> Outcome:
    return Outcome("break")


@handles_statement(gast.Continue)
def _continue(frame: Frame, node: gast.Continue, rest: Rest) -> Outcome:
    return Outcome("continue")


# Branches ----------------------------------------------------------------------------------------


@handles_statement(gast.If)
def _if(frame: Frame, node: gast.If, rest: Rest) -> Outcome | None:
    """Lower an `if`. Where a branch may leave, the statements after it go into the paths that do
    not.
    """
    with errors_at(frame, node.test):
        cond = truth(expression(frame, node.test))
    if not isinstance(cond, Value):
        chosen = node.body if cond else node.orelse
        if not _may_leave(chosen):
            return block(frame, chosen)
        return block(frame, [*chosen, *rest]) or Outcome("end")
    frame.session.builder.loc = frame.at(node.test)
    leaves = [_may_leave(branch) for branch in (node.body, node.orelse)]
    fork = Branching(frame, cond)
    if not any(leaves):
        paths = [node.body, node.orelse]
    else:
        paths = [[*node.body, *rest], [*node.orelse, *rest]]
    order = (1, 0) if _always_raises(node.orelse) else (0, 1)
    first = fork.run(lambda: block(frame, paths[order[0]]))
    if first is not None and first.kind == "raise":
        return _go_on(frame, fork, order[0], paths[order[1]], any(leaves))
    second = fork.run(lambda: block(frame, paths[order[1]]))
    if second is not None and second.kind == "raise":
        return _go_on(frame, fork, order[1], paths[order[0]], any(leaves))
    outcome = _join_outcomes(frame, fork, first, second, node)
    return Outcome("end") if outcome is None and any(leaves) else outcome


def _go_on(
    frame: Frame, fork: Branching, raising: int, path: list[Any], has_rest: bool
) -> Outcome | None:
    """One branch raises: only the other one goes on, after the `if`."""
    fork.only(raising)
    outcome = block(frame, path)
    return Outcome("end") if outcome is None and has_rest else outcome


def _join_outcomes(
    frame: Frame, fork: Branching, a: Outcome | None, b: Outcome | None, node: Any
) -> Outcome | None:
    kinds = {None if o is None or o.kind == "continue" else o.kind for o in (a, b)}
    if len(kinds) > 1 and (frame.loop_depth or kinds != {None, "return"}):
        frame.session.make_static(fork.cond)
        code, what = ("E114", "`return`") if "return" in kinds else ("E113", "`break`")
        raise error(code, _place(frame, node), what=f"{what} under a run-time condition")
    pair = (None if a is None else a.value, None if b is None else b.value)
    try:
        (value,) = fork.join(pair)
    except Mismatch:
        raise error("E129", frame.at(node), what="the returned value") from None
    if "return" in kinds:
        return Outcome("return", value)
    return Outcome("continue") if a is not None and b is not None and a.kind == "continue" else None


def _place(frame: Frame, node: Any) -> Any:
    """The first statement below `node` that leaves."""
    leaving = (gast.Return, gast.Break)
    return frame.at(next((each for each in gast.walk(node) if isinstance(each, leaving)), node))


def _may_leave(body: list[Any]) -> bool:
    """Whether some path through `body` may leave it (nested functions and inner loops' exits
    aside).
    """
    for node in body:
        if isinstance(node, gast.Return | gast.Raise | gast.Break | gast.Continue):
            return True
        if isinstance(node, gast.If) and _may_leave([*node.body, *node.orelse]):
            return True
        if isinstance(node, gast.Try | gast.With) and _may_leave(bodies_of(node)):
            return True
        if isinstance(node, gast.For | gast.While) and has([node], gast.Return):
            return True
    return False


def bodies_of(node: gast.Try | gast.With) -> list[Any]:
    """The statements of all parts of a `try` or a `with`."""
    if isinstance(node, gast.With):
        return list(node.body)
    handlers = [stmt for handler in node.handlers for stmt in handler.body]
    return [*node.body, *handlers, *node.orelse, *node.finalbody]


def has(body: list[Any], *kinds: type) -> bool:
    """Whether `body` has a node of these kinds outside nested functions."""
    for node in body:
        if isinstance(node, kinds):
            return True
        if isinstance(node, gast.FunctionDef | gast.Lambda):
            continue
        if has(list(gast.iter_child_nodes(node)), *kinds):
            return True
    return False


def _always_raises(body: list[Any]) -> bool:
    return bool(body) and isinstance(body[-1], gast.Raise)


# Loops -------------------------------------------------------------------------------------------


def _exits(body: list[Any], *kinds: type) -> bool:
    """Whether a `break` of this loop stands in its body."""
    for node in body:
        if isinstance(node, kinds):
            return True
        if isinstance(node, gast.If) and _exits([*node.body, *node.orelse], *kinds):
            return True
        if isinstance(node, gast.Try | gast.With) and _exits(bodies_of(node), *kinds):
            return True
        if isinstance(node, gast.For | gast.While) and _exits(node.orelse, *kinds):
            return True
    return False


def _refusal_of_exits(frame: Frame, node: Any) -> Exception | None:
    """The error for a loop that is left early, if it is to be lowered as a loop."""
    for kind, code in ((gast.Return, "E114"), (gast.Break, "E113")):
        if has(node.body, kind) if kind is gast.Return else _exits(node.body, kind):
            place = next(each for each in gast.walk(node) if isinstance(each, kind))
            return error(code, frame.at(place), what=f"`{kind.__name__.lower()}`")
    return None


@handles_statement(gast.For)
def _for(frame: Frame, node: gast.For, rest: Rest) -> Outcome | None:
    iterable = expression(frame, node.iter)
    name = node.target.id if isinstance(node.target, gast.Name) else "i"

    def body(item: Abstract) -> Outcome | None:
        frame.session.builder.loc = frame.at(node)
        assign(frame, node.target, item)
        with frame.in_loop():
            return block(frame, node.body)

    outcome = for_each(frame, iterable, body, _refusal_of_exits(frame, node), name)
    if outcome is None:
        return block(frame, node.orelse)
    return None if outcome.kind == "break" else outcome


@handles_statement(gast.While)
def _while(frame: Frame, node: gast.While, rest: Rest) -> Outcome | None:
    if node.orelse:
        raise error("E115", frame.at(node.orelse[0]))

    def test() -> Abstract:
        with errors_at(frame, node.test):
            return truth(expression(frame, node.test))

    def body() -> Outcome | None:
        with frame.in_loop():
            return block(frame, node.body)

    outcome = while_loop(frame, test, body, _refusal_of_exits(frame, node))
    return None if outcome is None or outcome.kind == "break" else outcome
