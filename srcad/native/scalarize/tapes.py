"""What loops save for the reverse sweep, in arrays of known types.

    for i in range(n):                        x_tape = np.empty((n, m))
        ... collecting x: seq[f64[m]]   ->    for i in range(n):
                                                  x_tape[i, j] = x[j]

The tape of a loop inside a loop has an axis for each. It is allocated before all of them, as large
as it can become: a triangle of numbers takes a square. Of a loop whose iterations cannot be told
it grows; inside other loops, each run's rows lie after those of the run before. Arrays whose
extents the iterations tell lie one after the other (`flat_memory`).

    for i in range(n):                        for i in range(n):
        while y > 0.1:                            start[i] = before = rows[0]
            ... collecting y      ->              while y > 0.1:
                                                      row = before + count
                                                      if row >= room[0]: room[0] = lengthened(tapes)
                                                      tape = latest(tapes)
                                                      tape[row] = y
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.ir import Block, If, NumberType, Op, SeqType, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.types import TupleType, dtype_of
from srcad.native.growing_memory import held, latest, lengthened
from srcad.native.helpers import natural
from srcad.native.scalarize.arrays import Array, Extents, Memory, View
from srcad.native.scalarize.buffer_placement import Rooms
from srcad.native.scalarize.flat_memory import Rows, Saved, row
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited


@dataclass(frozen=True)
class Iterations:
    """A loop that collects: position `(index - start) * step` of `count`."""

    index: Value
    start: Affine
    step: int
    count: Affine

    @property
    def position(self) -> Affine:
        """Where the current iteration writes."""
        return (Affine.of(self.index) - self.start) * self.step


@dataclass
class Runs:
    """The runs of a loop inside others: the rows of each lie after those of the one before.

    `before` is how many rows they have filled, `total` where these are counted, `starts` a tape of
    `before`.
    """

    before: Affine
    total: Memory
    starts: Plan


@dataclass(frozen=True)
class Growing(Iterations):
    """A loop whose iterations are counted as it runs: its tapes grow.

    `runs` is by the loops around it that save, too, `rows` by the runs: of the current iteration.
    """

    runs: dict[tuple[int | None, ...], Runs] = field(default_factory=dict)
    rows: dict[int, Affine] = field(default_factory=dict)

    def run(self, s: Rooms, plan: Plan, around: Sequence[Iterations]) -> Runs:
        """The run that begins, of a loop that others are around."""
        key = (plan.level, *map(id, around))
        if key not in self.runs:
            code = s.code
            outside = plan.outside(code)
            total = s.allocate(np.dtype(np.int64), (Affine(1),), "rows", outside)
            with code.outside(outside):
                code.store(index_set, total.value, (Affine(),), 0)
            with code.outside(code.level[self.index] - 1):
                rows = code.load(total.value, (Affine(),), total.dtype)
                before = Affine.of(code.op(natural, (rows,), INT))
                starts = Plan("start", list(around), level=plan.level, is_shared=True)
                save(s, starts, before, INT)
            self.runs[key] = Runs(before, total, starts)
        return self.runs[key]

    def row(self, s: Rooms, run: Runs | None) -> Affine:
        """The row of the current iteration, told where the iteration begins."""
        if id(run) not in self.rows:
            row = self.position if run is None else run.before + self.position
            number = s.code.op(natural, (s.code.whole(row),), INT, "row")
            self.rows[id(run)] = Affine.of(number)
        return self.rows[id(run)]

    def end(self, s: Rooms, count: Affine) -> None:
        """The loop has run, so many iterations."""
        for run in self.runs.values():
            s.code.store(index_set, run.total.value, (Affine(),), s.code.whole(run.before + count))


_FIRST = 32  # iterations that a tape of an unknown number has room for


@dataclass
class Plan:
    """A tape that is being written, by the loops that are open, outermost first."""

    name: str
    loops: list[Iterations] = field(default_factory=list)
    memory: Memory | None = None
    extents: Extents = ()
    all_loops: tuple[Iterations, ...] = ()
    length: Affine | None = None  # of the list, for a tape of one loop
    known: Any = None  # integers that the indices of the loops tell: nothing is written
    items: tuple[Plan, ...] = ()  # of a tuple of integers: a tape for each
    level: int | None = None  # of the block it is allocated in, if not that around its loops
    is_shared: bool = False  # by other tapes, or by the sides of a branch
    # The integers that each iteration has for itself: how many entries it has picked, say.
    lengths: dict[Value, tuple[Plan, Affine | None]] = field(default_factory=dict)
    # Of a tape that grows: what holds it, and the row of the iteration of the loop that makes it
    # grow.
    holder: Value | None = None
    row: Affine = field(default_factory=Affine)
    run: Runs | None = None
    # Of arrays one behind the other: these, and where each begins.
    rows: Rows | None = None
    starts: Plan | None = None

    @property
    def growing(self) -> int | None:
        """The number of the innermost loop that makes it grow."""
        found = [k for k, iteration in enumerate(self.all_loops) if isinstance(iteration, Growing)]
        return found[-1] if found else None

    @property
    def run_of_all(self) -> Runs | None:
        """The runs of its loop: they are those of the tapes of its integers, too."""
        beside = (self.starts, *(own for own, _ in self.lengths.values()))
        found = (plan.run for plan in beside if plan is not None and plan.run is not None)
        return self.run or next(found, None)

    def is_of(self, extents: Extents, loops: tuple[Iterations, ...], dtype: np.dtype) -> bool:
        """Whether it is a tape of such items, in these loops."""
        assert self.memory is not None
        return (self.extents, self.all_loops, self.memory.dtype) == (extents, loops, dtype)

    def outside(self, code: Code) -> int:
        """The level of the block that it is allocated in."""
        return code.level[self.loops[0].index] - 1 if self.level is None else self.level

    def allocate(self, s: Rooms, dtype: np.dtype) -> None:
        """Find memory, around all loops; what grows is longer by an iteration where the iteration
        begins, so that it has room whatever the branches and loops inside do.
        """
        code, k = s.code, self.growing
        outside = self.outside(code)
        first = () if k is None else (Affine(_FIRST),)
        counts = tuple(iteration.count for iteration in self.all_loops[0 if k is None else k + 1 :])
        memory = s.allocate(dtype, (*first, *counts, *self.extents), self.name, outside)
        self.memory = memory
        if k is None:
            return
        iterations = self.all_loops[k]
        assert isinstance(iterations, Growing)
        self.run = iterations.run(s, self, self.all_loops[:k]) if k else None
        with code.outside(outside):
            self.holder = code.op(held, (memory.value,), memory.value.type, f"{self.name}s")
            room = s.allocate(np.dtype(np.int64), (Affine(1),), "room", outside)
            code.store(index_set, room.value, (Affine(),), _FIRST)
        with code.outside(code.level[iterations.index]):
            self.row = iterations.row(s, self.run)
            self.see_to_room(code, room)
            self.memory = replace(memory, value=self.held_now(code))

    def see_to_room(self, code: Code, room: Memory) -> None:
        """Take longer memory where the row is beyond the one there is. In one call, memory
        would be counted as used by one more in each iteration, which takes longer than most
        iterations.
        """
        length = code.load(room.value, (Affine(),), room.dtype)
        is_full = code.op(operator.ge, (code.whole(self.row), length), NumberType(bool))
        longer = Value("", INT)
        body: list[Stmt] = [
            Op(lengthened, (self.holder,), {}, (longer,), code.loc, effect=True),
            Op(index_set, (room.value, (0,), longer), {}, (), code.loc, effect=True),
        ]
        code.add(If(is_full, Block([], body, []), Block([], [], []), (), code.loc))

    def held_now(self, code: Code) -> Value:
        """The memory that there is."""
        assert self.holder is not None
        tape = code.value(self.name, self.holder.type)
        code.add(Op(latest, (self.holder,), {}, (tape,), code.loc, effect=True))
        return tape

    def as_now(self, s: Rooms) -> Plan:
        """The tape as it is read where it is written."""
        if self.holder is None or self.memory is None:
            return self
        return replace(self, memory=replace(self.memory, value=self.held_now(s.code)))

    def current(self) -> tuple[Affine, ...]:
        """Where the current iterations of all loops write."""
        k = self.growing
        inner = self.all_loops[0 if k is None else k + 1 :]
        return (*(() if k is None else (self.row,)), *(iteration.position for iteration in inner))

    def close(self, s: Rooms) -> None:
        """All loops have run: what grew stays as it is."""
        for item in (*self.items, *(own for own, _ in self.lengths.values())):
            item.close(s)
        if self.rows is not None and self.starts is not None:
            self.starts.close(s)
            self.memory = self.rows.all(s)
        if self.holder is not None and self.memory is not None:
            self.memory = replace(self.memory, value=self.held_now(s.code))
            self.holder = None
            if self.run is not None:
                self.run.starts.close(s)


def _is_known(s: Rooms, rep: Any, iterations: tuple[Iterations, ...]) -> bool:
    """Whether integers depend on nothing but the indices and what is bound before the loops."""
    if isinstance(rep, tuple):
        return all(_is_known(s, each, iterations) for each in rep)
    indices = {iteration.index for iteration in iterations}
    level = s.code.level
    outside = level[iterations[0].index]
    return isinstance(rep, Affine) and all(
        value in indices or level.get(value, outside) < outside for value, _ in rep.terms
    )


def _is_told(plan: Plan, rep: Any, type_: Any) -> bool:
    """Whether integers can be computed again of others that are saved."""
    if plan.is_shared or plan.memory is not None or not isinstance(type_, NumberType | TupleType):
        return False
    numbers = rep if isinstance(rep, tuple) else (rep,)
    if not numbers or not all(isinstance(n, Affine) for n in numbers):
        return False
    kinds = type_.items if isinstance(type_, TupleType) else (type_,)
    return all(isinstance(t, NumberType) and t.kind is int for t in kinds)


def save(s: Rooms, plan: Plan, rep: Any, type_: Any) -> Any:
    """Write an element; returns what stands for it from now on."""
    iterations = tuple(plan.loops)
    if not iterations:
        raise Unsuited("a list of a branch that no loop makes")
    is_first = plan.memory is None and plan.known in (None, rep)
    if is_first and (_is_known(s, rep, iterations) or _is_told(plan, rep, type_)):
        plan.known, plan.all_loops = rep, iterations
        _save_told(s, plan, rep if isinstance(rep, tuple) else (rep,))
        return rep
    if plan.known is not None:
        raise Unsuited("a tape written at several places")
    if isinstance(rep, tuple) and rep and plan.memory is None:
        _save_items(s, plan, rep)
        return rep
    is_array = isinstance(rep, Array) and rep.rank > 0
    extents = rep.extents if is_array else ()
    dtype = rep.dtype if is_array else dtype_of(type_)
    if dtype is None or isinstance(type_, SeqType):
        raise Unsuited("saving an object")
    if plan.memory is None:
        plan.extents, plan.all_loops = extents, iterations
        if s.code.room(extents)[0] > plan.outside(s.code):
            plan.rows = Rows.of(s, np.dtype(dtype), plan.name, plan.outside(s.code))
            plan.memory = plan.rows.used
            plan.starts = Plan("start", list(iterations), level=plan.level, is_shared=True)
        else:
            plan.allocate(s, np.dtype(dtype))
        _save_told(s, plan, extents)
    elif plan.rows is not None or not plan.is_of(extents, iterations, dtype):
        raise Unsuited("a tape written at several places")
    assert plan.memory is not None
    if plan.rows is not None and plan.starts is not None:
        start, target = plan.rows.append(s, extents)
        save(s, plan.starts, start, INT)
        s.fill(target, rep, index_set)
        return rep if isinstance(rep, View) else target
    prefix = plan.current()
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


def _save_told(s: Rooms, plan: Plan, numbers: Sequence[Affine]) -> None:
    """Write the integers that each iteration has for itself, and of which these are told; once
    for all tapes.
    """
    code, outside = s.code, s.code.level[plan.all_loops[0].index]
    indices = {iteration.index for iteration in plan.all_loops}
    for value in dict.fromkeys(code.told_by(numbers)):
        if value in indices or code.depth_of(value) < outside:
            continue
        most = code.limits[value][1] if value in code.limits else None
        found = s.saved.get(value)
        if found is None or not found.serves(plan, code.frames):
            own = Plan(value.name or "n", list(plan.all_loops), level=plan.level, is_shared=True)
            save(s, own, Affine.of(value), INT)
            s.saved[value] = found = Saved(own, code.frames[-1])
        plan.lengths[value] = found.plan, most


def _save_items(s: Rooms, plan: Plan, items: tuple[Any, ...]) -> None:
    """Write a tuple of integers, such as a shape."""
    iterations = tuple(plan.loops)
    if len(iterations) > 1 and any(isinstance(iteration, Growing) for iteration in iterations):
        raise Unsuited("tuples on a tape that grows inside of loops")
    if not plan.items:
        plan.all_loops = iterations
        plan.items = tuple(Plan(plan.name, [], level=plan.level) for _ in items)
    if len(plan.items) != len(items) or plan.all_loops != iterations:
        raise Unsuited("a tape written at several places")
    for own, item in zip(plan.items, items, strict=True):
        own.loops = list(iterations)
        save(s, own, item, INT)
        own.loops = []
