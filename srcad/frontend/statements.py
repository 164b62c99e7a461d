"""Statements: each handler reads one kind of gast node; what has no handler is refused by its own code.

A block's *outcome* says how it ends: `None` when control runs off its end, else what leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import gast

from srcad.errors import error
from srcad.frontend import state as st
from srcad.frontend.assign import assign_target, augmented, delete_target
from srcad.frontend.branches import Branching, truth
from srcad.frontend.expressions import expression, test_value
from srcad.frontend.frame import Frame
from srcad.frontend.loops import for_each, while_loop
from srcad.frontend.objects import Abstract, FunctionObj, Raised, Ref
from srcad.ir.nodes import Op, Value
from srcad.runtime.effects import ensure, raise_


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a block is left: by `return value`, an exception, or `break`/`continue` of an unrolled loop."""

    kind: Literal["return", "raise", "break", "continue"]
    value: Abstract = None

    @property
    def goes_on(self) -> bool:
        return self.kind == "continue"


def block(frame: Frame, body: list[Any]) -> Outcome | None:
    """Lower statements in order; stops at the one that leaves."""
    for position, node in enumerate(body):
        with frame.errors_at(node):
            frame.session.builder.loc = frame.at(node)
            if isinstance(node, gast.If):
                outcome, done = _if(frame, node, body[position + 1 :])
                if done or outcome is not None:
                    return outcome
                continue
            handler = _HANDLERS.get(type(node))
            if handler is None:
                raise refusal(node)
            outcome = handler(frame, node)
            if outcome is not None:
                return outcome
    return None


def _expr(frame: Frame, node: gast.Expr) -> None:
    if not isinstance(node.value, gast.Constant):
        expression(frame, node.value)


def _assign(frame: Frame, node: gast.Assign) -> None:
    value = expression(frame, node.value)
    for target in node.targets:
        assign_target(frame, target, value)


def _ann_assign(frame: Frame, node: gast.AnnAssign) -> None:
    if node.value is not None:
        assign_target(frame, node.target, expression(frame, node.value))


def _aug_assign(frame: Frame, node: gast.AugAssign) -> None:
    augmented(frame, node)


def _return(frame: Frame, node: gast.Return) -> Outcome:
    return Outcome("return", None if node.value is None else expression(frame, node.value))


def _pass(frame: Frame, node: Any) -> None:
    pass


def _delete(frame: Frame, node: gast.Delete) -> None:
    for target in node.targets:
        delete_target(frame, target)


def _function(frame: Frame, node: gast.FunctionDef) -> None:
    made: Abstract = make_function(frame, node)
    for decorator in reversed(node.decorator_list):
        from srcad.frontend.calls import call

        made = call(frame, expression(frame, decorator), (made,), {})
    frame.env[node.name] = made


def make_function(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> FunctionObj:
    """The function object of a nested `def` or lambda, its defaults evaluated now."""
    defaults = [expression(frame, d) for d in node.args.defaults]
    kw_defaults = [None if d is None else expression(frame, d) for d in node.args.kw_defaults]
    return FunctionObj(node, frame, defaults, kw_defaults)


def _assert(frame: Frame, node: gast.Assert) -> None:
    cond = truth(frame.session, expression(frame, node.test))
    if cond is True:
        return
    message = () if node.msg is None else (expression(frame, node.msg),)
    _effect(frame, ensure, (cond, *message))


def _effect(frame: Frame, fn: Callable[..., Any], args: tuple[Abstract, ...]) -> None:
    session = frame.session
    session.builder.body.append(Op(fn, session.atom(args), {}, (), session.builder.loc, effect=True))


def _raise(frame: Frame, node: gast.Raise) -> Outcome:
    made = None if node.exc is None else expression(frame, node.exc)
    if isinstance(made, Ref) and isinstance(made.obj, type) and issubclass(made.obj, BaseException):
        made = Raised(made.obj, ())
    if not isinstance(made, Raised):
        raise error("E105", None)
    _effect(frame, raise_, (Ref(made.cls, ""), *made.args))
    return Outcome("raise")


# Branches ----------------------------------------------------------------------------------------


def _if(frame: Frame, node: gast.If, rest: list[Any]) -> tuple[Outcome | None, bool]:
    """Lower an `if`; second result: whether the statements after it were lowered as well.

    Where a branch may return, the rest of the block goes into the paths that do not.
    """
    cond = test_value(frame, node.test)
    if not isinstance(cond, Value):
        return block(frame, node.body if cond else node.orelse), False
    frame.session.builder.loc = frame.at(node.test)
    leaves = [_may_leave(branch) for branch in (node.body, node.orelse)]
    fork = Branching(frame, cond)
    if not any(leaves):
        fork.run(lambda: block(frame, node.body))
        fork.run(lambda: block(frame, node.orelse))
        frame.session.builder.loc = frame.at(node.test)
        fork.join()
        return None, False
    if _always_raises(node.body) and not leaves[1]:
        fork.run(lambda: block(frame, node.body))
        fork.run(lambda: block(frame, node.orelse))
        fork.keep(1)
        return None, False
    first = fork.run(lambda: block(frame, [*node.body, *rest]))
    second = fork.run(lambda: block(frame, [*node.orelse, *rest]))
    frame.session.builder.loc = frame.at(node.test)
    return _join_outcomes(frame, fork, first, second, node), True


def _join_outcomes(
    frame: Frame, fork: Branching, a: Outcome | None, b: Outcome | None, node: Any
) -> Outcome | None:
    for raising, other, which in ((a, b, 1), (b, a, 0)):
        if raising is not None and raising.kind == "raise":
            value = fork.keep(which, None if other is None else other.value)
            return None if other is None else Outcome(other.kind, value)
    kinds = {None if o is None else o.kind for o in (a, b)}
    if len(kinds) > 1 and (frame.loop_depth or kinds != {None, "return"}):
        code, what = ("E114", "`return`") if "return" in kinds else ("E113", "`break` or `continue`")
        raise error(code, frame.at(node), what=f"{what} under a run-time condition")
    values = tuple(None if o is None else o.value for o in (a, b))
    try:
        (value,) = fork.join(values)
    except st.Mismatch:
        raise error("E129", frame.at(node), what="the returned value") from None
    return None if kinds == {None} else Outcome("return", value)


def _may_leave(body: list[Any]) -> bool:
    """Whether some path through `body` may leave it (nested functions and inner loops' exits aside)."""
    for node in body:
        if isinstance(node, gast.Return | gast.Raise | gast.Break | gast.Continue):
            return True
        if isinstance(node, gast.If | gast.With) and _may_leave(
            [*node.body, *getattr(node, "orelse", [])]
        ):
            return True
        if isinstance(node, gast.For | gast.While) and _has(node.body, gast.Return):
            return True
    return False


def _has(body: list[Any], *kinds: type) -> bool:
    """Whether `body` has a node of these kinds outside nested functions."""
    for node in body:
        if isinstance(node, kinds):
            return True
        if isinstance(node, gast.FunctionDef | gast.Lambda):
            continue
        if _has(list(gast.iter_child_nodes(node)), *kinds):
            return True
    return False


def _always_raises(body: list[Any]) -> bool:
    return bool(body) and isinstance(body[-1], gast.Raise)


# Loops -------------------------------------------------------------------------------------------


def _exits(body: list[Any], *kinds: type) -> bool:
    """Whether `break` or `continue` of this loop stands in its body."""
    for node in body:
        if isinstance(node, kinds or (gast.Break, gast.Continue)):
            return True
        if isinstance(node, gast.If | gast.With):
            if _exits([*node.body, *getattr(node, "orelse", [])], *kinds):
                return True
    return False


def _for(frame: Frame, node: gast.For) -> Outcome | None:
    exits = _exits(node.body) or _has(node.body, gast.Return)
    iterable = expression(frame, node.iter)
    name = node.target.id if isinstance(node.target, gast.Name) else ""
    left: list[Outcome] = []

    def body(item: Abstract) -> Outcome | None:
        frame.session.builder.loc = frame.at(node)
        assign_target(frame, node.target, item)
        with frame.in_loop():
            outcome = block(frame, node.body)
        if outcome is not None:
            left.append(outcome)
        return outcome

    outcome = for_each(frame, iterable, body, exits, name or "i")
    unrolled = outcome is not None or not exits
    if not unrolled and left:
        _refuse_exit(frame, node, left[0])
    if node.orelse and (outcome is None or outcome.kind != "break"):
        if exits and outcome is None and left:
            raise error("E115", frame.at(node.orelse[0]))
        return block(frame, node.orelse)
    return outcome if outcome is not None and outcome.kind in ("return", "raise") else None


def _refuse_exit(frame: Frame, node: Any, outcome: Outcome) -> None:
    code = "E114" if outcome.kind == "return" else "E113"
    wanted = {"return": gast.Return, "break": gast.Break, "continue": gast.Continue}
    kind = wanted.get(outcome.kind, gast.Raise)
    place = next((n for n in gast.walk(node) if isinstance(n, kind)), node)
    raise error(code, frame.at(place), what=f"`{outcome.kind}`")


def _while(frame: Frame, node: gast.While) -> Outcome | None:
    if node.orelse:
        raise error("E115", frame.at(node.orelse[0]))
    for kind, code in ((gast.Return, "E114"), (gast.Break, "E113"), (gast.Continue, "E113")):
        found = _has(node.body, kind) if kind is gast.Return else _exits(node.body, kind)
        if found:
            place = next(n for n in gast.walk(node) if isinstance(n, kind))
            raise error(code, frame.at(place), what=f"`{kind.__name__.lower()}`")
    if isinstance(node.test, gast.Constant) and not node.test.value:
        return None

    def body() -> None:
        with frame.in_loop():
            outcome = block(frame, node.body)
        if outcome is not None:
            _refuse_exit(frame, node, outcome)

    while_loop(frame, lambda: test_value(frame, node.test), body)
    return None


def _break(frame: Frame, node: Any) -> Outcome:
    return Outcome("break")


def _continue(frame: Frame, node: Any) -> Outcome:
    return Outcome("continue")


# Refusals ----------------------------------------------------------------------------------------

_REFUSED: dict[type, tuple[str, str | None]] = {
    gast.Try: ("E103", None),
    gast.With: ("E104", None),
    gast.AsyncWith: ("E110", "an `async with` block"),
    gast.AsyncFor: ("E110", "an `async for` loop"),
    gast.AsyncFunctionDef: ("E110", None),
    gast.Import: ("E106", None),
    gast.ImportFrom: ("E106", None),
    gast.Global: ("E107", "`global {names}`"),
    gast.Nonlocal: ("E108", "`nonlocal {names}`"),
    gast.ClassDef: ("E109", None),
    gast.Match: ("E112", None),
}


def refusal(node: Any) -> Exception:
    """The error for a node that has no handler."""
    code, what = _REFUSED.get(type(node), ("E100", f"a `{type(node).__name__}`"))
    if what is not None and "{names}" in what:
        what = what.format(names=", ".join(node.names))
    return error(code, None, what=what)


_HANDLERS: dict[type, Callable[[Frame, Any], Outcome | None]] = {
    gast.Expr: _expr,
    gast.Assign: _assign,
    gast.AnnAssign: _ann_assign,
    gast.AugAssign: _aug_assign,
    gast.Return: _return,
    gast.Pass: _pass,
    gast.Delete: _delete,
    gast.FunctionDef: _function,
    gast.Assert: _assert,
    gast.Raise: _raise,
    gast.For: _for,
    gast.While: _while,
    gast.Break: _break,
    gast.Continue: _continue,
}
