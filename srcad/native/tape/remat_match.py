"""Matches inner loops that the reverse sweep can run again for each outer iteration.

    for i in range(steps):                              outer
        for k in range(sweeps):                         inner
            for j in range(m): tape[i, k, j] = x[j]         tape
            for j in range(m): x[j] = x[j] * b[j]           x: state   b: source
        for j in range(m): b[j] = x[j]
    for i in range(steps - 1, -1, -1):                  reverse
        ... tape[i, k, j] ...

Each iteration of the inner loop has to follow from what is there when the loop starts and can be
saved: arrays no larger than what one of its iterations puts on the tape, and numbers that follow
from the function's. What is on the tape is written by this loop alone, each iteration at its own
place, and is read in the same iteration of the outer loop or in that iteration's reverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from srcad.ir import For, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.walk import values_in
from srcad.native.helpers import count_iterations
from srcad.native.loops.accesses import Accesses
from srcad.native.tape.remat_cost import is_cheap
from srcad.native.tape.remat_live_in import Starts, is_plain
from srcad.native.threads.parallel_loops import Splitter
from srcad.native.threads.privatization import is_written_first


@dataclass(frozen=True)
class Rows:
    """Which row of a tape belongs to an iteration of the `outer` loop and of its `reverse`. There
    are `number`, or none if that is negative; whether it may be, the tape tells.
    """

    outer: For
    reverse: For
    iteration: Affine
    back: Affine
    number: Affine
    is_told: bool


@dataclass(frozen=True)
class Repeatable:
    """A loop inside a loop, and its tapes.

    What it writes is its `state`, `scratch` that is written before it is read, or `unread`;
    `sources` are what it reads and others write later. For state and sources, the tape that has
    what the loop starts from, if there is one. `numbers` are computed for it in each iteration of
    the outer loop.
    """

    rows: Rows
    inner: For
    tapes: list[Value]
    state: dict[Value, Value | None]
    sources: dict[Value, Value | None]
    scratch: list[Value]
    unread: list[Value]
    numbers: list[Stmt]


def repeatables(fn: Function) -> Iterator[Repeatable]:
    """The loops of a function that can be run again, each by itself."""
    shapes = [op.args[0] for op in fn.body.body if isinstance(op, Op) and op.fn is np.empty]
    if not any(isinstance(shape, tuple) and len(shape) > 2 for shape in shapes):
        return
    finder = _RepeatableLoops(fn)
    for outer in fn.body.body:
        if isinstance(outer, For) and is_plain(outer):
            for inner in outer.body.body:
                found = finder.pair(outer, inner) if isinstance(inner, For) else None
                if found is not None:
                    yield found


class _RepeatableLoops(Starts):
    """Finds loops that the reverse sweep can run again, instead of reading what they saved."""

    def pair(self, outer: For, inner: For) -> Repeatable | None:
        """What running a loop again takes."""
        if not is_plain(inner) or inner.init:
            return None
        done = self.places.within(inner)
        if done.is_opaque or not self.is_memory_own(inner):
            return None
        found = {m: self.rows(m, outer, inner) for m in done.written}
        large = (rows for m, rows in found.items() if rows and len(self.rooms[m]) > 2)
        rows = next(large, None)
        if rows is None:
            return None
        tapes = [m for m in done.written if found[m] == rows]
        unread = [m for m in done.written if m not in tapes and _is_unread(m, done)]
        written = [m for m in done.written if m not in (*tapes, *unread)]
        scratch = [m for m in written if is_written_first(m, inner, self.places)]
        state = {m: self.copy(m, rows.iteration, outer, inner) for m in written if m not in scratch}
        others = [m for m in done.read if m not in done.written]
        between = self.body.index(outer), self.body.index(rows.reverse)
        sources = self.sources(others, between, rows.iteration, inner)
        numbers = self.numbers(outer, inner)
        if numbers is None:
            return None
        made = [*written, *(m for m, tape in sources.items() if tape is None)]
        if not all(self.is_small(memory, tapes) for memory in made):
            return None
        if not self.is_worth_it(rows, inner, tapes):
            return None
        return Repeatable(rows, inner, tapes, state, sources, scratch, unread, numbers)

    def is_worth_it(self, rows: Rows, inner: For, tapes: Sequence[Value]) -> bool:
        """Whether to run a loop again is no more work than its tapes, for one thread or several."""
        saved = [self.rooms[memory] for memory in tapes]
        if not is_cheap(self.fn, (rows.outer, inner), saved, self.places):
            return False
        # Threads share a loop over what has nothing to do with one another, if each has its row.
        splitter = Splitter(self.fn)
        return all(splitter.split(loop, ()) is None for loop in (rows.outer, rows.reverse))

    def rows(self, memory: Value, outer: For, inner: For) -> Rows | None:
        """What iterations the rows of a tape belong to, if an array is one."""
        first, shape = self.body.index(outer), self.rooms.get(memory, ())
        readers = [k for k, done in enumerate(self.done) if done.of(memory) and k != first]
        if len(shape) < 2 or memory in values_in(self.fn.body.results) or len(readers) != 1:
            return None
        reverse = self.body[readers[0]]
        if readers[0] < first or not isinstance(reverse, For) or not is_plain(reverse):
            return None
        for access in self.whole.of(memory):
            is_here = access.loops[:2] == (outer, inner) and self.goes_by(access.place[1], inner)
            if access.kind != "read" and not (access.kind == "write" and is_here):
                return None
        iteration = self.iteration(memory, outer, self.done[first])
        back = self.iteration(memory, reverse, self.done[readers[0]])
        own = self.range(outer, iteration)
        if iteration is None or back is None or own is None or own != self.range(reverse, back):
            return None
        number, told = own[1] + 1, self.forms.of(shape[0])
        if own[0] != Affine() or not (told == number or self.is_clipped(shape[0], number, outer)):
            return None
        return Rows(outer, reverse, iteration, back, number, told == number)

    def iteration(self, memory: Value, loop: For, done: Accesses) -> Affine | None:
        """The row that an iteration reads and writes."""
        found = {access.place[0] for access in done.of(memory)}
        form = found.pop() if len(found) == 1 else None
        return form if self.goes_by(form, loop) else None

    def range(self, loop: For, form: Affine | None) -> tuple[Affine, Affine] | None:
        """The least and the greatest number over the iterations of a loop."""
        start, stop = self.forms.of(loop.start), self.forms.of(loop.stop)
        if start is None or stop is None or form is None:
            return None
        ends = (start, stop - 1) if loop.step == 1 else (stop + 1, start)
        lowest, greatest = (form.replaced({loop.index: end}) for end in ends)
        return (lowest, greatest) if form.coefficient(loop.index) > 0 else (greatest, lowest)

    def is_clipped(self, extent: object, number: Affine, loop: For) -> bool:
        """Whether an extent is a number of iterations, or none if that is negative."""
        ops = (op for op in self.body if isinstance(op, Op) and extent in op.outs)
        bounds = loop.start, loop.stop, loop.step
        return any(
            (op.fn is count_iterations and op.args == bounds)
            or (op.fn is max and self.places.of(op.args) == (number, Affine()))
            for op in ops
        )


def _is_unread(memory: Value, done: Accesses) -> bool:
    return all(access.kind == "write" for access in done.of(memory))


__all__ = ["Repeatable", "Rows", "repeatables"]
