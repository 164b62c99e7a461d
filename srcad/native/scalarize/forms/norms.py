"""Norms of other orders and axes, and what they tell of an inverse.

np.linalg.norm(v, 3)          np.sum(np.abs(v) ** 3) ** (1 / 3)
np.linalg.vector_norm(a)      np.linalg.norm(np.ravel(a))
np.linalg.cond(a, 1)          np.linalg.norm(a, 1) * np.linalg.norm(np.linalg.inv(a), 1)
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.kernels.lapack import find_lapack
from srcad.native.scalarize.forms.axes import axes_of, reduced
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    RANKS,
    SINGLE,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    options,
    rank,
)

_KINDS: Final = (FLOAT, SINGLE, COMPLEX)


def of_order(x: Any, order: float, axis: int | None, keepdims: bool) -> Any:
    """`np.linalg.norm(x, order, axis)` of vectors, by the powers of their entries."""
    x = np.abs(x)
    if order == 0:
        return np.sum(np.where(x != 0.0, 1.0, 0.0), axis=axis, keepdims=keepdims)
    return np.sum(x**order, axis=axis, keepdims=keepdims) ** (1.0 / order)


def of_matrices(a: Any, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    """`np.linalg.norm(a, order, axes)` of stacks of matrices."""
    rows, columns = axes
    if order in (2, -2, "nuc"):
        rest = tuple(axis for axis in range(a.ndim) if axis not in axes)
        s = np.linalg.svdvals(np.transpose(a, rest + axes))
        found = (np.sum if order == "nuc" else np.max if order > 0 else np.min)(s, axis=-1)
    else:
        summed, other = (rows, columns) if abs(order) == 1 else (columns, rows)
        sums = np.sum(np.abs(a), axis=summed)
        found = (np.max if order > 0 else np.min)(sums, axis=other - (other > summed))
    for axis in sorted(axes) if keepdims else ():
        found = np.expand_dims(found, axis)
    return found


def condition(a: Any, order: Any) -> Any:
    """`np.linalg.cond(a, order)`, of stacks too."""
    if order in (None, 2, -2):
        s = np.linalg.svdvals(a)
        quotients = s[..., -1] / s[..., 0] if order == -2 else s[..., 0] / s[..., -1]
        return np.where(np.isnan(quotients), np.inf, quotients)
    norm = partial(np.linalg.matrix_norm, ord=order)
    return norm(a) * norm(np.linalg.inv(a))


# Which form a call has ---------------------------------------------------------------------------


def _norm(op: Op) -> Chosen | None:
    """Of orders and axes that have no form of their own."""
    found = options(op, 1, ord=None, axis=None, keepdims=False)
    if found is None or not is_array(op.args[0], FLOAT, *RANKS) or type(found[2]) is not bool:
        return None
    (x, *_), (order, axis, keepdims), n = op.args, found, rank(op.args[0])
    axes = axes_of(axis, n)
    if axes is not None and len(axes) == 2 and isinstance(axis, tuple | list):
        named = tuple(k % n for k in axis)
        is_fit = order in (1, -1, 2, -2, np.inf, -np.inf, "nuc")
        return (Formula(of_matrices), (x, order, named, keepdims)) if is_fit else None
    if axes is None or len(axes) != 1:
        return None
    if type(order) in (int, float) and order not in (1, 2, np.inf, -np.inf):
        return Formula(of_order), (x, order, axes[0], keepdims)
    plain = partial(np.linalg.norm, ord=order, axis=axes[0], keepdims=keepdims)
    return (Formula(plain), (x,)) if isinstance(axis, tuple | list) else None


def _vector_norm(op: Op) -> Chosen | None:
    found, n = options(op, 1, axis=None, keepdims=False, ord=2), rank(op.args[0])
    if found is None or not is_any(op.args[0], _KINDS, *RANKS):
        return None
    axis, keepdims, order = found
    if n == 1 and found[:2] == (None, False):
        return Formula(partial(np.linalg.norm, ord=order)), op.args[:1]
    axes = axes_of(axis, n)
    is_fit = axes is not None and type(order) in (int, float) and type(keepdims) is bool
    if not is_fit or axes is None or not is_array(op.args[0], FLOAT, n):
        return None
    if len(axes) == 1:
        plain = partial(np.linalg.norm, ord=order, axis=axes[0], keepdims=keepdims)
        return Formula(plain), op.args[:1]
    of_rows = partial(reduced, partial(np.linalg.norm, ord=order))
    return Formula(of_rows), (op.args[0], axes, keepdims)


def _matrix_norm(op: Op) -> Chosen | None:
    found, n = options(op, 1, keepdims=False, ord="fro"), rank(op.args[0])
    if found is None or not is_any(op.args[0], _KINDS, 2, 3, 4):
        return None
    if n == 2 and found[0] is False:
        return Formula(partial(np.linalg.norm, ord=found[1])), op.args[:1]
    plain = partial(np.linalg.norm, ord=found[1], axis=(-2, -1), keepdims=found[0])
    return (Formula(plain), op.args[:1]) if is_array(op.args[0], FLOAT, n) else None


def _condition(op: Op) -> Chosen | None:
    found = options(op, 1, p=None)
    is_fit = found is not None and found[0] in (None, 1, -1, 2, -2, "fro", np.inf, -np.inf)
    is_fit = is_fit and is_array(op.args[0], FLOAT, 2, 3) and bool(find_lapack())
    return (Formula(condition), (op.args[0], *(found or ()))) if is_fit else None


NORMS: Final[dict[Any, Choice]] = {
    np.linalg.norm: _norm, np.linalg.vector_norm: _vector_norm,
    np.linalg.matrix_norm: _matrix_norm, np.linalg.cond: _condition,
}  # fmt: skip
