"""Commit point: a compiled function writes the caller's arrays last, when nothing can raise.

    t = mul(0.1, w_bar)                     loss = ...
    w_2 = sub(w, t)                         commit()
    loss = ...                              t = mul(0.1, w_bar)
    return loss       writes w = w_2        w_2 = isub(w, t)
                                            return loss

So a call that raises leaves everything as it was, and a compiled program that refuses its arguments
can be run again by NumPy. What only the writes read, and what cannot raise, moves after the border
that `commit()` marks. There an update is made in place if nothing reads the old content after it;
any other content is copied into its array at the very end.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from typing import Any

import numpy as np

from srcad import kernels, runtime
from srcad.analysis.alias import find_aliases
from srcad.analysis.operations import (
    always_fit,
    always_in_range,
    has_axes,
    is_total,
)
from srcad.analysis.views import roots_of
from srcad.ir.inplace import index_iadd_at, index_set, index_sub
from srcad.ir.interface import Write
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Shape, rank_of, shape_of
from srcad.ir.walk import reads, values_in
from srcad.ops import row_of
from srcad.optimize.rewriter import is_same_type
from srcad.rules.arrays.distinct import is_basic_index, names_once
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import commit as border

# An operation, and which of its arguments is the content that it changes.
Step = tuple[Op, int]


def commit(fn: Function) -> Function:
    """The program with its writes in place, at its end."""
    if fn.interface is None or not fn.interface.writes:
        return fn
    return _Commit(fn).run()


def written_params(fn: Function) -> frozenset[Value]:
    """The parameters of a compiled function that are arrays which it changes."""
    writes = () if fn.interface is None else fn.interface.writes
    return frozenset(fn.params[write.param] for write in writes if write.kind == "array")


class _Commit:
    def __init__(self, fn: Function) -> None:
        assert fn.interface is not None
        self.fn, self.shared = fn, fn.interface.shared
        self.facts = find_aliases(fn)
        self.writes: dict[int, Write] = {
            w.tree.index: w for w in fn.interface.writes if w.kind == "array"
        }
        self.results = list(fn.body.results)
        self.roots = roots_of(fn.body.body)
        self.tail = self.find_tail()
        self.made = {out: op for op in self.tail for out in op.outs}

    def run(self) -> Function:
        steps: dict[Op, Step] = {}
        whole: list[tuple[int, Write]] = []
        for k, write in self.writes.items():
            content, param = self.results[k], self.param(write)
            chain = self.chain(param, content) if write.dense else None
            is_free = chain is not None and not any(op in steps for op, _ in chain)
            if chain is not None and is_free and self.may_destroy(chain):
                steps.update((step[0], step) for step in chain)
            elif content is not param:
                whole.append((k, write))
        moved = set(self.tail)
        body: list[Stmt] = [stmt for stmt in self.fn.body.body if stmt not in moved]
        body.append(Op(border, (), effect=True))
        body += [self.in_place(*steps[op]) if op in steps else op for op in self.tail]
        self.copy(whole, body)
        self.share(body)
        fn = self.fn
        return Function(fn.name, Block(fn.params, body, self.results), fn.interface)

    def param(self, write: Write) -> Value:
        return self.fn.params[write.param]

    # What stands after the border ------------------------------------------------------------

    def find_tail(self) -> list[Op]:
        """The operations that cannot raise and that the writes alone read, in order."""
        readers: dict[Value, list[Stmt]] = defaultdict(list)
        for stmt in self.fn.body.body:
            for value in reads(stmt):
                readers[value].append(stmt)
        left = set(values_in([r for k, r in enumerate(self.results) if k not in self.writes]))
        tail: set[Stmt] = set()
        for stmt in reversed(self.fn.body.body):
            never_raises = isinstance(stmt, Op) and (_never_raises(stmt) or self.is_of_rows(stmt))
            outs = stmt.outs if isinstance(stmt, Op) and never_raises else ()
            if outs and all(v not in left and tail.issuperset(readers[v]) for v in outs):
                tail.add(stmt)
        return self.as_needed(tail)

    def is_of_rows(self, op: Op) -> bool:
        """Whether rows of a table are changed that `summed_rows` has found there."""
        if op.fn is not index_sub or not isinstance(op.args[1], Value):
            return False
        rows = op.args[1]
        return any(
            isinstance(stmt, Op) and stmt.fn is kernels.summed_rows and stmt.outs[0] is rows
            for stmt in self.fn.body.body
        )

    def as_needed(self, tail: set[Stmt]) -> list[Op]:
        """Of what may stand there all but the sums that are better made where their terms are."""
        chosen: list[Op] = []
        behind: set[Value] = set()
        written = written_params(self.fn)
        for stmt in self.fn.body.body:
            if isinstance(stmt, Op) and stmt in tail:
                read = set(reads(stmt))
                if behind & read or not _is_sum(stmt) or written & read:
                    chosen.append(stmt)
                    behind.update(stmt.outs)
        return chosen

    # Writing in place ------------------------------------------------------------------------

    def chain(self, param: Value, content: Any) -> list[Step] | None:
        """The operations that make the content out of what the array holds, one after another."""
        if content is param:
            return []
        op = self.made.get(content) if isinstance(content, Value) else None
        if op is None or not is_same_type(content.type, param.type) or len(op.outs) != 1:
            return None
        if row_of(op.fn).in_place is None:
            return None
        for at in (0, 1) if row_of(op.fn).commutes else (0,):
            found = self.chain(param, op.args[at])
            if found is not None:
                return [*found, (op, at)]
        return None

    def may_destroy(self, chain: list[Step]) -> bool:
        """Whether nothing reads, after a step, what the array held before it."""
        leaving = [
            r for k, r in enumerate(self.results) if k not in self.shared and k not in self.writes
        ]
        late = [*values_in(leaving), *values_in([self.results[k] for k in self.writes])]
        for op, at in chain:
            content, place = op.args[at], self.tail.index(op)
            others = (*op.args[:at], *op.args[at + 1 :])
            same = [v for v in values_in(others) if v is not content or row_of(op.fn).store]
            later = [v for each in self.tail[place + 1 :] for v in reads(each)]
            if any(self.may_hold(v, content) for v in (*same, *later, *late)):
                return False
            if any(not self.facts.of(v).isdisjoint(self.facts.of(op.out)) for v in leaving):
                return False
        return True

    def may_hold(self, value: Value, content: Value) -> bool:
        """Whether `value` may share the memory of `content`, other arguments aside."""
        if value is content:
            return True
        root = self.roots.get(value, value)
        if root in self.fn.params:
            return root is content
        return not self.facts.of(value).isdisjoint(self.facts.of(content))

    def in_place(self, op: Op, at: int) -> Op:
        content, *rest = op.args[at], *op.args[:at], *op.args[at + 1 :]
        fn = row_of(op.fn).in_place
        if op.fn is runtime.index_add and not names_once(rest[0], self.made):
            fn = index_iadd_at
        # By an index array NumPy is as fast as a loop, which would check it.
        effect = not is_basic_index(rest[0]) if row_of(op.fn).store else False
        return Op(fn, (content, *rest), {}, op.outs, op.loc, effect, op.raises)

    # Copying ---------------------------------------------------------------------------------

    def copy(self, whole: list[tuple[int, Write]], body: list[Stmt]) -> None:
        """Copy contents into their arrays, all of them read before the first is written."""
        contents: list[Any] = []
        for k, _ in whole:
            content = self.results[k]
            if not self.facts.is_writable(self.facts.of(content)):
                own = Value("", type_of(content))
                body.append(Op(np.copy, (content,), {}, (own,)))
                content = own
            contents.append(content)
        for (k, write), content in zip(whole, contents, strict=True):
            param = self.param(write)
            out = Value(param.name, param.type)
            body.append(Op(index_set, (param, ..., content), {}, (out,), effect=True))
            self.results[k] = out

    def share(self, body: list[Stmt]) -> None:
        """Return arrays of the caller's under the name of their last content, and their views as
        views: these operations are made as they stand.
        """
        ends = {self.param(write): self.results[k] for k, write in self.writes.items()}
        for k in sorted(self.shared):
            result = self.results[k]
            if result in self.fn.params:
                self.results[k] = ends.get(result, result)
            else:
                self.results[k] = self.view(result, ends, body)

    def view(self, value: Value, ends: dict[Value, Any], body: list[Stmt]) -> Value:
        """The view `value` of a parameter, made again after everything else."""
        op = next((op for op in self.fn.body.body if isinstance(op, Op) and value in op.outs), None)
        if op is None:
            content: Value = ends.get(value, value)
            return content
        out, base = Value(value.name, value.type), self.view(op.args[0], ends, body)
        body.append(Op(op.fn, (base, *op.args[1:]), op.kwargs, (out,), op.loc, effect=True))
        return out


def _never_raises(op: Op) -> bool:
    """Whether an operation cannot raise, as far as NumPy is not told to by `np.errstate`."""
    if op.effect or isinstance(op.fn, Function) or op.key is None:
        return False
    row = row_of(op.fn)
    if row.store:
        return _fits(*op.args)
    if op.fn is np.outer:
        return all(rank_of(type_of(arg)) == 1 for arg in op.args) and not op.kwargs
    if row.product:
        a, b = (shape_of(type_of(arg)) for arg in op.args)
        return not op.kwargs and _are_factors(a, b)
    if op.fn is np.sum:
        axis = op.kwargs.get("axis")
        return len(op.args) == 1 and (axis is None or type(axis) is int) and has_axes(op.args[0])
    return op.fn is np.astype or row_of(op.fn).allocates or is_total(op)


def _is_sum(op: Op) -> bool:
    """Whether entries are added up; a column times a row is no sum."""
    shapes = [shape_of(type_of(arg)) for arg in op.args]
    is_spread = all(shape is not None and len(shape) == 2 and 1 in shape for shape in shapes)
    return op.fn is np.sum or (row_of(op.fn).product and not is_spread)


def _are_factors(a: Shape | None, b: Shape | None) -> bool:
    """Whether vectors or matrices of these shapes are known to have a product."""
    if a is None or b is None or not {len(a), len(b)} <= {1, 2}:
        return False
    return bool(a[-1] == b[0])


def _fits(array: Value, index: Any, values: Any) -> bool:
    """Whether a store is in range and its values fit there."""
    if not always_in_range(array, index):
        return False
    t = infer(operator.getitem, (array, index), {})
    return isinstance(t, ArrayType) and always_fit([type_of(values)], t)


__all__ = ["commit"]
