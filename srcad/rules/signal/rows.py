"""Convolutions and polynomials of many rows at once (`runtime.rows`): what `vmap` makes of them.

y = convolve_rows(a, v)             a_bar = convolve_rows(y_bar, v[:, ::-1], "valid")
y = polyval_rows(p, x)              p_bar = sums of y_bar * x ** k of each row
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import call_beside, dims, dtype_of_arrays
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import as_type
from srcad.rules.core.product import times
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.signal.convolution import convolved_length
from srcad.rules.signal.polynomials import polyval_jvp


def _convolved_type(a: object, v: object, mode: str = "full") -> Type:
    first, second = (shape_of(as_type(x)) for x in (a, v))
    assert first is not None
    assert second is not None
    (rows, n), (_, m) = first, second
    dtype = dtype_of_arrays(as_type(a), as_type(v))
    return ArrayType(dtype, (rows, convolved_length(n, m, mode)))


def _in_full(g: Any, n: Any, m: Any) -> Any:
    """The cotangent of a whole convolution, of which `g` is that of the valid part."""
    around = call(min, n, m) - 1
    zeros = call_beside(g, np.zeros, (dims(g)[0], around), g.dtype)
    return np.concatenate((zeros, g, zeros), axis=1)


def _bar(g: Any, x: Any, other: Any, mode: str) -> Any:
    if mode == "valid":
        g = _in_full(g, dims(x)[1], dims(other)[1])
    return cast_like(call(runtime.convolve_rows, g, other[:, ::-1], "valid"), x)


linear(
    runtime.convolve_rows,
    a=lambda g, y, a, v, mode="full": _bar(g, a, v, mode),
    v=lambda g, y, a, v, mode="full": _bar(g, v, a, mode),
    type_of=_convolved_type,
    cases=[
        Case((2, n), (2, m), *mode)
        for n, m in ((5, 3), (3, 5), (4, 4), (4, 1))
        for mode in ((), ("valid",))
    ],
)


def _polyval_type(p: object, x: object) -> Type:
    return ArrayType(dtype_of_arrays(as_type(p), as_type(x)), shape_of(as_type(x)))


def _slope(p: Any, x: Any) -> Any:
    # One more coefficient, a zero: the derivative of a constant would have none.
    more = np.concatenate((np.zeros_like(p[:, :1]), p), axis=1)
    powers = call_beside(p, np.arange, dims(p)[1] + 1, dtype=dtype_of(type_of(p)))
    return call(runtime.polyval_rows, more[:, :-1] * powers[:0:-1], x)


def _coefficients_bar(g: Any, y: Any, p: Any, x: Any) -> Any:
    rows, n = dims(p)
    powers = np.reshape(call(np.vander, np.reshape(x, -1), n), (rows, -1, n))
    found = np.reshape(g, (rows, 1, -1)) @ powers
    return cast_like(found[:, 0], p)


rule(
    runtime.polyval_rows,
    jvp=polyval_jvp(runtime.polyval_rows, _slope),
    p=_coefficients_bar,
    x=lambda g, y, p, x: cast_like(times(g, _slope(p, x)), x),
    type_of=_polyval_type,
    cases=(Case((2, 4), (2, 3)), Case((3, 2), (3,)), Case((2, 3), (2, 2, 2)), Case((2, 1), (2, 3))),
)
