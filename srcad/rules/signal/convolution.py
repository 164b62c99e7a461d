"""Convolution and correlation of vectors, linear in each.

y = np.convolve(a, v)              a_bar = np.convolve(y_bar, v[::-1], "valid")
y = np.convolve(a, v, "valid")     a_bar = np.convolve(y_bar, v[::-1])           for a longer a

In mode "same", and where it is not known which one is longer, the cotangent is laid into zeros of
the full length first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Dim, Extent, Type, shape_of
from srcad.rules.arrays.shaping import dims, dtype_of_arrays
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError, as_type, unknown_extent
from srcad.rules.core.product import without_missing
from srcad.rules.core.registry import composed, linear
from srcad.rules.core.staged import as_array, call, is_complex, rank_or_none, type_of
from srcad.rules.core.table import Case


def _extent(x: object) -> Extent:
    shape = shape_of(as_type(x))
    if shape is None or len(shape) > 1:
        raise UncoveredError("arrays that are no vectors")
    return shape[0] if shape else 1


def _convolved_type(a: object, v: object, mode: str = "full") -> Type:
    n, m = _extent(a), _extent(v)
    dtype = dtype_of_arrays(as_type(a), as_type(v))
    return ArrayType(dtype, (convolved_length(n, m, mode),))


def convolved_length(n: Extent, m: Extent, mode: str) -> Extent:
    """How long a convolution of vectors of these lengths is."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode {mode!r}")
    if isinstance(n, int) and isinstance(m, int):
        return {"full": n + m - 1, "same": max(n, m), "valid": abs(n - m) + 1}[mode]
    if n == m:
        return n if mode == "same" else 1 if mode == "valid" else unknown_extent()
    short, long = (m, n) if m == 1 else (n, m)
    if short == 1:
        return long
    return full_length(short, long) if mode == "full" else unknown_extent()


def full_length(n: Extent, m: Extent) -> Extent:
    """How long the full convolution is if one of the lengths is known."""
    long, short = (n, m) if isinstance(n, Dim) else (m, n)
    if isinstance(long, int) or not isinstance(short, int):
        return unknown_extent()
    return long.lengthened(short - 1)


def _is_longer(a: Any, v: Any) -> bool | None:
    """Whether `a` is as long as `v` or longer; None where that is not known."""
    n, m = (_extent(type_of(x)) for x in (a, v))
    if isinstance(n, int) and isinstance(m, int):
        return n >= m
    return True if n == m or m == 1 else None


def _in_full(g: Any, a: Any, v: Any, mode: str) -> Any:
    """The cotangent of the full result, of which `g` is that of the middle."""
    if mode == "full":
        return g
    n, m = (dims(x)[0] if x.ndim else 1 for x in (a, v))
    shorter = call(min, n, m)
    before = shorter - 1 if mode == "valid" else (shorter - 1) // 2
    after = n + m - 1 - before - dims(g)[0]
    zeros = (np.zeros(k, g.dtype) if isinstance(k, int) else _zeros(k, g) for k in (before, after))
    first, last = zeros
    return np.concatenate((first, g, last))


def _zeros(n: Any, g: Any) -> Any:
    return n.builder.call(np.zeros, n, g.dtype)


def _other(g: Any, x: Any, other: Any, mode: str, longer: bool | None) -> Any:
    """The cotangent of `x`, convolved with `other`; `longer` says whether it is as long."""
    back = np.reshape(other, -1)[::-1] if rank_or_none(other) == 0 else other[::-1]
    if mode == "valid" and longer is not None:
        found = np.convolve(g, back) if longer else np.convolve(back, g, "valid")
    else:
        found = np.convolve(g, back, "valid")
    return cast_like(np.reshape(found, ()) if rank_or_none(x) == 0 else found, x)


@without_missing
def _a_bar(g: Any, y: Any, a: Any, v: Any, mode: str = "full") -> Any:
    longer = _is_longer(a, v)
    if mode != "valid" or longer is None:
        g, mode = _in_full(g, a, v, mode), "full"
    return _other(g, a, v, mode, longer)


@without_missing
def _v_bar(g: Any, y: Any, a: Any, v: Any, mode: str = "full") -> Any:
    longer = _is_longer(a, v)
    if mode != "valid" or longer is None:
        g, mode = _in_full(g, a, v, mode), "full"
    return _other(g, v, a, mode, None if longer is None else not longer)


_CASES = (
    Case((5,), (3,)),
    Case((3,), (5,)),
    Case((4,), (4,)),
    Case((1,), (4,)),
    *(
        Case((n,), (m,), mode)
        for mode in ("same", "valid")
        for n, m in ((6, 3), (3, 6), (6, 4), (4, 6), (5, 5), (4, 1))
    ),
)


def _normalize(a: Any, v: Any, mode: str = "full") -> Arguments:
    return (constant_array(a), constant_array(v)), {} if mode == "full" else {"mode": mode}


linear(
    np.convolve,
    a=_a_bar,
    v=_v_bar,
    type_of=_convolved_type,
    normalize=_normalize,
    cases=_CASES,
)


def _correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    a, v = as_array(a), as_array(v)
    if a.ndim != 1 or v.ndim != 1:
        raise error("E400", None, what="`np.correlate` of what is no vector")
    back = np.conj(v[::-1]) if is_complex(v) else v[::-1]
    if mode == "same" and not _first_is_longer(a, v):
        # NumPy correlates the other way round and turns the result: its middle lies elsewhere.
        start = dims(a)[0] // 2
        return np.convolve(a, back)[start : start + dims(v)[0]]
    return np.convolve(a, back, mode)


def _first_is_longer(a: Any, v: Any) -> bool:
    longer = _is_longer(a, v)
    if longer is None:
        n, m = (known(x.shape[0], "the length of what is correlated") for x in (a, v))
        return bool(n >= m)
    return longer


composed(
    np.correlate,
    _correlate,
    cases=(*_CASES, Case((5,), (3,), "full"), Case((3,), (5,), "full")),
)
