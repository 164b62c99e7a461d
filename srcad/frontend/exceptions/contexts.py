"""`with`: managers that leave values alone are kept around the statements inside.

    with np.errstate(divide="ignore"):       y' = If(Context(np.errstate, ...), [y = 1 / x], [])
        y = 1 / x

`contextlib.nullcontext` leaves nothing in the program, `contextlib.suppress` is a `try`. A manager
of the user's is run as it is if it is declared to be without derivative.
"""

from __future__ import annotations

import contextlib
import inspect
import textwrap
import warnings
from collections.abc import Hashable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.outcomes import Ended, Outcome
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.dispatch import (
    assign,
    block,
    expression,
    handles_statement,
)
from srcad.frontend.exceptions.attempts import of_try
from srcad.frontend.exceptions.divided import Division, Within, within
from srcad.frontend.exceptions.made_nodes import Computed
from srcad.frontend.exceptions.managers import (
    enter,
    made_by_generator,
    makes_generator,
    yield_within,
)
from srcad.frontend.exceptions.protected import Region
from srcad.interrupts import raise_users_own
from srcad.ir.regions import Context
from srcad.rules import RULES
from srcad.rules.core.declaration.registration import of_users


def _filter_warnings(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> None:
    frame.session.effect(warnings.filterwarnings, *args, **kwargs)


def _simple_filter(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> None:
    frame.session.effect(warnings.simplefilter, *args, **kwargs)


BUILTINS.update({warnings.filterwarnings: _filter_warnings, warnings.simplefilter: _simple_filter})
BUILTINS[contextlib.contextmanager] = made_by_generator

KEPT = (np.errstate, np.printoptions, warnings.catch_warnings)


@handles_statement(gast.With)
def _with(frame: Frame, node: gast.With, rest: list[Any]) -> Outcome | Ended | None:
    """Lower a `with`, one manager after the other."""
    return _managed(frame, node, rest, None)


@handles_statement(Within)
def _within(frame: Frame, within: Within, rest: list[Any]) -> Outcome | Ended | None:
    """Lower a `try` or `with` in a body that is divided."""
    if isinstance(within.node, gast.Expr):
        return yield_within(frame, within.node, within.division, rest)
    if isinstance(within.node, gast.Try):
        return Ended(block(frame, [*of_try(frame, within.node, within.division), *rest]))
    return _managed(frame, within.node, rest, within.division)


def _managed(
    frame: Frame, node: gast.With, rest: list[Any], around: Division | None
) -> Outcome | Ended | None:
    first, *others = node.items
    if others:
        inner = gast.copy_location(gast.With(others, node.body, None), node)
        node = gast.copy_location(gast.With([first], [inner], None), node)
    call_ = first.context_expr
    made = expression(frame, call_.func) if isinstance(call_, gast.Call) else None
    fn = made.obj if isinstance(made, Ref) else None
    if fn is contextlib.suppress:
        attempt = _suppressed(node, call_, node.body)
        return Ended(block(frame, [*of_try(frame, attempt, around), *rest]))
    if fn is contextlib.nullcontext:
        args, _ = _arguments(frame, call_)
        if first.optional_vars is not None:
            assign(frame, first.optional_vars, args[0] if args else None)
        return Ended(block(frame, [*within(node.body, around), *rest]))
    if fn is contextlib.ExitStack:
        fix = "write its managers in the `with` itself: `with a() as x, b() as y:`"
        raise error("E104", frame.at(call_), what="`with ExitStack()`", fix=fix)
    if any(fn is each for each in KEPT) or _is_declared(fn):
        return _kept(frame, fn, node, around)
    if made is not None:  # it is evaluated once
        found = Computed(lambda frame: made, call_.func)
        call_ = gast.copy_location(gast.Call(found, call_.args, call_.keywords), call_)
    return enter(frame, call_, node, rest, around, is_generator=makes_generator(made))


def _is_declared(fn: Any) -> bool:
    """Whether a manager of the user's is declared to have no derivative."""
    return isinstance(fn, Hashable) and fn in of_users and RULES[fn].kind in ("zero", "nondiff")


def _kept(frame: Frame, manager: Any, node: gast.With, around: Division | None) -> Outcome | None:
    """A manager that is run as it is, around the statements inside."""
    (item,) = node.items
    if _is_declared(manager) and may_swallow(manager):
        what = f"`with {manager.__name__}(...)`, which may swallow exceptions,"
        fix = f"leave out `srcad.rules.nondiff({manager.__name__})`: its source is read then"
        raise error("E104", frame.at(item.context_expr), what=what, fix=fix)
    args, kwargs = _arguments(frame, item.context_expr)
    if item.optional_vars is not None:
        name = gast.unparse(item.optional_vars).strip()
        raise error("E104", frame.at(item.optional_vars), what=f"`as {name}` of a `with` block")
    context = Context(manager, frame.session.atom(args), frame.session.atom(kwargs))
    region = Region(frame)
    outcome = region.body(lambda: block(frame, within(node.body, around)))
    if outcome is not None and outcome.kind == "raise":
        region.leave(context, None, [])
        return outcome
    return region.leave(context, outcome, [])


def may_swallow(manager: Any) -> bool:
    """Whether the source of a manager, or its absence, leaves room for exceptions to get lost."""
    is_class = isinstance(manager, type)
    run: Any = getattr(manager, "__exit__" if is_class else "__wrapped__", None)
    try:
        tree = gast.parse(textwrap.dedent(inspect.getsource(run)))
    except (OSError, TypeError, SyntaxError) as problem:
        raise_users_own(problem)
        return True
    if is_class:
        returned = [n.value for n in gast.walk(tree) if isinstance(n, gast.Return) and n.value]
        return not all(isinstance(v, gast.Constant) and not v.value for v in returned)
    tries = [n for n in gast.walk(tree) if isinstance(n, gast.Try)]
    returns = any(
        isinstance(n, gast.Return) for t in tries for s in t.finalbody for n in gast.walk(s)
    )
    return returns or any(
        t.handlers and any(isinstance(n, gast.Yield) for s in t.body for n in gast.walk(s))
        for t in tries
    )


def _arguments(frame: Frame, call: Any) -> tuple[tuple[Abstract, ...], dict[str, Abstract]]:
    if any(k.arg is None for k in call.keywords) or any(
        isinstance(arg, gast.Starred) for arg in call.args
    ):
        raise error("E104", frame.at(call), what="`*` in the arguments of a manager")
    args = tuple(expression(frame, arg) for arg in call.args)
    return args, {k.arg: expression(frame, k.value) for k in call.keywords}


def _suppressed(node: gast.With, call: gast.Call, body: list[Any]) -> Any:
    """`try: body`, `except (...): pass`."""
    pass_ = gast.copy_location(gast.Pass(), node)
    classes = gast.copy_location(gast.Tuple(call.args, gast.Load()), call)
    handler = gast.copy_location(gast.ExceptHandler(classes, None, [pass_]), node)
    return gast.copy_location(gast.Try(body, [handler], [], []), node)
