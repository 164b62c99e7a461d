"""Products, equations and powers that are others: of other axes, of tensors, of stacks.

np.dot(a, b)                      np.tensordot(a, b, (-1, -2)), of stacks of matrices
np.einsum("ii->i", a)             np.diagonal(a)
np.linalg.tensorinv(a)            np.linalg.inv of the matrix that it is
np.linalg.matrix_power(a, -2)     of np.linalg.inv(a), 2
"""

from __future__ import annotations

import math
import operator
from functools import partial, reduce
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    RANKS,
    SINGLE,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    must_agree,
    options,
    rank,
)
from srcad.native.scalarize.forms.contractions import spelled_out
from srcad.rules.core.staged import call, type_of

_LARGEST_POWER = 1 << 16


def summed_products(a: Any, b: Any, axis: int) -> Any:
    """`np.vecdot(a, b, axis=axis)` of real numbers."""
    must_agree(a.shape[axis], b.shape[axis])
    return np.sum(a * b, axis=axis)


def product_of_all(a: Any, b: Any) -> Any:
    """`np.vdot(a, b)` of real numbers."""
    return np.dot(*(np.ravel(x) if x.ndim > 1 else x for x in (a, b)))


def contracted(a: Any, b: Any, last: int) -> Any:
    """`np.dot(a, b)` of stacks, or `np.inner(a, b)`."""
    return np.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim + last,)))


def cross_along(a: Any, b: Any, axes: tuple[int, int, int]) -> Any:
    """`np.cross(a, b)` along axes of matrices."""
    a, b = (np.moveaxis(x, axis, -1) for x, axis in zip((a, b), axes, strict=False))
    return np.moveaxis(np.cross(a, b), -1, axes[2])


def cross_of_stacks(a: Any, b: Any) -> Any:
    """`np.cross(a, b)` along the last axis of arrays that broadcast."""
    must_agree(a.shape[-1], 3)
    must_agree(b.shape[-1], 3)
    x, y, z = (a[..., k] for k in range(3))
    u, v, w = (b[..., k] for k in range(3))
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


def solved_each(a: Any, b: Any) -> Any:
    """`np.linalg.solve(a, b)` of a stack and a matrix, or of a matrix and a stack."""
    if a.ndim < b.ndim:
        return np.linalg.solve(np.broadcast_to(a, (b.shape[0], *a.shape)), b)
    return np.linalg.solve(a, np.broadcast_to(b, (a.shape[0], *b.shape)))


def upper_factor(a: Any) -> Any:
    """`np.linalg.cholesky(a, upper=True)` of real numbers, which reads the upper triangle."""
    return np.matrix_transpose(np.linalg.cholesky(np.matrix_transpose(a)))


def power(a: Any, n: int) -> Any:
    """`np.linalg.matrix_power(a, n)`, of stacks too; by squares from four factors on."""
    must_agree(a.shape[-2], a.shape[-1])
    if n < 0:
        a, n = np.linalg.inv(a), -n
    if n == 0:
        return np.zeros_like(a) + call(np.eye, a.shape[-1])
    if n < 4:
        return reduce(np.matmul, (a,) * (n - 1), np.copy(a) if n == 1 else a)
    found = None
    while n:
        n, bit = divmod(n, 2)
        if bit:
            found = a if found is None else np.matmul(found, a)
        a = np.matmul(a, a) if n else a
    return found


def without_repeated(inputs: list[str], output: str, operands: tuple[Any, ...]) -> Any:
    """`np.einsum` where an operand has an axis twice: of its diagonal."""
    names, kept = [*inputs], []
    for k, x in enumerate(operands):
        while (twice := next((c for c in names[k] if names[k].count(c) > 1), None)) is not None:
            first = names[k].index(twice)
            second = names[k].index(twice, first + 1)
            must_agree(x.shape[first], x.shape[second])
            x = np.diagonal(x, 0, first, second)
            names[k] = "".join(c for j, c in enumerate(names[k]) if j not in (first, second))
            names[k] += twice
        kept.append(x)
    if names == [output]:
        return kept[0]
    return np.einsum(f"{','.join(names)}->{output}", *kept)


def solved(a: Any, b: Any, order: tuple[int, ...]) -> Any:
    """`np.linalg.tensorsolve(a, b)` of a tensor whose axes come in an order first."""
    a = a if order == (*range(a.ndim),) else np.transpose(a, order)
    extents = tuple(a.shape[k] for k in range(b.ndim, a.ndim))
    n = math.prod(b.shape[k] for k in range(b.ndim))
    found = np.linalg.solve(np.reshape(a, (n, n)), np.ravel(b) if b.ndim > 1 else b)
    return found if len(extents) == 1 else np.reshape(found, extents)


def inverted(a: Any, ind: int) -> Any:
    """`np.linalg.tensorinv(a, ind)`."""
    extents = tuple(a.shape[k] for k in (*range(ind, a.ndim), *range(ind)))
    n = math.prod(extents[: a.ndim - ind])
    return np.reshape(np.linalg.inv(np.reshape(a, (n, n))), extents)


# Which form a call has ---------------------------------------------------------------------------


def _vecdot(op: Op) -> Chosen | None:
    found = options(op, 2, axis=-1)
    is_fit = found is not None and type(found[0]) is int
    is_fit = is_fit and all(is_any(x, (FLOAT, SINGLE), *RANKS) for x in op.args[:2])
    is_fit = is_fit and (found == (-1,) or rank(op.args[0]) == rank(op.args[1]))
    return (Formula(summed_products), (*op.args[:2], *(found or ()))) if is_fit else None


def _vdot(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and all(is_any(x, (FLOAT, SINGLE), *RANKS) for x in op.args)
    if is_fit and not op.kwargs:
        return (Formula(product_of_all), op.args) if max(map(rank, op.args)) > 1 else None
    return _by_number(op)


def _by_number(op: Op) -> Chosen | None:
    """A product with a number."""
    fits = [is_array(x, FLOAT, 0, *RANKS) for x in op.args]
    is_fit = len(op.args) == 2 and not op.kwargs and any(rank(x) == 0 for x in op.args)
    numbers = (isinstance(type_of(x), NumberType) for x in op.args)
    is_fit = is_fit and all(fit or number for fit, number in zip(fits, numbers, strict=True))
    return (Formula(operator.mul), op.args) if is_fit and any(fits) else None


def _contracted(last: int, least: int) -> Choice:
    def choose(op: Op) -> Chosen | None:
        if len(op.args) != 2 or op.kwargs:
            return None
        ranks = [*map(rank, op.args)]
        if 0 in ranks:
            return _by_number(op)
        is_fit = all(is_any(x, (FLOAT, SINGLE), *RANKS) for x in op.args)
        is_fit = is_fit and ranks[1] >= -last and max(ranks) >= least
        return (Formula(partial(contracted, last=last)), op.args) if is_fit else None

    return choose


def _cross(op: Op) -> Chosen | None:
    found = options(op, 2, axisa=-1, axisb=-1, axisc=-1, axis=None)
    if found is None or any(type(k) is not int for k in found if k is not None):
        return None
    axes = found[:3] if found[3] is None else (found[3],) * 3
    ranks = [*map(rank, op.args[:2])]
    is_fit = all(is_array(x, FLOAT, 1, 2) for x in op.args[:2]) and max(ranks) == 2
    named = tuple(k % n for k, n in zip(axes, (*ranks, 2), strict=True)) if is_fit else ()
    if not is_fit and axes == (-1, -1, -1) and max(ranks) > 2:
        is_fit = all(is_array(x, FLOAT, *RANKS) for x in op.args[:2])
        return (Formula(cross_of_stacks), op.args[:2]) if is_fit else None
    is_other = is_fit and named != (ranks[0] - 1, ranks[1] - 1, 1)
    return (Formula(cross_along), (*op.args[:2], named)) if is_other else None


def _linalg_cross(op: Op) -> Chosen | None:
    found = options(op, 2, axis=-1)
    if found is None:
        return None
    if found == (-1,):
        is_fit = all(is_array(x, FLOAT, *RANKS) for x in op.args[:2])
        return (Formula(np.cross), op.args[:2]) if is_fit else None
    return _cross(Op(np.cross, op.args[:2], {"axis": found[0]}, op.outs))


def _solve(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and not op.kwargs and sorted(map(rank, op.args)) == [2, 3]
    is_fit = is_fit and all(is_array(x, FLOAT, 2, 3) for x in op.args)
    return (Formula(solved_each), op.args) if is_fit else None


def _upper(op: Op) -> Chosen | None:
    found = options(op, 1, upper=False)
    is_fit = found == (True,) and is_array(op.args[0], FLOAT, 2, 3)
    return (Formula(upper_factor), op.args[:1]) if is_fit else None


def _matrix_power(op: Op) -> Chosen | None:
    found = options(op, 1, n=None)
    is_fit = found is not None and type(found[0]) is int and abs(found[0]) <= _LARGEST_POWER
    is_fit = is_fit and is_array(op.args[0], FLOAT, 2, 3)
    return (Formula(power), (op.args[0], *(found or ()))) if is_fit else None


def _einsum(op: Op) -> Chosen | None:
    text, *operands = op.args
    is_fit = isinstance(text, str) and not op.kwargs
    if not is_fit or not all(is_any(x, (FLOAT, SINGLE), *RANKS) for x in operands):
        return None
    inputs, output = spelled_out(text, [*map(rank, operands)])
    is_fit = any(len({*own}) < len(own) for own in inputs)
    return (Formula(without_repeated), (inputs, output, tuple(operands))) if is_fit else None


def _tensorsolve(op: Op) -> Chosen | None:
    found = options(op, 2, axes=None)
    a, b = op.args[:2]
    if found is None or not is_array(a, FLOAT, 2, 3, 4) or not is_array(b, FLOAT, 1, 2, 3):
        return None
    n = rank(a)
    last = [k % n for k in found[0] or ()]
    order = (*(k for k in range(n) if k not in last), *last)
    return (Formula(solved), (a, b, order)) if rank(b) < n else None


def _tensorinv(op: Op) -> Chosen | None:
    found, n = options(op, 1, ind=2), rank(op.args[0])
    is_fit = found is not None and type(found[0]) is int and is_array(op.args[0], FLOAT, 2, 3, 4)
    is_fit = is_fit and found is not None and 0 < found[0] < n
    return (Formula(inverted), (op.args[0], *(found or ()))) if is_fit else None


ALGEBRA: Final[dict[Any, Choice]] = {
    np.vecdot: _vecdot, np.linalg.vecdot: _vecdot, np.vdot: _vdot,
    np.dot: _contracted(-2, 3), np.inner: _contracted(-1, 2), np.kron: _by_number,
    np.cross: _cross, np.linalg.cross: _linalg_cross,
    np.linalg.solve: _solve, np.linalg.tensorsolve: _tensorsolve, np.linalg.tensorinv: _tensorinv,
    np.linalg.cholesky: _upper, np.linalg.matrix_power: _matrix_power, np.einsum: _einsum,
}  # fmt: skip
