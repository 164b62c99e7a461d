"""Functions with `yield`, read where something iterates over them: as coroutines, without a stack.

    def pairs(x):                       for a, b in pairs(x):           i = 0
        for i in range(3):                  s = s + a * b               a, b = x[i], x[i + 1]
            yield x[i], x[i + 1]                                ->      s = s + a * b
                                                                        i = 1 ...

What stands in the loop over a generator is lowered at each `yield`, in the frame of the loop: the
generator goes on after it. So what either changes is seen by the other when Python would see it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.dispatch import expression, handles_expression
from srcad.frontend.iterators.over_generators import is_waiting, over_generator
from srcad.frontend.loops.iteration import iterated
from srcad.frontend.loops.loops import for_each

_MADE = "items."  # the name of the list of what is yielded, in a frame of its own


@handles_expression(gast.Yield, gast.YieldFrom)
def _yield(frame: Frame, node: gast.Yield | gast.YieldFrom) -> None:
    if yielded(frame, node) is not None:
        raise error("E111", None, what="leaving a loop over a generator that reads its `yield`")


def yielded(frame: Frame, node: gast.Yield | gast.YieldFrom) -> Outcome | None:
    """Give what is yielded to the loop; the outcome of the generator, which that may leave."""
    if isinstance(node, gast.Yield):
        left = _give(frame, None if node.value is None else expression(frame, node.value))
        return outcome_of((left, left, left), None)

    def iteration(item: Abstract) -> Outcome | None:
        left = _give(frame, item)
        return outcome_of((left, left, False), UNBOUND)

    outcome = for_each(frame, expression(frame, node.value), iteration)
    if outcome is not None and outcome.kind == "raise":
        raise Raising
    left = flags_of(outcome)[1]
    return outcome_of((left, left, left), None)


def _give(frame: Frame, item: Abstract) -> Abstract:
    if frame.take is None:
        raise error("E111", None, what="`yield` here")
    return frame.take(item)


def all_of(
    frame: Frame, x: Abstract, made_of: Callable[[Abstract], Abstract] | None = None
) -> Abstract:
    """`x`, or the list of what it yields if it is a generator; or of what is `made_of` each."""
    x = iterated(frame, x)
    if not is_waiting(x):
        return x
    inner = frame.scope()
    inner.env[_MADE] = ListObj([])

    def body(item: Abstract) -> None:
        made: Any = inner.env[_MADE]
        made.items.append(item if made_of is None else made_of(item))

    over_generator(inner, x, body)
    return inner.env[_MADE]


__all__ = ["all_of", "yielded"]
