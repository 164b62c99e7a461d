"""The function under construction, as its handlers see it: what became of each value so far.

t = mul(0.1, x)         rep(t): Entries, computed where they are read
n = getitem(shape, 0)   rep(n): Affine
y, to be saved          bind(y, ...) writes a tape as well
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from srcad.ir import Block, Function, NumberType, Op, SeqType, Value
from srcad.ir.affine import Affine
from srcad.ir.types import Dim, dtype_of
from srcad.ir.walk import count_reads, values_in
from srcad.native.scalarize.arrays import Array, Entries, Extents, Index, View, aligned
from srcad.native.scalarize.buffer_placement import FEW, SOME, Rep, Rooms
from srcad.native.scalarize.handlers.indexing import is_int, subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.read_depth import read_in_inner_blocks, written_first
from srcad.native.scalarize.scalars.integer_sizes import Sizes
from srcad.native.scalarize.scalars.single_precision import meets_single
from srcad.native.scalarize.scalars.weak_scalars import Kinds
from srcad.native.scalarize.tapes import Plan, save


class Lowering(Rooms, ABC):
    """What stands for the values of the program met so far, and the tapes that are being written.

    `born` has the depth of the block that binds a value, `deep` the values that inner blocks read,
    `destined` those that are written somewhere first, `plans` the tapes of values to come,
    `dims` the extents of parameters, `turning` what loops carry whose extents are known there only.
    """

    def __init__(self, fn: Function) -> None:
        super().__init__(count_reads(fn))
        self.fn = fn
        self.born: dict[Value, int] = {}
        self.deep = read_in_inner_blocks(fn.body)
        self.destined = written_first(fn.body)
        self.plans: dict[Value, Plan] = {}
        self.turning: set[Value] = set()
        self.dims: dict[Dim, Affine] = {}
        self.sizes = Sizes(self.code, fn)
        self.kinds = Kinds(fn)
        self.meets_single = meets_single(fn.body.body, self.kinds)

    @abstractmethod
    def block(self, block: Block) -> None:
        """Lower the statements of a block that a statement holds."""

    @abstractmethod
    def elementwise(self, op: Op) -> Rep:
        """What an operation makes entry by entry."""

    def rep(self, atom: Any) -> Rep:
        """What became of an atom."""
        if isinstance(atom, Value):
            if atom not in self.reps and isinstance(atom.type, SeqType):
                raise Unsuited("a list that grows inside of a loop, read there")
            return self.reps[atom]
        return Affine(atom) if type(atom) is int else atom

    def whole(self, atom: Any) -> Affine:
        """The form of an integer."""
        rep = self.rep(atom)
        if isinstance(rep, Affine):
            return rep
        if is_int(rep):
            return Affine.of(rep) if isinstance(rep, Value) else Affine(int(rep))
        if isinstance(rep, Value) and rep.type == NumberType(bool):
            counted = self.code.op(int, (rep,), INT)
            self.code.limits[counted] = (Affine(), Affine(1))
            return Affine.of(counted)
        raise Unsuited("a number that is no integer, where one is needed")

    def number(self, atom: Any) -> Any:
        """The atom of a number."""
        rep = self.rep(atom)
        if isinstance(rep, Affine):
            return self.code.whole(rep)
        if isinstance(rep, Array):
            if rep.rank:
                raise Unsuited("an array, where a number is needed")
            return rep.entry(self.code, ())
        return rep

    def array(self, atom: Any) -> Array:
        """The array of an atom; a number is one without axes."""
        rep = self.rep(atom)
        if isinstance(rep, Array):
            return rep
        if isinstance(rep, tuple):
            raise Unsuited("a tuple, where an array is needed")
        dtype = np.dtype(np.int64) if isinstance(rep, Affine) else _dtype(rep)

        def entry(code: Code, _: Index) -> Any:
            return code.whole(rep) if isinstance(rep, Affine) else rep

        return Entries(dtype, (), entry)

    def bind(self, value: Value, rep: Rep) -> None:
        """`value` is `rep`; memory for what is read more than once."""
        if isinstance(rep, Array) and rep.rank == 0:
            rep = rep.entry(self.code, ())
        if isinstance(rep, Value) and is_int(rep):
            rep = Affine.of(rep)
        if isinstance(rep, Value) and value.name and not rep.name:
            rep.name = value.name
        self.born[value] = len(self.code.frames) - 1
        plan = self.plans.pop(value, None)
        if plan is not None:
            self.uses[value] -= 1
            rep = save(self, plan, rep, value.type)
        if isinstance(rep, Entries) and not rep.is_trivial:
            often = self.uses[value] > 1 or value in self.deep
            often = often and value not in self.destined
            if often and not self.is_cheap(rep, FEW if value in self.deep else SOME):
                rep = self.materialised(rep, value.name)
            else:
                self.pending[value] = rep
        self.reps[value] = rep

    def read(self, tree: Any) -> None:
        """Values are read: once less from now on."""
        self.uses.subtract(values_in(tree))

    def may_take(self, atom: Any) -> bool:
        """Whether the memory of an array, read for the last time, can become that of its copy."""
        view = self.rep(atom)
        if not isinstance(atom, Value) or not isinstance(view, View) or not view.is_all:
            return False
        if view.memory not in self.memories or self.born[atom] < len(self.code.frames) - 1:
            return False
        return not any(
            self.uses[value] > 0
            and getattr(rep, "memory", None) is view.memory  # a list of rows, too
            for value, rep in self.reps.items()
        )

    def is_own(self, array: Array, atom: Any) -> TypeGuard[View]:
        """Whether an array is all that an iteration has in memory of its own, and nothing else."""
        if not self.may_take(atom) or not isinstance(array, View):
            return False
        return self.code.level.get(array.memory.value) == len(self.code.frames) - 1

    def owned(self, atom: Any, name: str = "") -> View:
        """The array of an atom as memory that may be written."""
        return self.in_memory(self.array(atom), name)

    def readable(self, array: Array, extents: Extents) -> Array:
        """`array`, computed once if an entry of it is read for several of the result's."""
        return self.computed(array) if array.rank and array.extents != extents else array

    def spread(self, array: Array, extents: Extents) -> Array:
        """`array` with the extents of what it is written to."""
        while array.rank > len(extents):
            if array.extents[0].number != 1:
                raise Unsuited("too many axes")
            array = subscript(self.code, array, Affine(0), self.whole_of)
        for n, m in zip(array.extents, extents[len(extents) - array.rank :], strict=True):
            if n.number != 1:
                self.code.equal(n, m)
        array = self.readable(array, extents)
        return Entries(array.dtype, extents, lambda code, index: aligned(array, code, index))

    def whole_of(self, number: Any) -> Affine:
        """An integer that is one already."""
        return number if isinstance(number, Affine) else self.whole(number)


Handler = Callable[[Lowering, Op], Any]


def _dtype(atom: Any) -> np.dtype:
    if isinstance(atom, Value):
        found = dtype_of(atom.type)
        if found is None:
            raise Unsuited("an object")
        return found
    if not isinstance(atom, int | float | complex | np.generic):
        raise Unsuited("a constant array")
    return np.result_type(type(atom)) if not isinstance(atom, np.generic) else atom.dtype
