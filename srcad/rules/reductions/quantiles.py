"""Quantiles: quantile, percentile, and those that leave NaN out.

Made of `np.sort` and the two entries around each quantile (Hyndman and Fan 1996, "Sample quantiles
in statistical packages", equation 1; the methods are their numbers 4 to 9, and those that take one
entry). Among equal entries the derivative is that of the order which `np.argsort` gives. A quantile
moves with `q` as far as its method interpolates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import dtype_of
from srcad.rules.core.axes import is_empty
from srcad.rules.core.compose import raise_unless
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.kinks import or_zero
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import (
    Staged,
    as_array,
    call,
    is_complex,
    is_number,
    type_of,
)
from srcad.rules.core.table import Case
from srcad.rules.reductions.ordered_rows import (
    NOTE,
    array_of,
    count_present,
    entries_at,
    in_rows,
    or_nan,
    refuse_overwriting,
    with_axes,
    without_last,
)
from srcad.rules.reductions.reductions import with_nan

# alpha and beta of the methods that interpolate.
_INTERPOLATED: dict[str, tuple[float, float]] = {
    "linear": (1, 1),
    "weibull": (0, 0),
    "hazen": (0.5, 0.5),
    "interpolated_inverted_cdf": (0, 1),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_DISCRETE = ("lower", "higher", "nearest", "midpoint")


def _place(q: Any, n: Any, method: str) -> Any:
    """The index, not rounded, at which a quantile lies among `n` entries in order."""
    alpha, beta = _INTERPOLATED.get(method, (1, 1))
    if (alpha, beta) == (1, 1):
        return q * (n - 1)
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


def _neighbours(v: Any, n: Any, method: str, moves: bool) -> tuple[Any, Any, Any]:
    """The indices around a place, and how far it is from the first to the second."""
    if method == "nearest":
        at = _whole(np.around(v), n)
        return at, at, None
    if method == "higher":
        at = _whole(np.ceil(v), n)
        return at, at, None
    low = np.floor(v)
    if method == "lower":
        at = _whole(low, n)
        return at, at, None
    if method == "midpoint":
        return _whole(low, n), _whole(np.ceil(v), n), 0.5
    # A `q` that may vary has the slope before its end there.
    first = np.clip(low, 0, or_zero(n - 2)) if moves else np.clip(low, 0, n - 1)
    share = np.clip(v, 0, n - 1) - first
    return _whole(first, n), _whole(first + 1, n), share


def _places(q: Any, n: Any, method: str) -> tuple[Any, Any, Any]:
    """The two entries around each quantile of `n`, and the share of the second; None for none.

    At whole `q`, 0 and 1, NumPy takes an entry as it is.
    """
    dtype = dtype_of(type_of(q))
    if method == "linear" and dtype is not None and dtype.kind in "iu":
        at = _whole(q * (n - 1), n)
        return at, at, None
    return _neighbours(_place(q, n, method), n, method, isinstance(q, Staged))


def _between(low: Any, high: Any, share: Any) -> Any:
    """The value between two entries, reckoned from the nearer one, as NumPy does."""
    step = high - low
    near, far = low + step * share, high - step * (1 - share)
    if isinstance(share, float):
        return far if share >= 0.5 else near
    return np.where(share >= 0.5, far, near)


def _whole(v: Any, n: Any) -> Any:
    at = np.clip(v, 0, n - 1)
    if isinstance(at, Staged):
        return call(int, at) if at.ndim == 0 else call(np.astype, at, np.dtype(np.intp))
    return int(at) if np.ndim(at) == 0 else at.astype(np.intp)


def _quantile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: str = "linear",
    keepdims: Any = False, weights: Any = None,
) -> Any:  # fmt: skip
    a, q = _checked(a, q, method, overwrite_input, weights)
    if _rank(q) > 2:
        raise error("E400", None, what="`q` with more than two axes")
    s = np.sort(in_rows(a, axis), axis=-1)
    n = s.shape[-1]
    low, high, share = _places(q, n, method)
    y = s[..., low]
    if share is not None:
        y = _between(y, s[..., high], _in_dtype(share, q, s))
    rank = _rank(q)
    if rank:
        y = np.moveaxis(y, tuple(range(-rank, 0)), tuple(range(rank)))
    return with_axes(or_nan(y, s), a, axis, keepdims, rank)


def _nanquantile(
    a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False, method: str = "linear",
    keepdims: Any = False, weights: Any = None,
) -> Any:  # fmt: skip
    a, q = _checked(a, q, method, overwrite_input, weights)
    rank = _rank(q)
    if rank > 1:
        raise UncoveredError("a `q` with more than one axis")
    if rank and any(is_empty(a, k) for k in range(a.ndim)):
        return np.nanmean(a, axis=axis, keepdims=keepdims)  # as NumPy: without the axis of `q`
    s = np.sort(in_rows(a, axis), axis=-1)
    n = count_present(s)
    dtype = dtype_of(type_of(q))
    if not is_number(q) and dtype is not None and dtype.kind == "f":
        n = n.astype(dtype)
    low, high, share = _places(q, n, method)
    y = entries_at(s, low)
    if share is not None:
        y = _between(y, entries_at(s, high), _in_dtype(share, q, s))
    y = np.moveaxis(y, -1, 0) if rank else without_last(y)
    return with_axes(y, a, axis, keepdims, rank)


def _checked(a: Any, q: Any, method: str, overwrite_input: Any, weights: Any) -> tuple[Any, Any]:
    refuse_overwriting(overwrite_input)
    if weights is not None:
        raise UncoveredError("`weights=`")
    if method not in _INTERPOLATED and method not in _DISCRETE:
        raise UncoveredError(f"`method={method!r}`")
    a = array_of(a)
    if is_complex(a):
        raise TypeError("a must be an array of real numbers")
    return a, _number(q)


def _number(q: Any) -> Any:
    """`q`, which NumPy does not take for a number of Python's where it is a truth value."""
    q = as_array(q)
    if dtype_of(type_of(q)) == np.dtype(bool):
        raise UncoveredError("a truth value as `q`")
    return q


def _rank(q: Any) -> int:
    return q.ndim if isinstance(q, Staged) else int(np.ndim(q))


def _in_dtype(share: Any, q: Any, s: Any) -> Any:
    """Where `q` is a number, the share does not widen the dtype of the entries."""
    dtype = dtype_of(type_of(s))
    if not is_number(q) or dtype is None or dtype.kind != "f" or is_number(share):
        return share
    return share if dtype_of(type_of(share)) == dtype else share.astype(dtype)


def _in_range(body: Any, greatest: int, name: str) -> Any:
    """`body` for a `q` between 0 and `greatest`, as NumPy asks for; it is given one up to 1."""

    def function(
        a: Any, q: Any, axis: Any = None, *, overwrite_input: Any = False,
        method: str = "linear", keepdims: Any = False, weights: Any = None,
    ) -> Any:  # fmt: skip
        q = _number(q)
        if isinstance(q, Staged):
            # An array of more axes, which may have no entries, is asked for its least and greatest.
            least, most = (q, q) if q.ndim < 2 else (np.min(q), np.max(q))
            is_within = np.all((least >= 0) & (most <= greatest))
            raise_unless(is_within, ValueError, f"{name} must be in the range [0, {greatest}]")
        elif np.any(np.less(q, 0)) or np.any(np.greater(q, greatest)):
            raise error("E132", None, what="a quantile outside its range")
        return body(
            a, q if greatest == 1 else q / greatest, axis, overwrite_input=overwrite_input,
            method=method, keepdims=keepdims, weights=weights,
        )  # fmt: skip

    return function


def _apart(*shape: int) -> Any:
    """Entries that stay in their order when they are moved a little."""

    def make(rng: Any) -> Any:
        size = int(np.prod(shape))
        return (rng.permutation(size) + rng.uniform(-0.3, 0.3, size)).reshape(shape)

    return make


_QUANTILES = (
    Case(_apart(7), 0.3),
    Case(_apart(7), float),
    Case(_apart(3, 4), 0.5, axis=0),
    Case(_apart(3, 4), 0.25, axis=-1, keepdims=True),
    Case(_apart(2, 3, 4), 0.7, axis=(0, 2)),
    Case(_apart(2, 3, 4), 0.7, axis=(0, 2), keepdims=True),
    Case(_apart(6), 0.0),
    Case(_apart(6), 1.0),
    Case(_apart(3, 4), (2,), axis=1),
    Case(_apart(3, 4), Case.made(lambda rng: np.array([0.2, 0.9, 1.0])), axis=0, keepdims=True),
    *(Case(_apart(6), 0.37, method=m) for m in (*_INTERPOLATED, *_DISCRETE) if m != "linear"),
    *(Case(_apart(3, 6), 0.37, axis=1, method=m) for m in ("hazen", *_DISCRETE)),
)
_NAN = (
    Case(with_nan, 0.3, axis=0),
    Case(with_nan, 0.8),
    Case(with_nan, Case.made(lambda rng: np.array([0.2, 0.9])), axis=1),
)
_LARGE = Case(_apart(5, 6), Case.made(lambda rng: np.array([[0.2, 0.9], [0.4, 0.5]])), axis=0)
_PERCENTS = (
    Case(_apart(7), 30),
    Case(_apart(7), float),
    Case(_apart(3, 4), 62.5, axis=0, keepdims=True),
    Case(_apart(3, 4), (3,), axis=1),
    Case(_apart(3, 4), 50, axis=(0, 1), method="lower"),
)
_NANS = (*_PERCENTS, Case(with_nan, 40, axis=1))
for _fn, _body, _cases in (
    (np.quantile, _quantile, (*_QUANTILES, _LARGE)),
    (np.nanquantile, _nanquantile, (*_QUANTILES, *_NAN)),
):
    _body = _in_range(_body, 1, "Quantiles")
    composed(_fn, _body, cases=_cases, domain=(0.05, 0.95), note=NOTE)
for _fn, _body, _cases in (
    (np.percentile, _quantile, _PERCENTS),
    (np.nanpercentile, _nanquantile, _NANS),
):
    _body = _in_range(_body, 100, "Percentiles")
    composed(_fn, _body, cases=_cases, domain=(5.0, 95.0), note=NOTE)
