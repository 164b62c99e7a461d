"""Functions with `yield`, read where something iterates over them: as coroutines, without a stack.

    def pairs(x):                       for a, b in pairs(x):           i = 0
        for i in range(3):                  s = s + a * b               a, b = x[i], x[i + 1]
            yield x[i], x[i + 1]                                ->      s = s + a * b
                                                                        i = 1 ...

What stands in the loop over a generator is lowered at each `yield`, in the frame of the loop: the
generator goes on behind it. So what either changes is seen by the other when Python would see it.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.closures import Suspended
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, ListObj
from srcad.frontend.dispatch import expression, handles_expression
from srcad.frontend.statements.iteration import iterated
from srcad.frontend.statements.loops import for_each, over_generator

_MADE = "items."  # the name of the list of what is yielded, in a frame of its own


@handles_expression(gast.Yield)
def _yield(frame: Frame, node: gast.Yield) -> None:
    _give(frame, None if node.value is None else expression(frame, node.value))


@handles_expression(gast.YieldFrom)
def _yield_from(frame: Frame, node: gast.YieldFrom) -> None:
    for_each(frame, expression(frame, node.value), lambda item: _give(frame, item))


def _give(frame: Frame, item: Abstract) -> None:
    if frame.take is None:
        raise error("E111", None, what="`yield` here")
    frame.take(item)


def all_of(frame: Frame, x: Abstract) -> Abstract:
    """`x`, or the list of what it yields if it is a generator."""
    x = iterated(frame, x)
    if not isinstance(x, Suspended):
        return x
    inner = frame.scope()
    inner.env[_MADE] = ListObj([])

    def body(item: Abstract) -> None:
        made: Any = inner.env[_MADE]
        made.items.append(item)

    over_generator(inner, x, body)
    return inner.env[_MADE]


__all__ = ["all_of"]
