"""`scipy.spatial.distance`: between two vectors, and between the rows of matrices.

Distances of rows are made of the differences of all pairs, which take more memory than SciPy does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial import distance

from srcad.errors import error
from srcad.rules.core.compose import known, raise_unless, raise_unless_equal
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, call, rank_or_none
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special


def _vectors(u: Any, v: Any) -> tuple[Any, Any]:
    u, v = as_array(u), as_array(v)
    if rank_or_none(u) != 1 or rank_or_none(v) != 1:
        raise UncoveredError("anything but vectors")
    return u, v


def _weights(w: Any) -> Any:
    """The weights as floats, none of which is negative; None where there are none."""
    if w is None:
        return None
    w = as_array(w).astype(np.float64)
    message = "Input weights should be all non-negative"
    raise_unless(np.logical_not(np.any(w < 0)), ValueError, message, beside=w)
    return w


def _weighted(x: Any, w: Any) -> Any:
    return x if w is None else w * x


def _minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    u, v = _vectors(u, v)
    p = known(p, "the order of a norm")
    difference, w = u - v, _weights(w)
    if w is not None:
        difference = _root(w, p) * difference
    return call(linalg.norm, difference, ord=p, axis=_axis_of_norm())


def _root(w: Any, p: Any) -> Any:
    if p == 1:
        return w
    if p == 2:
        return np.sqrt(w)
    return w != 0 if p == np.inf else w ** (1 / p)


@functools.cache
def _axis_of_norm() -> int | None:
    """The axis that this version of SciPy sums over: without one, as before 1.18, the result is a
    Python number.
    """
    return None if type(distance.euclidean([0.0], [1.0])) is float else -1


def _euclidean(u: Any, v: Any, w: Any = None) -> Any:
    return _minkowski(u, v, 2, w)


def _sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    u, v = (x if x.dtype.kind in "fc" else x.astype(np.float64) for x in _vectors(u, v))
    difference = u - v
    return np.dot(difference, _weighted(difference, _weights(w)))


def _correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    u, v = _vectors(u, v)
    if w is not None:
        w = _weights(w)
        w = w / np.sum(w)
    if centered:
        u = u - (np.mean(u) if w is None else np.dot(u, w))
        v = v - (np.mean(v) if w is None else np.dot(v, w))
    first, second = _weighted(u, w), _weighted(v, w)
    norms = np.sqrt(np.dot(u, first) * np.dot(v, second))
    return np.clip(1.0 - np.dot(u, second) / norms, 0.0, 2.0)


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    return _correlation(u, v, w, False)


def _seuclidean(u: Any, v: Any, V: Any) -> Any:  # noqa: N803 -- SciPy's name
    if rank_or_none(as_array(V)) != 1:
        raise error("E400", None, what="variances that are no vector")
    u, v = _vectors(u, v)
    for x in (u, v):
        raise_unless_equal(
            x.shape[0], as_array(V).shape[0], TypeError,
            "V must be a 1-D array of the same dimension as u and v.",
        )  # fmt: skip
    return _minkowski(u, v, 2, 1 / as_array(V).astype(np.float64))


def _cityblock(u: Any, v: Any, w: Any = None) -> Any:
    u, v = _vectors(u, v)
    return np.sum(_weighted(np.abs(u - v), _weights(w)))


def _mahalanobis(u: Any, v: Any, VI: Any) -> Any:  # noqa: N803 -- SciPy's name
    u, v = _vectors(u, v)
    difference = u - v
    return np.sqrt(np.dot(np.dot(difference, as_array(VI)), difference))


def _chebyshev(u: Any, v: Any) -> Any:
    """As Python's `max` has it: NaN counts as the first entry only."""
    u, v = _vectors(u, v)
    d = np.abs(u - v)
    if d.dtype.kind not in "fc":
        return np.max(d)
    largest, first = np.max(_without_missing(d)), d[0]
    return np.where(np.isnan(first), first, largest)[()]


def _without_missing(d: Any) -> Any:
    """Distances, 0 for those that are NaN."""
    return np.where(np.isnan(d), d.dtype.type(0), d)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    u, v = _vectors(u, as_array(v).astype(np.float64))
    w = _weights(w)
    return np.sum(_weighted(np.abs(u - v), w)) / np.sum(_weighted(np.abs(u + v), w))


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    u, v = _vectors(u, as_array(v).astype(np.float64))
    return np.nansum(_weighted(np.abs(u - v) / (np.abs(u) + np.abs(v)), _weights(w)))


def _jensenshannon(
    p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False
) -> Any:
    p, q = as_array(p), as_array(q)
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    middle = (p + q) / 2.0
    left, right = (
        np.sum(call(special.rel_entr, x, middle), axis=axis, keepdims=keepdims) for x in (p, q)
    )
    total = left + right
    if base is not None:
        by = np.log(known(base, "the base of a logarithm"))
        total = total / (by if rank_or_none(total) == 0 else float(by))  # arrays keep their dtype
    half = total / 2.0
    is_none = half == 0  # of equal distributions: the derivative of the root is infinite there
    return np.where(is_none, 0.0, np.sqrt(np.where(is_none, 1.0, half)))[()]


_PAIR = (Case((4,), (4,)), Case((4,), (4,), (4,)))
composed(distance.euclidean, _euclidean, domain=(0.3, 2.0), cases=_PAIR)
composed(
    distance.minkowski,
    _minkowski,
    domain=(0.3, 2.0),
    cases=(*(Case((4,), (4,), p=p) for p in (1, 2, 3)), Case((4,), (4,), 3, (4,))),
)
composed(distance.sqeuclidean, _sqeuclidean, domain=(0.3, 2.0), cases=_PAIR)
composed(distance.correlation, _correlation, domain=(0.3, 2.0), cases=_PAIR)
composed(distance.cosine, _cosine, domain=(0.3, 2.0), cases=_PAIR)
composed(distance.seuclidean, _seuclidean, domain=(0.3, 2.0), cases=(Case((4,), (4,), (4,)),))
composed(distance.cityblock, _cityblock, domain=(0.3, 2.0), cases=_PAIR)
composed(distance.mahalanobis, _mahalanobis, cases=(Case((2,), (2,), [[1.2, 0.3], [0.3, 0.8]]),))
composed(distance.chebyshev, _chebyshev, cases=(Case((4,), (4,)),))
composed(distance.braycurtis, _braycurtis, domain=(0.3, 2.0), cases=_PAIR)
composed(distance.canberra, _canberra, domain=(0.3, 2.0), cases=_PAIR)
composed(
    distance.jensenshannon,
    _jensenshannon,
    domain=(0.3, 1.0),
    cases=(Case((4,), (4,)), Case((4, 2), (4, 2), base=2), Case((2, 4), (2, 4), axis=1)),
)


# ---- of rows

_ROWS: dict[str, Callable[[Any], Any]] = {
    "sqeuclidean": lambda d: np.sum(d * d, axis=-1),
    "cityblock": lambda d: np.sum(np.abs(d), axis=-1),
    "chebyshev": lambda d: np.max(_without_missing(np.abs(d)), axis=-1),
}


def _between(a: Any, b: Any, metric: Any) -> Any:
    """The distances between the last axes of two arrays."""
    if metric == "euclidean":
        squared = _ROWS["sqeuclidean"](a - b)
        same = squared == 0  # where the distance has a kink, with the derivative 0
        return np.where(same, 0.0, np.sqrt(np.where(same, 1.0, squared)))
    if metric not in _ROWS:
        raise UncoveredError(f"the metric {metric!r}")
    return _ROWS[metric](a - b)


def _rows(x: Any) -> Any:
    x = as_array(x)
    if x.ndim != 2:
        raise error("E400", None, what=f"an array with {x.ndim} axes for a matrix of rows")
    if x.dtype.kind == "c":
        raise UncoveredError("complex rows")
    return x.astype(np.float64)


def _cdist(XA: Any, XB: Any, metric: Any = "euclidean") -> Any:  # noqa: N803 -- SciPy's names
    a, b = _rows(XA), _rows(XB)
    message = "XA and XB must have the same number of columns (i.e. feature dimension.)"
    raise_unless_equal(a.shape[1], b.shape[1], ValueError, message)
    return _between(a[:, None, :], b[None, :, :], metric)


def _pdist(X: Any, metric: Any = "euclidean") -> Any:  # noqa: N803 -- SciPy's name
    x = _rows(X)
    first, second = np.triu_indices(known(x.shape[0], "the number of rows"), 1)
    return _between(x[first], x[second], metric)


_METRICS = ("euclidean", *_ROWS)
composed(distance.cdist, _cdist, cases=tuple(Case((3, 2), (4, 2), m) for m in _METRICS))
composed(distance.pdist, _pdist, cases=tuple(Case((4, 2), m) for m in _METRICS))


def _squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:  # noqa: N803 -- SciPy's name
    x = as_array(X)
    if force not in ("no", "tovector", "tomatrix") or x.ndim not in (1, 2):
        raise UncoveredError("this `force`, or an array with other than one axis or two")
    if force == ("tovector" if x.ndim == 1 else "tomatrix"):
        raise ValueError("Forcing to the form that it has")
    n = known(x.shape[0], "the number of distances")
    if x.ndim == 1:
        return _square(x, n)
    if checks:
        raise UncoveredError("a matrix that is checked to be symmetric: pass checks=False")
    raise_unless_equal(x.shape[0], x.shape[1], ValueError, "The matrix argument must be square.")
    return x[np.triu_indices(n, 1)]


def _square(x: Any, n: int) -> Any:
    """The matrix of the distances above its diagonal."""
    size = math.isqrt(2 * n) + 1
    message = (
        "Incompatible vector size. It must be a binomial coefficient n choose 2 for some n >= 2."
    )
    raise_unless_equal(size * (size - 1), 2 * n, ValueError, message)
    places = np.zeros((size, size), int)
    places[np.triu_indices(size, 1)] = np.arange(n)
    if n == 0:
        return np.zeros((1, 1), x.dtype)
    return np.where(np.eye(size, dtype=bool), 0, x[places + places.T])


composed(
    distance.squareform, _squareform, cases=(Case((6,)), Case((1,)), Case((4, 4), checks=False))
)
