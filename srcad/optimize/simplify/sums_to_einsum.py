"""Idiom recognition: a product of arrays that is only summed becomes an `einsum`, or a dot product.

    t = mul(g, x)                       a_bar = einsum("ij,ij->i", g, x)
    a_bar = sum(t, axis=1)         ->
    t = add(mul(g, y), mul(h, z))       s_bar = add(g @ y, h @ z)
    s_bar = sum(t)

For derivatives that NumPy runs: the product is never written to memory, and `np.sum` along a short
axis takes several times as long as the sums of `np.einsum`. Compiled loops have neither fault. A
sum of the user's keeps NumPy's order of terms, and so its last bit.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import ArrayType, have_same_shape, rank_of
from srcad.ir.walk import count_reads, statements
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.rules import call
from srcad.rules.core.staged import Builder, unwrap

_LETTERS = "ijklmnopqrst"  # of the axes; arrays of more are left
_MOST = 4  # products in one sum


def sums_to_einsum(fn: Function) -> Function:
    """The program without products that are only summed."""
    if not any(isinstance(s, Op) and _is_derived_sum(s) for s in statements(fn.body)):
        return fn
    return _Sums(fn).run(fn)


class _Sums(Rewriter):
    """`products` has, for each product and sum of products that the block under construction makes
    and that is read once, the operations that give the products.
    """

    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.products: dict[Any, list[Op]] = {}

    def block(self, block: Block) -> Block:
        outer, self.products = self.products, {}
        block = super().block(block)
        self.products = outer
        return block

    def op(self, op: Op) -> None:
        products = self.products_of(op)
        if products and self.uses[op.out] == 1:
            self.products[op.out] = products
        summed = self.products.get(op.args[0]) if _is_derived_sum(op) else None
        made = _contracted(summed, op) if summed else None
        self.body += [op] if made is None else made

    def products_of(self, op: Op) -> list[Op]:
        """The products that an operation gives the sum of; none where it gives something else."""
        if op.fn is operator.mul:
            return [op]
        if op.fn is not operator.add or not all(_has_shape_of(op.out, x) for x in op.args):
            return []
        first, second = (self.products.get(x, []) for x in op.args)
        return [*first, *second] if first and second and len(first + second) <= _MOST else []


def _has_shape_of(out: Value, x: Any) -> bool:
    return isinstance(x, Value) and have_same_shape(x.type, out.type)


def _is_derived_sum(op: Op) -> bool:
    """Whether an operation of a derivative sums entries of an array."""
    is_derived = op.loc is not None and bool(op.loc.part)
    is_plain = op.fn is np.sum and len(op.args) == 1 and set(op.kwargs) <= {"axis", "keepdims"}
    return is_derived and is_plain and isinstance(op.args[0], Value)


def _contracted(products: list[Op], total: Op) -> list[Op] | None:
    """What gives the sum of products at once; None where that is not known to be the same."""
    rank = rank_of(total.args[0].type)
    if not rank or rank > len(_LETTERS):
        return None
    if not all(_is_real_array(x) for product in products for x in product.args):
        return None
    summed = _axes(total.kwargs.get("axis"), rank)
    keeps = total.kwargs.get("keepdims", False)
    if summed is None or not isinstance(keeps, bool):
        return None
    builder = Builder(loc=total.loc)
    try:
        pairs = (builder.wrap(product.args) for product in products)
        made = reduce(operator.add, (_sum_of_products(a, b, rank, summed) for a, b in pairs))
        if keeps:
            made = made[tuple(None if k in summed else slice(None) for k in range(rank))]
    except SrcadError:
        return None
    if not is_same_type(unwrap(made).type, total.out.type):
        return None
    ops: list[Any] = builder.body
    ops[-1].outs = total.outs
    return ops


def _sum_of_products(a: Any, b: Any, rank: int, summed: set[int]) -> Any:
    shapes = [unwrap(x).type.shape for x in (a, b)]
    if rank <= 2 and summed == {rank - 1} and shapes[1] == shapes[0][-1:]:
        return a @ b
    if rank == 2 and summed == {1} and shapes[0] == shapes[1][-1:]:
        return b @ a
    letters = _LETTERS[:rank]
    # Axes that an operand lacks are the first ones.
    given = [letters[rank - len(shape) :] for shape in shapes]
    left = "".join(letters[k] for k in range(rank) if k not in summed)
    return call(np.einsum, f"{given[0]},{given[1]}->{left}", a, b)


def _axes(axis: Any, rank: int) -> set[int] | None:
    """The axes that are summed over; None if they are not known."""
    if axis is None:
        return set(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(type(k) is int and -rank <= k < rank for k in axes):
        return None
    return {k % rank for k in axes}


def _is_real_array(x: Any) -> bool:
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, ArrayType) and bool(rank_of(t)) and t.dtype in (np.float64, np.float32)


__all__ = ["sums_to_einsum"]
