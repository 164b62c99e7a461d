"""Nodes of a tree that are made while it is lowered: they stand among those of the source.

gast.If(Computed(lambda frame: ok, node), then, orelse)      a branch on a value that lowering has
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.outcomes import Ended
from srcad.frontend.dispatch import block, handles_expression, handles_statement

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Computed(gast.AST):  # type: ignore[misc]  # gast is untyped
    """An expression made while lowering: `of(frame)` gives its value."""

    _fields = ()
    _attributes = _PLACE

    def __init__(self, of: Callable[[Frame], Abstract], place: Any) -> None:
        super().__init__()
        self.of = of
        gast.copy_location(self, place)


class Entering(gast.AST):  # type: ignore[misc]  # gast is untyped
    """A statement made while lowering: `run(frame)`."""

    _fields = ()
    _attributes = _PLACE

    def __init__(self, run: Callable[[Frame], None], place: Any) -> None:
        super().__init__()
        self.run = run
        gast.copy_location(self, place)


class Expanding(gast.AST):  # type: ignore[misc]  # gast is untyped
    """A statement made while lowering: `into(frame)` gives what stands in its place."""

    _fields = ()
    _attributes = _PLACE

    def __init__(self, into: Callable[[Frame], list[Any]], place: Any) -> None:
        super().__init__()
        self.into = into
        gast.copy_location(self, place)


@handles_expression(Computed)
def _computed(frame: Frame, node: Computed) -> Abstract:
    return node.of(frame)


@handles_statement(Entering)
def _entering(frame: Frame, node: Entering, rest: list[Any]) -> None:
    node.run(frame)


@handles_statement(Expanding)
def _expanding(frame: Frame, node: Expanding, rest: list[Any]) -> Ended:
    return Ended(block(frame, [*node.into(frame), *rest]))
