"""Linear equations and determinants: solve, inv, pinv, det, slogdet, matrix_power, multi_dot.

After Giles (2008), "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", section 2.2; pinv after Golub and Pereyra (1973), "The differentiation of
pseudo-inverses and nonlinear least squares problems whose variables separate", equation 4.12. All
but `multi_dot` take stacks of matrices. The derivative of `det` at a singular matrix raises
`LinAlgError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Shape, Type, shape_of
from srcad.rules.broadcast import cast_like, unbroadcast
from srcad.rules.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    broadcast_shapes,
    promote,
)
from srcad.rules.products import mT
from srcad.rules.registry import rule
from srcad.rules.shaping import dtype_of_arrays, like, rank_of
from srcad.rules.staged import call, type_of
from srcad.rules.table import Case
from srcad.rules.zero import ZERO


def regular(*shape: int) -> Any:
    """For cases: random matrices far from singular."""
    return lambda rng: rng.uniform(-1, 1, shape) + 3 * np.eye(shape[-2], shape[-1])


def matrices_shape(t: Type) -> Shape | None:
    """The shape of a matrix or a stack of them; refused for vectors."""
    shape = shape_of(t)
    if shape is not None and len(shape) < 2:
        raise error("E400", None, what=f"an array with {len(shape)} axes is no matrix")
    return shape


def inexact(t: Type) -> np.dtype:
    """The dtype of results of `np.linalg`: ints become doubles."""
    dtype = like(t, None).dtype
    return dtype if dtype.kind in "fc" else np.dtype(float)


def real_only(a: Any, name: str) -> None:
    """Refuse complex matrices where the rule is that of real ones."""
    if promote(as_type(type_of(a))).kind == "c":
        raise error("E203", None, what=f"`np.linalg.{name}` of a complex matrix")


# ---- solve


def _solve_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = matrices_shape(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    if sa is None or sb is None:
        return ArrayType(dtype, None)
    if len(sb) == 1:
        return ArrayType(dtype, (*sa[:-2], sb[0]))
    batch = broadcast_shapes(sa[:-2], sb[:-2])
    return ArrayType(dtype, (*(batch or ()), *sb[-2:]))


def _solve(a: Any, b: Any, vectors: bool) -> Any:
    """`np.linalg.solve`, of a stack of vectors if told so (NumPy takes one vector only)."""
    if vectors and (rank_of(a) > 2 or rank_of(b) > 1):
        return call(np.linalg.solve, a, b[..., None])[..., 0]
    return call(np.linalg.solve, a, b)


def _applied(a: Any, x: Any, vectors: bool) -> Any:
    return (a @ x[..., None])[..., 0] if vectors and rank_of(x) > 1 else a @ x


def _solve_jvp(ts: Any, y: Any, a: Any, b: Any) -> Any:
    a_dot, b_dot = ts
    vectors = rank_of(b) == 1
    moved = ZERO if a_dot is ZERO else _applied(a_dot, y, vectors)
    return cast_like(_solve(a, b_dot - moved, vectors), y)


def _solve_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    vectors = rank_of(b) == 1
    b_bar = _solve(mT(a), g, vectors)
    if vectors and rank_of(a) == 2 and rank_of(y) == 1:
        return cast_like(-np.outer(b_bar, y), a)
    if vectors:
        return cast_like(-(b_bar[..., :, None] * y[..., None, :]), a)
    return unbroadcast(-(b_bar @ mT(y)), a)


rule(
    np.linalg.solve,
    jvp=_solve_jvp,
    a=_solve_a,
    b=lambda g, y, a, b: unbroadcast(_solve(mT(a), g, rank_of(b) == 1), b),
    type_of=_solve_type,
    cases=[
        Case(regular(3, 3), (3,)),
        Case(regular(3, 3), (3, 2)),
        Case(regular(2, 3, 3), (3,)),
        Case(regular(2, 3, 3), (2, 3, 4)),
        Case(regular(2, 3, 3), (3, 4)),
        Case(regular(3, 3), (2, 3, 4)),
    ],
)


# ---- inv, pinv


def _inverse_type(a: object) -> Type:
    t = as_type(a)
    shape = matrices_shape(t)
    swapped = None if shape is None else (*shape[:-2], shape[-1], shape[-2])
    return ArrayType(inexact(t), swapped)


rule(
    np.linalg.inv,
    jvp=lambda ts, y, a: -(y @ ts[0] @ y),
    a=lambda g, y, a: -(mT(y) @ g @ mT(y)),
    type_of=_inverse_type,
    cases=[Case(regular(3, 3)), Case(regular(2, 3, 3))],
)


def _pinv_jvp(ts: Any, y: Any, a: Any) -> Any:
    real_only(a, "pinv")
    t = mT(ts[0])
    rows, columns = y @ mT(y) @ t, t @ mT(y) @ y
    return -(y @ ts[0] @ y) + (rows - rows @ a @ y) + (columns - y @ (a @ columns))


def _pinv_vjp(g: Any, y: Any, a: Any) -> Any:
    real_only(a, "pinv")
    t = mT(g)
    rows, columns = t @ y @ mT(y), mT(y) @ y @ t
    return -(mT(y) @ g @ mT(y)) + (rows - a @ (y @ rows)) + (columns - columns @ y @ a)


rule(
    np.linalg.pinv,
    jvp=_pinv_jvp,
    a=_pinv_vjp,
    type_of=_inverse_type,
    cases=[Case((3, 4)), Case((4, 2)), Case(regular(3, 3)), Case((2, 4, 2))],
    note="where the rank changes, pinv jumps and has no derivative",
)


# ---- det, slogdet


def _batch_type(t: Type, dtype: np.dtype) -> ArrayType:
    shape = matrices_shape(t)
    return array_or_scalar(dtype, None if shape is None else shape[:-2])


def _log_det_dot(a_dot: Any, a: Any) -> Any:
    return call(np.trace, call(np.linalg.solve, a, a_dot), **_last_two(a))


def _last_two(a: Any) -> dict[str, int]:
    return {} if rank_of(a) == 2 else {"axis1": -2, "axis2": -1}


def _scaled_inverse(g: Any, a: Any) -> Any:
    inverse = mT(call(np.linalg.inv, a))
    return g * inverse if rank_of(a) == 2 else g[..., None, None] * inverse


rule(
    np.linalg.det,
    jvp=lambda ts, y, a: y * _log_det_dot(ts[0], a),
    a=lambda g, y, a: _scaled_inverse(g * y, a),
    type_of=lambda a: _batch_type(as_type(a), inexact(as_type(a))),
    cases=[Case(regular(3, 3)), Case(regular(2, 3, 3)), Case(regular(1, 1))],
)


def _slogdet_type(a: object) -> tuple[Type, Type]:
    t = as_type(a)
    dtype = inexact(t)
    return _batch_type(t, dtype), _batch_type(t, np.zeros((), dtype).real.dtype)


def _slogdet_jvp(ts: Any, y: Any, a: Any) -> Any:
    real_only(a, "slogdet")
    return ZERO, _log_det_dot(ts[0], a)


def _slogdet_vjp(g: Any, y: Any, a: Any) -> Any:
    real_only(a, "slogdet")
    return ZERO if g[1] is ZERO else _scaled_inverse(g[1], a)


rule(
    np.linalg.slogdet,
    jvp=_slogdet_jvp,
    a=_slogdet_vjp,
    type_of=_slogdet_type,
    cases=[Case(regular(3, 3)), Case(regular(2, 3, 3))],
)


# ---- matrix_power, multi_dot: sums over the places of the factors


def _powers(a: Any, n: int) -> list[Any]:
    """a ** 1, ..., a ** n."""
    found = [a]
    while len(found) < n:
        found.append(found[-1] @ a)
    return found


def _exponent(n: Any) -> int:
    if not isinstance(n, int | np.integer):
        raise error("E123", None, what="the exponent of `np.linalg.matrix_power`")
    return int(n)


def _power_sum(t: Any, a: Any, n: int) -> Any:
    """The sum of a ** k @ t @ a ** (n - 1 - k) over all k."""
    if n == 0:
        return ZERO
    if n < 0:
        inverse = call(np.linalg.inv, a)
        return _power_sum(-(inverse @ t @ inverse), inverse, -n)
    powers = _powers(a, n - 1) if n > 1 else []
    total = t @ powers[-1] if powers else t
    for k in range(1, n):
        left = powers[k - 1] @ t
        total = total + (left @ powers[n - 2 - k] if k < n - 1 else left)
    return total


rule(
    np.linalg.matrix_power,
    jvp=lambda ts, y, a, n: _power_sum(ts[0], a, _exponent(n)),
    a=lambda g, y, a, n: _power_sum(g, mT(a), _exponent(n)),
    type_of=lambda a, n: ArrayType(inexact(as_type(a)), matrices_shape(as_type(a))),
    cases=[Case(regular(3, 3), n) for n in (-2, -1, 0, 1, 2, 5)] + [Case(regular(2, 3, 3), 3)],
)


def _multi_dot_type(arrays: Any) -> Type:
    types = [as_type(a) for a in arrays]
    first, last = shape_of(types[0]), shape_of(types[-1])
    if any(len(s) != 2 for s in map(shape_of, types[1:-1]) if s is not None) or any(
        len(s) not in (1, 2) for s in (first, last) if s is not None
    ):
        raise UncoveredError("anything but matrices, and vectors at the ends")
    dtype = dtype_of_arrays(*types)
    if first is None or last is None:
        return array_or_scalar(dtype, None)
    return array_or_scalar(dtype, (*first[:-1], *(last[1:] if len(last) == 2 else ())))


def _multi_dot_jvp(ts: Any, y: Any, arrays: Any) -> Any:
    terms = [
        call(np.linalg.multi_dot, [*arrays[:k], t, *arrays[k + 1 :]])
        for k, t in enumerate(ts[0])
        if t is not ZERO
    ]
    return cast_like(sum(terms, start=ZERO), y)


def _multi_dot_vjp(g: Any, y: Any, arrays: Any) -> list[Any]:
    """Left factors transposed, `g`, right factors transposed; end vectors as a row and a column."""
    first, last = arrays[0], arrays[-1]
    row, column = rank_of(first) == 1, rank_of(last) == 1
    factors = [*arrays]
    if row:
        factors[0], g = first[None], g[None]
    if column:
        factors[-1], g = last[:, None], g[..., None]
    cotangents = []
    for k, factor in enumerate(factors):
        left, right = [mT(f) for f in factors[:k][::-1]], [mT(f) for f in factors[k + 1 :][::-1]]
        bar = call(np.linalg.multi_dot, [*left, g, *right])
        cotangents.append(cast_like(bar, factor))
    if row:
        cotangents[0] = cotangents[0][0]
    if column:
        cotangents[-1] = cotangents[-1][:, 0]
    return cotangents


rule(
    np.linalg.multi_dot,
    jvp=_multi_dot_jvp,
    arrays=_multi_dot_vjp,
    type_of=_multi_dot_type,
    cases=[
        Case([(2, 3), (3, 4), (4, 2)]),
        Case([(3,), (3, 4), (4,)]),
        Case([(3,), (3, 4)]),
        Case([(2, 3), (3, 4), (4, 5), (5,)]),
    ],
)
