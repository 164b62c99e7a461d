"""Bufferisation: an operation overwrites an input whose buffer nothing reads afterwards.

    W_bar_2 = add(W_bar, t)                 W_bar_2 = iadd(W_bar, t)
    y = index_add(x_bar, i, g)              y = index_iadd(x_bar, i, g)
    y = index_update(x, i, v)               y = index_set(x, i, v)
    z = scatter(g, shape(x), 1:)            a = zeros_like(x)
                                            z = index_set(a, 1:, g)

The program stays one of values: `iadd` returns its first argument, changed, and nothing reads the
old value any more (`srcad.ir.inplace`). The first argument may be destroyed if it is an array of
the result's very type, in a buffer made in this function that is no view of a parameter, and
nothing that might share the buffer is read later: not in the next iteration of a loop, not by a
closure, not as a result (`srcad.analysis.alias`).

Sums become `+=` where a person would write it: on what is carried round a loop, and on a value of
the same name (`x_bar = x_bar + g`), and on images that a kernel made, which are large. Other
temporaries stay expressions. `index_add`, `index_update` and
their like always write in place, into a copy if they must. Where source and target overlap, NumPy
sees to it, but for index arrays: there the source is copied.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import kernels, runtime
from srcad.analysis.accumulators import accumulators
from srcad.analysis.alias import Aliases, find_aliases
from srcad.analysis.operations import has_axes
from srcad.ir.inplace import index_iadd, index_iadd_at, index_set
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import ArrayType
from srcad.ir.walk import map_tree, statements, values_in, with_body, with_program
from srcad.once import cached_property
from srcad.ops import row_of
from srcad.optimize.memory.copiers import copier_in
from srcad.optimize.memory.zero_trip_results import given_back, returned
from srcad.rules.arrays.distinct import is_basic_index, names_once
from srcad.rules.core.staged import type_of

# What these make is large: another such array would cost more to get than to fill.
_LARGE = (kernels.conv2d, kernels.conv2d_input, kernels.unpool2d, kernels.avg_unpool2d)


def store_in_place(fn: Function) -> Function:
    """The program with sums and scattered writes in place, wherever that cannot be noticed."""
    if not any(_may_write(stmt) for stmt in statements(fn.body)):
        return fn
    fn, kept = given_back(fn, returned(fn))
    return with_program(fn, _Writer(fn, kept).block(fn.body))


def _may_write(stmt: Stmt) -> bool:
    if not isinstance(stmt, Op):
        return False
    row = row_of(stmt.fn)
    return row.in_place is not None or row.scatters


class _Writer:
    def __init__(self, fn: Function, kept: frozenset[Value]) -> None:
        self.fn, self.kept = fn, kept
        self.copier = copier_in(fn)
        self.body: list[Stmt] = []
        self.carried: set[Value] = set()
        self.made: dict[Value, Op] = {}
        self.blank: set[Value] = set()  # zeros that nothing was added to yet
        self.renewed: dict[Value, Value] = {}  # what an array was before it was written

    @cached_property
    def facts(self) -> Aliases:
        """What may share memory: asked where something might be written."""
        return find_aliases(self.fn, kept=self.kept)

    def block(self, block: Block) -> Block:
        outer, self.body = self.body, []
        renewed = dict(self.renewed)
        for stmt in block.body:
            self.stmt(stmt)
        made, self.body = self.body, outer
        self.renewed = renewed
        return with_body(block, made)

    def stmt(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.op(stmt)
                return
            case If():
                then, orelse = self.block(stmt.then), self.block(stmt.orelse)
                new: Stmt = If(stmt.cond, then, orelse, stmt.outs, stmt.loc)
            case For():
                self.carried.update(stmt.carried)
                init, body = self.started(stmt), self.block(stmt.body)
                new = replace(stmt, init=init, body=body)
            case While():
                self.carried.update(stmt.body.params)
                init, test, body = self.started(stmt), self.block(stmt.test), self.block(stmt.body)
                new = replace(stmt, init=init, test=test, body=body)
            case Closure():
                inner = stmt.function
                function = Function(inner.name, self.block(inner.body), inner.interface)
                new = Closure(function, stmt.out, stmt.loc)
        self.body.append(new)

    def started(self, stmt: For | While) -> list[Any]:
        """What the loop starts from, copied where the body writes into it and others hold it."""
        if not accumulators(stmt, stmt.carried):
            return [*stmt.init]  # nothing is written; the analysis need not be made for it
        copied = self.facts.starts.get(stmt, set())
        return [self.copy(a, stmt) if k in copied else a for k, a in enumerate(stmt.init)]

    def copy(self, value: Any, stmt: Stmt) -> Value:
        fresh = Value(value.name if isinstance(value, Value) else "", type_of(value))
        self.body.append(Op(self.copier(fresh.type), (value,), {}, (fresh,), stmt.loc))
        return fresh

    def emit(self, op: Op, fn: Any, args: tuple[Any, ...]) -> None:
        self.body.append(replace(op, fn=fn, args=args, kwargs={}))
        self.renewed[args[0]] = op.out

    # ---- operations

    def op(self, op: Op) -> None:
        if row_of(op.fn).shape_only:  # the same, asked of what the array is now
            op = replace(op, args=(self.now(op.args[0]), *op.args[1:]))
        row = row_of(op.fn)
        if op.fn is runtime.index_add:
            self.index_add(op)
        elif row.store:
            self.store(op, row.in_place)
        elif row.in_place is not None:
            self.arithmetic(op, row.in_place)
        elif row_of(op.fn).scatters:
            self.scatter(op)
        else:
            self.body.append(op)
            if row_of(op.fn).makes_zeros:
                self.blank.add(op.out)
        for out in op.outs:
            self.made[out] = op

    def now(self, x: Any) -> Any:
        """What an array has become, if it has been written."""
        while isinstance(x, Value) and x in self.renewed:
            x = self.renewed[x]
        return x

    def arithmetic(self, op: Op, write: Any) -> None:
        a, b = op.args
        if self.is_accumulator(a, op) and self.may_destroy(a, op):
            self.emit(op, write, (a, b))
        elif (
            op.fn in (operator.add, operator.mul)
            and self.is_accumulator(b, op)
            and self.may_destroy(b, op)
        ):
            self.emit(op, write, (b, a))
        else:
            self.body.append(op)

    def is_accumulator(self, a: Any, op: Op) -> bool:
        """Whether a person would write `a += ...`."""
        return isinstance(a, Value) and (
            a in self.carried
            or (a.name == op.out.name and a.name != "")
            or (a in self.made and self.made[a].fn in _LARGE)
        )

    def may_destroy(self, a: Any, op: Op) -> bool:
        t = a.type if isinstance(a, Value) else None
        if not isinstance(t, ArrayType) or not t.shape or t != op.out.type:
            return False
        sites = self.facts.of(a)
        return self.facts.is_writable(sites) and not self.facts.is_read_later(sites, op)

    def index_add(self, op: Op) -> None:
        if not has_axes(op.args[0]):
            self.body.append(op)
            return
        is_first = isinstance(op.args[0], Value) and op.args[0] in self.blank
        a, index, values = self.target(op)
        if is_first and a is op.args[0] and names_once(index, self.made):
            self.emit(op, index_set, (a, index, values))
        elif not names_once(index, self.made):
            self.emit(op, index_iadd_at, (a, index, values))
        else:
            self.emit(op, index_iadd, (a, index, values))

    def store(self, op: Op, write: Any) -> None:
        """`a[index] = values`, or `*=` and its like."""
        if has_axes(op.args[0]):
            self.emit(op, write, self.target(op))
        else:
            self.body.append(op)

    def target(self, op: Op) -> tuple[Value, Any, Any]:
        """The array that may be written, itself or a copy, and what is written where."""
        a, index, values = op.args
        if not self.may_destroy(a, op):
            return self.copy(a, op), index, values
        if not is_basic_index(index):
            index, values = self.apart(index, a, op), self.apart(values, a, op)
        return a, index, values

    def apart(self, tree: Any, a: Value, op: Op) -> Any:
        """`tree` with copies of the arrays that may share storage with `a`."""
        if self.facts.of(a).isdisjoint(self.facts.of(tree)):
            return tree
        shared = {v for v in values_in(tree) if not self.facts.of(v).isdisjoint(self.facts.of(a))}
        return map_tree(lambda x: self.copy(x, op) if x in shared else x, tree)

    def scatter(self, op: Op) -> None:
        values, shape, index = op.args
        t = op.out.type
        if not isinstance(t, ArrayType) or not t.shape:
            self.body.append(op)
            return
        zeros = Value(op.out.name, t)
        self.body.append(self.zeros(zeros, shape, op))
        write = index_set if names_once(index, self.made) else index_iadd_at
        self.emit(op, write, (zeros, index, values))

    def zeros(self, out: Value, shape: Any, op: Op) -> Op:
        """`np.zeros_like(x)` where the shape is that of an `x` of this dtype, else `np.zeros`."""
        t = out.type
        assert isinstance(t, ArrayType)
        asked = self.made.get(shape) if isinstance(shape, Value) else None
        if asked is not None and asked.fn is np.shape and isinstance(asked.args[0], Value):
            x = asked.args[0]
            if isinstance(x.type, ArrayType) and (x.type.dtype, x.type.shape) == (t.dtype, t.shape):
                return Op(np.zeros_like, (x,), {}, (out,), op.loc)
        options = {} if t.dtype == np.float64 else {"dtype": t.dtype}
        return Op(np.zeros, (shape,), options, (out,), op.loc)
