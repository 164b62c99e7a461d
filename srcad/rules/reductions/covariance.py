"""Covariance and correlation matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import dtype_of
from srcad.rules.arrays.shaping import call_beside
from srcad.rules.core.axes import is_empty, is_one
from srcad.rules.core.broadcast import as_floats
from srcad.rules.core.compose import raise_unless, raise_unless_equal
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.kinks import or_zero
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, is_complex, type_of
from srcad.rules.core.table import Case


def _dtype(*arrays: Any) -> np.dtype:
    """The dtype in which NumPy computes: float64 at least."""
    return np.result_type(np.float64, *(dtype_of(type_of(x)) or float for x in arrays))


def _variables(m: Any, rowvar: Any, dtype: np.dtype, first: bool) -> Any:
    """The array with a variable in each row."""
    if m.ndim > 2:
        raise ValueError("more than 2 dimensions")
    if dtype_of(type_of(m)) != dtype:
        m = m.astype(dtype)
    if m.ndim < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar or (not first and is_one(m, 0)) else m.T


def _weights(fweights: Any, aweights: Any, x: Any) -> tuple[Any, Any]:
    """The product of both kinds of weights, and the second kind, as floats."""
    both = fweights is not None and aweights is not None
    if both and dtype_of(type_of(as_array(fweights))) == np.dtype(float):
        raise UncoveredError("`fweights` of floats beside `aweights`: NumPy changes them")
    for w, kind in ((fweights, "fweights"), (aweights, "aweights")):
        if w is not None:
            _check_weights(as_array(w), kind, x)
    counts, aweights = (None if w is None else as_floats(as_array(w)) for w in (fweights, aweights))
    if aweights is None:
        return counts, 1
    return aweights if counts is None else counts * aweights, aweights


def _check_weights(w: Any, kind: str, x: Any) -> None:
    if kind == "fweights" and np.dtype(w.dtype).kind == "f":
        is_whole = np.all(w == np.around(w))
        raise_unless(is_whole, TypeError, "fweights must be integer", beside=x)
    message = f"incompatible numbers of samples and {kind}"
    raise_unless_equal(w.shape[0], x.shape[1], RuntimeError, message, beside=x)
    raise_unless(np.logical_not(np.any(w < 0)), ValueError, f"{kind} cannot be negative", beside=x)


def _cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    given = [as_array(x) for x in (m, y) if x is not None]
    found = _dtype(*given) if dtype is None else np.dtype(dtype)
    rows = [_variables(x, rowvar, found, k == 0) for k, x in enumerate(given)]
    if len(rows) > 1 and is_empty(rows[0], 0):
        return call_beside(rows[0], np.zeros, (0, 0), dtype=found)
    x = np.concatenate(rows, axis=0) if len(rows) > 1 else rows[0]
    ddof = (0 if bias else 1) if ddof is None else ddof
    w, again = _weights(fweights, aweights, x)
    if w is None:
        count = x.shape[1] - ddof
        centred = weighted = x - np.mean(x, axis=1, keepdims=True)
    else:
        whole = np.sum(w)
        if ddof == 0:
            count = whole
        else:
            count = whole - (ddof if aweights is None else ddof * np.sum(w * again) / whole)
        centred = x - np.sum(x * w, axis=1, keepdims=True) / whole
        weighted = centred * w
    c = centred @ (np.conj(weighted).T if is_complex(x) else weighted.T) / or_zero(count)
    return np.reshape(c, ()) if is_one(c, 0) and is_one(c, 1) else c


def _corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = _cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = np.sqrt(np.real(np.diag(c)) if is_complex(c) else np.diag(c))
    r = c / deviation[:, None] / deviation[None, :]
    if is_complex(r):
        return np.clip(np.real(r), -1, 1) + 1j * np.clip(np.imag(r), -1, 1)
    return np.clip(r, -1, 1)


_SAMPLES = (
    Case((3, 5)),
    Case((5,)),
    Case((5, 3), rowvar=False),
    Case((5,), (5,)),
    Case((2, 5), (3, 5)),
    Case((5, 2), (5, 1), rowvar=False),
)
composed(
    np.cov,
    _cov,
    domain=(0.5, 2.0),
    cases=(
        *_SAMPLES,
        Case((3, 5), bias=True),
        Case((3, 5), ddof=0),
        Case((3, 5), None, True, False, None, None, (5,)),
        Case((3, 5), None, True, False, 0, None, (5,)),
        Case((3, 4), fweights=Case.made(lambda rng: np.array([1, 2, 1, 3]))),
        Case((3, 4), None, True, False, None, Case.made(lambda rng: np.array([1, 2, 1, 3])), (4,)),
        Case((3, 5), dtype=np.float64),
    ),
)
composed(
    np.corrcoef, _corrcoef, cases=_SAMPLES, note="of a variable with itself: 1, and does not move"
)
