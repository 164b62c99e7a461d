"""Array operations as loops over entries.

    t = mul(0.1, getitem(u, 1:-1))                for i in range(n - 2):
    u_2 = index_iadd(u, 1:-1, t)           ->         u[i + 1] += 0.1 * u[i + 1]

What is read once is computed where it is read; everything else gets memory (`rooms`). An operation
that writes in place reads what it writes at the same places only; other reads are done before, into
memory of their own.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir import (
    ArrayType,
    Block,
    For,
    Function,
    If,
    NumberType,
    Op,
    Stmt,
    TupleType,
    Value,
    While,
)
from srcad.ir.affine import Affine
from srcad.ir.inplace import DESTROYS
from srcad.ir.types import Dim, dtype_of, rank_of
from srcad.ir.walk import count_reads, outputs, values_in
from srcad.native.helpers import check_size, refuse
from srcad.native.scalarize.arrays import (
    Array,
    Entries,
    Extents,
    Index,
    Memory,
    View,
    aligned,
    whole,
)
from srcad.native.scalarize.buffer_placement import FEW, SHORT, SOME, Rep, Rooms
from srcad.native.scalarize.handlers.indexing import is_int, subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.read_depth import read_in_inner_blocks, written_first
from srcad.native.scalarize.scalars import scalar_ops
from srcad.native.scalarize.scalars.weak_scalars import has_single
from srcad.native.scalarize.tapes import Plan, save
from srcad.runtime.effects import ensure, raise_


def scalarise(fn: Function) -> Function:
    """The function with loops over entries in the place of array operations.

    Raises:
        Unsuited: something in it has no such form.
    """
    return Scalariser(fn).run()


class Scalariser(Rooms):
    """The function under construction, statement by statement."""

    def __init__(self, fn: Function) -> None:
        super().__init__(count_reads(fn))
        self.fn = fn
        self.born: dict[Value, int] = {}
        self.deep = read_in_inner_blocks(fn.body)
        self.destined = written_first(fn.body)
        self.dims: dict[Dim, Affine] = {}
        self.plans: dict[Value, Plan] = {}
        self.has_single = has_single(fn.body.body)

    def run(self) -> Function:
        """The whole function."""
        for param in self.fn.params:
            self.reps[param] = self.parameter(param)
        for k, stmt in enumerate(self.fn.body.body):
            try:
                self.statement(stmt)
            except Unsuited as why:
                why.at = k
                raise
        results = [self.result(atom) for atom in self.fn.body.results]
        body = Block(list(self.fn.params), self.code.frames[0].body, results)
        return Function(self.fn.name, body, self.fn.interface, native=True)

    def parameter(self, param: Value) -> Rep:
        """An argument; arrays lie in C's order."""
        self.code.level[param] = 0
        t = param.type
        if is_int(param):
            return Affine.of(param)
        if not isinstance(t, ArrayType) or t.shape == ():
            return param
        shape = self.code.op(np.shape, (param,), TupleType((INT,) * len(t.shape or ())))
        extents = []
        for k, extent in enumerate(t.shape or ()):
            if isinstance(extent, int):
                extents.append(Affine(extent))
                continue
            known = self.dims.get(extent)
            if known is None:
                known = self.extent_of(shape, k, extent)
            extents.append(known)
        return whole(Memory(param, t.dtype, tuple(extents)))

    def extent_of(self, shape: Value, k: int, extent: Dim) -> Affine:
        """The extent of a parameter, read where no other tells it."""
        base = self.dims.get(Dim(extent.symbol))
        if base is not None:
            found = base - extent.minus
        else:
            read = self.code.op(operator.getitem, (shape, k), INT, "n")
            self.code.naturals.add(read)
            found = Affine.of(read)
        self.dims[extent] = found
        return found

    def result(self, atom: Any) -> Any:
        """What the function returns."""
        try:
            return self.returned(self.rep(atom))
        except Unsuited as why:
            made = [k for k, stmt in enumerate(self.fn.body.body) if atom in outputs(stmt)]
            why.at = made[0] if made else 0
            raise

    def returned(self, rep: Rep) -> Any:
        """A number, or all of an array's memory."""
        if isinstance(rep, Affine):
            return self.code.whole(rep)
        if not isinstance(rep, Array):
            return rep
        if isinstance(rep, View) and rep.is_all:
            return rep.memory.value
        made = self.materialised(rep)
        if not made.is_all:
            raise Unsuited("a result in larger memory")
        return made.memory.value

    # Values

    def rep(self, atom: Any) -> Rep:
        """What became of an atom."""
        if isinstance(atom, Value):
            return self.reps[atom]
        return Affine(atom) if type(atom) is int else atom

    def whole(self, atom: Any) -> Affine:
        """The form of an integer."""
        rep = self.rep(atom)
        if isinstance(rep, Affine):
            return rep
        if is_int(rep):
            return Affine.of(rep) if isinstance(rep, Value) else Affine(int(rep))
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
            self.uses[value] > 0 and isinstance(rep, View) and rep.memory is view.memory
            for value, rep in self.reps.items()
        )

    def owned(self, atom: Any, name: str = "") -> View:
        """The array of an atom as memory that may be written."""
        array = self.array(atom)
        return array if isinstance(array, View) else self.materialised(array, name)

    # Statements

    def block(self, block: Block) -> None:
        """The statements of a block."""
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """One statement."""
        from srcad.native.scalarize.branches import branch
        from srcad.native.scalarize.loops import for_loop, while_loop

        self.code.loc = stmt.loc
        match stmt:
            case Op():
                self.operation(stmt)
            case For():
                for_loop(self, stmt)
            case While():
                while_loop(self, stmt)
            case If():
                branch(self, stmt)
            case _:
                raise Unsuited("a function inside")

    def operation(self, op: Op) -> None:
        """One operation."""
        from srcad.native.scalarize.handlers.operations import HANDLERS
        from srcad.native.scalarize.handlers.writes import write

        self.read((op.args, op.kwargs))
        if op.fn is raise_:
            self.code.effect(refuse)  # NumPy raises it
            return
        if op.fn is ensure:
            self.ensured(op)
            return
        if op.effect and not op.raises:
            raise Unsuited("an effect")
        begin = len(self.code.frames[-1].body)
        for out in op.outs:
            if isinstance(out.type, ArrayType) and not scalar_ops.is_number_type(out.type):
                raise Unsuited(f"{out.type}")
        if op.fn in DESTROYS:
            self.bind(op.out, write(self, op))
            return
        handler = HANDLERS.get(op.fn) if type(op.fn).__hash__ is not None else None
        if handler is not None:
            self.bind(op.out, handler(self, op))
        elif scalar_ops.is_elementwise(op):
            self.bind(op.out, self.elementwise(op))
        else:
            raise Unsuited(getattr(op.fn, "__name__", "an operation"))
        if op.effect:
            self.kept(op, begin)

    def kept(self, op: Op, begin: int) -> None:
        """What a number that nothing reads is computed by stays, for what it may raise."""
        if any(rank_of(out.type) != 0 for out in op.outs):
            raise Unsuited("an array that nothing reads")
        for stmt in self.code.frames[-1].body[begin:]:
            if isinstance(stmt, Op) and stmt.fn is not operator.getitem:
                stmt.effect = True

    def ensured(self, op: Op) -> None:
        """`assert cond`; NumPy raises it."""
        cond = self.number(op.args[0])
        with self.code.block() as frame:
            self.code.effect(refuse)
        self.code.add(If(cond, Block([], [], []), Block([], frame.body, []), (), op.loc))

    def elementwise(self, op: Op) -> Rep:
        """Entry by entry; a number at once."""
        arrays = [self.array(arg) for arg in op.args]
        if not any(array.rank for array in arrays):
            operands = [self.number(arg) for arg in op.args]
            whole_number = self.integer(op)
            return (
                scalar_ops.write(self.code, op, operands) if whole_number is None else whole_number
            )
        extents = self.code.broadcast([array.extents for array in arrays])
        arrays = [self.readable(array, extents) for array in arrays]

        def entry(code: Code, index: Index) -> Any:
            return scalar_ops.write(code, op, [aligned(a, code, index) for a in arrays])

        made = Entries(np.dtype(dtype_of(op.out.type)), extents, entry)
        if op.fn in SHORT:
            self.operands[made] = arrays
        return made

    def readable(self, array: Array, extents: Extents) -> Array:
        """`array`, computed once if an entry of it is read for several of the result's."""
        if isinstance(array, Entries) and array.rank and array.extents != extents:
            return array if array.is_trivial else self.materialised(array)
        return array

    def integer(self, op: Op) -> Affine | None:
        """Sums and multiples of integers in their form."""
        if not (isinstance(op.out.type, NumberType) and op.out.type.kind is int):
            return None
        if op.fn in (operator.add, operator.sub):
            a, b = (self.whole(arg) for arg in op.args)
            return a + b if op.fn is operator.add else a - b
        if op.fn is operator.neg:
            return -self.whole(op.args[0])
        if op.fn is operator.mul:
            a, b = (self.whole(arg) for arg in op.args)
            if a.number is not None or b.number is not None:
                return b * a.number if a.number is not None else a * (b.number or 0)
            self.check_size(a, b)
        return None

    def check_size(self, *numbers: Affine) -> None:
        """See to it that products of arguments have room; indices are never so large."""
        code = self.code
        given = {value for number in numbers for value, _ in number.terms} & set(self.fn.params)
        for value in self.fn.params:
            if value in given and ("size", value) not in code.frames[0].checked:
                frames, code.frames = code.frames, code.frames[:1]
                code.frames[0].checked.add(("size", value))
                code.effect(check_size, value)
                code.frames = frames

    # Writing in place

    def spread(self, array: Array, extents: Extents) -> Array:
        """`array` with the extents of what it is written to."""
        while array.rank > len(extents):
            if array.extents[0].number != 1:
                raise Unsuited("too many axes")
            array = subscript(self.code, array, Affine(0), self.whole_of, self.array)
        for n, m in zip(array.extents, extents[len(extents) - array.rank :], strict=True):
            if n.number != 1:
                self.code.equal(n, m)
        array = self.readable(array, extents)
        return Entries(array.dtype, extents, lambda code, index: aligned(array, code, index))

    def whole_of(self, number: Any) -> Affine:
        """An integer that is one already."""
        return number if isinstance(number, Affine) else self.whole(number)


def _dtype(atom: Any) -> np.dtype:
    if isinstance(atom, Value):
        found = dtype_of(atom.type)
        if found is None:
            raise Unsuited("an object")
        return found
    if not isinstance(atom, int | float | np.generic):
        raise Unsuited("a constant array")
    return np.result_type(type(atom)) if not isinstance(atom, np.generic) else atom.dtype
