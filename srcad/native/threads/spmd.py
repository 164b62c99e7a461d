"""SPMD: several threads run one compiled function, each its share of the loops.

    def f(x):                          def f(team, me, x):
        y = np.empty(n)                    call_all(team, me)
                                           y = ..., memory of the first thread's
        s = 0.0                            s = 0.0
        for i in range(n):                 for i in range(share(team, me, n), ...):
            y[i] = x[i] * x[i]     ->          y[i] = x[i] * x[i]
            s += y[i]                          s += y[i]
                                           put(team, me, 1, s, s)
                                           wait(team)
                                           s = sum_of(team, 1, s)
        y[0] = s                           if me == 0: y[0] = s
        return y                           wait(team)
                                           return y

All threads compute the numbers between the loops, and go through the loops around those that they
share. What else writes to arrays, the first thread does. They wait for one another where one reads
or writes what another wrote, or writes what it read. With one thread it is the program as before.

    for t in range(n):                     for t in range(n):
        matmul_into(y, h, w)                   matmul_rows(share(team, me, m), ..., y, h, w)
        for i in range(m):          ->         for i in range(share(team, me, m), ...):
            h[i] = tanh(y[i])                      h[i] = tanh(y[i])

Here no thread waits: each one has the same rows of all arrays from one iteration to the next.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcad.analysis.cost import TERMS
from srcad.ir import ArrayType, Block, For, Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_array
from srcad.ir.types import dtype_of, shape_of
from srcad.ir.walk import copy_block, outputs
from srcad.kernels.products.alone import can_be_alone
from srcad.kernels.teams import MOST_WORDS
from srcad.native.loops.accesses import Access, Accesses
from srcad.native.loops.store_forwarding import without_unread
from srcad.native.scalarize.handlers.running_folds import literal, neutral
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.threads.parallel_loops import Split, Splitter, Step, is_product, is_shared
from srcad.native.threads.profitability import may_pay
from srcad.native.threads.spmd_code import Pending, TeamCode
from srcad.native.threads.team_intrinsics import (  # fmt: skip
    CALL_ALL,
    COMBINED,
    GOT,
    KEEP,
    LEND,
    MERGE,
    MINE,
    OWN_PART,
    PUT,
    SHARED,
    THEIRS,
)
from srcad.native.threads.touched_arrays import ALL, FIRST, PARTS, Rows, Touched
from srcad.native.threads.work_estimate import Extents, Sum, Work
from srcad.native.vectorised import MATMUL_ROWS

# For the function, the team and the number of the thread.
_OWN_WORDS = 9


@dataclass(frozen=True)
class Threaded:
    """A function (team, me, ...) and what its threads gain (`profitability`)."""

    function: Function
    gain: Sum
    extents: Extents


def threaded(fn: Function) -> Threaded | None:
    """The function for several threads; None if there is nothing to share."""
    splitter = Splitter(fn)
    steps = splitter.steps(fn.body.body)
    if not any(map(is_shared, steps)) or (splitter.multiplied and not can_be_alone()):
        return None
    if sum(_words(param) for param in fn.params) > MOST_WORDS - _OWN_WORDS:
        return None
    try:
        return _Team(fn, splitter).run(steps)
    except Unsuited:
        return None


def _words(param: Value) -> int:
    """How many words an argument takes that another thread is given, as Numba's arrays are."""
    return 5 + 2 * len(shape_of(param.type) or ()) if isinstance(param.type, ArrayType) else 1


class _Team(TeamCode):
    def __init__(self, fn: Function, splitter: Splitter) -> None:
        super().__init__(splitter)
        self.fn = fn
        self.rooms: list[Value] = []

    def run(self, steps: list[Step]) -> Threaded | None:
        """The whole function."""
        self.own = {v for step in _all(steps) if step.split for v in step.split.own}
        self.steps(steps)
        self.wait()
        if not may_pay(self.worth.gain):
            return None
        for memory in self.rooms:
            if memory not in self.splitter.results:
                self.effect(KEEP, memory)
        head = Op(operator.eq, (self.me, 0), {}, (self.is_first,))
        params = [self.team, self.me, *self.fn.params]
        begin = Op(CALL_ALL, (self.team, self.me), {}, (), effect=True)
        made = [begin, head, *self.here.made]
        body = without_unread(Block(params, made, self.fn.body.results))
        return Threaded(replace(self.fn, body=body), self.worth.gain, self.splitter.extents)

    # Statements

    def steps(self, steps: list[Step]) -> None:
        for step in steps:
            if step.split is not None:
                self.shared(step.split)
            elif step.inside:
                self.through(step)
            elif is_product(step.stmt):
                self.product(step.stmt)
            else:
                self.statement(step.stmt)

    def statement(self, stmt: Stmt) -> None:
        """A statement that threads do not share."""
        if isinstance(stmt, Op) and stmt.fn is np.empty and stmt.out in self.splitter.rooms:
            self.room(stmt)
            return
        alone = Work(self.splitter.extents).statement(stmt, self.here.loops)
        self.worth.leave(self.in_all(alone))
        accesses = self.splitter.places.within(stmt)
        if isinstance(stmt, Op) and accesses.made:
            raise Unsuited("memory of another kind")
        if set(accesses.written) - self.own:
            self.by_first(stmt, accesses)
        else:
            self.ready(accesses, ALL)
            self.here.made.append(stmt)

    def room(self, op: Op) -> None:
        """Memory: of each thread's own, or of the first one's for all."""
        if op.out in self.own:
            self.here.made.append(op)
            return
        n, *rest = op.args[0]
        rows = self.op(MINE, (self.me, n), INT)
        own = self.op(np.empty, ((rows, *rest), *op.args[1:]), op.out.type)
        args = (self.team, self.me, self.slot(), own, n)
        self.here.made.append(Op(SHARED, args, {}, (op.out,), op.loc))
        self.rooms.append(op.out)
        self.here.recent = Touched()  # all have waited in there
        self.worth.wait({(): 1})

    def by_first(self, stmt: Stmt, accesses: Accesses) -> None:
        """What the first thread does, which tells the others the numbers that come of it."""
        self.ready(accesses, FIRST)
        outs = outputs(stmt)
        if any(dtype_of(out.type) == np.complex128 for out in outs):
            raise Unsuited("a complex number, which takes two words")
        inner = [Value(out.name, out.type) for out in outs]
        if outs:
            stmt = replace(stmt, outs=tuple(inner))  # type: ignore[arg-type]  # what has outs
        slots = [self.slot() for _ in outs]
        told = [
            Op(PUT, (self.team, self.me, slot, value, _zero(value)), {}, (), effect=True)
            for slot, value in zip(slots, inner, strict=True)
        ]
        body = Block([], [stmt, *told], [])
        before = self.here.made[-1] if self.here.made else None
        if isinstance(before, If) and before.cond is self.is_first and not (outs or before.outs):
            before.then.body.append(stmt)
            return
        self.here.made.append(If(self.is_first, body, Block([], [], []), (), stmt.loc))
        if outs:
            self.wait()
            self.here.has_told = bool(self.here.loops)
        for slot, out in zip(slots, outs, strict=True):
            self.here.made.append(Op(GOT, (self.team, slot, _zero(out)), {}, (out,)))

    def through(self, step: Step) -> None:
        """A loop that all threads go through, each iteration together."""
        loop, outer = step.stmt, self.here
        assert isinstance(loop, For)
        self.here = inner = Pending((*outer.loops, loop))
        self.steps(step.inside)
        if inner.has_told or inner.recent.meets(inner.all):  # in the next iteration
            self.wait()
        body = Block(loop.body.params, inner.made, loop.body.results)
        self.here = outer
        if outer.recent.meets(inner.all):
            self.wait()
        outer.made.append(replace(loop, body=body))
        outer.recent.add(inner.recent)
        outer.all.add(inner.all)

    # Shared loops

    def shared(self, split: Split) -> None:
        """Each thread makes its part of the iterations; then the parts become one."""
        loop, accesses = split.loop, self.splitter.places.within(split.loop)
        self.ready(accesses, PARTS, self.rows(split, accesses))
        self.worth.share(self.in_all(split.work))
        own = {memory: self.own_part(memory) for memory in split.added}
        init = [
            start if fold == "same" else self.start(start, neutral(fold, param, start), param)
            for fold, start, param in zip(split.folds, loop.init, loop.carried, strict=True)
        ]
        parts = [
            out if fold == "same" else Value(out.name, out.type)
            for fold, out in zip(split.folds, loop.outs, strict=True)
        ]
        start, stop = self.part_of(loop)
        body = copy_block(loop.body, own) if own else loop.body
        made = replace(loop, start=start, stop=stop, init=init, body=body, outs=tuple(parts))
        self.here.made.append(made)
        folded = [
            (fold, part, out, self.slot())
            for fold, part, out in zip(split.folds, parts, loop.outs, strict=True)
            if fold != "same"
        ]
        self.combine(folded, [(memory, part, self.slot()) for memory, part in own.items()])

    def rows(self, split: Split, accesses: Accesses) -> dict[Value, Rows]:
        """Of which arrays an iteration touches the entries alone that have its number along an
        axis.
        """
        loop, count = split.loop, self.shared_rows(split.loop.stop)
        if count is None or not (loop.start == 0 and loop.step == 1):
            return {}
        index = Affine.of(loop.index)
        found: dict[Value, Rows] = {}
        for memory in {**accesses.read, **accesses.written}:
            places = [access.place for access in accesses.of(memory)]
            axes = [
                axis
                for axis in range(min(map(len, places)))
                if all(place[axis] == index for place in places)
            ]
            if axes and memory not in split.added:
                found[memory] = count, axes[0]
        return found

    def shared_rows(self, extent: Any) -> Affine | None:
        """How many rows are shared, if each thread's are the same in all iterations of the loops
        around: as many as the function is told.
        """
        count = self.forms.of(extent)
        given = self.splitter.extents.numbers
        return count if count is not None and all(v in given for v, _ in count.terms) else None

    def product(self, op: Op) -> None:
        """Each thread computes its share of the rows of a product of matrices; one row is one's."""
        out, x, x_at, x_turned, y, _, _, depth = op.args
        *axes, columns = self.splitter.rooms.get(out) or self.extents(out)
        count = self.shared_rows(axes[0]) if axes else None
        rows: dict[Value, Rows] = {}
        if len(axes) == 1 and count is not None:
            rows[out] = count, 0
            if x_turned is False and x_at[-2] == 0 and x is not y:
                rows[x] = count, len(x_at) - 2
        touched = [Access("write", out, (), ()), *(Access("read", v, (), ()) for v in (x, y))]
        self.ready(Accesses(touched), PARTS, rows)
        terms = self.splitter.extents.product([*axes, columns, depth])
        work = {key: max(1, n // TERMS) for key, n in terms.items()}
        self.worth.share(self.in_all(work))
        total = axes[0] if axes else 1
        for n in axes[1:]:
            total = self.op(operator.mul, (total, n), INT)
        ends = self.share_of(total)
        self.here.made.append(Op(MATMUL_ROWS, (*ends, *op.args), {}, (), op.loc, effect=op.effect))

    def combine(self, folded: list[Any], own: list[Any]) -> None:
        """Numbers and arrays that threads have parts of."""
        for _, part, _, slot in folded:
            self.effect(PUT, self.team, self.me, slot, part, part)
        for _, part, slot in own:
            self.effect(LEND, self.team, self.me, slot, part)
        if folded or own:
            self.wait()
            self.here.has_told = bool(self.here.loops)
        for fold, part, out, slot in folded:
            self.here.made.append(Op(COMBINED[fold], (self.team, slot, part), {}, (out,)))
        for memory, _, slot in own:
            self.effect(MERGE, self.team, self.me, slot, memory)
        if own:
            self.wait()
        for _, part, _ in own:
            self.effect(KEEP, part)

    def own_part(self, memory: Value) -> Value:
        """What a thread adds to in the place of an array that all add to."""
        n, *rest = self.splitter.rooms.get(memory) or self.extents(memory)
        rows = self.op(THEIRS, (self.me, n), INT)
        dtype = dtype_of(memory.type)
        args = ((rows, *rest),) if dtype == np.float64 else ((rows, *rest), dtype)
        own = self.op(np.empty, args, memory.type, memory.name)
        return self.op(OWN_PART, (self.me, memory, own), memory.type, memory.name)


def _all(steps: list[Step]) -> list[Step]:
    return [each for step in steps for each in (step, *_all(step.inside))]


def _zero(value: Value) -> Any:
    """A number of the type of a value."""
    if is_array(value) or dtype_of(value.type) is None:
        raise Unsuited("an array of a loop")
    return literal(value, 0)
