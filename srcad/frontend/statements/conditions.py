"""Conditions: what decides where an expression is tested.

if xs and ys:                   gt(len(xs), 0), then gt(len(ys), 0): neither list is a result
while not best or f(best) > 1:
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gast

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import expression
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Value


def condition(frame: Frame, node: Any) -> Abstract:
    """What decides where `node` is tested: of `a and b` the truth of each part, not what the parts
    are.
    """
    if not isinstance(node, gast.BoolOp):
        return truth(frame, expression(frame, node))
    first, *rest = (partial(condition, frame, part) for part in node.values)
    return _decided(frame, isinstance(node.op, gast.And), first(), rest)


def _decided(
    frame: Frame, is_and: bool, known: Abstract, rest: Sequence[Callable[[], Abstract]]
) -> Abstract:
    if not rest:
        return known

    def go_on() -> Abstract:
        return _decided(frame, is_and, rest[0](), rest[1:])

    if not isinstance(known, Value):
        return go_on() if known is is_and else known

    def stop() -> Abstract:
        return known

    return choose(frame, known, *((go_on, stop) if is_and else (stop, go_on)))


__all__ = ["condition"]
