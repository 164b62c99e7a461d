"""Cost model of rematerialisation: running a loop again, or loading its results from memory.

    for j in range(1, m - 1):
        tape[i, k, j] = x[j]                    2 steps
        y[j] = (x[j - 1] + x[j + 1]) / h        5 steps, one of them for 8

A number that is written to memory and read back takes 2.5 cycles, measured; so many do 50 steps of
loops over arrays that stay in the cache, where four are done at a time. A division takes more, and
so does all that an iteration has to wait for from the iteration before. Loops with functions are
not cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad.ir import Block, For, Function, If, Op
from srcad.ir.walk import statements
from srcad.native.loops.accesses import Places
from srcad.native.loops.dependence import Iterations
from srcad.native.scalarize.handlers.running_folds import folds_of
from srcad.native.threads.work_estimate import (
    Extents,
    Sum,
    cost,
    divides,
    larger,
    leading,
    plus,
    times,
)
from srcad.ops import row_of

_MOST = 40  # steps for a number on the tape
_SLOW = 8  # steps of a division, and of each step that waits for another


def is_cheap(
    fn: Function, loops: Sequence[For], saved: Sequence[Sequence[Any]], places: Places
) -> bool:
    """Whether the iterations of the last of nested loops compute little for what they save.

    Args:
        saved: the extents of the arrays that these loops write, the loops' own first.
    """
    effort = _Effort(Extents(fn), places)
    work = effort.of(loops[-1].body, loops)
    stored: Sum = {}
    for extents in saved:
        stored = plus(stored, effort.extents.product(extents[len(loops) :]))
    stored = leading(stored)
    return work is not None and all(
        n <= _MOST * stored[key] if key in stored else any(divides(key, other) for other in stored)
        for key, n in leading(work).items()
    )


class _Effort:
    def __init__(self, extents: Extents, places: Places) -> None:
        self.extents, self.places = extents, places

    def of(self, block: Block, around: Sequence[For]) -> Sum | None:
        """The steps of a block; None if they are not simple."""
        total: Sum = {}
        for stmt in block.body:
            found: Sum | None = None
            match stmt:
                case Op():
                    steps = _SLOW if row_of(stmt.fn).raises == "division" else cost(stmt)
                    found = {(): steps} if steps <= _SLOW else None
                case If() if stmt.is_branch:
                    then, orelse = self.of(stmt.then, around), self.of(stmt.orelse, around)
                    found = None if then is None or orelse is None else larger(then, orelse)
                case For():
                    found = self.loop(stmt, around)
            if found is None:
                return None
            total = plus(total, found)
        return total

    def loop(self, loop: For, around: Sequence[For]) -> Sum | None:
        """The steps of all iterations of a loop."""
        inside = self.of(loop.body, (*around, loop))
        if inside is None:
            return None
        iterations = times(self.extents.iterations(loop, around), inside)
        is_innermost = not any(isinstance(stmt, For) for stmt in statements(loop.body))
        return times(iterations, {(): _SLOW}) if is_innermost and self.waits(loop) else iterations

    def waits(self, loop: For) -> bool:
        """Whether an iteration waits for what the iteration before computes."""
        done, between = self.places.within(*loop.body.body), Iterations(loop, self.places.forms)
        if None in folds_of(loop):
            return True
        return any(not between.are_apart(memory, done) for memory in done.written)
