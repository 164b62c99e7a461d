"""Window functions, the Bessel function `np.i0`, and logarithmic ranges.

i0'(x) = i1(x) = 1/pi int_0^pi exp(x cos t) cos t dt (DLMF 10.32.3), by the trapezoidal rule on a
period of the integrand, which converges exponentially: 256 points give the last digits up to
|x| = 700, where i0 overflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import call_beside
from srcad.rules.core.compose import raise_unless
from srcad.rules.core.facts import as_type, extent_of
from srcad.rules.core.registry import composed, elementwise, nondiff
from srcad.rules.core.staged import as_array, rank_or_none, type_of
from srcad.rules.core.table import Case

# cos t in the middle of 64 steps to pi / 2: the others repeat these, with their signs.
_COSINES = np.cos((np.arange(64) + 0.5) * (np.pi / 128))


def _i1(y: Any, x: Any) -> Any:
    angles = x * _COSINES if rank_or_none(x) == 0 else x[..., None] * _COSINES
    return np.mean(_COSINES * np.sinh(angles), axis=-1)


def _i0_type(x: object) -> Type:
    t = as_type(x)
    dtype = np.i0(np.ones(1, dtype_of(t))).dtype
    return ArrayType(dtype, shape_of(t))


elementwise(np.i0, _i1, type_of=_i0_type, cases=(Case((3, 4)), Case(()), Case((0,))))


def _window_type(M: object) -> Type:  # noqa: N803 - NumPy's name
    return ArrayType(np.dtype(float), (extent_of(M),))


nondiff(
    np.bartlett, np.blackman, np.hamming, np.hanning, type_of=_window_type, cases=(Case(5), Case(1))
)


def _kaiser(M: Any, beta: Any) -> Any:  # noqa: N803 - NumPy's name
    if isinstance(M, int) and M == 1:
        return np.ones(1)
    is_one = (M == 1) * 1  # entry, which is 1
    places = 2 * call_beside(M, np.arange, M) / (M - 1 + is_one) - 1 + is_one
    inside = 1 - places**2
    return np.i0(beta * np.sqrt(inside)) / np.i0(beta)


composed(
    np.kaiser,
    _kaiser,
    domain=(0.5, 8.0),
    cases=(Case(Case.made(lambda rng: 6), float), Case(Case.made(lambda rng: 5), np.float64)),
)


# ---- logarithmic ranges


def _logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    y = np.power(base, np.linspace(start, stop, num=num, endpoint=endpoint))
    y = y if axis == 0 else np.moveaxis(y, 0, axis)
    return y if dtype is None else y.astype(dtype)


def _double(x: Any) -> Any:
    narrow = dtype_of(type_of(x)) in (np.float16, np.float32)
    return x.astype(np.float64) if narrow else x


def _geomspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: int = 0
) -> Any:
    start, stop = (_double(as_array(x)) for x in (start, stop))
    is_whole = np.all(start != 0) & np.all(stop != 0)
    raise_unless(is_whole, ValueError, "Geometric sequence cannot include zero", beside=start)
    sign = np.sign(start)
    ends = np.log10(start / sign), np.log10(stop / sign)
    y = sign * np.power(10.0, np.linspace(*ends, num=num, endpoint=endpoint))
    y = y if axis == 0 else np.moveaxis(y, 0, axis)
    return y if dtype is None else y.astype(dtype)


_RANGES = (
    Case(float, float, 5),
    Case((), (), num=5),
    Case(np.float64, float, 4, endpoint=False),
    Case((3,), (3,), num=4),
    Case((2,), float, num=3, axis=-1),
)
composed(
    np.logspace, _logspace, domain=(0.5, 2.0), cases=(*_RANGES, Case(float, float, 4, base=2.0))
)
composed(np.geomspace, _geomspace, domain=(0.5, 3.0), cases=_RANGES)
