"""Counts: bincount and histograms, linear in their weights; edges move with their range."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import Type, dtype_of, shape_of
from srcad.ir.walk import values_in
from srcad.rules.arrays.shaping import call_beside, like
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import NOTHING_TO_DO
from srcad.rules.core.compose import raise_unless, raise_unless_equal
from srcad.rules.core.facts import (
    UncoveredError,
    as_type,
    is_zero_or_none,
    promote,
    unknown_extent,
)
from srcad.rules.core.registry import composed, linear
from srcad.rules.core.staged import as_array, call, type_of
from srcad.rules.core.table import Case


def _normalize(x: Any, weights: Any = None, minlength: Any = 0) -> Arguments:
    given = constant_array(x), constant_array(weights)
    return given, ({} if minlength is None else {"minlength": minlength})


def _bincount_type(x: object, weights: object, minlength: object = 0) -> Type:
    counts = np.dtype(np.intp if weights is None else np.float64)
    return like(as_type(np.zeros(1, counts)), (unknown_extent(),))


def _bincount_vjp(g: Any, y: Any, x: Any, weights: Any, minlength: Any = 0) -> Any:
    is_truth = dtype_of(type_of(x)) == np.dtype(bool)  # which would choose as a mask
    return cast_like(g[x.astype(np.intp) if is_truth else x], weights)


linear(
    np.bincount,
    weights=_bincount_vjp,
    type_of=_bincount_type,
    normalize=_normalize,
    cases=(
        Case(np.array([0, 2, 2, 1, 4]), (5,)),
        Case(np.array([1, 0, 1]), (3,), minlength=6),
        Case(np.array([1, 0, 1]), None),
    ),
)


_NOT_MONOTONIC = "`bins` must increase monotonically, when an array"
_WRONG_RANGE = "the range must be finite, and its end not before its start"


def _edges(a: Any, bins: Any, range: Any) -> Any:
    if isinstance(bins, str):
        raise UncoveredError("bins chosen by a rule of thumb")
    if isinstance(bins, list | tuple | np.ndarray) or getattr(bins, "ndim", 0) == 1:
        edges = as_array(bins)
        falls = np.any(edges[:-1] > edges[1:])
        raise_unless(np.logical_not(falls), ValueError, _NOT_MONOTONIC, beside=a)
        return edges
    raise_unless(bins > 0, ValueError, "`bins` must be positive, when an integer", beside=a)
    is_given = range is not None
    if range is None:
        a = call(np.asarray_chkfinite, a)  # between other numbers there are no bins
        range = (0, 1) if _is_nothing(a) else (np.min(a), np.max(a))
        is_given = False
    first, last = range[0], range[1]
    if is_given:
        raise_unless(first <= last, ValueError, _WRONG_RANGE, beside=a)
        raise_unless(np.isfinite(first), ValueError, _WRONG_RANGE, beside=a)
        raise_unless(np.isfinite(last), ValueError, _WRONG_RANGE, beside=a)
    if type(first) in (int, float) and type(last) in (int, float):
        if first == last:
            first, last = first - 0.5, last + 0.5
        edges = call_beside(a, np.linspace, first, last, bins + 1)
    else:
        half = cast_like(np.where(first == last, 0.5, 0.0)[()], a)
        edges = np.linspace(first - half, last + half, bins + 1)
    found = promote(*(type_of(x) for x in (first, last, a)))
    return edges if found.kind != "f" or found == edges.dtype else edges.astype(found)


def _is_nothing(a: Any) -> bool:
    """Whether there are no numbers, of which the bins lie between 0 and 1; where data decides, none
    are refused when the program runs.
    """
    n = (shape_of(type_of(a)) or (None,))[0]
    empty = None if n is None else is_zero_or_none(n)
    if empty is None:
        message = "a histogram of no numbers: pass the edges of its bins"
        raise_unless(a.shape[0] > 0, NotImplementedError, message, beside=a)
    return bool(empty)


def _in_double(a: Any) -> Any:
    """`a`, in double precision where it is empty: so are the edges of bins in two dimensions."""
    n = (shape_of(type_of(a)) or (None,))[0]
    is_empty = n is not None and is_zero_or_none(n)
    return a.astype(np.float64) if is_empty and a.dtype != np.float64 else a


def _real(a: Any) -> Any:
    a = as_array(a)
    if a.dtype.kind == "c":
        raise UncoveredError("complex numbers, which NumPy counts by their order")
    return a


def _histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    a = _real(a)
    if weights is not None:
        _raise_unless_alike(as_array(weights), a)
    return _edges(np.reshape(a, -1), bins, range)


def _histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    a = _real(a)
    if weights is not None:
        _raise_unless_alike(as_array(weights), a)
    a = np.reshape(a, -1)
    edges = _edges(a, bins, range)
    n = edges.shape[0] - 1
    places = _inner_places(a, edges)
    if weights is None:
        counts = call(np.bincount, places, minlength=n + 2)
    else:
        w = np.reshape(as_array(weights), -1)
        counts = call(np.bincount, places, w, minlength=n + 2)
        dtype = dtype_of(type_of(w))
        counts = counts if dtype in (None, np.float64) else counts.astype(dtype)
    counts = np.reshape(counts[1 : n + 1], (n,))  # as long for all samples of a batch
    if not density:
        return counts, edges
    return counts / np.diff(edges) / np.sum(counts), edges


def _raise_unless_alike(weights: Any, a: Any) -> None:
    message = "weights should have the same shape as a."
    raise_unless(weights.ndim == a.ndim, ValueError, message, beside=a)
    for n, m in zip(weights.shape, a.shape, strict=False):
        raise_unless_equal(n, m, ValueError, message, beside=a)


def _inner_places(x: Any, edges: Any) -> Any:
    """Where each entry lies: 0 before the bins, 1 in the first, ...; the last has both edges."""
    places = call(np.searchsorted, edges, x, side="right")
    return np.where(x == edges[-1], edges.shape[0] - 1, places)


def _histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    x, y = _real(x), _real(y)
    if x.ndim != 1 or y.ndim != 1:
        raise TypeError("samples that are no vectors")
    lengths = x.shape[0], y.shape[0]
    raise_unless_equal(*lengths, ValueError, "x and y must have the same length.")
    both = isinstance(bins, list | tuple) and len(bins) == 2
    bins = bins if both else (bins, bins)
    ranges = (None, None) if range is None else range
    across, along = (_edges(_in_double(v), bins[k], ranges[k]) for k, v in enumerate((x, y)))
    n, m = across.shape[0] + 1, along.shape[0] + 1
    places = _inner_places(x, across) * m + _inner_places(y, along)
    if weights is None:
        counts = call(np.bincount, places, minlength=n * m).astype(np.float64)
    else:
        counts = call(np.bincount, places, as_array(weights), minlength=n * m)
    inner = np.reshape(counts, (n, m))[1:-1, 1:-1]
    if density:
        inner = inner / np.diff(across)[:, None] / np.diff(along) / np.sum(inner)
    return inner, across, along


def _has_edges(a: Any, bins: Any = 10, *_: Any, **__: Any) -> bool:
    """Whether the edges of the bins are given as arrays, which come back as they are."""
    parts = bins if isinstance(bins, list | tuple) else [bins]
    return bool(values_in(bins)) or any(isinstance(part, np.ndarray) for part in parts)


def _has_edges_2d(x: Any, y: Any, bins: Any = 10, *_: Any, **__: Any) -> bool:
    return _has_edges(x, bins)


NOTHING_TO_DO[np.histogram] = NOTHING_TO_DO[np.histogram_bin_edges] = _has_edges
NOTHING_TO_DO[np.histogram2d] = _has_edges_2d
_EDGES = np.array([0.0, 0.5, 1.25, 2.0])
_DATA = Case.made(lambda rng: rng.uniform(-0.2, 2.2, 9))
composed(
    np.histogram,
    _histogram,
    cases=(
        Case(_DATA, 4, Case.made(lambda rng: (0.0, 2.0)), None, (9,)),
        Case(_DATA, Case.made(lambda rng: _EDGES), None, None, (9,)),
        Case(_DATA, Case.made(lambda rng: _EDGES), None, True, lambda rng: rng.uniform(1, 2, 9)),
        Case((8,), 5),
        Case((8,), 3, density=True),
    ),
)
composed(
    np.histogram_bin_edges,
    _histogram_bin_edges,
    cases=(Case((8,), 5), Case((2, 3)), Case((6,), Case.made(lambda rng: 4), (2,))),
)
composed(
    np.histogram2d,
    _histogram2d,
    cases=(
        Case(_DATA, _DATA, 3, Case.made(lambda rng: ((0.0, 2.0), (0.5, 2.0))), None, (9,)),
        Case(_DATA, _DATA, Case.made(lambda rng: (_EDGES, 2)), None, None, (9,)),
        Case((8,), (8,), 2, density=True),
        Case((8,), (8,), Case.made(lambda rng: (2, 3))),
    ),
)
