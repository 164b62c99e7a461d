"""Factoring: a sum of matrix products with a common factor becomes one product.

    t = matmul(x, g)                        t = transpose(g)
    u = matmul(g, transpose(x))      ->     s = add(g, t)
    x_bar = add(t, transpose(u))            x_bar = matmul(x, s)

What is left of x.T @ x in a reverse sweep. The products are read nowhere else and stand in one
block. Sums are taken in another order; for programs that are compiled.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from srcad.ir.nodes import Atom, Function, Op, Value
from srcad.ir.types import dtype_of, rank_of, shape_of
from srcad.ir.walk import statements
from srcad.ops import row_of
from srcad.optimize.rewriter import BlockRewriter, is_same_type
from srcad.rules.core.staged import Builder


def has_products(fn: Function) -> bool:
    """Whether there are several products of matrices."""
    ops = (stmt for stmt in statements(fn.body) if isinstance(stmt, Op))
    return sum(row_of(op.fn).product for op in ops) > 1


def factor_matmuls(fn: Function) -> Function:
    """The program with fewer products of matrices."""
    return _CommonFactors(fn).run(fn)


class _Factor(NamedTuple):
    """A matrix, or its transpose."""

    matrix: Value
    is_transposed: bool

    @property
    def transposed(self) -> _Factor:
        """The transpose."""
        return _Factor(self.matrix, not self.is_transposed)


class _CommonFactors(BlockRewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.transposes: dict[Value, Value] = {}

    def op(self, op: Op) -> None:
        if op.fn is operator.add and self.joined(op):
            return
        self.body.append(op)
        if len(op.outs) == 1:
            self.made[op.out] = op
        if op.fn is np.transpose and len(op.args) == 1 and not op.kwargs and _is_matrix(op.out):
            self.transposes[op.out] = op.args[0]

    def joined(self, op: Op) -> bool:
        """Append one product for a sum of two, if they have a factor in common."""
        a, b = (self.product(arg) for arg in op.args)
        if a is None or b is None:
            return False
        if a[0] == b[0]:
            pair, common = (a[1], b[1]), 0
        elif a[1] == b[1]:
            pair, common = (a[0], b[0]), 1
        else:
            return False
        if not _fit(*pair, op.out):
            return False
        builder = Builder(self.body, op.loc)
        total = builder.emit(operator.add, tuple(self.atom(builder, f) for f in pair))
        kept = self.atom(builder, a[common])
        made = builder.emit(operator.matmul, (total, kept) if common else (kept, total))
        if not is_same_type(made.type, op.out.type):
            return False
        self.replace(op.out, made)
        return True

    def product(self, atom: Atom) -> tuple[_Factor, _Factor] | None:
        """The factors of a product, or of the transpose of one, that nothing else reads."""
        op = self.sole(atom)
        if op is None or not _is_matrix(op.out):
            return None
        if op.out in self.transposes:
            inner = self.product(op.args[0])
            return None if inner is None else (inner[1].transposed, inner[0].transposed)
        if not row_of(op.fn).product or op.kwargs or not all(map(_is_matrix, op.args)):
            return None
        x, y = map(self.factor, op.args)
        return x, y

    def factor(self, value: Value) -> _Factor:
        """What a factor is the transpose of, if it is one."""
        is_transposed = False
        while value in self.transposes:
            value, is_transposed = self.transposes[value], not is_transposed
        return _Factor(value, is_transposed)

    def atom(self, builder: Builder, factor: _Factor) -> Any:
        """The matrix, transposed where it must be."""
        if not factor.is_transposed:
            return factor.matrix
        return builder.emit(np.transpose, (factor.matrix,))


def _fit(a: _Factor, b: _Factor, out: Value) -> bool:
    """Whether two matrices are as large as each other, and numbers as those of the result."""
    stored = [shape_of(f.matrix.type) or () for f in (a, b)]
    shapes = [s[::-1] if f.is_transposed else s for s, f in zip(stored, (a, b), strict=True)]
    dtypes = {dtype_of(v.type) for v in (a.matrix, b.matrix, out)}
    return shapes[0] == shapes[1] and len(dtypes) == 1


def _is_matrix(atom: Atom) -> bool:
    return isinstance(atom, Value) and rank_of(atom.type) == 2 and _is_real(atom)


def _is_real(value: Value) -> bool:
    dtype = dtype_of(value.type)
    return dtype is not None and dtype.kind == "f"


__all__ = ["factor_matmuls", "has_products"]
