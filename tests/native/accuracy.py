"""Errors of elementary functions in units in the last place, against 80-bit arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from llvmlite.binding import llvm_version_info

precise = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="needs a long double of 80 bits to compare with"
)
# Numba 0.61 and older vectorise no loop with extrema or with rare calls; the results are the same.
new_llvm = pytest.mark.skipif(llvm_version_info[0] < 18, reason="an old LLVM")
DTYPES = (np.float64, np.float32)
ENDS = (0.0, 1.0, 0.5, 2.0, 1e-5, 3.0, np.inf)


@cache
def over_arrays(fn: Any, dtype: type, arity: int = 1, **options: Any) -> Any:
    """A compiled loop that fills y with fn of the entries of x (and w)."""
    x = numba.types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C")

    def one(x, y):
        for i in range(x.size):
            y[i] = fn(x[i])

    def two(x, w, y):
        for i in range(x.size):
            y[i] = fn(x[i], w[i])

    signature = numba.void(*[x] * (arity + 1))
    return numba.njit(signature, **options)(one if arity == 1 else two)


def evaluate(fn: Any, *arrays: np.ndarray) -> np.ndarray:
    """fn of each entry, computed in the arrays' dtype by a vectorised loop."""
    y = np.empty_like(arrays[0])
    over_arrays(fn, arrays[0].dtype.type, len(arrays))(*arrays, y)
    return y


def points(dtype: type, low: float, high: float, count: int = 20_000) -> np.ndarray:
    """Numbers of an interval: evenly spread ones, and ones of every size that it holds."""
    rng = np.random.default_rng(1)
    info = np.finfo(dtype)
    even = rng.uniform(max(low, -1e300), min(high, 1e300), count)
    sizes = np.exp2(rng.uniform(np.log2(float(info.smallest_subnormal)), info.maxexp - 0.01, count))
    with np.errstate(over="ignore"):  # the interval of float64 does not fit float32
        both = np.concatenate([even, sizes, -sizes, [low, high]]).astype(dtype)
        return both[(both >= low) & (both <= high) & np.isfinite(both)]


def worst_ulps(y: np.ndarray, reference: np.ndarray) -> float:
    """The greatest error in units in the last place of the exact result."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = reference.astype(y.dtype)
        both_infinite = np.isinf(rounded) & (y == rounded)
        unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(y.dtype).max))
        error = np.abs(y.astype(np.longdouble) - reference) / unit.astype(np.longdouble)
    error = np.where(both_infinite, 0, error)
    assert not np.isnan(error).any(), "NaN, or infinity where there is none"
    return float(error.max())


def check_accuracy(
    fn: Any,
    reference: Callable[..., Any],
    dtype: type,
    intervals: Sequence[tuple[float, float]],
    ulps: float,
    count: int = 20_000,
) -> None:
    """Assert that the error stays below `ulps` on each interval."""
    for low, high in intervals:
        x = points(dtype, low, high, count)
        with np.errstate(all="ignore"):
            exact = reference(x.astype(np.longdouble))
        worst = worst_ulps(evaluate(fn, x), exact)
        assert worst <= ulps, f"{worst:.2f} units in the last place on [{low}, {high}]"


def check_ends(
    fn: Any, reference: Callable[..., Any], dtype: type, arity: int = 1, absolute: float = 0
) -> None:
    """Assert NaN, infinities, and the signs of zeros are those of the reference, others near.

    `absolute` allows for a result near zero that is the difference of numbers near 1.
    """
    info = np.finfo(dtype)
    values = [*ENDS, info.max, info.tiny, info.smallest_subnormal, np.nextafter(dtype(1), dtype(2))]
    values = np.array([*values, *(-v for v in values), np.nan], dtype)
    grids = np.meshgrid(*[values] * arity)
    arrays = [np.ascontiguousarray(grid.ravel()) for grid in grids]
    with np.errstate(all="ignore"):
        exact = reference(*(a.astype(np.longdouble) for a in arrays)).astype(dtype)
    y = evaluate(fn, *arrays)
    unit = np.spacing(np.where(np.abs(exact) < info.max, np.abs(exact), info.tiny))
    for k in range(y.size):
        where = f"{[float(a[k]) for a in arrays]}: {y[k]}, expected {exact[k]}"
        if np.isnan(exact[k]):
            assert np.isnan(y[k]), where
        else:
            assert np.signbit(y[k]) == np.signbit(exact[k]), where
            error = 0 if y[k] == exact[k] else abs(y[k] - exact[k])
            assert error <= 3 * unit[k] or error <= absolute * info.eps, where


def check_vectorised(fn: Any, dtype: type, arity: int = 1) -> None:
    """Assert that LLVM turned the loop over an array into operations on vectors."""
    compiled = over_arrays(fn, dtype, arity)
    (text,) = compiled.inspect_llvm().values()
    kind = "double" if dtype is np.float64 else "float"
    assert "vector.body" in text
    assert any(f"fmul arcp <{n} x {kind}>" in text for n in (2, 4, 8, 16)), "no vector arithmetic"
