"""Generators that are asked for one item after the other: `next(g)`, `zip(g, xs)`, `a, b = g`.

    def powers(x):             g = powers(x)         p = 1.0
        p = 1.0                a = next(g)           a = p
        while True:            b = next(g)     ->    p = mul(p, x)
            yield p                                  b = p
            p = p * x

The body is lowered up to the next `yield` each time. Which one that is must be known while
compiling: tests and ranges around a `yield` become constants.
"""

from __future__ import annotations

from collections.abc import Generator
from collections.abc import Iterator as Items
from contextlib import contextmanager
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.dispatch import assign, block, expression
from srcad.frontend.loops.iteration import MAX_UNROLL, listed
from srcad.frontend.reading.binding import yields
from srcad.frontend.statements.truth import truth

_WHAT = "what decides which `yield` of a generator is next,"


def stepped(frame: Frame, node: gast.FunctionDef, identity: Any) -> Items[Abstract]:
    """What the generator yields, whose body is `node`, lowered in `frame` as far as it is asked."""
    frame.share()
    steps = _Steps(frame, identity)
    yield from steps.body(node.body)


_Stepping = Generator[Abstract, None, str | None]


class _Steps:
    """A generator's body on its way; each method yields, and returns how the statement left."""

    def __init__(self, frame: Frame, identity: Any) -> None:
        self.frame = frame
        self.identity = identity

    def body(self, statements: list[Any]) -> _Stepping:
        """Statements in order."""
        for each in statements:
            left = yield from self.statement(each)
            if left is not None:
                return left
        return None

    def statement(self, node: Any) -> _Stepping:
        """One statement; one without a `yield` inside is lowered as a whole."""
        if not any(True for _ in yields(gast.If(None, [node], []))):
            return self.plain(node)
        match node:
            case gast.Expr(value=gast.Yield() as given):
                yield self.value(given.value)
            case gast.Expr(value=gast.YieldFrom() as given):
                yield from self.items(given.value)
            case gast.For():
                return (yield from self.loop(node, self.items(node.iter)))
            case gast.While():
                return (yield from self.loop(node, self.iterations(node)))
            case gast.If():
                return (yield from self.body(node.body if self.known(node) else node.orelse))
            case _:
                kind = type(node).__name__.lower()
                what = f"a generator with `yield` in a statement of kind `{kind}`, used like this,"
                raise error("E111", self.frame.at(node), what=what)
        return None

    def plain(self, node: Any) -> str | None:
        """A statement without `yield`: how it leaves the block around."""
        with self.inside(node):
            outcome = block(self.frame, [node])
        if outcome is None:
            return None
        if outcome.kind == "raise":
            raise Raising
        if outcome.kind == "maybe":
            what = "a generator that ends or goes on by data, used like this,"
            raise error("E111", self.frame.at(node), what=what)
        return outcome.kind

    def loop(self, node: Any, items: Items[Any]) -> _Stepping:
        """Iteration after iteration."""
        for item in items:
            if isinstance(node, gast.For):
                with self.inside(node):
                    assign(self.frame, node.target, item)
            with self.frame.in_loop():
                left = yield from self.body(node.body)
            if left == "break":
                return None
            if left == "return":
                return left
        return (yield from self.body(node.orelse))

    def iterations(self, node: gast.While) -> Items[None]:
        """An iteration for each time that the test holds."""
        for _ in range(MAX_UNROLL):
            if not self.known(node):
                return
            yield None
        raise error("E119", self.frame.at(node), what="a generator without end")

    def items(self, node: Any) -> Items[Abstract]:
        """The items of an iterable, each made when it is asked for."""
        with self.inside(node):
            items = listed(self.frame, expression(self.frame, node), "a loop")
        while True:
            with self.inside(node):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    def value(self, node: Any) -> Abstract:
        """What is yielded."""
        if node is None:
            return None
        with self.inside(node):
            return expression(self.frame, node)

    def known(self, node: gast.If | gast.While) -> bool:
        """The test of a statement, as a constant."""
        with self.inside(node.test):
            test = truth(self.frame, expression(self.frame, node.test))
            return bool(self.frame.session.static(test, _WHAT))

    @contextmanager
    def inside(self, node: Any) -> Items[None]:
        """While a part of the body is lowered, its frame is the innermost one."""
        session = self.frame.session
        loc = session.builder.loc
        session.active_calls.append(self.identity)
        session.frames.append(self.frame)
        session.builder.loc = self.frame.at(node)
        try:
            with errors_at(self.frame, node), session.stopping("generator"):
                yield
        finally:
            session.active_calls.pop()
            session.frames.pop()
            session.builder.loc = loc


__all__ = ["stepped"]
