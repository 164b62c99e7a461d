"""SPMD code: barriers, and the part of a loop that each thread runs.

y[i] = x[i] * x[i]             each thread in its part of `range(n)`
wait(team)                     before one reads what others wrote, or writes what they read
s = y[0] + y[1]                all of them
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, If, NumberType, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import as_atom
from srcad.ir.types import TupleType, shape_of
from srcad.kernels.teams import MOST_SLOTS
from srcad.native.loops.accesses import Accesses
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.threads.parallel_loops import Splitter
from srcad.native.threads.profitability import Worth
from srcad.native.threads.team_intrinsics import SHARE, WAIT
from srcad.native.threads.touched_arrays import Rows, Touched
from srcad.native.threads.work_estimate import Sum, times
from srcad.rules.core.facts import unknown_extent


@dataclass
class Pending:
    """A block under construction and the loops around it.

    `recent`: which arrays threads read and wrote since all of them waited, `all`: in the whole
    block; `has_told`: slots were read since then that the next iteration writes.
    """

    loops: tuple[For, ...] = ()
    made: list[Stmt] = field(default_factory=list)
    recent: Touched = field(default_factory=Touched)
    all: Touched = field(default_factory=Touched)
    has_told: bool = False


class TeamCode:
    """The statements made so far; `own` is memory that each thread has for itself."""

    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self.forms = splitter.places.forms
        self.team = Value("team", ArrayType(np.dtype(np.int64), (unknown_extent(),)))
        self.me = Value("me", INT)
        self.is_first = Value("", NumberType(bool))
        self.own: set[Value] = set()
        self.worth = Worth()
        self.slots = 0
        self.here = Pending()

    def op(self, fn: Any, args: tuple[Any, ...], type_: Any, name: str = "") -> Value:
        """Emit an operation; its result."""
        out = Value(name, type_)
        self.here.made.append(Op(fn, args, {}, (out,)))
        return out

    def effect(self, fn: Any, *args: Any) -> None:
        """Emit a call for its effect."""
        self.here.made.append(Op(fn, args, {}, (), effect=True))

    def slot(self) -> int:
        """The number of a slot by which threads hand numbers to each other."""
        self.slots += 1
        if self.slots > MOST_SLOTS:
            raise Unsuited("a function with too many loops")
        return self.slots - 1

    def wait(self) -> None:
        """All threads wait for one another."""
        here = self.here
        self.effect(WAIT, self.team)
        here.recent, here.has_told = Touched(), False
        self.worth.wait(self.in_all({(): 1}))

    def in_all(self, each: Sum) -> Sum:
        """What is done in all iterations of the loops around."""
        for k, loop in enumerate(self.here.loops):
            each = times(each, self.splitter.extents.iterations(loop, self.here.loops[:k]))
        return each

    def ready(
        self, accesses: Accesses, threads: str, rows: Mapping[Value, Rows] = MappingProxyType({})
    ) -> None:
        """Wait if other threads may be at work on arrays that `threads` read or write next.

        rows: of the arrays of which each thread touches its share of rows alone.
        """
        if accesses.is_opaque:
            raise Unsuited("something that is done to arrays")
        read, written = (
            {memory: {(threads, rows.get(memory))} for memory in some if memory not in self.own}
            for some in (accesses.read, accesses.written)
        )
        touched = Touched(read, written)
        if touched.meets(self.here.recent):
            self.wait()
        self.here.recent.add(touched)
        self.here.all.add(touched)

    # Shares

    def start(self, given: Any, other: Any, param: Value) -> Any:
        """What a part starts with: the first with what was there."""
        if given is other or (type(given) is type(other) and given == other):
            return given
        out = Value(param.name, param.type)
        sides = Block([], [], [given]), Block([], [], [other])
        self.here.made.append(If(self.is_first, *sides, (out,)))
        return out

    def extents(self, memory: Value) -> list[Value]:
        """The extents of an array that the function is given."""
        rank = len(shape_of(memory.type) or ())
        shape = self.op(np.shape, (memory,), TupleType((INT,) * rank))
        return [self.op(operator.getitem, (shape, k), INT) for k in range(rank)]

    def part_of(self, loop: For) -> tuple[Any, Any]:
        """The bounds of this thread's iterations."""
        start, stop = (self.forms.of(end) for end in (loop.start, loop.stop))
        step = loop.step
        assert start is not None
        assert stop is not None
        count = self.whole((stop - start) * step)
        ends = self.share_of(count)
        first, last = (self.whole(start + Affine.of(end) * step) for end in ends)
        return first, last

    def share_of(self, count: Any) -> list[Value]:
        """Where this thread's part of so many begins and ends."""
        following = self.op(operator.add, (self.me, 1), INT)
        return [self.op(SHARE, (self.team, k, count), INT) for k in (self.me, following)]

    def whole(self, number: Affine) -> Any:
        """The integer that an affine form is."""
        return as_atom(number, lambda fn, args: self.op(fn, args, INT))


__all__ = ["Pending", "TeamCode"]
