"""Scalarisation: rewrites array operations as loops over entries.

    t = mul(0.1, getitem(u, 1:-1))                for i in range(n - 2):
    u_2 = index_iadd(u, 1:-1, t)           ->         u[i + 1] += 0.1 * u[i + 1]

What is read once is computed where it is read; everything else gets memory (`buffer_placement`). An
operation that writes in place reads what it writes at the same places only; other reads are done
before, into memory of their own.
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
from srcad.ir.effects import destroys
from srcad.ir.types import Dim, dtype_of
from srcad.ir.walk import outputs
from srcad.native.helpers import refuse
from srcad.native.scalarize.arrays import Array, Entries, Index, Memory, View, aligned, whole
from srcad.native.scalarize.branches import branch
from srcad.native.scalarize.buffer_placement import Rep, is_short
from srcad.native.scalarize.flat_memory import Uneven, forget_unread
from srcad.native.scalarize.handlers.indexing import is_int
from srcad.native.scalarize.handlers.table import HANDLERS
from srcad.native.scalarize.handlers.writes import write
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.loops import for_loop, while_loop
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.narrow_integers import widened
from srcad.native.scalarize.scalars import scalar_ops
from srcad.native.scalarize.scalars.bits import as_arithmetic
from srcad.runtime.effects import ensure, raise_


def scalarize(fn: Function) -> Function:
    """The function with loops over entries in the place of array operations.

    Raises:
        Unsuited: something in it has no such form.
    """
    turning: set[Value] = set()
    while True:
        try:
            return Scalariser(fn, turning).run()
        except Uneven as why:
            if turning.issuperset(why.values):
                raise
            turning.update(why.values)


class Scalariser(Lowering):
    """The function under construction, statement by statement."""

    def __init__(self, fn: Function, turning: set[Value]) -> None:
        super().__init__(fn)
        self.turning = turning

    def run(self) -> Function:
        """The whole function."""
        for param in self.fn.params:
            self.reps[param] = self.parameter(param)
        for k, stmt in enumerate(self.fn.body.body):
            try:
                self.statement(stmt)
            except Unsuited as why:
                why.at, why.loc = k, self.code.loc
                raise
        results = [self.result(atom) for atom in self.fn.body.results]
        body = Block(list(self.fn.params), self.code.frames[0].body, results)
        forget_unread(body)
        return Function(self.fn.name, body, self.fn.interface, native=True)

    def parameter(self, param: Value) -> Rep:
        """An argument; arrays lie in C's order."""
        self.code.level[param] = 0
        t = param.type
        if is_int(param):
            return Affine.of(widened(self.code, param))
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

    # Statements

    def block(self, block: Block) -> None:
        """The statements of a block."""
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """One statement."""
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
        if destroys(op):
            self.bind(op.out, write(self, op))
            return
        handler = HANDLERS.get(op.key)
        if handler is not None:
            found = handler(self, op)
            reps = [found] if len(op.outs) == 1 else found
            for out, rep in zip(op.outs, reps, strict=True):
                self.bind(out, rep)
        elif scalar_ops.is_elementwise(op):
            self.bind(op.out, self.elementwise(op))
        else:
            raise Unsuited(f"`{getattr(op.fn, '__name__', op.fn)}` has no form as loops here")
        if op.effect:
            self.kept(op, begin)

    def kept(self, op: Op, begin: int) -> None:
        """What nothing reads is computed for what it may raise: a number stays, of arrays the
        checks of their entries do.
        """
        reps = [self.reps[out] for out in op.outs]
        arrays = [rep for rep in reps if isinstance(rep, Array) and rep.rank]
        for array in arrays:
            if not isinstance(array, View):
                self.materialised(array)
        for stmt in self.code.frames[-1].body[begin:] if not arrays else ():
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
        op = as_arithmetic(op)
        arrays = [self.array(arg) for arg in op.args]
        if not any(array.rank for array in arrays):
            self.sizes.check_compared(op, self.whole)
            if op.fn is operator.invert and self.kinds.is_loose(op.args[0]):
                raise Unsuited("`~` of a truth that is NumPy's or Python's")
            operands = [self.number(arg) for arg in op.args]
            whole_number = self.integer(op)
            if whole_number is not None:
                return whole_number
            made = scalar_ops.write(self.code, op, operands)
            self.sizes.note(op, made)
            return made
        extents = self.code.broadcast([array.extents for array in arrays])
        arrays = [self.readable(array, extents) for array in arrays]

        def entry(code: Code, index: Index) -> Any:
            return scalar_ops.write(code, op, [aligned(a, code, index) for a in arrays])

        made = Entries(np.dtype(dtype_of(op.out.type)), extents, entry)
        if is_short(op.fn):
            self.operands[made] = arrays
        return made

    def integer(self, op: Op) -> Affine | None:
        """Sums and multiples of integers in their form."""
        if not (isinstance(op.out.type, NumberType) and op.out.type.kind is int):
            return None
        if op.fn in (operator.add, operator.sub, operator.neg):
            a, b = (0, *op.args) if op.fn is operator.neg else op.args
            first, last = self.whole(a), self.whole(b)
            return self.summed(op, first + last if op.fn is operator.add else first - last)
        if op.fn in (operator.floordiv, min, max) and len(op.args) == 2:
            return self.of_two(op.fn, *(self.whole(arg) for arg in op.args))
        if op.fn is operator.mul:
            a, b = (self.whole(arg) for arg in op.args)
            if a.number is not None or b.number is not None:
                return self.summed(
                    op, b * a.number if a.number is not None else a * (b.number or 0)
                )
            self.sizes.check_factors(a, b)
            return self.code.multiplied(a, b)
        if op.fn in (abs, operator.abs):
            self.summed(op, self.whole(op.args[0]))
        return None

    def summed(self, op: Op, total: Affine) -> Affine:
        """A sum of integers that has room."""
        self.sizes.check_sum(op.out, total)
        return total

    def of_two(self, fn: Any, a: Affine, b: Affine) -> Affine | None:
        """A quotient by a number, or the extreme of two: known where these are."""
        if fn is operator.floordiv and not (b.number or 0) > 0:
            return None
        naturals = [n for n in (a, b) if self.code.is_natural(n)]
        most = a if len(naturals) == 2 and fn is not max else None
        return self.code.derived(fn, (a, b), most)
