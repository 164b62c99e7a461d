"""`scipy.signal`: convolutions, correlations, linear filters.

A full convolution has the transposes of `np.convolve`; of a part of it the cotangent is laid into
zeros of the full size first. A recursive filter y = A^-1 B x, with A and B the Toeplitz matrices of
`a` and `b`, has

    v = A^-T g                        x_bar = B^T v
    b_bar[k] = sum_n v[n] x[n - k]    a_bar[k] = -sum_n v[n] y[n - k]

where A^-T and B^T run the same filters backwards in time, as A y = B x tells. Refused: `zi=`,
`axes=`, boundaries other than zeros. Of arrays without entries the derivative raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcad import runtime
from srcad.ir.types import ArrayType, Extent, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import dims
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import (
    UncoveredError,
    as_type,
    float_type,
    is_zero_or_none,
    promote,
    real_only,
    resized_type,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import composed, linear, nondiff, rule
from srcad.rules.core.staged import as_array, call, shape_of_value
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.complex_numbers import conj
from srcad.rules.signal.convolution import full_length

# ---- convolve and its like


def _extent(n: Extent, m: Extent, mode: object) -> Extent:
    """How many entries of the convolution of n and m are kept."""
    if mode == "same" or m == 1:
        return n
    if isinstance(n, int) and isinstance(m, int):
        return n + m - 1 if mode == "full" else abs(n - m) + 1
    if n == 1:
        return m
    return full_length(n, m) if mode == "full" else unknown_extent()


def _convolved_type(in1: object, in2: object, mode: object = "full", **_: object) -> Type:
    a, b = as_type(in1), as_type(in2)
    n, m = shape_of(a), shape_of(b)
    if mode not in ("full", "same", "valid"):
        raise UncoveredError(f"mode={mode!r}")
    if n is None or m is None or len(n) != len(m) or not n:
        raise UncoveredError("arrays whose numbers of axes differ, or are not known, or are 0")
    if any(map(is_zero_or_none, (*n, *m))):  # of which SciPy makes a vector, whatever their axes
        raise UncoveredError("arrays without entries")
    return ArrayType(promote(a, b), tuple(_extent(i, k, mode) for i, k in zip(n, m, strict=True)))


def _in_full(g: Any, in1: Any, in2: Any, mode: str) -> Any:
    """The cotangent of the full convolution."""
    if mode == "full":
        return g
    shape = tuple(n + m - 1 for n, m in zip(dims(in1), dims(in2), strict=True))
    return call(runtime.uncropped, g, shape)


def _convolution(fn: Any, cases: Any, **more: Any) -> None:
    def in1_bar(g: Any, y: Any, in1: Any, in2: Any, mode: Any = "full", **options: Any) -> Any:
        whole = _in_full(g, in1, in2, mode)
        return cast_like(call(fn, whole, np.flip(in2), mode="valid", **options), in1)

    def in2_bar(g: Any, y: Any, in1: Any, in2: Any, mode: Any = "full", **options: Any) -> Any:
        whole = _in_full(g, in1, in2, mode)
        return cast_like(call(fn, whole, np.flip(in1), mode="valid", **options), in2)

    def normalize(in1: Any, in2: Any, mode: Any = "full", **options: Any) -> Any:
        if set(options) - set(more):
            raise TypeError(f"got an unexpected keyword argument {min(set(options) - set(more))!r}")
        given = {} if mode == "full" else {"mode": mode}
        return (as_array(in1), as_array(in2)), given | options

    linear(
        fn,
        in1=in1_bar,
        in2=in2_bar,
        type_of=_convolved_type,
        normalize=normalize,
        cases=cases,
    )


_CASES = (
    *(
        Case(n, m, mode=mode)
        for mode in ("same", "valid")
        for n, m in (((6,), (3,)), ((6,), (4,)), ((4, 5), (3, 2)))
    ),
    Case((3,), (6,), mode="valid"),
    Case((3,), (6,), mode="same"),
    Case((5,), (3,)),
    Case((3, 4), (2, 3)),
)
_METHODS = (Case((5,), (3,), method="fft"), Case((5,), (3,), method="direct"))
_convolution(signal.convolve, (*_CASES, *_METHODS), method="auto")
_convolution(signal.fftconvolve, _CASES)
_convolution(signal.oaconvolve, _CASES)


def _correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    back = np.flip(conj(as_array(in2)))
    return call(signal.convolve, in1, back, mode=mode, method=method)


def _zeros_beyond(boundary: Any, fillvalue: Any) -> None:
    if boundary not in ("fill", "pad") or not (type(fillvalue) in (int, float) and fillvalue == 0):
        raise UncoveredError("boundaries other than zeros")


def _convolve2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    _zeros_beyond(boundary, fillvalue)
    return call(signal.convolve, in1, in2, mode=mode, method="direct")


def _correlate2d(
    in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0
) -> Any:
    _zeros_beyond(boundary, fillvalue)
    if mode != "same":
        return _correlate(in1, in2, mode, "direct")
    # Of an even number of entries to be left out, one more goes at the start than in `correlate`.
    whole = _correlate(in1, in2, "full", "direct")
    sizes = zip(dims(in1), dims(in2), strict=True)
    return whole[tuple(slice(m // 2, m // 2 + n) for n, m in sizes)]


_PLANE = tuple(Case((4, 5), (3, 2), mode=mode) for mode in ("full", "same", "valid"))
composed(signal.correlate, _correlate, cases=(*_CASES, Case((5,), (3,), method="fft")))
composed(signal.convolve2d, _convolve2d, cases=_PLANE)
composed(signal.correlate2d, _correlate2d, cases=_PLANE)


_SMALL, _LARGE = Case.made(lambda rng: (2, 4)), Case.made(lambda rng: (4, 7))
linear(
    runtime.uncropped,
    g=lambda h, y, g, shape: call(runtime.cropped, h, shape_of_value(g)),
    type_of=resized_type,
    cases=(Case((2, 4), _LARGE), Case((3, 4), _LARGE)),
)
linear(
    runtime.cropped,
    x=lambda g, y, x, shape: call(runtime.uncropped, g, shape_of_value(x)),
    type_of=resized_type,
    cases=(Case((4, 7), _SMALL), Case((3, 4), _SMALL)),
)


# ---- recursive filters


def _filtered_type(b: object, a: object, x: object, **_: object) -> Type:
    types = [as_type(each) for each in (b, a, x)]
    return ArrayType(promote(*types), shape_of(types[2]))


def _reversed(b: Any, a: Any, g: Any, axis: int) -> Any:
    """The filter run backwards in time."""
    return np.flip(call(signal.lfilter, b, a, np.flip(g, axis=axis), axis=axis), axis=axis)


def _one(like: Any) -> Any:
    return np.ones(1, like.dtype)


def _lfilter_jvp(ts: Any, y: Any, b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    moved = ZERO
    if ts[0] is not ZERO:
        moved = moved + call(signal.lfilter, ts[0], _one(b), x, axis=axis)
    if ts[1] is not ZERO:
        moved = moved - call(signal.lfilter, ts[1], _one(a), y, axis=axis)
    if moved is not ZERO:
        moved = call(signal.lfilter, _one(b), a, moved, axis=axis)
    if ts[2] is not ZERO:
        moved = moved + call(signal.lfilter, b, a, ts[2], axis=axis)
    return cast_like(moved, y)


def _lags(v: Any, x: Any, like: Any, axis: int) -> Any:
    return cast_like(call(runtime.lag_products, v, x, dims(like)[0], axis=axis), like)


def _normalize_lfilter(b: Any, a: Any, x: Any, axis: Any = -1) -> Any:
    return (as_array(b), as_array(a), as_array(x)), {} if axis == -1 else {"axis": axis}


def _denominator(rng: Any) -> Any:
    """Of a filter that dies out."""
    return np.array([1.5, 0.4, -0.3]) + 0.1 * rng.standard_normal(3)


rule(
    signal.lfilter,
    jvp=_lfilter_jvp,
    b=lambda g, y, b, a, x, axis=-1: _lags(_reversed(_one(b), a, g, axis), x, b, axis),
    a=lambda g, y, b, a, x, axis=-1: _lags(-_reversed(_one(b), a, g, axis), y, a, axis),
    x=lambda g, y, b, a, x, axis=-1: cast_like(_reversed(b, a, g, axis), x),
    type_of=_filtered_type,
    normalize=_normalize_lfilter,
    cases=(
        Case((3,), _denominator, (8,)),
        Case((2,), _denominator, (3, 6)),
        Case((4,), _denominator, (6, 3), axis=0),
        Case((3,), lambda rng: np.array([2.0]), (6,)),
        Case((5,), _denominator, (3,)),
    ),
)


def _lag_type(v: object, x: object, count: object, axis: object = -1) -> Type:
    extents = shape_from(count)
    return ArrayType(promote(as_type(v), as_type(x)), extents)


def _filtered(b: Any, x: Any, axis: int) -> Any:
    return call(signal.lfilter, b, _one(b), x, axis=axis)


linear(
    runtime.lag_products,
    v=lambda h, y, v, x, count, axis=-1: cast_like(_filtered(h, x, axis), v),
    x=lambda h, y, v, x, count, axis=-1: cast_like(_reversed(h, _one(h), v, axis), x),
    type_of=_lag_type,
    cases=(Case((6,), (6,), 3), Case((6, 2), (6, 2), 4, axis=0), Case((2,), (2,), 4)),
)


# ---- linear in the signal alone


def _sosfilt_type(sos: object, x: object, **_: object) -> Type:
    return ArrayType(promote(as_type(sos), as_type(x)), shape_of(as_type(x)))


def _sosfilt_bar(g: Any, y: Any, sos: Any, x: Any, axis: Any = -1) -> Any:
    back = call(signal.sosfilt, sos, np.flip(g, axis=axis), axis=axis)
    return cast_like(np.flip(back, axis=axis), x)


_SECTIONS = [[1.0, 0.3, 0.1, 1.0, -0.2, 0.1], [0.5, 0.1, 0.0, 1.0, 0.3, 0.2]]
linear(
    signal.sosfilt,
    x=_sosfilt_bar,
    type_of=_sosfilt_type,
    cases=(Case(_SECTIONS, (8,)), Case(_SECTIONS, (5, 3), axis=0)),
    note="the filter is a constant",
)
linear(
    signal.detrend,
    data=lambda g, y, data, axis=-1, type="linear", bp=0: call(
        signal.detrend, g, axis=axis, type=type, bp=bp
    ),  # an orthogonal projection
    type_of=float_type,
    cases=(
        Case((6,)),
        Case((3, 6), type="constant"),
        Case((6, 3), axis=0),
        Case((3, 8), bp=4),
    ),
)


def _hilbert_type(x: object, axis: object = -1) -> Type:
    t = as_type(x)
    dtype = np.result_type(dtype_of(t) or float, np.complex64)
    return ArrayType(dtype, shape_of(t))


def _hilbert_bar(g: Any, y: Any, x: Any, axis: Any = -1) -> Any:
    """y = x + i H x with H antisymmetric."""
    turned = np.imag(call(signal.hilbert, np.imag(g), axis=axis))
    return cast_like(np.real(g) + turned, x)


linear(
    signal.hilbert,
    x=_hilbert_bar,
    type_of=real_only(_hilbert_type),
    normalize=lambda x, *, axis=-1: ((x,), {} if axis == -1 else {"axis": axis}),
    cases=(Case((6,)), Case((7,)), Case((4, 3), axis=0)),
)


# ---- windows without a parameter that could vary


def _window_type(M: object, sym: object = True) -> Type:  # noqa: N803 - SciPy's name
    shape = shape_from(M)
    return ArrayType(np.dtype(float), shape)


for _name in (
    "boxcar", "triang", "parzen", "bohman", "blackman", "nuttall", "blackmanharris", "flattop",
    "bartlett", "barthann", "hamming", "hann", "cosine",
):  # fmt: skip
    nondiff(getattr(signal.windows, _name), type_of=_window_type, cases=(Case(7), Case(8, False)))
