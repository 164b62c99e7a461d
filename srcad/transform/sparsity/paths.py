"""Both paths of a branch: its index sets are those of either, whichever the data take.

    if x[0] > 0:                           y_from = x_from[1:] | x_from[:-1]
        y = x[1:] * x[:-1]
    else:
        y = x[:-1] ** 2

A condition on shapes and ints is decided, for they are part of what a pattern is found for. One on
data is not: the paths stand one after the other, and where they meet their sets are joined. Of an
array into which both paths store, those of the entries that are stored:

    if x[i] > 0:                           y_from[i] = x_from[i] | x_from[0]
        y[i] = x[i]
    else:
        y[i] = x[0]
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np

from srcad.ir.effects import CONTROL, destroys
from srcad.ir.keys import freeze
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Op, Stmt, Value, While
from srcad.ir.types import ArrayType, SeqType, is_inexact, shape_of
from srcad.ir.walk import inputs, map_values, outputs, statements, values_in
from srcad.ops import row_of
from srcad.rules.core.staged import Builder, type_of
from srcad.runtime import index_update
from srcad.runtime.index_sets import added_places
from srcad.transform.sparsity.deciding import has_lasting_shape

_SETS = ArrayType(np.dtype(object), None)


class Paths:
    """What is known of a program whose paths are joined.

    `data`: the values that depend on what floats there are in the arguments, not on their shapes
    and on ints alone. `first`: the first value that is computed as one is.
    """

    def __init__(self, block: Block) -> None:
        found = _Data({p for p in block.params if is_inexact(p.type)})
        found.block(block)
        self.data = found.data
        self.first: dict[Value, Value] = {}
        known: dict[Any, Value] = {}
        for op in statements(block):
            if isinstance(op, Op) and not op.effect and op.key is not None:
                key = (op.key, self._key((op.args, op.kwargs)))
                for k, out in enumerate(op.outs):
                    self.first[out] = known.setdefault((key, k), out)

    def join(self, stmt: If, count: int, builder: Builder) -> bool:
        """Append both paths of a branch, and its results; False where they cannot be joined.

        Args:
            count: of the results that are values; behind them are index sets.
        """
        paths, sets = (stmt.then, stmt.orelse), stmt.outs[count:]
        ends = [*zip(*(path.results[count:] for path in paths), strict=True)]
        if stmt.cond not in self.data or not sets or any(map(_must_be_taken, paths)):
            return False
        if not all(map(_have_one_form, ends, sets)):
            return False
        for path in paths:
            for each in statements(path):
                if isinstance(each, Op):
                    each.raises = False  # on one path of the function it is not computed
            builder.body.extend(path.body)
        a, b = (Block([], [], path.results[:count]) for path in paths)
        builder.body.append(If(stmt.cond, a, b, stmt.outs[:count], stmt.loc))
        stores = {op.out: op for path in paths for op in path.body if _is_store(op)}
        for pair, out in zip(ends, sets, strict=True):
            known = [atom for atom in pair if atom is not UNDEFINED]
            self._push_either(builder, known[0], known[-1], stores).outs = (out,)
        return True

    def _push_either(self, builder: Builder, a: Atom, b: Atom, made_by: Mapping[Any, Op]) -> Op:
        """Append the sets of `a` and of `b`, which the last operation makes: one store for what
        both paths store at one index, else the stores of both, each joined to what stands there.
        """
        base, first = _stores(a, made_by)
        other, second = _stores(b, made_by)
        indices = [[op.args[1] for op in stores] for stores in (first, second)]
        is_one = self._key(indices[0]) == self._key(indices[1])
        if base is other and first and is_one:
            for one, two in zip(first, second, strict=True):
                either = _push(builder, operator.or_, one.args[2], two.args[2])
                fn = one.fn if one.fn is two.fn else added_places
                base = _push(builder, fn, base, one.args[1], either, out=one.out)
        elif base is other and first + second:
            for one in first + second:
                base = _push(builder, added_places, base, *one.args[1:], out=one.out)
        else:
            _push(builder, operator.or_, a, b)
        last = builder.body[-1]
        assert isinstance(last, Op)
        return last

    def _key(self, tree: Any) -> Any:
        return freeze(map_values(lambda value: self.first.get(value, value), tree))


def _push(builder: Builder, fn: Any, *args: Any, out: Value | None = None) -> Value:
    made = Value(out.name, out.type) if out else Value("", _SETS)
    builder.body.append(Op(fn, args, {}, (made,), builder.loc))
    return made


def _stores(atom: Atom, made_by: Mapping[Any, Op]) -> tuple[Atom, list[Op]]:
    """The array that stands before stores, and these, the first first."""
    stores: list[Op] = []
    while isinstance(atom, Value) and atom in made_by:
        stores.insert(0, made_by[atom])
        atom = stores[0].args[0]
    return atom, stores


def _is_store(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and stmt.fn in (index_update, added_places)


def _must_be_taken(path: Block) -> bool:
    """Whether a path may end the function, never end by itself, or change what is read later."""
    return any(
        isinstance(each, While) or (isinstance(each, Op) and (each.fn in CONTROL or destroys(each)))
        for each in statements(path)
    )


def _have_one_form(ends: tuple[Atom, ...], out: Value) -> bool:
    """Whether the index sets at the ends of both paths have one shape, whatever the data are."""
    shape, known = shape_of(out.type), [type_of(atom) for atom in ends if atom is not UNDEFINED]
    is_array = shape is not None and not isinstance(out.type, SeqType)
    return is_array and bool(known) and all(shape_of(t) == shape for t in known)


class _Data:
    """Marks values in program order."""

    def __init__(self, data: set[Value]) -> None:
        self.data = data

    def block(self, block: Block) -> None:
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                if not (row_of(stmt.fn).shape_only and has_lasting_shape(stmt.args[0])):
                    self.mark(outputs(stmt), inputs(stmt))
            case If():
                for block in (stmt.then, stmt.orelse):
                    self.block(block)
                    self.pass_on(block.results, stmt.outs)
                self.mark(stmt.outs, stmt.cond)
            case For() | While():
                self.loop(stmt)
            case _:
                self.mark(outputs(stmt), inputs(stmt))

    def loop(self, stmt: For | While) -> None:
        params = stmt.carried
        self.pass_on(stmt.init, params)
        if isinstance(stmt, For):
            self.pass_on(stmt.ins, stmt.elements)
        before = -1
        while len(self.data) != before:
            before = len(self.data)
            if isinstance(stmt, While):
                self.pass_on(stmt.init, stmt.test.params)
                self.pass_on(stmt.yielded, stmt.test.params)
                self.block(stmt.test)
                self.mark(params, stmt.test.results)
            else:
                self.mark(params, (stmt.start, stmt.stop, stmt.step))
            self.block(stmt.body)
            self.pass_on(stmt.yielded, params)
        self.pass_on(params, stmt.outs)
        self.pass_on(stmt.written, stmt.seqs)

    def pass_on(self, sources: Iterable[Any], targets: Iterable[Value]) -> None:
        """Mark each target whose source is marked."""
        for source, target in zip(sources, targets, strict=False):
            self.mark((target,), source)

    def mark(self, targets: Iterable[Value], sources: Any) -> None:
        """Mark the targets where one of the sources is marked."""
        if any(v in self.data for v in values_in(sources)):
            self.data.update(targets)


__all__ = ["Paths"]
