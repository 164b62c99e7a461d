"""Vectorisation: a program for one sample becomes a program for all samples at once.

    def f(x: f64[k], w):                   def f_vmap(x: f64[n, k], w):
        z = matmul(w, x)           ->          z = matmul(x, transpose(w))
        if z[0] > 0:                           rows = []
            z = cholesky_like(z)               for i in range(n):
        return z                                   z_i = z[i]
                                                   if z_i[0] > 0: z_i = cholesky_like(z_i)
                                                   rows.append(z_i)
                                               return np.array(rows)

Values that depend on the samples have their axis first. An operation that has a form with this axis
gets it (`sample_forms`, `srcad.transform.jacobians.batch_forms`); what has none, a branch or the
number of iterations by a sample's data for instance, runs in a loop over the samples, as few
neighbouring statements as possible.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self, cast

import numpy as np

from srcad.errors import error
from srcad.ir.calls import called, copy_program
from srcad.ir.definedness import Unbound, range_test
from srcad.ir.effects import has_effect
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Function, If, Op, Stmt, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    SeqType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.ir.walk import copy_statements, outputs, reads
from srcad.ops import row_of
from srcad.ops.raising import raises_by_value
from srcad.rules import RULES
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.runtime.effects import ensure_bound
from srcad.transform.batching.batched_rules import by_batched, is_batched
from srcad.transform.batching.refusals import refuse_draws, same_for_all
from srcad.transform.batching.sample_forms import form_of, measured
from srcad.transform.batching.stacking import stack
from srcad.transform.batching.tapes import is_read_by_loops, read_items
from srcad.transform.checkpointing.sizes import Extents
from srcad.transform.jacobians.batch import Batch, Form, NotBatched

_UNKNOWN = re.compile(r"\?\d+")


def vectorized(
    fn: Function, mapped: Sequence[bool], extent: Extent, *, is_derived: bool, same: frozenset[int]
) -> Function:
    """The program of all samples.

    Args:
        mapped: which parameters have an axis for the samples; they get it as their first one.
        extent: the number of samples.
        is_derived: the derivative of it may be taken.
        same: the results that get no axis.

    Raises:
        ArgumentValueError: E320, one of those depends on the samples.
        UnsupportedSyntax: E141, a statement can run neither for all samples nor for each.
    """
    fn = copy_program(fn)
    assert fn.interface is not None
    for each in (*called(fn), fn):
        refuse_draws(each.body)
    builder = Builder([])
    samples = Samples(builder, extent, extent)
    params = [
        samples.new(p) if has_axis else p for p, has_axis in zip(fn.params, mapped, strict=True)
    ]
    if not isinstance(extent, int):
        shape = builder.emit(np.shape, (params[list(mapped).index(True)],))
        samples.count = builder.emit(operator.getitem, (shape, 0), name="n_samples")
    samples.is_derived = is_derived
    samples.unbound, samples.params = Unbound(fn), params
    samples.results = {atom for atom in fn.body.results if isinstance(atom, Value)}
    try:
        samples.run(fn.body.body)
        results: list[Atom] = [
            same_for_all(samples, atom) if k in same else samples.of(atom)
            for k, atom in enumerate(fn.body.results)
        ]
    except NotBatched:
        what = "what is neither a number nor an array, or has no known number of axes,"
        raise error("E141", builder.loc, what=what) from None
    return Function(f"{fn.name}_vmap", Block(params, builder.body, results), fn.interface)


class Samples(Batch):
    """A batch of which every program can be made: what has no form waits for a loop over samples.

    `waiting` are the statements of the next loop. `inside` are values that cannot leave it: lists,
    arrays whose extents each sample's data decide (`uneven`), what some samples alone have. What
    reads them joins the loop.
    """

    unbound: Unbound
    params: list[Value]
    is_derived: bool

    def __init__(self, builder: Builder, count: Atom, extent: Extent) -> None:
        super().__init__(builder, count, extent)
        self.waiting: list[Stmt] = []
        self.inside: set[Value] = set()
        self.results: set[Atom] = set()
        self.uneven: set[str] = set()

    def run(self, body: Sequence[Stmt]) -> None:
        """Append the statements, those that depend on the samples for all of them."""
        for stmt in body:
            self.builder.loc = stmt.loc
            read = list(reads(stmt))
            if not any(v in self.with_axis or v in self.inside for v in read):
                self.builder.body.append(stmt)
            elif not self._vectorize(stmt, read):
                self._wait(stmt)
        self.flush()

    def _vectorize(self, stmt: Stmt, read: list[Value]) -> bool:
        """Append the form of a statement with the axis, if it has one."""
        if self.inside:
            return False
        # A block inside may fail after it has noted values; an operation notes its own at the end.
        known = self.with_axis if isinstance(stmt, Op) else dict(self.with_axis)
        outer = self.builder.body
        made: list[Stmt] = []
        try:
            with self.builder.into(made):
                self.statement(stmt)
            if any(v in known for each in made for v in reads(each)):
                raise NotBatched  # one sample's value is left in it
        except NotBatched:
            self.with_axis = known
            return False
        late = {out for each in self.waiting for out in outputs(each)}
        if any(v in late for v in read) or any(map(has_effect, self.waiting)):
            self.flush()
        outer.extend(made)
        return True

    def op(self, op: Op) -> None:
        """Append an operation with the axis; what reads a shape alone is the same for all."""
        if row_of(op.fn).measures and self.has_axis(op.args[0]):
            self.builder.body.append(measured(self, op))
        elif is_batched(op, self.is_derived):
            self.with_axis.update(by_batched(self, op))
        elif len(op.outs) > 1 and not op.effect and not isinstance(op.fn, Function):
            self._several(op)
        elif op.fn in RULES and RULES[op.fn].kind == "composed":
            self._composed(op)
        elif op.effect and row_of(op.fn).elementwise:
            self._raising(op)
        else:
            super().op(op)

    def _raising(self, op: Op) -> None:
        """Append an elementwise operation that is there for its exception, of shapes that do not
        fit: all samples have one shape.
        """
        super().op(replace(op, effect=False))
        self.builder.body[-1] = replace(cast(Op, self.builder.body[-1]), effect=True)

    def within(self) -> Self:
        """The same for a block inside."""
        part = super().within()
        part.unbound, part.params, part.is_derived = self.unbound, self.params, self.is_derived
        return part

    def branch(self, stmt: If) -> None:
        """Append a branch that all samples take."""
        super().branch(stmt)
        self._require_told(stmt.outs)

    def loop(self, stmt: For) -> None:
        """Append a loop that all samples make."""
        super().loop(stmt)
        self._require_told(stmt.outs)

    def _require_told(self, outs: Iterable[Value]) -> None:
        """Leave to the loop over the samples what may be unbound, if no test tells where."""
        for out in outs:
            if out in self.with_axis and out in self.unbound.values and not self.unbound.told(out):
                raise NotBatched

    def _several(self, op: Op) -> None:
        """Append an operation with several results."""
        found = self.form_of(op)(self, op)
        for out, made in zip(op.outs, found, strict=True):
            wanted = self.type_with_axis(out.type)
            if dtype_of(made.type) != dtype_of(wanted) or rank_of(made.type) != rank_of(wanted):
                raise NotBatched
            made.name = made.name or out.name
            made.type = wanted
        self.with_axis.update(zip(op.outs, found, strict=True))

    def _composed(self, op: Op) -> None:
        """Append the operations that a function consists of."""
        inner = Builder([], op.loc)
        found = unwrap(inner.expand(RULES[op.fn], op.args, op.kwargs))
        if isinstance(found, tuple | list) or any(not isinstance(s, Op) for s in inner.body):
            raise NotBatched
        for stmt in inner.body:
            if any(v in self.with_axis for v in reads(stmt)):
                self.statement(stmt)
            else:
                self.builder.body.append(stmt)
        made = self.of(found)
        if rank_of(made.type) != rank_of(self.type_with_axis(op.out.type)):
            raise NotBatched
        made.type = self.type_with_axis(op.out.type)
        self.with_axis[op.out] = made

    def form_of(self, op: Op) -> Form:
        """The form of an operation, those for any dtype first."""
        numbers = any(isinstance(out.type, NumberType) for out in op.outs)
        if numbers and raises_by_value(op):
            raise NotBatched  # of Python's numbers, where arrays would warn
        return form_of(op)

    def _wait(self, stmt: Stmt) -> None:
        """Leave a statement to the next loop."""
        tapes = {v for v in reads(stmt) if isinstance(v.type, SeqType) and v in self.with_axis}
        if not all(is_read_by_loops(stmt, tape) for tape in tapes):
            raise NotBatched
        self.waiting.append(stmt)
        known = {name for v in reads(stmt) for name in _unknown_in(v.type)}
        for out in outputs(stmt):
            if out not in self.results:
                self.uneven.update(name for name in _unknown_in(out.type) if name not in known)
        for out in outputs(stmt):
            try:
                if isinstance(out.type, SeqType):
                    raise NotBatched  # each sample has its own tape
                if out in self.results:
                    self.new_result(out)
                elif out in self.unbound.values:
                    raise NotBatched
                else:
                    self.new(out)
            except NotBatched:
                self.inside.add(out)

    def new_result(self, out: Value) -> None:
        """A value with the axis for a result, which is of one shape for all samples or raises."""
        uneven, self.uneven = self.uneven, set()
        try:
            self.new(out)
        finally:
            self.uneven = uneven

    def flush(self) -> None:
        """Append the loop over the samples with the statements that wait for it."""
        if not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        made = {out for stmt in waiting for out in outputs(stmt)}
        read = dict.fromkeys(v for stmt in waiting for v in reads(stmt) if v not in made)
        index = Value("i", NumberType(int))
        inner = Builder([], waiting[0].loc)
        mapped = [v for v in read if v in self.with_axis]
        tapes = {v: self.with_axis[v] for v in mapped if isinstance(v.type, SeqType)}
        env: dict[Value, Any] = {v: tapes.get(v) or self._sample(inner, v, index) for v in mapped}
        copies = copy_statements(waiting, env)
        item = partial(self._item, index=index)
        read_items(copies, set(tapes.values()), self.type_with_axis, item)
        inner.body.extend(copies)
        outs = [out for stmt in waiting for out in outputs(stmt) if out in self.with_axis]
        asked = [env[out] for out in outs if out in self.unbound.values]
        inner.body.extend(Op(ensure_bound, (x,), {}, (), inner.loc, effect=True) for x in asked)
        rows = [Value(out.name, SeqType(out.type)) for out in outs]
        body = Block([index], inner.body, [env[out] for out in outs])
        bounds = (0, self.count, 1, False)
        self.builder.body.append(For(*bounds, [], [], body, (), tuple(rows), waiting[0].loc))
        known = Extents()
        known.add((*self.params, *(self.with_axis.get(v, v) for v in read)))
        for out, row in zip(outs, rows, strict=True):
            stack(self.builder, row, self.with_axis[out], self.count, known)

    def _sample(self, builder: Builder, value: Value, index: Value) -> Atom:
        """The value of one sample, where there is one."""
        if value not in self.unbound.values:
            return self._item(builder, self.with_axis[value], value, index)
        told = self.unbound.told(value)
        if told is None:
            raise NotBatched
        inner = builder.nested()
        found = self._item(inner, self.with_axis[value], value, index)
        item, nothing = Block([], inner.body, [found]), Block([], [], [UNDEFINED])
        out = Value(value.name, type_of(item.results[0]), partial=True)
        cond, side = told if len(told) == 2 else (builder.emit(*range_test(told)), True)
        sides = (item, nothing) if side else (nothing, item)
        builder.body.append(If(cond, *sides, (out,), builder.loc))
        return out

    def _item(self, builder: Builder, made: Value, value: Value, index: Value) -> Atom:
        """The part of one sample, which stands for `value`, of what all have in `made`."""
        found = builder.emit(operator.getitem, (made, index), name=value.name)
        if isinstance(value.type, NumberType):
            return builder.emit(value.type.kind, (found,), name=value.name)
        if value.type == ArrayType(found.type.dtype, ()):  # an array without axes
            return builder.emit(np.asarray, (found,), name=value.name)
        return found

    def has_axis(self, atom: Atom) -> bool:
        """Whether an atom depends on the samples.

        Raises:
            NotBatched: it does, and cannot leave the loop over them.
        """
        if isinstance(atom, Value) and atom in self.inside:
            raise NotBatched
        return super().has_axis(atom)

    def type_with_axis(self, t: Type) -> Type:
        """The type of a value with the axis."""
        if isinstance(t, SeqType):
            return SeqType(self.type_with_axis(t.elem))
        shape, dtype = shape_of(t), dtype_of(t)
        if not isinstance(t, ArrayType | NumberType) or shape is None or dtype is None:
            raise NotBatched
        if not self.uneven.isdisjoint(_unknown_in(t)):
            raise NotBatched
        return ArrayType(dtype, (self.extent, *shape))


def _unknown_in(t: Type) -> list[str]:
    """The extents of which nothing is known that an array's shape is made of."""
    return [
        name
        for extent in shape_of(t) or ()
        if isinstance(extent, Dim)
        for name in _UNKNOWN.findall(str(extent))
    ]
