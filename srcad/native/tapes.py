"""What loops save for the reverse sweep, in arrays of known types.

    for i in range(n):                        x_tape = np.empty((n, m))
        ... collecting x: seq[f64[m]]   ->    for i in range(n):
                                                  x_tape[i, j] = x[j]

The tape of a loop inside a loop has an axis for each. It is allocated before all of them, as large
as it can become: a triangle of numbers takes a square.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.ir import SeqType, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of
from srcad.native.arrays import Array, Axis, Extents, Memory, View
from srcad.native.code import Unsuited
from srcad.native.helpers import grown

if TYPE_CHECKING:
    from srcad.native.scalarise import Scalariser


@dataclass(frozen=True)
class Turns:
    """A loop that collects: position `(index - start) * step` of `count`."""

    index: Value
    start: Affine
    step: int
    count: Affine

    @property
    def position(self) -> Affine:
        """Where the current turn writes."""
        return (Affine.of(self.index) - self.start) * self.step


@dataclass(frozen=True)
class Growing(Turns):
    """A loop whose turns are counted as it runs: its tapes are carried, and grow.

    `tapes` has for each what it starts as, what a turn starts with and what it ends with.
    """

    tapes: dict[int, tuple[Value, Value, Value]] = field(default_factory=dict)

    def room(self, s: Scalariser, plan: Plan, dtype: np.dtype, extents: Extents) -> Memory:
        """Memory for one more turn."""
        level = s.code.level[self.index]
        if len(s.code.frames) - 1 != level or len(plan.loops) != 1:
            raise Unsuited("a tape that grows inside another")
        first = s.allocate(dtype, (Affine(_FIRST), *extents), plan.name, level - 1)
        start = s.code.value(plan.name, first.value.type)
        full = s.code.op(grown, (start, s.code.whole(self.position)), start.type, plan.name)
        self.tapes[id(plan)] = (first.value, start, full)
        return Memory(full, dtype, first.extents)


_FIRST = 32  # turns that a tape of an unknown number has room for


@dataclass
class Plan:
    """A tape that is being written, by the loops that are open, outermost first."""

    name: str
    loops: list[Turns] = field(default_factory=list)
    memory: Memory | None = None
    extents: Extents = ()
    all_loops: tuple[Turns, ...] = ()
    length: Affine | None = None  # of the list, for a tape of one loop
    known: Any = None  # integers that the indices of the loops tell: nothing is written


@dataclass(frozen=True)
class Tape:
    """A sequence to be read: entries of `plan.memory` at `prefix`."""

    plan: Plan
    prefix: tuple[Affine, ...] = ()

    def element(self, s: Scalariser, at: Affine) -> Any:
        """The element of a turn: a number, an array, or the tape of an inner loop."""
        plan, prefix = self.plan, (*self.prefix, at)
        memory = plan.memory
        if len(prefix) < len(plan.all_loops):
            return Tape(plan, prefix)
        then = {
            turn.index: turn.start + position * turn.step
            for turn, position in zip(plan.all_loops, prefix, strict=True)
        }
        if plan.known is not None:
            return _translated(plan.known, then)
        if memory is None:
            raise Unsuited("a tape that nothing was written to")
        if not plan.extents:
            return s.code.load(memory.value, prefix, memory.dtype)
        extents = tuple(s.code.translated(n, then) for n in plan.extents)
        if s.code.outermost(*extents) >= len(s.code.frames):
            raise Unsuited("extents that are not known any more")
        return row(memory, prefix, extents)


def _translated(known: Any, then: dict[Value, Affine]) -> Any:
    """Integers, or a tuple of them, in another loop over the same indices."""
    if isinstance(known, tuple):
        return tuple(_translated(each, then) for each in known)
    return known.replaced(then)


def _is_known(s: Scalariser, rep: Any, turns: tuple[Turns, ...]) -> bool:
    """Whether integers depend on nothing but the indices and what is bound before the loops."""
    if isinstance(rep, tuple):
        return all(_is_known(s, each, turns) for each in rep)
    indices = {turn.index for turn in turns}
    level = s.code.level
    outside = level[turns[0].index]
    return isinstance(rep, Affine) and all(
        value in indices or level.get(value, outside) < outside for value, _ in rep.terms
    )


def row(memory: Memory, prefix: tuple[Affine, ...], extents: Extents) -> View:
    """The array saved at a place of a tape."""
    axes = (*(Axis(at) for at in prefix), *(Axis(Affine(), k) for k in range(len(extents))))
    return View(memory.dtype, extents, memory, axes)


def save(s: Scalariser, plan: Plan, rep: Any, type_: Any) -> Any:
    """Write an element; returns what stands for it from now on."""
    turns = tuple(plan.loops)
    if _is_known(s, rep, turns) and plan.memory is None and plan.known in (None, rep):
        plan.known, plan.all_loops = rep, turns
        return rep
    if plan.known is not None:
        raise Unsuited("a tape written at several places")
    is_array = isinstance(rep, Array) and rep.rank > 0
    extents = rep.extents if is_array else ()
    dtype = rep.dtype if is_array else dtype_of(type_)
    if dtype is None or isinstance(type_, SeqType):
        raise Unsuited("saving an object")
    if plan.memory is None:
        counts = tuple(turn.count for turn in turns)
        outside = s.code.level[turns[0].index] - 1
        if isinstance(turns[0], Growing):
            plan.memory = turns[0].room(s, plan, np.dtype(dtype), extents)
        elif any(isinstance(turn, Growing) for turn in turns):
            raise Unsuited("a tape that grows inside another")
        else:
            plan.memory = s.allocate(np.dtype(dtype), (*counts, *extents), plan.name, outside)
        plan.extents, plan.all_loops = extents, turns
    elif plan.extents != extents or plan.all_loops != turns or plan.memory.dtype != dtype:
        raise Unsuited("a tape written at several places")
    prefix = tuple(turn.position for turn in turns)
    if is_array:
        target = row(plan.memory, prefix, extents)
        s.fill(target, rep, index_set)
        if not isinstance(rep, View):
            return target
        if rep.is_all:
            s.code.frames[-1].copies[rep.memory.value] = plan.memory.value, prefix
        return rep
    atom = s.code.whole(rep) if isinstance(rep, Affine) else rep
    if isinstance(rep, Array):
        atom = rep.entry(s.code, ())
    s.code.store(index_set, plan.memory.value, prefix, atom)
    return rep
