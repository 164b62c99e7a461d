"""Dispatch: syntax nodes and calls are passed to the handlers that registered for their class.

The modules with handlers import this one, so that expressions, statements and calls may use each
other without importing each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import gast

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.kinds_by_data import resolved
from srcad.frontend.abstract.objects import Abstract, Either, Method, describe
from srcad.frontend.abstract.outcomes import Ended, Outcome
from srcad.frontend.abstract.signals import Raising, Signal

Args = tuple[Abstract, ...]
Kwargs = dict[str, Abstract]
Handler = TypeVar("Handler", bound=Callable[..., Any])

_expressions: dict[type, Callable[[Frame, Any], Abstract]] = {}
_statements: dict[type, Callable[..., Outcome | Ended | None]] = {}
_calls: dict[type, Callable[..., Abstract]] = {}
_targets: dict[type, Callable[[Frame, Any, Abstract], None]] = {}


def handles_expression(*kinds: type) -> Callable[[Handler], Handler]:
    """Register a handler `(frame, node) -> abstract value`."""
    return _registering(_expressions, kinds)


def handles_statement(*kinds: type) -> Callable[[Handler], Handler]:
    """Register a handler `(frame, node, rest) -> outcome`; `rest` are the statements after the
    node.

    The handler of an `Outcome` lowers what stands after a statement that leaves on some paths.
    """
    return _registering(_statements, kinds)


def handles_call(*kinds: type) -> Callable[[Handler], Handler]:
    """Register a handler `(frame, callee, args, kwargs, node) -> abstract value`."""
    return _registering(_calls, kinds)


def handles_target(*kinds: type) -> Callable[[Handler], Handler]:
    """Register a handler `(frame, target, x)` of assignments."""
    return _registering(_targets, kinds)


def _registering(table: dict[type, Any], kinds: tuple[type, ...]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        table.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def expression(frame: Frame, node: Any) -> Abstract:
    """The abstract value of an expression; errors without a place are placed here."""
    around, frame.node = frame.node, node
    try:
        handler = _expressions.get(type(node))
        if handler is None:
            raise refusal(node)
        return _met(frame, resolved(frame.session.codes, check_conflict(handler(frame, node))))
    except Signal:
        raise
    except Exception as problem:
        raise frame.placed(problem, node) from problem.__cause__
    finally:
        frame.node = around


def block(frame: Frame, body: list[Any]) -> Outcome | None:
    """Lower statements in order, until one leaves or has lowered the rest itself.

    Where one leaves on some paths, the rest stands in the other paths.
    """
    for position, node in enumerate(body):
        frame.node = node
        frame.session.builder.loc = frame.at(node)
        try:
            handler = _statements.get(type(node))
            if handler is None:
                raise refusal(node)
            rest = body[position + 1 :]
            outcome = handler(frame, node, rest)
            if isinstance(outcome, Outcome) and outcome.kind == "maybe" and rest:
                outcome = _statements[Outcome](frame, outcome, rest)
            if outcome is not None:
                return outcome.outcome if isinstance(outcome, Ended) else outcome
        except Raising:
            return Outcome("raise")
        except Signal:
            raise
        except Exception as problem:
            refused = frame.placed(problem, node)
            told = _statements[SrcadError](frame, refused, body[position:])
            if told is None:
                raise refused from problem.__cause__
            return told if isinstance(told, Outcome) else told.outcome
    return None


def call(
    frame: Frame, callee: Abstract, args: Args, kwargs: Kwargs | None = None, node: Any = None
) -> Abstract:
    """`callee(*args, **kwargs)`."""
    owner = callee.receiver if isinstance(callee, Method) else callee
    depends = any(isinstance(x, Either) for x in (owner, *args, *(kwargs or {}).values()))
    handler = _calls.get(Either if depends else type(callee))
    if handler is None:
        raise error("E120", None, what=describe(callee))
    return handler(frame, callee, args, kwargs or {}, node)


def call_with(frame: Frame, callee: Abstract, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """The same, the arguments passed on as they are."""
    return _calls[type(callee)](frame, callee, args, kwargs, node)


def assign(frame: Frame, target: Any, x: Abstract) -> None:
    """`target = x`."""
    handler = _targets.get(type(target))
    if handler is None:
        raise error("E100", frame.at(target), what=f"assignment to a `{type(target).__name__}`")
    handler(frame, target, _met(frame, x))


def _met(frame: Frame, x: Abstract) -> Abstract:
    """An object from outside that was the key of a dict: what is known of it."""
    keys = frame.session.inputs.keys
    return keys.get(id(x), x) if keys else x


_REFUSED: dict[type, tuple[str, str | None]] = {
    gast.TryStar: ("E103", "an `except*` block"),
    gast.AsyncWith: ("E110", "an `async with` block"),
    gast.AsyncFor: ("E110", "an `async for` loop"),
    gast.AsyncFunctionDef: ("E110", None),
    gast.Await: ("E110", "`await`"),
    gast.Import: ("E106", None),
    gast.ImportFrom: ("E106", None),
    gast.Global: ("E107", "`global {names}`"),
    gast.Nonlocal: ("E108", "`nonlocal {names}`"),
    gast.ClassDef: ("E109", None),
    gast.Yield: ("E111", "`yield`"),
    gast.YieldFrom: ("E111", "`yield from`"),
    gast.Match: ("E112", None),
}


def refusal(node: Any) -> Exception:
    """The error for a node that has no handler."""
    code, what = _REFUSED.get(type(node), ("E100", f"a `{type(node).__name__}`"))
    if what is not None and "{names}" in what:
        what = what.format(names=", ".join(node.names))
    return error(code, None, what=what)
