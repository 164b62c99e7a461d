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
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.outcomes import Ended, Outcome
from srcad.frontend.calls.builtin_calls import BUILTINS
from srcad.frontend.dispatch import (
    assign,
    block,
    expression,
    handles_statement,
)
from srcad.frontend.statements.protected import Region
from srcad.interrupts import raise_users_own
from srcad.ir.regions import Context
from srcad.rules import RULES
from srcad.rules.core.registry import of_users


def _filter_warnings(frame: Frame, *args: Abstract, **kwargs: Abstract) -> None:
    frame.session.effect(warnings.filterwarnings, *args, **kwargs)


def _simple_filter(frame: Frame, *args: Abstract, **kwargs: Abstract) -> None:
    frame.session.effect(warnings.simplefilter, *args, **kwargs)


BUILTINS.update({warnings.filterwarnings: _filter_warnings, warnings.simplefilter: _simple_filter})

KEPT = (np.errstate, np.printoptions, warnings.catch_warnings)


@handles_statement(gast.With)
def _with(frame: Frame, node: gast.With, rest: list[Any]) -> Outcome | Ended | None:
    """Lower a `with`, one manager after the other."""
    first, *others = node.items
    body = node.body
    if others:
        body = [gast.copy_location(gast.With(others, node.body, None), node)]
    call = first.context_expr
    manager = _manager(frame, call)
    if manager is contextlib.suppress:
        return Ended(block(frame, [_suppressed(node, call, body), *rest]))
    args, kwargs = _arguments(frame, call)
    if manager is contextlib.nullcontext:
        if first.optional_vars is not None:
            assign(frame, first.optional_vars, args[0] if args else None)
        return Ended(block(frame, [*body, *rest]))
    if first.optional_vars is not None:
        name = gast.unparse(first.optional_vars).strip()
        raise error("E104", frame.at(first.optional_vars), what=f"`as {name}` of a `with` block")
    context = Context(manager, frame.session.atom(args), frame.session.atom(kwargs))
    region = Region(frame)
    outcome = region.body(lambda: block(frame, body))
    if outcome is not None and outcome.kind == "raise":
        region.leave(context, None, [])
        return outcome
    return region.leave(context, outcome, [])


def _manager(frame: Frame, call: Any) -> Any:
    """The class or function that is called to make the manager."""
    made = expression(frame, call.func) if isinstance(call, gast.Call) else None
    if not isinstance(made, Ref):
        raise error("E104", frame.at(call))
    fn = made.obj
    known = (*KEPT, contextlib.suppress, contextlib.nullcontext)
    if any(fn is each for each in known):
        return fn
    name = getattr(fn, "__name__", "manager")
    if fn in of_users and RULES[fn].kind in ("zero", "nondiff"):
        if may_swallow(fn):
            what = f"`with {name}(...)`, which may swallow exceptions,"
            raise error("E104", frame.at(call), what=what)
        return fn
    fix = f"declare `srcad.rules.nondiff({name})` if it leaves arrays alone, or move the `with` out"
    raise error("E104", frame.at(call), what=f"`with {name}(...)`", fix=fix)


def may_swallow(manager: Any) -> bool:
    """Whether the source of a manager, or its absence, leaves room for exceptions to get lost."""
    is_class = isinstance(manager, type)
    run = getattr(manager, "__exit__" if is_class else "__wrapped__", None)
    try:
        tree = gast.parse(textwrap.dedent(inspect.getsource(run)))  # type: ignore[arg-type]
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
