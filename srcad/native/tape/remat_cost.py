"""Cost model of rematerialisation: running a loop again, or loading its results from memory.

    for j in range(1, m - 1):
        tape[i, k, j] = x[j]                    2 steps
        y[j] = (x[j - 1] + x[j + 1]) / h        5 steps, one of them for 8

In the prices of `srcad.analysis.cost`. A division takes more than other arithmetic, and so does all
that an iteration has to wait for from the iteration before. Loops with functions are not cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad.analysis.cost import SAVED, WAITED
from srcad.ir import For, Function, If, Op, Stmt
from srcad.ir.walk import statements
from srcad.native.loops.accesses import Places
from srcad.native.loops.dependence import Iterations
from srcad.native.scalarize.handlers.running_folds import folds_of
from srcad.native.threads.work_estimate import (
    Extents,
    Sum,
    Work,
    divides,
    leading,
    plus,
    steps,
    times,
)
from srcad.ops import row_of


class _NotSimple(Exception):  # noqa: N818 - a statement has no price
    """Something takes longer than arithmetic, or it is not known how long."""


def is_cheap(
    fn: Function, loops: Sequence[For], saved: Sequence[Sequence[Any]], places: Places
) -> bool:
    """Whether the iterations of the last of nested loops compute little for what they save.

    Args:
        saved: the extents of the arrays that these loops write, the loops' own first.
    """
    effort = _Effort(Extents(fn), places)
    try:
        work = effort.of(loops[-1].body, loops)
    except _NotSimple:
        return False
    stored: Sum = {}
    for extents in saved:
        stored = plus(stored, effort.extents.product(extents[len(loops) :]))
    stored = leading(stored)
    return all(
        n <= SAVED * stored[key] if key in stored else any(divides(key, other) for other in stored)
        for key, n in leading(work).items()
    )


class _Effort(Work):
    def __init__(self, extents: Extents, places: Places) -> None:
        super().__init__(extents)
        self.places = places

    def statement(self, stmt: Stmt, around: Sequence[For]) -> Sum:
        match stmt:
            case Op():
                each = WAITED if row_of(stmt.fn).raises == "division" else steps(stmt)
                if each <= WAITED:
                    return {(): each}
            case For():
                work = super().statement(stmt, around)
                is_innermost = not any(isinstance(each, For) for each in statements(stmt.body))
                return times(work, {(): WAITED}) if is_innermost and self.waits(stmt) else work
            case If() if stmt.is_branch:
                return super().statement(stmt, around)
        raise _NotSimple

    def waits(self, loop: For) -> bool:
        """Whether an iteration waits for what the iteration before computes."""
        done, between = self.places.within(*loop.body.body), Iterations(loop, self.places.forms)
        if None in folds_of(loop):
            return True
        return any(not between.are_apart(memory, done) for memory in done.written)
