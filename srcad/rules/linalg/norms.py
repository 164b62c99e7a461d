"""Norms: `np.linalg.norm`, `vector_norm`, `matrix_norm`, with every order that NumPy knows.

Of vectors: `ord` p (the Frobenius norm of matrices is that of their entries with p = 2). Of
matrices: the largest and smallest sum of columns and rows (1, -1, inf, -inf), the largest and
smallest singular value (2, -2) and the sum of all ("nuc").

At zero, where a norm has no derivative, it is 0; so is that of an entry that is zero (p < 1, "nuc"
for a singular value). What ties for the largest or smallest shares evenly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays, rank_of
from srcad.rules.core.axes import restore
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import array_or_scalar, as_type, promote, reduced_shape
from srcad.rules.core.kinks import nonzero, or_infinity
from srcad.rules.core.product import over, times
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import is_complex, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import columns, conj, known_options, real, real_dtype
from srcad.rules.linalg.singular_values import thin_svd

# ---- the derivative of a norm in its argument, where `y` has all axes of `x`


def _sign(x: Any) -> Any:
    """The conjugate of x / |x|, 0 at 0."""
    return conj(x) / or_infinity(np.abs(x)) if is_complex(x) else np.sign(x)


def _of_entries(y: Any, x: Any, p: float, axis: Any) -> Any:
    """Of the norm of the entries along `axis`."""
    if p == 0:
        return ZERO
    if p == 1:
        return _sign(x)
    if p == 2:
        return conj(x) / or_infinity(y)
    if np.isinf(p):
        tied = np.abs(x) == y
        return _sign(x) * tied / np.sum(tied, axis=axis, keepdims=True, dtype=y.dtype)
    if p > 1:
        return _sign(x) * (np.abs(x) / nonzero(y)) ** (p - 1)
    return _sign(x) * (nonzero(y) / nonzero(np.abs(x))) ** (1 - p) * (y != 0)


def _of_sums(y: Any, x: Any, is_largest: bool, summed: int, other: int) -> Any:
    """Of the largest or smallest sum of absolute values along an axis of a matrix."""
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    # Not `sums == y`: in another order of adding up none of them need be what NumPy found.
    if is_largest:
        tied = sums == np.max(sums, axis=other, keepdims=True, initial=0)
    else:
        tied = sums == np.min(sums, axis=other, keepdims=True)
    return _sign(x) * (tied / np.sum(tied, axis=other, keepdims=True, dtype=y.dtype))


def _of_singular_values(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    """Of the largest, smallest or the sum of all singular values, by the vectors of those."""
    last = (rank_of(x) - 2, rank_of(x) - 1)
    moved = x if axes == last else np.moveaxis(x, axes, (-2, -1))
    u, s, vh = thin_svd(moved)
    if ord == "nuc":
        share = s > _negligible(s)
    else:
        chosen = s == (
            _largest(s) if ord == 2 else np.min(s, axis=-1, keepdims=True, initial=np.inf)
        )
        share = (chosen & (s > 0)) / np.sum(chosen, axis=-1, keepdims=True, dtype=s.dtype)
    unit = (conj(u) * columns(share)) @ conj(vh)
    return unit if axes == last else np.moveaxis(unit, (-2, -1), axes)


def _negligible(s: Any) -> Any:
    """A bound for singular values that are zero but for rounding."""
    eps = np.finfo(dtype_of_arrays(as_type(type_of(s)))).eps
    return _largest(s) * (100 * eps)


def _largest(s: Any) -> Any:
    """The largest singular value; 0 where there is none."""
    return np.max(s, axis=-1, keepdims=True, initial=0)


# ---- np.linalg.norm

_EITHER = (1, -1, 2, -2, np.inf, -np.inf)


def _norm_type(x: object, ord: object = None, axis: Any = None, keepdims: Any = False) -> Type:
    t = as_type(x)
    dtype = promote(t)
    dtype = real_dtype(dtype) if dtype.kind in "fc" else np.dtype(float)
    return array_or_scalar(dtype, reduced_shape(shape_of(t), axis, keepdims))


def _unit(y: Any, x: Any, ord: Any, axis: Any) -> Any:
    """The derivative of the norm; refused where NumPy has no such norm."""
    axes = tuple(range(rank_of(x))) if axis is None else axis
    axes = axes if isinstance(axes, tuple) else (axes,)
    if ord is None or (ord == "fro" and len(axes) == 2):
        return _of_entries(y, x, 2, axis)
    is_number = isinstance(ord, int | float | np.number)
    if len(axes) == 1 and is_number:
        return _of_entries(y, x, float(ord), axis)
    if len(axes) != 2 or (ord not in _EITHER and ord != "nuc"):
        raise error("E203", None, what=f"`np.linalg.norm(..., ord={ord!r})` over {len(axes)} axes")
    first, second = (a % rank_of(x) for a in axes)
    if ord in (1, -1, np.inf, -np.inf):
        summed, other = (first, second) if abs(ord) == 1 else (second, first)
        return _of_sums(y, x, ord > 0, summed, other)
    return _of_singular_values(x, ord, (first, second))


def _whole(y: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """`y` with the axes that were summed over, of extent 1."""
    if keepdims or axis is None or rank_of(y) == 0:
        return y
    return restore(y, axis, keepdims, x)


def norm_vjp(
    g: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    """The cotangent of `x` in `y = np.linalg.norm(x, ord, axis, keepdims)`."""
    g, norm = _whole(g, x, axis, keepdims), _whole(y, x, axis, keepdims)
    if not is_complex(x) and (ord is None or ord == "fro"):
        return cast_like(times(times(g, over(or_infinity(norm))), x), x)
    unit = _unit(norm, x, ord, axis)
    return ZERO if unit is ZERO else cast_like(times(g, unit), x)


def norm_jvp(
    ts: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    """The tangent of the norm."""
    unit = _unit(_whole(y, x, axis, keepdims), x, ord, axis)
    if unit is ZERO:
        return ZERO
    return cast_like(np.sum(real(unit * ts[0]), axis=axis, keepdims=keepdims), y)


rule(
    np.linalg.norm,
    jvp=norm_jvp,
    x=norm_vjp,
    type_of=known_options(_norm_type),
    cases=[
        Case((4,)),
        Case((3, 4)),
        Case((2, 3, 4)),
        Case((3, 4), axis=1),
        Case((3, 4), axis=0, keepdims=True),
        Case((2, 3, 4), axis=(0, 2)),
        Case((3, 4), ord="fro"),
        Case((2, 3, 4), ord="fro", axis=(1, 2), keepdims=True),
        *(Case((4,), ord=p) for p in (*_EITHER, 0, 3, 0.5, -1.5)),
        *(Case((3, 4), ord=p) for p in (*_EITHER, "nuc")),
        *(Case((2, 3, 4), ord=p, axis=(2, 0), keepdims=True) for p in (*_EITHER, "nuc")),
        *(Case((2, 3, 4), ord=p, axis=(-2, -1)) for p in (1, -np.inf, 2, "nuc")),
        Case((3, 4), ord=1, axis=-1),
        Case((3, 4), ord=2.5, axis=0),
        Case((3, 4), ord=np.inf, axis=1),
        Case((3, 4), ord=-np.inf, axis=0, keepdims=True),
        Case((4,), keepdims=True),
        Case((4,), axis=(0,)),
    ],
    note="0 at zero; ties share evenly",
)


# ---- matrix_norm: over the last two axes; vector_norm: over all of its axes as one


def _matrix_norm_type(x: object, keepdims: Any = False, ord: Any = "fro") -> Type:
    return _norm_type(x, ord, (-2, -1), keepdims)


def _vector_norm_type(x: object, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Type:
    return _norm_type(x, ord, axis, keepdims)


def _vector_unit(y: Any, x: Any, axis: Any, ord: Any) -> Any:
    if not isinstance(ord, int | float | np.number):
        raise error("E203", None, what=f"`np.linalg.vector_norm(..., ord={ord!r})`")
    return _of_entries(y, x, float(ord), axis)


def _vector_norm_vjp(
    g: Any, y: Any, x: Any, axis: Any = None, keepdims: Any = False, ord: Any = 2
) -> Any:
    if ord == 2:
        return norm_vjp(g, y, x, None, axis, keepdims)
    unit = _vector_unit(_whole(y, x, axis, keepdims), x, axis, ord)
    return ZERO if unit is ZERO else cast_like(_whole(g, x, axis, keepdims) * unit, x)


def _vector_norm_jvp(
    ts: Any, y: Any, x: Any, axis: Any = None, keepdims: Any = False, ord: Any = 2
) -> Any:
    unit = _vector_unit(_whole(y, x, axis, keepdims), x, axis, ord)
    if unit is ZERO:
        return ZERO
    return cast_like(np.sum(real(unit * ts[0]), axis=axis, keepdims=keepdims), y)


rule(
    np.linalg.matrix_norm,
    jvp=lambda ts, y, x, keepdims=False, ord="fro": norm_jvp(ts, y, x, ord, (-2, -1), keepdims),
    x=lambda g, y, x, keepdims=False, ord="fro": norm_vjp(g, y, x, ord, (-2, -1), keepdims),
    type_of=known_options(_matrix_norm_type),
    cases=[
        Case((3, 4)),
        Case((2, 3, 4), keepdims=True),
        *(Case((2, 3, 4), ord=p) for p in (*_EITHER, "nuc")),
    ],
    note="as of norm",
)

rule(
    np.linalg.vector_norm,
    jvp=_vector_norm_jvp,
    x=_vector_norm_vjp,
    type_of=known_options(_vector_norm_type),
    cases=[
        Case((4,)),
        Case((3, 4)),
        Case((2, 3, 4), axis=(0, 2), ord=3),
        Case((3, 4), axis=0, keepdims=True, ord=np.inf),
        *(Case((3, 4), ord=p) for p in (1, -np.inf, 0, 0.5, -1)),
    ],
    note="as of norm",
)
