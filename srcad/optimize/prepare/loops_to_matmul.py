"""Idiom recognition: a product that a loop makes piece by piece becomes one matrix product.

    for k in range(m) carrying y:              t = matmul(a[:i], b)         b: f64[m], a: f64[n, m]
        t = mul(a[:i, k], b[k])           ->   y = index_add(y, r, t)
        y = index_add(y, r, t)

    for i in range(n) carrying c:              g = matmul(x.T, x)           x: f64[m, n]
        t = matmul(x[:, i], x[:, i:])     ->   for i in range(n) carrying c:
        c = index_update(c, (i, i:), t)            t = g[i, i:]
                                                   c = index_update(c, (i, i:), t)

From the innermost loop outwards, so that three loops over numbers become one product. The loop runs
over a whole axis, and what it multiplies does not change in it: so nothing is read that was not,
and what is read raises where it did. Sums are taken in another order. The product of which each
iteration takes a row is kept only where the program stores the rows, too: it is no larger than that
array. For the program before it is differentiated, since the derivatives of one product are
products.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import runtime
from srcad.analysis.operations import is_pure
from srcad.ir import ArrayType
from srcad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import dtype_of, rank_of
from srcad.ir.walk import all_reads, blocks, inputs, statements, values_in
from srcad.ops import row_of
from srcad.optimize.prepare.iteration_slices import Piece, Pieces, is_real
from srcad.optimize.rewriter import Rewriter, is_same_type


def has_products_in_loops(fn: Function) -> bool:
    """Whether it is worth looking for them."""
    loops = (stmt for stmt in statements(fn.body) if isinstance(stmt, For))
    inner = (s for loop in loops for s in statements(loop.body) if isinstance(s, Op))
    return any(row_of(op.fn).product or op.fn is operator.mul for op in inner)


def loops_to_matmul(fn: Function) -> Function:
    """The program with whole products for those made by loops; `fn` itself where there are none."""
    return _Gathered(_told_apart(fn)).run(fn)


def _told_apart(fn: Function) -> set[Value]:
    """The values of which it is seen whether they are numbers of Python's or NumPy's: all but those
    that are stored in arrays, or added to their entries or multiplied with them.
    """
    found = set(values_in(fn.body.results))
    entries: set[Value] = set()
    for stmt in statements(fn.body):
        if not isinstance(stmt, Op):
            found.update(values_in(inputs(stmt)), *(values_in(b.results) for b in blocks(stmt)))
            continue
        if stmt.fn is operator.getitem:
            entries.update(out for out in stmt.outs if isinstance(out.type, ArrayType))
        stored = stmt.args[2:] if stmt.fn is runtime.index_update else ()
        row = row_of(stmt.fn)
        if (row.adds or row.folds == "product") and not entries.isdisjoint(values_in(stmt.args)):
            stored = stmt.args
        found.update(v for v in values_in((stmt.args, stmt.kwargs)) if v not in stored)
    return found


class _Gathered(Rewriter):
    def __init__(self, told_apart: set[Value]) -> None:
        super().__init__()
        self.told_apart = told_apart
        self.depth = 0  # of loops

    def loop(self, stmt: For) -> For:
        self.depth += 1
        made = super().loop(stmt)
        self.depth -= 1
        return made

    def while_loop(self, stmt: While) -> While:
        self.depth += 1
        made = super().while_loop(stmt)
        self.depth -= 1
        return made

    def region(self, stmt: Any) -> None:
        if isinstance(stmt, For) and _is_plain(stmt):
            loop = _Loop(stmt, self.body, self.depth, self.told_apart)
            loop.add_up()
            loop.take_rows()
            for old, new in loop.replaced.items():
                self.replace(old, new)
            if loop.stmt is None:
                return
            stmt = loop.stmt
        self.body.append(stmt)


class _Loop(Pieces):
    """A loop whose products are moved before it; `replaced`: what stands for its results."""

    def __init__(self, stmt: For, before: list[Stmt], depth: int, told_apart: set[Value]) -> None:
        super().__init__(stmt, before)
        self.stmt: For | None = stmt
        self.depth, self.told_apart = depth, told_apart
        self.replaced: dict[Value, Atom] = {}

    # Sums

    def add_up(self) -> None:
        """Carried sums of products, as products before the loop."""
        assert self.stmt is not None
        reads = list(all_reads(self.stmt.body))
        for k, (param, result) in enumerate(zip(self.stmt.carried, self.stmt.yielded, strict=True)):
            op = self.made.get(result) if isinstance(result, Value) else None
            if op is None or reads.count(param) != 1 or reads.count(result) != 1:
                continue
            if _is_of_python(self.stmt.init[k]) and self.stmt.outs[k] in self.told_apart:
                continue  # without iterations it is what it starts as
            term = self.term(op, param)
            total = None if term is None else self.product(term)
            if total is not None:
                new = {param: self.stmt.init[k], term: total}
                args = tuple(new.get(a, a) if isinstance(a, Value) else a for a in op.args)
                self.replaced[self.stmt.outs[k]] = self.builder.emit(op.fn, args)
        gone = [k for k, out in enumerate(self.stmt.outs) if out in self.replaced]
        if gone:
            self.stmt = _without(self.stmt, gone)

    def term(self, op: Op, param: Value) -> Value | None:
        """What an iteration adds to what is carried."""
        if op.fn is runtime.index_add:
            target, index, term = op.args
            fits = target is param and self.is_fixed(index)
        elif row_of(op.fn).adds and op.args[0] is param:
            term, fits = op.args[1], True
        elif row_of(op.fn).folds == "sum" and op.args[1] is param:
            term, fits = op.args[0], True
        else:
            return None
        fits = fits and is_same_type(op.out.type, param.type) and isinstance(term, Value)
        return term if fits and is_real(term) else None

    def product(self, term: Value) -> Any:
        """The sum of a term over all iterations as a product, if it is one."""
        factors = list(self.factors(term))
        pieces = [self.piece(f) for f in factors if not self.is_fixed(f)]
        if len(pieces) != 2:
            return None
        a, b = pieces
        if a is None or b is None or a.rank + b.rank > 1:
            return None
        # The product raises where one of them is shorter than the other.
        if not self.turns_over(a) and not self.turns_over(b):
            return None
        mark = len(self.builder.body)
        x, y = (b, a) if b.rank else (a, b)  # the matrix first
        total = self.times(x, y)
        for factor in factors:
            if self.is_fixed(factor):
                total = self.emit(operator.mul, factor, total)
        if not is_same_type(total.type, term.type):
            del self.builder.body[mark:]
            return None
        return total

    def times(self, x: Piece, y: Piece) -> Any:
        """The sum over all iterations of a piece times a number."""
        whole, vector = (self.along(p) for p in (x, y))
        if not x.place:
            return self.emit(operator.matmul, vector, whole)
        return self.emit(operator.matmul, whole, vector)

    def factors(self, atom: Atom) -> Iterator[Atom]:
        """What a term is the product of."""
        op = self.made.get(atom) if isinstance(atom, Value) else None
        if op is not None and op.fn is operator.mul:
            for arg in op.args:
                yield from self.factors(arg)
        elif op is not None and op.fn is operator.neg:
            yield -1.0
            yield from self.factors(op.args[0])
        else:
            yield atom

    # Rows

    def take_rows(self) -> None:
        """Products with rows or columns, as rows of a product made before the loop."""
        if self.stmt is None:
            return
        new = [self.row(s) if isinstance(s, Op) else s for s in self.stmt.body.body]
        if any(a is not b for a, b in zip(new, self.stmt.body.body, strict=True)):
            body = Block(self.stmt.body.params, new, self.stmt.body.results)
            self.stmt = replace(self.stmt, body=body)

    def row(self, op: Op) -> Op:
        """What a product becomes."""
        if not row_of(op.fn).product or len(op.args) != 2 or op.kwargs or not is_real(op.out):
            return op
        for k, other in ((0, 1), (1, 0)):
            piece = self.piece(op.args[k])
            if piece is None or piece.rank != 1 or rank_of(piece.whole.type) != 2:
                continue
            if not self.turns_over(piece, missing=2):
                continue
            made = self.row_of(op, piece, op.args[other], contracted=k)
            if made is not None:
                return made
        return op

    def row_of(self, op: Op, row: Piece, atom: Atom, contracted: int) -> Op | None:
        """A row times a vector, a matrix, or a part of a matrix, along its axis `contracted`."""
        if not isinstance(atom, Value) or not is_real(atom):
            return None
        rank = rank_of(atom.type)
        rest: tuple[Any, ...] = ()
        if rank not in (1, 2) or not _same_dtype(row.whole, atom, op.out):
            return None
        if rank == 2 and not self.may_keep(op.out):
            return None
        if self.may_move(atom):
            fixed = self.moved(atom)
        else:
            part = self.part(atom, contracted)
            if part is None:
                return None
            fixed, rest = part
        axis = contracted if rank == 2 else 0
        rows = self.taken(row.whole, row.at[1 - row.axis], 1 - row.axis)
        rows = self.transposed(rows, row.axis)
        whole = self.emit(operator.matmul, rows, self.transposed(fixed, axis))
        at = (self.index, *rest) if rest else self.index
        return Op(operator.getitem, (whole, at), {}, op.outs, op.loc)

    def may_keep(self, row: Value) -> bool:
        """Whether there is room for all rows of a product, and they are wanted as BLAS makes them:
        in a loop inside another they may be small, and that loop is better compiled whole.
        """
        return not self.depth and self.stmt is not None and self.is_stored(row, self.stmt.body)

    def is_stored(self, value: Value, block: Block) -> bool:
        """Whether a value, or what is made of its entries, is stored at a place of the iteration's
        own.
        """
        for stmt in statements(block):
            if not isinstance(stmt, Op) or value not in values_in(stmt.args):
                continue
            if row_of(stmt.fn).store:
                at = stmt.args[1] if isinstance(stmt.args[1], tuple) else (stmt.args[1],)
                if stmt.args[0] is not value and any(part is self.index for part in at):
                    return True
            elif (stmt.fn is operator.getitem or row_of(stmt.fn).elementwise) and any(
                self.is_stored(out, block) for out in stmt.outs
            ):
                return True
        return False

    def transposed(self, matrix: Value, axis: int) -> Any:
        """The matrix with an axis first."""
        return self.emit(np.transpose, matrix) if axis else matrix


def _is_plain(loop: For) -> bool:
    """Whether a loop counts from 0 and does nothing but carry."""
    is_counted = loop.start == 0 and type(loop.step) is int and loop.step == 1
    return is_counted and not (loop.reverse or loop.exits or loop.ins or loop.seqs)


def _same_dtype(*values: Value) -> bool:
    return len({dtype_of(v.type) for v in values}) == 1


def _without(loop: For, gone: list[int]) -> For | None:
    """The loop without some of what it carries; None if nothing is left."""
    left = [k for k in range(len(loop.init)) if k not in gone]
    ops = list(statements(loop.body))
    if not left and all(isinstance(s, If | For) or (isinstance(s, Op) and is_pure(s)) for s in ops):
        return None
    params = [loop.index, *(loop.carried[k] for k in left)]
    body = Block(params, loop.body.body, [loop.yielded[k] for k in left])
    init, outs = [loop.init[k] for k in left], tuple(loop.outs[k] for k in left)
    return replace(loop, init=init, body=body, outs=outs)


def _is_of_python(x: Atom) -> bool:
    """Whether a number is one of Python's."""
    return not isinstance(x.type if isinstance(x, Value) else x, ArrayType | np.generic)


__all__ = ["has_products_in_loops", "loops_to_matmul"]
