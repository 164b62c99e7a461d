"""Polynomials by their coefficients, the highest power first: polyval, vander, polyder, ...

y = np.polyval(p, x)     p_bar = y_bar.ravel() @ np.vander(x.ravel(), len(p))
                         x_bar = y_bar * np.polyval(np.polyder(p), x)

r = np.roots(p)          r_dot = -np.polyval(p_dot, r) / p'(r)
                         p_bar = -(r_bar / p'(r)) @ np.vander(r, len(p))

`np.polyfit` is a scaled least-squares problem, as NumPy writes it. Roots are complex, as
eigenvalues are. A root at zero moves as others do. Of two that are equal there is no derivative,
nor where the first coefficient is 0, with which another root comes from infinity: both raise
`LinAlgError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, dtype_of, have_same_shape, rank_of, shape_of
from srcad.rules.arrays.shaping import call_beside, dtype_of_arrays
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.axes import is_empty
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import INSTEAD, MAY_BE_REAL
from srcad.rules.core.compose import known, raise_unless, raise_unless_equal
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    extent_of,
    unknown_extent,
)
from srcad.rules.core.product import times, without_missing
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import as_array, call, rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.checks import checks
from srcad.rules.linalg.matrices import inexact


def _length(p: Any) -> int:
    return int(known(p.shape[0], "the number of coefficients"))


# ---- vander


def _columns(x: Any, N: Any) -> Any:  # noqa: N803 - NumPy's name
    return x.shape[0] if N is None else N


def _vander_type(x: object, N: Any = None, increasing: bool = False) -> Type:  # noqa: N803 -- NumPy's name
    t = as_type(x)
    shape = shape_of(t)
    if shape is None or len(shape) != 1:
        raise ValueError("x must be a one-dimensional array")
    dtype = np.promote_types(dtype_of(t) or float, int)
    return ArrayType(dtype, (shape[0], shape[0] if N is None else extent_of(N)))


def _powers(n: Any, y: Any) -> Any:
    """1, 2, ..., n - 1 in the dtype of `y`."""
    return call_beside(y, np.arange, 1, n, dtype=dtype_of(type_of(y)))


def _vander_x(g: Any, y: Any, x: Any, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803 -- NumPy's name
    k = _powers(y.shape[1], y)
    if increasing:
        return cast_like(np.sum(g[:, 1:] * y[:, :-1] * k, axis=1), x)
    return cast_like(np.sum(g[:, :-1] * y[:, 1:] * k[::-1], axis=1), x)


def _vander_jvp(ts: Any, y: Any, x: Any, N: Any = None, increasing: bool = False) -> Any:  # noqa: N803 -- NumPy's name
    k = _powers(y.shape[1], y)
    if increasing:
        moved = y[:, :-1] * k * ts[0][:, None]
        return cast_like(np.concatenate((np.zeros_like(y[:, :1]), moved), axis=1), y)
    moved = y[:, 1:] * k[::-1] * ts[0][:, None]
    return cast_like(np.concatenate((moved, np.zeros_like(y[:, -1:])), axis=1), y)


rule(
    np.vander,
    jvp=_vander_jvp,
    x=_vander_x,
    type_of=_vander_type,
    cases=(
        Case((4,)),
        Case((4,), N=3),
        Case((4,), N=1),
        Case((3,), N=5, increasing=True),
        Case((3,), increasing=True),
    ),
)


# ---- polyval


def _normalize_polyval(p: Any, x: Any) -> Arguments:
    return (constant_array(p), constant_array(x)), {}


def _polyval_type(p: object, x: object) -> Type:
    t = as_type(x)
    rank = shape_of(as_type(p))
    if rank is None or len(rank) != 1:
        raise UncoveredError("coefficients that are no vector")
    shape = shape_of(t)
    return array_or_scalar(dtype_of_arrays(as_type(p), t), shape)


def _slope(p: Any, x: Any) -> Any:
    shape = shape_of(type_of(p))
    if shape is not None and (shape[0] == 1 or getattr(shape[0], "never_one", True) is False):
        # The derivative of a constant has no coefficients: NumPy's sum of none has another dtype.
        p = np.concatenate((np.zeros_like(p[:1]), p))
    return call(np.polyval, np.polyder(p), x)


@without_missing
def _polyval_p(g: Any, y: Any, p: Any, x: Any) -> Any:
    flat = np.reshape(x, -1)
    return cast_like(np.reshape(g, -1) @ call_beside(p, np.vander, flat, p.shape[0]), p)


def polyval_jvp(polyval: Any, slope: Any) -> Any:
    """The tangent of what evaluates polynomials, linear in their coefficients; `slope` evaluates
    their derivatives.
    """

    def jvp(ts: Any, y: Any, p: Any, x: Any) -> Any:
        moved: Any = ZERO if ts[0] is ZERO else call(polyval, ts[0], x)
        if ts[1] is not ZERO:
            moved = moved + slope(p, x) * ts[1]
        return cast_like(moved, y)

    return jvp


rule(
    np.polyval,
    jvp=polyval_jvp(np.polyval, _slope),
    p=_polyval_p,
    x=lambda g, y, p, x: cast_like(times(g, _slope(p, x)), x),
    type_of=_polyval_type,
    normalize=_normalize_polyval,
    cases=(
        Case((4,), 0.7),
        Case((4,), (3,)),
        Case((3,), (2, 3)),
        Case((3,), float),
        Case((3,), np.float64),
        Case((1,), (3,)),
        Case((2,), (0,)),
    ),
)


# ---- derivative and integral, sums and products


def _of_one_axis(p: Any) -> Any:
    p = as_array(p)
    if p.ndim > 1:
        raise UncoveredError("coefficients with several axes")
    return p


def _polyder(p: Any, m: int = 1) -> Any:
    p = _of_one_axis(p)
    for _ in range(known(m, "the order")):
        n = p.shape[0]
        p = p[:-1] * call_beside(p, np.arange, n)[:0:-1]
    return p


def _polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    p = as_array(p)
    constants = [0.0] * m if k is None else k
    for i in range(known(m, "the order")):
        constant = constants if rank_or_none(constants) == 0 else constants[i]
        n = p.shape[0]
        quotient = p / call_beside(p, np.arange, 1, n + 1)[::-1]
        p = np.concatenate((quotient, cast_like(np.reshape(constant, 1), quotient)))
    return p


def _padded(a1: Any, a2: Any) -> tuple[Any, Any]:
    """Both with as many coefficients as the longer has."""
    a1, a2 = (np.reshape(_of_one_axis(a), -1) for a in (a1, a2))
    if have_same_shape(type_of(a1), type_of(a2)):
        return a1, a2
    n, m = _length(a1), _length(a2)
    if n < m:
        a1 = np.concatenate((np.zeros(m - n, dtype_of(type_of(a1))), a1))
    if m < n:
        a2 = np.concatenate((np.zeros(n - m, dtype_of(type_of(a2))), a2))
    return a1, a2


def _polyadd(a1: Any, a2: Any) -> Any:
    first, second = _padded(a1, a2)
    return first + second


def _polysub(a1: Any, a2: Any) -> Any:
    first, second = _padded(a1, a2)
    return first - second


def _leading(a: Any) -> Any:
    """Without leading zeros, as NumPy's polynomials are; one coefficient stays, of none a zero."""
    a = np.reshape(_of_one_axis(a), -1)
    a = np.concatenate((np.zeros(1, dtype_of(type_of(a))), a))
    kept = a != 0
    return a[np.where(np.any(kept), np.argmax(kept), np.size(a) - 1)[()] :]


def _polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(_leading(a1), _leading(a2))


def _poly(seq_of_zeros: Any) -> Any:
    zeros = as_array(seq_of_zeros)
    if zeros.ndim != 1:
        raise UncoveredError("the characteristic polynomial of a matrix")
    if is_empty(zeros, 0):
        return 1.0
    dtype = dtype_of(type_of(zeros))
    if dtype not in (np.float32, np.complex64, np.complex128):
        dtype = np.dtype(float)
    a = np.ones(1, dtype)
    for k in range(_length(zeros)):
        root = zeros[k : k + 1]
        root = root if dtype_of(type_of(root)) == dtype else root.astype(dtype)
        zero = np.zeros_like(root)
        a = np.concatenate((a, zero)) - np.concatenate((zero, a * root))
    return a


_PAIRS = (Case((3,), (3,)), Case((2,), (4,)), Case((4,), (1,)))
composed(np.polyder, _polyder, cases=(Case((4,)), Case((4,), 2), Case((2,), 1), Case((3,), 0)))
composed(
    np.polyint,
    _polyint,
    cases=(Case((3,)), Case((3,), 2), Case((3,), 1, float), Case((2,), 2, (2,)), Case((3,), 0)),
)
composed(np.polyadd, _polyadd, cases=_PAIRS)
composed(np.polysub, _polysub, cases=_PAIRS)
composed(np.polymul, _polymul, cases=_PAIRS)
composed(np.poly, _poly, cases=(Case((3,)), Case((1,))))


# ---- roots

INSTEAD[np.roots] = runtime.complex_roots
MAY_BE_REAL.add(runtime.complex_roots)


def _roots_type(p: object) -> Type:
    t = as_type(p)
    if rank_of(t) != 1:
        raise UncoveredError("coefficients that are no vector")
    return ArrayType(np.result_type(inexact(t), np.complex64), (unknown_extent(),))


def _roots_jvp(ts: Any, y: Any, p: Any) -> Any:
    return cast_like(-call(np.polyval, ts[0], y) / call(runtime.simple, _slope(p, y), p), y)


def _roots_vjp(g: Any, y: Any, p: Any) -> Any:
    slopes = call(runtime.simple, _slope(p, y), p)
    return cast_like(-(g / slopes) @ call_beside(p, np.vander, y, p.shape[0]), p)


checks(runtime.simple, Case((3,), (4,)))
rule(
    runtime.complex_roots,
    jvp=_roots_jvp,
    p=_roots_vjp,
    type_of=_roots_type,
    cases=[Case(lambda rng: np.array([1.0, -0.4, 2.0, 0.7]) * rng.uniform(0.9, 1.1, 4))],
    note="complex; of simple roots, where the first coefficient is not 0",
)


# ---- polyfit


def _polyfit(
    x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    if full or cov:
        raise UncoveredError("`full=`" if full else "`cov=`")
    x, y = (as_array(v) + 0.0 for v in (x, y))
    if x.ndim != 1:
        raise TypeError("the places are no vector")
    raise_unless(x.shape[0] > 0, TypeError, "expected non-empty vector for x", beside=x)
    raise_unless_equal(x.shape[0], y.shape[0], TypeError, "expected x and y to have same length")
    powers = np.vander(x, int(known(deg, "the degree")) + 1)
    target = y
    if w is not None:
        w = as_array(w)
        raise_unless_equal(
            w.shape[0], y.shape[0], TypeError, "expected w and y to have the same length"
        )
        powers = powers * w[:, None]
        target = y * (w[:, None] if y.ndim == 2 else w)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    if rcond is None:
        rcond = np.size(x) * float(np.finfo(dtype_of(type_of(x)) or float).eps)
    c = np.linalg.lstsq(powers / scale, target, rcond)[0]
    return c / (scale[:, None] if y.ndim == 2 else scale)


composed(
    np.polyfit,
    _polyfit,
    domain=(0.5, 2.0),
    cases=(
        Case(lambda rng: np.arange(6) + rng.uniform(-0.3, 0.3, 6), (6,), 2),
        Case(lambda rng: np.arange(5) + rng.uniform(-0.3, 0.3, 5), (5, 2), 1),
        Case(lambda rng: np.arange(5) + rng.uniform(-0.3, 0.3, 5), (5,), 1, None, False, (5,)),
    ),
)
