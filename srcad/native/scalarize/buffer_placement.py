"""Memory for arrays while loops are made, and entries that are not computed yet.

    t = mul(0.1, x), read once         pending: computed where it is read
    t = exp(x), read twice             for i in range(n): t[i] = exp(x[i]), in memory of its own
    x[1:] = ..., t pending             t is computed before x is written
    x[1:] = ..., 2 * x and -x pending  x is copied before, both are computed where they are read

Memory is allocated before the outermost loop that needs no other size of it, as long as it may
become there; what a call is given, which asks for its shape, is as long as the array.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.types import Dim
from srcad.native.scalarize.arrays import (
    Array,
    Entries,
    Extents,
    Index,
    Memory,
    Unwritten,
    View,
    whole,
)
from srcad.native.scalarize.handlers.indexing import is_int
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.scalars import precision
from srcad.ops import row_of
from srcad.rules.core.facts import unknown_extent

Rep = Any  # Affine | scalar atom | Array | tuple | Tape

# What is computed again rather than kept: so much where it is read in an inner loop, and elsewhere.
FEW, SOME = 1, 3


def is_short(fn: Any) -> bool:
    """Whether a function is arithmetic of few instructions, so that repeating some costs less than
    a buffer. A division takes many.
    """
    row = row_of(fn)
    return row.cast or (row.arithmetic and row.is_cheap and row.raises != "division")


class Rooms:
    """The memory of a function under construction.

    `reps` has what became of the values met so far, `uses` how often each is still read, `pending`
    those that are computed where they are read, `originals` how those of them are computed that
    are read where they were stored, `operands` the arrays that those are made of which are one
    operation, `read_by` what the code of an entry reads, `memories` what the function allocates,
    `copies` has what lies in another order before all loops.
    """

    def __init__(self, uses: Counter[Value]) -> None:
        self.code = Code()
        self.reps: dict[Value, Rep] = {}
        self.uses = uses
        self.pending: dict[Value, Entries] = {}
        self.originals: dict[Value, Entries] = {}
        self.operands: dict[Entries, list[Array]] = {}
        self.read_by: dict[Array, frozenset[Value]] = {}
        self.memories: set[Memory] = set()
        self.copies: dict[View, View] = {}
        self.saved: dict[Value, Any] = {}  # tapes of integers

    def allocate(
        self, dtype: np.dtype, extents: Extents, name: str = "", within: int | None = None,
        is_exact: bool = False,
    ) -> Memory:  # fmt: skip
        """Memory, from before the loops that it does not depend on; at most in block `within`."""
        code = self.code
        level, sizes = (code.outermost(*extents), extents) if is_exact else code.room(extents)
        if within is not None and level > within:
            raise Unsuited("extents that are known too late")
        with code.outside(level):
            shape = tuple(map(self._extent, sizes))
            args = (shape, dtype) if dtype != np.float64 else (shape,)
            made = code.op(np.empty, args, ArrayType(dtype, _unknown(len(extents))), name or "a")
        memory = Memory(made, dtype, sizes)
        self.memories.add(memory)
        return memory

    def _extent(self, n: Affine) -> Any:
        """The atom of an extent. Loops that have no iterations may tell one that is negative."""
        code = self.code
        atom = code.whole(n)
        is_sum = n.const >= 0 and all(k > 0 for _, k in n.terms)
        if is_sum or code.is_natural(n) or code.is_checked(n):
            return atom
        return code.op(max, (atom, 0), INT)

    def materialised(self, array: Array, name: str = "") -> View:
        """The array in memory of its own."""
        made = self.room_for(array.dtype, array.extents, name)
        if not isinstance(array, Unwritten):
            self.fill(made, array)
        return made

    def in_memory(self, array: Array, name: str = "") -> View:
        """The array where it lies, or in memory of its own if it is computed entry by entry."""
        return array if isinstance(array, View) else self.materialised(array, name)

    def computed(self, array: Array) -> Array:
        """The array, computed once where an entry is more than a read."""
        is_read = isinstance(array, Entries) and array.is_trivial
        return array if is_read else self.in_memory(array)

    def zeros(self, dtype: np.dtype, extents: Extents) -> View:
        """Memory of zeros."""
        zero = dtype.type(0).item()
        return self.materialised(Entries(dtype, extents, lambda code, _: zero, is_trivial=True))

    def room_for(
        self, dtype: np.dtype, extents: Extents, name: str = "", within: int | None = None
    ) -> View:
        """Memory of an array's own."""
        return replace(whole(self.allocate(dtype, extents, name, within)), extents=extents)

    def room_to_pass(self, dtype: np.dtype, extents: Extents, name: str = "") -> View:
        """Memory of an array's own that is no longer than the array: calls ask for its shape."""
        return whole(self.allocate(dtype, extents, name, is_exact=True))

    def fill(self, target: View, source: Array, fn: Callable[..., Any] = index_set) -> None:
        """`target[...] = source`, or `+=`, ...: `source` has the extents of `target`."""
        with self.code.loops(target.extents) as index:
            entry = source.entry(self.code, index)
            is_weak = target.dtype == np.float32 and precision.weak(entry)
            if is_weak or target.dtype.kind == "c":
                entry = precision.cast(self.code, entry, target.dtype)
            self.code.store(fn, target.memory.value, target.place(index), entry)

    def accesses(self, array: Array, index: Index) -> list[tuple[Value, Index]]:
        """What the code of one entry reads of which memory."""
        code = self.scratch()
        code.trace = []
        array.entry(code, index)
        return code.trace

    def is_cheap(self, array: Array, most: int) -> bool:
        """Whether an entry takes at most so many steps of arithmetic, less than memory does."""
        code = self.scratch()
        before = len(code.frames)
        array.entry(code, tuple(Affine.of(Value("k", INT)) for _ in array.extents))
        body = code.frames[-1].body
        ops = [s for s in body if not (isinstance(s, Op) and s.fn is operator.getitem)]
        ops = [s for s in ops if not (isinstance(s, Op) and s.outs and is_int(s.out))]
        if len(code.frames) != before or len(body) - len(ops) > 2 * most:
            return False
        return len(ops) <= most and all(isinstance(s, Op) and is_short(s.fn) for s in ops)

    def scratch(self) -> Code:
        """A place for code that is looked at and thrown away."""
        code = Code()
        code.level, code.limits = dict(self.code.level), self.code.limits
        code.naturals = self.code.naturals
        code.frames = [
            type(f)(index=f.index, least=f.least, greatest=f.greatest) for f in self.code.frames
        ]
        return code

    def reads_elsewhere(self, source: Array, target: View) -> bool:
        """Whether an entry of `source` reads the memory of `target` at another place than its."""
        index = tuple(Affine.of(Value("k", INT)) for _ in target.extents)
        place = target.place(index)
        memory = target.memory.value
        return any(m is memory and at != place for m, at in self.accesses(source, index))

    def before_writing(self, memory: Memory) -> None:
        """Compute what is pending and reads `memory`."""
        self.keep_common(memory)
        for value, entries in list(self.pending.items()):
            if not self.uses[value]:
                del self.pending[value]
                continue
            original = self.originals.get(value)
            if original is not None and self.reads(original, memory):
                original = None
                del self.originals[value]
            if not self.reads(entries, memory):
                continue
            self.originals.pop(value, None)
            if original is not None and (self.uses[value] == 1 or self.is_cheap(original, SOME)):
                self.reps[value] = self.pending[value] = original
            else:
                self.reps[value] = self.materialised(entries, value.name)
                del self.pending[value]

    def keep_common(self, memory: Memory) -> None:
        """Compute once what several of the pending are one step of arithmetic from, each, if it
        reads `memory`; it takes the place of theirs.
        """
        groups: list[tuple[Array, list[list[Array]]]] = []
        for value, entries in self.pending.items():
            entries = self.originals.get(value, entries)
            base = self.base(entries) if self.uses[value] else None
            if base is None or not self.reads(base, memory):
                continue
            same = [operands for other, operands in groups if _is_same(base, other)]
            if same:
                same[0].append(self.operands[entries])
            else:
                groups.append((base, [self.operands[entries]]))
        for base, members in reversed(groups):
            if len(members) > 1 and self.reads(base, memory):
                kept = self.materialised(base)
                self.read_by.clear()  # what is made of it reads it in the place of others
                for operands in members:
                    operands[:] = [kept if _is_same(array, base) else array for array in operands]
                for value in [v for v, entries in self.pending.items() if entries is base]:
                    self.reps[value] = kept
                    del self.pending[value]

    def base(self, entries: Entries) -> Array | None:
        """The only array of which an entry is one short step."""
        if entries.dtype != np.float64:
            return None
        arrays = [array for array in self.operands.get(entries, ()) if array.rank]
        is_one = len(arrays) == 1 and arrays[0].dtype == np.float64
        return arrays[0] if is_one and arrays[0].extents == entries.extents else None

    def reads(self, entries: Array, memory: Memory) -> bool:
        """Whether the code of an entry reads some memory."""
        read = self.read_by.get(entries)
        if read is None:
            index = tuple(Affine.of(Value("k", INT)) for _ in entries.extents)
            read = frozenset(value for value, _ in self.accesses(entries, index))
            self.read_by[entries] = read
        return memory.value in read

    def stored(self, value: Value, target: View) -> None:
        """A value that has been written to `target` is read there for as long as it is there."""
        entries = self.pending.get(value)
        if entries is None or not self.uses[value]:
            return
        if entries.dtype == target.dtype and entries.extents == target.extents:
            self.originals[value] = entries
            copy = Entries(target.dtype, target.extents, target.entry)
            self.reps[value] = self.pending[value] = copy
        elif self.uses[value] > 1 and not self.is_cheap(entries, SOME):
            self.reps[value] = self.materialised(entries, value.name)
            del self.pending[value]

    def unstored(self, atom: Any, memory: Memory) -> Entries | None:
        """How an array that was stored in `memory`, which is to be written, is computed again."""
        original = self.originals.get(atom) if isinstance(atom, Value) else None
        if original is None or self.reads(original, memory) or not self.is_cheap(original, SOME):
            return None
        return original

    def settle(self, written: set[Value]) -> None:
        """Compute what is pending and reads memory that blocks to come write, perhaps often."""
        views = [self.reps.get(value) for value in written]
        for memory in {view.memory for view in views if isinstance(view, View)}:
            self.before_writing(memory)


def _is_same(a: Array, b: Array) -> bool:
    """Whether two arrays have the same entries, computed in the same way."""
    return a is b or (isinstance(a, View) and isinstance(b, View) and a == b)


def _unknown(rank: int) -> tuple[Dim, ...]:
    return tuple(unknown_extent() for _ in range(rank))
