"""Several directions at once: a linear program on values with one more axis, the first.

    y_bar: f64[k]                       y_bar: f64[n, k]
    t = mul(y_bar, c)            ->     t = mul(y_bar, c)
    x_bar = matmul(w_t, t)              x_bar = matmul(t, transpose(w_t))

What does not depend on the directions stays as it is. Conditions and numbers of iterations never
do: the program is linear in them. An operation that has no form with another axis makes the whole
program `NotBatched`; then it is run for each direction.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Block,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.types import (
    ArrayType,
    Extent,
    NumberType,
    SeqType,
    TupleType,
    Type,
    dtype_of,
    is_inexact,
    rank_of,
    shape_of,
)
from srcad.ir.walk import outputs, reads, values_in
from srcad.rules.core.staged import Builder, type_of

Form = Callable[["Batch", Op], Any]
WHOLE = slice(None)


class NotBatched(Exception):  # noqa: N818 - a signal, no error
    """Some operation has no form with an axis for the directions."""


class Batch(ABC):
    """`with_axis` has, for each value that depends on the directions, its form with their axis."""

    def __init__(self, builder: Builder, count: Atom, extent: Extent) -> None:
        self.builder = builder
        self.count = count
        self.extent = extent
        self.with_axis: dict[Value, Value] = {}

    def run(self, body: Sequence[Stmt]) -> None:
        """Append the statements to the builder, those that depend on the directions with the axis.

        Raises:
            NotBatched: some operation has no such form.
        """
        for stmt in body:
            self.builder.loc = stmt.loc
            if not any(value in self.with_axis for value in reads(stmt)):
                self.builder.body.append(stmt)
                continue
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """Append a statement with the axis."""
        match stmt:
            case Op():
                self.op(stmt)
            case If():
                self.branch(stmt)
            case For():
                self.loop(stmt)
            case While() | Closure():
                raise NotBatched

    def op(self, op: Op) -> None:
        """Append an operation with the axis."""
        if op.effect or isinstance(op.fn, Function) or len(op.outs) != 1 or op.kwargs.get("out"):
            raise NotBatched
        wanted = self.type_with_axis(op.out.type)
        found = self.form_of(op)(self, op)
        dtype = dtype_of(wanted)
        if dtype_of(type_of(found)) != dtype and dtype is not None:
            found = self.builder.emit(np.astype, (found, dtype.type))
        if rank_of(type_of(found)) != rank_of(wanted):
            raise NotBatched
        if not found.name:
            found.name = op.out.name
        found.type = wanted  # it says more of the extents
        self.with_axis[op.out] = found

    @abstractmethod
    def form_of(self, op: Op) -> Form:
        """The form of an operation with the axis."""

    def branch(self, stmt: If) -> None:
        """Append a branch: a result has the axis if it has it on one of the paths."""
        if self._is_choice(stmt):
            return self._choice(stmt)
        if not stmt.is_branch or any(value in self.with_axis for value in values_in(stmt.cond)):
            raise NotBatched
        inner = []
        for block in (stmt.then, stmt.orelse):
            part = self.within()
            part.run(block.body)
            inner.append(part)
        outs = list(stmt.outs)
        results: list[list[Atom]] = [[], []]
        for j, out in enumerate(stmt.outs):
            pair = (stmt.then.results[j], stmt.orelse.results[j])
            if any(part.has_axis(atom) for part, atom in zip(inner, pair, strict=True)):
                outs[j] = self.new(out)
                pair = tuple(p.end(atom, out) for p, atom in zip(inner, pair, strict=True))
            for found, atom in zip(results, pair, strict=True):
                found.append(atom)
        blocks = [Block([], part.builder.body, r) for part, r in zip(inner, results, strict=True)]
        self.builder.body.append(If(stmt.cond, blocks[0], blocks[1], tuple(outs), stmt.loc))

    def _is_choice(self, stmt: If) -> bool:
        """Whether a branch gives one of two numbers of NumPy's for each direction: of Python's, one
        may raise where it is computed.
        """
        is_told = isinstance(stmt.cond, Value) and self.has_axis(stmt.cond)
        is_bare = not stmt.then.body and not stmt.orelse.body
        types = [out.type for out in stmt.outs]
        return (
            is_told and is_bare and all(isinstance(t, ArrayType) and t.shape == () for t in types)
        )

    def _choice(self, stmt: If) -> None:
        cond = self.of(stmt.cond)
        pairs = zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=True)
        for out, a, b in pairs:
            chosen = (cond, *(self.with_axis[x] if self.has_axis(x) else x for x in (a, b)))
            found = self.builder.emit(np.where, chosen, {}, out.name)
            found.type = self.type_with_axis(out.type)
            self.with_axis[out] = found

    def loop(self, stmt: For) -> None:
        """Append a loop that carries, reads and writes values with the axis."""
        depends = _dependent(stmt, self.with_axis)
        bounds = (stmt.start, stmt.stop, stmt.step)
        if stmt.exits or any(map(self.has_axis, values_in(bounds))):
            raise NotBatched
        init = [
            self.end(atom, param) if param in depends else atom
            for atom, param in zip(stmt.init, stmt.carried, strict=True)
        ]
        ins = [self.with_axis.get(seq, seq) if isinstance(seq, Value) else seq for seq in stmt.ins]
        part = self.within()
        carried = [part.new(p) if p in depends else p for p in stmt.carried]
        elements = [part.new(e) if e in depends else e for e in stmt.elements]
        part.run(stmt.body.body)
        yielded = [
            part.end(atom, param) if param in depends else atom
            for atom, param in zip(stmt.yielded, stmt.carried, strict=True)
        ]
        written = [part.with_axis.get(atom, atom) if isinstance(atom, Value) else atom
                   for atom in stmt.written]  # fmt: skip
        outs = tuple(
            self.new(out) if param in depends else out
            for out, param in zip(stmt.outs, stmt.carried, strict=True)
        )
        seqs = tuple(
            self.new(seq) if part.has_axis(atom) else seq
            for seq, atom in zip(stmt.seqs, stmt.written, strict=True)
        )
        body = Block([stmt.index, *carried, *elements], part.builder.body, [*yielded, *written])
        loop = For(*bounds, stmt.reverse, init, ins, body, outs, seqs, stmt.loc)
        loop.checkpointing = stmt.checkpointing
        self.builder.body.append(loop)

    def within(self) -> Self:
        """The same for a block inside."""
        part = type(self)(Builder([], self.builder.loc), self.count, self.extent)
        part.with_axis.update(self.with_axis)
        return part

    def new(self, value: Value) -> Value:
        """A value that stands for `value` with the axis."""
        made = Value(value.name, self.type_with_axis(value.type), value.partial)
        self.with_axis[value] = made
        return made

    def has_axis(self, atom: Atom) -> bool:
        """Whether an atom depends on the directions."""
        return isinstance(atom, Value) and atom in self.with_axis

    def end(self, atom: Atom, like: Value) -> Atom:
        """An atom with the axis, where paths meet in `like`."""
        if atom is UNDEFINED:
            return atom
        if isinstance(atom, Value) and atom.partial and not self.has_axis(atom):
            raise NotBatched  # where it is unbound, nothing is repeated
        found = self.of(atom)
        dtype = dtype_of(like.type)
        if dtype is not None and dtype_of(type_of(found)) != dtype:
            found = self.builder.emit(np.astype, (found, dtype.type))
        return found

    def of(self, atom: Atom) -> Value:
        """An atom with the axis; what does not depend on the directions is repeated along it."""
        if self.has_axis(atom):
            return self.with_axis[atom]
        if isinstance(type_of(atom), SeqType):
            raise NotBatched
        shape = self.shape(atom)
        made: Value = self.builder.emit(np.broadcast_to, (atom, (self.count, *shape)))
        return made

    def shape(self, atom: Atom) -> list[Atom]:
        """The extents of a value without the axis."""
        extents = shape_of(type_of(atom))
        if extents is None:
            raise NotBatched
        if all(isinstance(e, int) for e in extents):
            return list(extents)
        whole = self.builder.emit(np.shape, (atom,))
        return [
            e if isinstance(e, int) else self.builder.emit(operator.getitem, (whole, k))
            for k, e in enumerate(extents)
        ]

    def type_with_axis(self, t: Type) -> Type:
        """The type of a value with the axis."""
        if isinstance(t, SeqType):
            return SeqType(self.type_with_axis(t.elem))
        shape, dtype = shape_of(t), dtype_of(t)
        if shape is None or dtype is None or not (is_inexact(t) or dtype.kind == "b"):
            raise NotBatched
        assert isinstance(t, ArrayType | NumberType)
        return ArrayType(dtype, (self.extent, *shape))


def _dependent(stmt: For, outside: dict[Value, Value]) -> set[Value]:
    """What in a loop depends on the directions: a fixpoint over its iterations."""
    depends: set[Value] = set(outside)
    for element, seq in zip(stmt.elements, stmt.ins, strict=True):
        if seq in depends:
            depends.add(element)
    pairs = list(zip(stmt.carried, stmt.init, strict=True))
    depends.update(p for p, atom in pairs if isinstance(atom, Value) and atom in depends)
    before = -1
    while before != (before := len(depends)):
        for inner in stmt.body.body:
            if any(value in depends for value in reads(inner)):
                depends.update(outputs(inner))
        for param, atom in zip(stmt.carried, stmt.yielded, strict=True):
            if isinstance(atom, Value) and atom in depends:
                depends.add(param)
    return depends


def known_rank(atom: Atom) -> int:
    """The number of axes of an atom.

    Raises:
        NotBatched: it is not known.
    """
    rank = rank_of(type_of(atom))
    if rank is None:
        raise NotBatched
    return rank


def moved_axis(axis: Any, rank: int) -> Any:
    """An axis, or several, of a value with so many, where the new one is the first.

    Raises:
        NotBatched: it is not known, or there is none.
    """
    if isinstance(axis, tuple):
        return tuple(moved_axis(each, rank) for each in axis)
    if type(axis) is not int or rank == 0:
        raise NotBatched
    return axis % rank + 1


def aligned(batch: Batch, atom: Atom, rank: int) -> Atom:
    """The form of an atom that broadcasts with one of this rank and the axis."""
    if not batch.has_axis(atom):
        return atom
    made, missing = batch.with_axis[atom], rank - known_rank(atom)
    if missing <= 0:
        return made
    index = (WHOLE, *[None] * missing, *([Ellipsis] if known_rank(atom) else []))
    return batch.builder.emit(operator.getitem, (made, index))


def extents_of(batch: Batch, shape: Any) -> list[Atom]:
    """The items of a shape."""
    if isinstance(shape, Value):
        if not isinstance(shape.type, TupleType):
            if known_rank(shape) != 0:
                raise NotBatched
            return [shape]
        n = len(shape.type.items)
        return [batch.builder.emit(operator.getitem, (shape, k)) for k in range(n)]
    return list(shape) if isinstance(shape, tuple | list) else [shape]


__all__ = [
    "WHOLE",
    "Batch",
    "Form",
    "NotBatched",
    "aligned",
    "extents_of",
    "known_rank",
    "moved_axis",
]
