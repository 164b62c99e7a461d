"""Loop-invariant arrays: the slice of each that one iteration of a loop reads.

for k in range(m) ...:
    a[k], b[:i, k]             pieces: `along` the loop they are a and b[:i, :]
    x[:, k:]                   a part: of x, the columns from k on
    c[:n]                      fixed: the same in each iteration
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcad.ir.kinds import extent_of_atom, is_python_int
from srcad.ir.nodes import Atom, For, Op, Stmt, Value
from srcad.ir.types import Dim, Shape, dtype_of, rank_of, shape_of
from srcad.ir.walk import outputs, values_in
from srcad.rules.core.staged import Builder

ALL = slice(None)


class Piece(NamedTuple):
    """A part of a matrix or vector that a loop does not change: its entries at the loop's index."""

    whole: Value
    at: tuple[Any, ...]  # one for each axis
    axis: int  # where the loop's index stands
    shape: Shape

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return len(self.shape)

    @property
    def place(self) -> int:
        """Where among its axes that of the loop's index would be."""
        return sum(isinstance(part, slice) for part in self.at[: self.axis])


class Pieces:
    """A loop from 0 in steps of 1, and the statements before it."""

    def __init__(self, stmt: For, before: list[Stmt]) -> None:
        self.builder = Builder(before, stmt.loc)
        self.index = stmt.index
        self.stop, self.iterations = stmt.stop, extent_of_atom(stmt.stop)
        self.made = {v: s for s in stmt.body.body if isinstance(s, Op) for v in s.outs}
        self.inside = {*stmt.body.params, *(v for s in stmt.body.body for v in outputs(s))}

    def is_fixed(self, tree: Any) -> bool:
        """Whether nothing in an argument changes from one iteration to the next."""
        return self.inside.isdisjoint(values_in(tree))

    def emit(self, fn: Any, *args: Any) -> Any:
        """An operation before the loop."""
        return self.builder.emit(fn, args)

    def along(self, piece: Piece) -> Any:
        """The entries of a piece in all iterations."""
        iterations = ALL if self.turns_over(piece) else slice(None, self.stop)
        at = (*piece.at[: piece.axis], iterations, *piece.at[piece.axis + 1 :])
        made = self.emit(operator.getitem, piece.whole, at)
        shape = list(piece.shape)  # more may be known of it than an operation tells
        shape.insert(piece.place, made.type.shape[piece.place])
        made.type = replace(made.type, shape=tuple(shape))
        return made

    def piece(self, atom: Atom) -> Piece | None:
        """What the loop's index takes of an array that does not change."""
        op = self.made.get(atom) if isinstance(atom, Value) else None
        if op is None or op.fn is not operator.getitem or not self.is_fixed(op.args[0]):
            return None
        index = whole_index(op)
        if index is None or not is_real(op.args[0]):
            return None
        places = [k for k, part in enumerate(index) if part is self.index]
        rest = [part for part in index if part is not self.index]
        if len(places) != 1 or not self.is_fixed(rest):
            return None
        return Piece(op.args[0], index, places[0], shape_of(op.out.type) or ())

    def turns_over(self, piece: Piece, missing: int = 0) -> bool:
        """Whether the loop's index runs over a whole axis, but for so many entries."""
        extent = (shape_of(piece.whole.type) or ())[piece.axis]
        return _is_all(self.iterations, extent, missing)

    def taken(self, matrix: Value, part: Any, axis: int) -> Any:
        """A slice of a matrix along one axis."""
        if part == ALL:
            return matrix
        return self.emit(operator.getitem, matrix, (part, ALL) if axis == 0 else (ALL, part))

    def may_move(self, atom: Atom) -> bool:
        """Whether a value does not change, or is a subscript or transpose of one that does not."""
        if self.is_fixed(atom):
            return True
        op = self.made.get(atom)
        if op is None or not self.is_fixed((op.args[1:], op.kwargs)):
            return False
        is_part = op.fn is operator.getitem and whole_index(op) is not None
        return (is_part or op.fn is np.transpose) and self.may_move(op.args[0])

    def moved(self, atom: Atom) -> Any:
        """The same before the loop."""
        if self.is_fixed(atom):
            return atom
        op = self.made[atom]
        return self.builder.emit(op.fn, (self.moved(op.args[0]), *op.args[1:]), op.kwargs)

    def part(self, atom: Value, contracted: int) -> tuple[Value, tuple[Any, ...]] | None:
        """The matrix of which an iteration takes columns (rows if the columns are `contracted`)
        from its own number on, or up to it; and which.
        """
        op = self.made.get(atom)
        if op is None or op.fn is not operator.getitem or not self.is_fixed(op.args[0]):
            return None
        index = whole_index(op)
        if index is None or len(index) != 2 or not self.is_fixed(index[contracted]):
            return None
        taken = index[1 - contracted]
        length = (shape_of(op.args[0].type) or ())[1 - contracted]
        if not isinstance(taken, slice) or taken.step not in (None, 1):
            return None
        is_low = taken.start in (None, 0) and self.is_near(taken.stop)
        is_high = self.is_near(taken.start) and (
            taken.stop is None or _is_all(extent_of_atom(taken.stop), length, 0)
        )
        if not (is_low or is_high) or not isinstance(index[contracted], slice):
            return None
        return self.taken(op.args[0], index[contracted], contracted), (taken,)

    def is_near(self, atom: Atom) -> bool:
        """Whether an integer is the loop's index, or that and a number."""
        if atom is self.index:
            return True
        op = self.made.get(atom) if isinstance(atom, Value) else None
        if op is None or op.fn not in (operator.add, operator.sub):
            return False
        return op.args[0] is self.index and type(op.args[1]) is int


def _is_all(n: Any, extent: Any, missing: int) -> bool:
    """Whether `n` is an extent, or less than it by no more than `missing`."""
    if isinstance(n, Dim) and isinstance(extent, Dim):
        return n.symbol == extent.symbol and 0 <= n.minus - extent.minus <= missing
    return type(n) is int and type(extent) is int and 0 <= extent - n <= missing


def is_real(atom: Atom) -> bool:
    """Whether an atom is an array of floats or a number of NumPy's or Python's."""
    dtype = dtype_of(atom.type) if isinstance(atom, Value) else None
    return dtype is not None and dtype.kind == "f" and rank_of(atom.type) is not None


def whole_index(op: Op) -> tuple[Any, ...] | None:
    """The index of a subscript, for each axis an integer or a slice."""
    index = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
    rank = rank_of(op.args[0].type) if isinstance(op.args[0], Value) else None
    if rank is None or len(index) > rank:
        return None
    index = (*index, *[ALL] * (rank - len(index)))
    return index if all(isinstance(p, slice) or is_python_int(p) for p in index) else None


__all__ = ["ALL", "Piece", "Pieces", "is_real"]
