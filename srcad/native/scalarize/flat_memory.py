"""Arrays whose extents are known too late for memory from before the loops: vectors that grow.

    x = x[::2] + x[1::2]                      x = part(latest(xs), 0, n)
                                              y = part(spare(xs, m), 0, m)
                                              y[i] = x[2 * i] + x[2 * i + 1]
                                              exchange(xs)

    ... collecting x                          tape = reserved(tapes, used[0] + n)
                                              tape[start + i] = x[i]
                                              starts[k], used[0] = start, start + n

What a loop carries takes turns in two vectors; what it saves lies one behind the other in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.walk import all_reads, blocks
from srcad.native.growing_memory import (
    exchange,
    given,
    held,
    held_with_spare,
    latest,
    opened,
    part,
    reserved,
    shaped,
    spare,
)  # fmt: skip
from srcad.native.helpers import natural
from srcad.native.scalarize.arrays import Array, Axis, Extents, Memory, View, whole
from srcad.native.scalarize.buffer_placement import Rooms
from srcad.native.scalarize.integer_facts import Frame
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.rules.core.facts import unknown_extent


def _got(code: Code, fn: Any, args: Sequence[Any], dtype: np.dtype, rank: int = 1) -> Value:
    """An array that a helper gives, now."""
    out = code.value("", ArrayType(dtype, tuple(unknown_extent() for _ in range(rank))))
    code.add(Op(fn, tuple(args), {}, (out,), code.loc, effect=True))
    return out


def carved(code: Code, vector: Value, dtype: np.dtype, start: Affine, extents: Extents) -> Memory:
    """The array whose entries lie one behind the other in a vector."""
    args = (vector, code.whole(start), code.whole(code.product(extents)))
    made = _got(code, part, args, dtype)
    if len(extents) > 1:
        shape = tuple(map(code.whole, extents))
        made = _got(code, shaped, (made, shape), dtype, len(extents))
    return Memory(made, dtype, extents)


class Uneven(Unsuited):
    """Arrays whose extents types seemed to tell, and which are known too late."""

    def __init__(self, values: list[Value]) -> None:
        super().__init__("an array that changes its length in a loop")
        self.values = values


@dataclass(frozen=True)
class Turns:
    """An array that a loop carries, however long it gets."""

    holder: Value
    dtype: np.dtype
    name: str

    @staticmethod
    def of(s: Rooms, array: Array, name: str) -> Turns:
        """What holds an array to begin with: from before all loops, so that each run of a loop
        inside others has the memory of those before.
        """
        code = s.code
        with code.outside(0):
            first = s.allocate(array.dtype, (Affine(),), name)
            holder = code.op(held_with_spare, (first.value,), first.value.type, f"{name or 'a'}s")
        size = code.whole(code.product(array.extents))
        vector = _got(code, opened, (holder, size), array.dtype)
        memory = carved(code, vector, array.dtype, Affine(), array.extents)
        s.fill(whole(memory), array)
        return Turns(holder, array.dtype, name)

    def now(self, s: Rooms, extents: Extents) -> View:
        """The array that there is."""
        vector = _got(s.code, latest, (self.holder,), self.dtype)
        memory = carved(s.code, vector, self.dtype, Affine(), extents)
        memory.value.name = self.name
        return whole(memory)

    def give(self, s: Rooms, array: View) -> None:
        """Have the memory of an array in the turn to come, where nothing else has it."""
        flat = array.memory.value
        if array.rank > 1:
            size = s.code.whole(s.code.product(array.extents))
            flat = _got(s.code, shaped, (flat, (size,)), self.dtype)
        s.code.effect(given, self.holder, flat)

    def move(self, s: Rooms, array: Array) -> None:
        """Write the one to come beside it."""
        size = s.code.whole(s.code.product(array.extents))
        vector = _got(s.code, spare, (self.holder, size), self.dtype)
        s.fill(whole(carved(s.code, vector, self.dtype, Affine(), array.extents)), array)

    def turn(self, s: Rooms) -> None:
        """The one to come is the one that there is."""
        s.code.effect(exchange, self.holder)


_FIRST = 1024  # entries that a tape has room for


@dataclass(frozen=True)
class Rows:
    """Arrays one behind the other: in the vector that is held, of which `used` entries are."""

    holder: Value
    used: Memory
    dtype: np.dtype

    @staticmethod
    def of(s: Rooms, dtype: np.dtype, name: str, level: int) -> Rows:
        """No arrays yet, in a vector from before a block."""
        code = s.code
        first = s.allocate(dtype, (Affine(_FIRST),), name, level)
        used = s.allocate(np.dtype(np.int64), (Affine(1),), "used", level)
        with code.outside(level):
            code.store(index_set, used.value, (Affine(),), 0)
            holder = code.op(held, (first.value,), first.value.type, f"{name}s")
        return Rows(holder, used, dtype)

    def append(self, s: Rooms, extents: Extents) -> tuple[Affine, View]:
        """Room behind the last one, and where it begins."""
        code = s.code
        used = code.load(self.used.value, (Affine(),), self.used.dtype)
        start = Affine.of(code.op(natural, (used,), INT, "start"))
        end = code.whole(start + code.product(extents))
        vector = _got(code, reserved, (self.holder, end), self.dtype)
        code.store(index_set, self.used.value, (Affine(),), end)
        return start, row_at(s, vector, self.dtype, start, extents)

    def all(self, s: Rooms) -> Memory:
        """The vector, as long as it has become."""
        return Memory(_got(s.code, latest, (self.holder,), self.dtype), self.dtype, ())


def row_at(s: Rooms, vector: Value, dtype: np.dtype, start: Affine, extents: Extents) -> View:
    """The array that begins at a place of a vector."""
    if len(extents) > 1:
        return whole(carved(s.code, vector, dtype, start, extents))
    end = start + extents[0]
    return View(dtype, extents, Memory(vector, dtype, (end,)), (Axis(start, 0),))


def row(memory: Memory, prefix: tuple[Affine, ...], extents: Extents) -> View:
    """The array saved at a place of a tape."""
    axes = (*(Axis(at) for at in prefix), *(Axis(Affine(), k) for k in range(len(extents))))
    return View(memory.dtype, extents, memory, axes)


@dataclass(frozen=True)
class Saved:
    """A tape of an integer, and the block that writes it."""

    plan: Any
    frame: Frame

    def serves(self, other: Any, frames: Sequence[Frame]) -> bool:
        """Whether it is written wherever another tape is."""
        is_alike = (other.level, other.all_loops) == (self.plan.level, self.plan.all_loops)
        return is_alike and any(frame is self.frame for frame in frames)


def forget_unread(block: Block) -> None:
    """Drop what is looked up and not read: of many arrays a loop asks how long they are only."""
    read: set[Value] = set()
    looks = True
    while looks:
        read, looks = set(all_reads(block)), False
        stack = [block]
        while stack:
            inner = stack.pop()
            kept = [stmt for stmt in inner.body if not _is_unread(stmt, read)]
            looks |= len(kept) < len(inner.body)
            inner.body[:] = kept
            stack += [each for stmt in kept for each in blocks(stmt)]


def _is_unread(stmt: Stmt, read: set[Value]) -> bool:
    return isinstance(stmt, Op) and stmt.fn in _LOOKS and stmt.out not in read


_LOOKS = (latest, part, shaped)

__all__ = ["Rows", "Saved", "Turns", "Uneven", "carved", "forget_unread", "row", "row_at"]
