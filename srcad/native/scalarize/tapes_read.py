"""What loops have saved, as it is read: an entry, an array, or the tape of an inner loop.

    for i in range(n - 1, -1, -1):            for i in range(n - 1, -1, -1):
        ... x, of x_tape                ->        ... x_tape[i, j]

Integers that the indices tell are not on the tape: they are computed of the indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcad.ir import Value
from srcad.ir.affine import Affine
from srcad.native.helpers import natural
from srcad.native.scalarize.arrays import Axis, View
from srcad.native.scalarize.buffer_placement import Rooms
from srcad.native.scalarize.flat_memory import row, row_at
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.tapes import Plan


@dataclass(frozen=True)
class Tape:
    """A sequence to be read: entries of `plan.memory` at `prefix`; of a loop inside others that is
    read where it was written, `length` is how many there are.
    """

    plan: Plan
    prefix: tuple[Affine, ...] = ()
    before: Affine | None = None  # the rows of the runs before, in the loop that makes it grow
    length: Affine | None = None

    def element(self, s: Rooms, at: Affine) -> Any:
        """The element of an iteration: a number, an array, or the tape of an inner loop."""
        plan, prefix = self.plan, (*self.prefix, at)
        memory = plan.memory
        if len(prefix) < len(plan.all_loops):
            return Tape(plan, prefix, self.rows_before(s, prefix))
        then = {
            iteration.index: iteration.start + position * iteration.step
            for iteration, position in zip(plan.all_loops, prefix, strict=True)
        }
        for value, (own, most) in plan.lengths.items():
            then[value] = self.integer(s, own, at, value in s.code.naturals)
            if most is not None:
                s.code.limited_to(then[value], s.code.translated(most, then))
        if plan.known is not None:
            return _translated(s.code, plan.known, then)
        if plan.items:
            tapes = (Tape(item, self.prefix, self.before) for item in plan.items)
            return tuple(_whole(s, tape.element(s, at)) for tape in tapes)
        if memory is None:
            raise Unsuited("a tape that nothing was written to")
        k = plan.growing
        place = prefix if k is None else ((self.before or Affine()) + prefix[k], *prefix[k + 1 :])
        if not plan.extents:
            return s.code.load(memory.value, place, memory.dtype)
        extents = tuple(s.code.translated(n, then) for n in plan.extents)
        if s.code.outermost(*extents) >= len(s.code.frames):
            raise Unsuited("extents that are not known any more")
        if plan.starts is not None:
            start = self.integer(s, plan.starts, at, True)
            return row_at(s, memory.value, memory.dtype, start, extents)
        return row(memory, place, extents)

    def items(self, length: Affine) -> View:
        """The elements of the innermost loop, as the rows of an array."""
        plan, k, before = self.plan, self.plan.growing, self.before or Affine()
        assert plan.memory is not None
        place, first = self.prefix, Affine()
        if k is not None and k < len(place):
            place = (before + place[k], *place[k + 1 :])
        elif k is not None:
            place, first = (), before
        extents = (length, *plan.extents)
        inner = (Axis(first if at == 0 else Affine(), at) for at in range(len(extents)))
        axes = (*(Axis(at) for at in place), *inner)
        return View(plan.memory.dtype, extents, plan.memory, axes)

    def integer(self, s: Rooms, plan: Plan, at: Affine, is_natural: bool) -> Affine:
        """An integer that was saved beside, read once."""
        key = (Tape, id(plan), *self.prefix, at)
        for frame in s.code.frames:
            if key in frame.derived:
                return frame.derived[key]
        number = Tape(plan, self.prefix, self.before).element(s, at)
        if not isinstance(number, Affine):
            read = s.code.op(natural if is_natural else int, (number,), INT, plan.name)
            s.code.naturals.update((read,) if is_natural else ())
            number = Affine.of(read)
        s.code.frames[-1].derived[key] = number
        return number

    def rows_before(self, s: Rooms, prefix: tuple[Affine, ...]) -> Affine | None:
        """Where the rows of a run begin, of the loop that makes it grow."""
        run = self.plan.run_of_all
        if run is None or len(prefix) != self.plan.growing:
            return self.before
        starts = Tape(run.starts)
        for at in prefix[:-1]:
            starts = starts.element(s, at)
        rows = starts.element(s, prefix[-1])
        return rows if isinstance(rows, Affine) else Affine.of(s.code.op(natural, (rows,), INT))


def _whole(s: Rooms, number: Any) -> Affine:
    """An integer that was saved."""
    return number if isinstance(number, Affine) else Affine.of(s.code.op(int, (number,), INT))


def _translated(code: Code, known: Any, then: dict[Value, Affine]) -> Any:
    """Integers, or a tuple of them, in another loop over the same indices."""
    if isinstance(known, tuple):
        return tuple(_translated(code, each, then) for each in known)
    return code.translated(known, then)


__all__ = ["Tape"]
