"""Shape sources: reads shapes from arrays that live anyway, so that temporaries die.

    def f(x: f64[x0, x1], w: f64[x1, w1]):
        h = tanh(x)                          h is dead
        s = shape(h)                         s = shape(x)
        n = getitem(shape(matmul(x, w)), 1)  n = getitem(shape(w), 1)

Types say which arrays have equal extents. Parameters serve first; else, for a temporary, the
earliest array of that shape with a name that something besides shapes is read of.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable

import numpy as np

from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim, Extent, Shape
from srcad.ir.walk import blocks, inputs, outputs, statements, values_in
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.staged import Builder

_ASK = (np.shape, np.size)


def choose_shape_sources(fn: Function) -> Function:
    """The program with shapes taken from parameters where these have them."""
    if not any(isinstance(stmt, Op) and stmt.fn in _ASK for stmt in statements(fn.body)):
        return fn
    return _Witness(fn).run(fn)


class _Witness(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.fn = fn
        self.uses: Counter[Value] | None = None  # reads that are not questions of shape
        self.shapes: dict[Shape, Value] = {}  # of parameters
        self.axes: dict[Extent, tuple[Value, int]] = {}
        self.shape_of: dict[Value, Value] = {}
        self.visible: dict[Shape, list[Value]] = {}
        self.seen: list[Shape] = []  # of what is visible, in order
        for param in fn.params:
            for axis, extent in enumerate(shape := _shape(param) or ()):
                self.shapes.setdefault(shape, param)
                self.axes.setdefault(extent, (param, axis))

    def block(self, block: Block) -> Block:
        mark = len(self.seen)
        self.see(block.params)
        block = super().block(block)
        for shape in self.seen[mark:]:
            self.visible[shape].pop()
        del self.seen[mark:]
        return block

    def see(self, values: Iterable[Value]) -> None:
        """Values are there from now on, to the end of the block."""
        for value in values:
            if (shape := _shape(value)) is not None:
                self.visible.setdefault(shape, []).append(value)
                self.seen.append(shape)

    def statements(self, body: list[Stmt]) -> None:
        for stmt in body:
            super().statements([stmt])
            self.see(outputs(stmt))

    def op(self, op: Op) -> None:
        if op.fn in _ASK and len(op.args) == 1 and not op.kwargs:
            op = self._asked(op)
            if op.fn is np.shape and isinstance(op.args[0], Value):
                self.shape_of[op.out] = op.args[0]
        elif op.fn is operator.getitem and _is_in(op.args[0], self.shape_of):
            op = self._extent(op)
        self.body.append(op)

    def _asked(self, op: Op) -> Op:
        """`shape(x)` or `size(x)`, asked of the best array."""
        x = op.args[0]
        shape = _shape(x)
        if shape is None or x in self.fn.params:
            return op
        other = self.shapes.get(shape) or self._elsewhere(x, shape)
        return op if other is None else Op(op.fn, (other,), {}, op.outs, op.loc)

    def _elsewhere(self, x: Value, shape: Shape) -> Value | None:
        """The first visible value of this shape that stays, if `x` may then go."""
        if self.uses is None:
            self.uses = _count_reads(self.fn)
        uses = self.uses
        if x.name and uses[x]:
            return None
        for value in self.visible.get(shape, ()):
            if value is x:
                break
            if not value.partial and uses[value] and (value.name or not uses[x]):
                return value
        return None

    def _extent(self, op: Op) -> Op:
        """`shape(x)[k]`, asked of a parameter; the one for the whole shape may then be dead."""
        x, k = self.shape_of[op.args[0]], op.args[1]
        shape = _shape(x)
        if x in self.fn.params or shape is None or type(k) is not int:
            return op
        if shape[k] not in self.axes:
            return op
        param, axis = self.axes[shape[k]]
        whole = Builder(self.body, op.loc).emit(np.shape, (param,))
        return Op(operator.getitem, (whole, axis), {}, op.outs, op.loc)


def _shape(x: object) -> Shape | None:
    """The extents of an array whose shape is worth asking for: some of them unknown."""
    t = x.type if isinstance(x, Value) else None
    if not isinstance(t, ArrayType) or not t.shape:
        return None
    return t.shape if any(isinstance(e, Dim) for e in t.shape) else None


def _is_in(x: object, values: dict[Value, Value]) -> bool:
    return isinstance(x, Value) and x in values


def _count_reads(fn: Function) -> Counter[Value]:
    """How often each value is read by anything but a question of shape."""
    reads: Counter[Value] = Counter(values_in(fn.body.results))
    for stmt in statements(fn.body):
        if not (isinstance(stmt, Op) and stmt.fn in _ASK):
            reads.update(values_in(inputs(stmt)))
        for block in blocks(stmt):
            reads.update(values_in(block.results))
    return reads
