"""`finally`: it stands before each statement that leaves a `try`.

    try:                          try:
        y = f(x)                      y = f(x)
    except ValueError:     ->     except ValueError:
        return 0.0                    n = n + 1; return 0.0
    finally:                      n = n + 1
        n = n + 1

Where it does more than bind names, a handler of every exception runs it and raises that again.
Where the `try` is left out of another `try` or `with`, which has a `finally` or an `__exit__` to
run first, it stands behind the whole.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import expression
from srcad.frontend.exceptions.made_nodes import Computed, Entering

_PURE_MODULES = ("np", "numpy", "math")


class Whole(gast.Try):  # type: ignore[misc]  # gast is untyped
    """A `try` whose `finally` stands behind it, however it was left."""


def with_final(frame: Frame, node: gast.Try) -> gast.Try:
    """The `try` without its `finally`, which stands before each statement that leaves it; around
    it, a handler where an exception must run it too.
    """
    final = node.finalbody
    for each in final:
        for inner in gast.walk(each):
            if isinstance(inner, gast.Return | gast.Break | gast.Continue):
                word = type(inner).__name__.lower()
                raise error("E103", frame.at(inner), what=f"`{word}` in `finally`")
    # What it binds is read after the exception; a global may be.
    is_caught = frame.session.protected > 0 or bool(frame.session.globals.env)
    if is_caught or any(may_be_seen(each) for each in final):
        inner = gast.copy_location(gast.Try(node.body, node.handlers, node.orelse, []), node)
        again = gast.copy_location(gast.Raise(None, None), final[-1])
        every = gast.copy_location(gast.ExceptHandler(None, None, [*final, again]), final[0])
        body = [inner] if node.handlers else node.body
        return gast.copy_location(gast.Try(body, [every], [], []), node)
    if _leaves_another(node):  # elsewhere, `break` and `return` stay where they stand in the text
        inner = gast.copy_location(gast.Try(node.body, node.handlers, node.orelse, []), node)
        body = [inner] if node.handlers else [*node.body, *node.orelse]
        return gast.copy_location(Whole(body, [], [], []), node)
    leaving = _Leaving(final)
    handlers = []
    for handler in node.handlers:
        new = copy.copy(handler)
        new.body = leaving.over(handler.body)
        handlers.append(new)
    body = node.body if handlers else leaving.over(node.body)
    return gast.copy_location(gast.Try(body, handlers, leaving.over(node.orelse), []), node)


def _leaves_another(node: gast.Try) -> bool:
    """Whether a `try` or `with` inside has statements that may leave both."""
    inside = [each for each in gast.walk(node) if isinstance(each, gast.Try | gast.With)]
    statements = (each for other in inside if other is not node for each in gast.walk(other))
    return any(isinstance(each, gast.Return | gast.Break | gast.Continue) for each in statements)


def may_be_seen(stmt: Any) -> bool:
    """Whether a statement may do more than bind names."""
    for node in gast.walk(stmt):
        if isinstance(node, gast.Assert | gast.Raise):
            return True
        if isinstance(node, gast.Call):
            fn = node.func
            owner = fn.value if isinstance(fn, gast.Attribute) else None
            if not (isinstance(owner, gast.Name) and owner.id in _PURE_MODULES):
                return True
    return False


class _Leaving:
    """Puts `final` before the statements that leave a block."""

    def __init__(self, final: list[Any]) -> None:
        self.final = final

    def over(self, body: list[Any], in_loop: bool = False) -> list[Any]:
        """The statements of `body`, those that leave it after `final`."""
        return [new for stmt in body for new in self.statement(stmt, in_loop)]

    def statement(self, stmt: Any, in_loop: bool) -> list[Any]:
        """One statement; `in_loop`: its `break` and `continue` stay inside."""
        if isinstance(stmt, gast.FunctionDef | Entering):
            return [stmt]
        if isinstance(stmt, gast.Return):
            kept: dict[str, Abstract] = {}

            def keep(frame: Frame, value: Any = stmt.value) -> None:
                kept["value"] = None if value is None else expression(frame, value)

            back = gast.Return(Computed(lambda frame: kept["value"], stmt))
            return [Entering(keep, stmt), *self.final, gast.copy_location(back, stmt)]
        if isinstance(stmt, gast.Break | gast.Continue) and not in_loop:
            return [*self.final, stmt]
        new = copy.copy(stmt)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(stmt, name, None), list):
                loops = isinstance(stmt, gast.For | gast.While) and name == "body"
                setattr(new, name, self.over(getattr(stmt, name), in_loop or loops))
        if isinstance(stmt, gast.Try):
            new.handlers = [copy.copy(h) for h in stmt.handlers]
            for handler in new.handlers:
                handler.body = self.over(handler.body, in_loop)
        return [new]
