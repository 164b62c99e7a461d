"""`scipy.ndimage`: filters with a kernel, and those that are made of them.

A correlation y[i] = sum_k w[k] x[i + k - c] with any extension beyond the ends is linear in x and
in w, as are its transposes (`srcad.runtime.filters`): each derivative of one of the three is
another of them. The Gaussian and uniform filters are correlations along one axis after the other;
their `sigma` and `size` are constants. Refused are `output=`, one mode for each axis, and complex
arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcad import runtime
from srcad.ir.types import ArrayType, Type, dtype_of, shape_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import (
    UncoveredError,
    as_type,
    promote,
    real_only,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import nondiff, rule
from srcad.rules.core.staged import as_array, call, shape_of_value
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

_MODES = (
    "reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap",
)  # fmt: skip


def _filtered_type(input: object, *_: object, mode: object = "reflect", **__: object) -> Type:
    t = as_type(input)
    if mode not in _MODES:
        raise UncoveredError(f"mode={mode!r}")
    return ArrayType(dtype_of(t) or np.dtype(float), shape_of(t))


# ---- correlate, convolve: the kernel has all axes, or one


def _declare(fn: Any, flip: bool, one: bool) -> None:
    def options_of(mode: Any, origin: Any, axis: Any) -> dict[str, Any]:
        return {"mode": mode, "origin": origin, **({"axis": axis} if one else {})}

    def jvp(
        ts: Any, y: Any, input: Any, weights: Any, axis: Any = -1, mode: Any = "reflect",
        cval: Any = 0.0, origin: Any = 0,
    ) -> Any:  # fmt: skip
        about = options_of(mode, origin, axis)
        parts = ZERO if ts[0] is ZERO else call(fn, ts[0], weights, **about)
        if ts[1] is not ZERO:
            parts = parts + call(fn, input, ts[1], cval=cval, **about)
        return cast_like(parts, y)

    def input_bar(
        g: Any, y: Any, input: Any, weights: Any, axis: Any = -1, mode: Any = "reflect",
        cval: Any = 0.0, origin: Any = 0,
    ) -> Any:  # fmt: skip
        at = axis if one else None
        return cast_like(call(runtime.filter_back, g, weights, mode, origin, at, flip), input)

    def weights_bar(
        g: Any, y: Any, input: Any, weights: Any, axis: Any = -1, mode: Any = "reflect",
        cval: Any = 0.0, origin: Any = 0,
    ) -> Any:  # fmt: skip
        at = (shape_of_value(weights), mode, origin, axis if one else None, flip, cval)
        return cast_like(call(runtime.filter_weights, input, g, *at), weights)

    rule(
        fn,
        jvp=jvp,
        input=input_bar,
        weights=weights_bar,
        type_of=real_only(_filtered_type),
        normalize=_normalize_one if one else _normalize_all,
        cases=_ONE if one else _SEVERAL,
    )


def _normalize_all(
    input: Any, weights: Any, *, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    """`output` is positional in SciPy, so the options go by name."""
    return (input, as_array(weights)), _given(mode=mode, cval=cval, origin=origin)


def _normalize_one(
    input: Any,
    weights: Any,
    axis: Any = -1,
    *,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    return (input, as_array(weights)), _given(axis=axis, mode=mode, cval=cval, origin=origin)


_DEFAULTS = {"axis": -1, "mode": "reflect", "cval": 0.0, "origin": 0}


def _given(**options: Any) -> dict[str, Any]:
    return {
        k: v
        for k, v in options.items()
        if not (type(v) is type(_DEFAULTS[k]) and v == _DEFAULTS[k])
    }


_SEVERAL = (
    *(Case((4, 5), (3, 2), mode=mode) for mode in _MODES),
    Case((6,), (3,)),
    Case((2, 3), (4, 5), mode="mirror"),
    Case((4, 5), (3, 4), mode="constant", cval=0.7),
    Case((4, 5), (3, 4), mode="nearest", origin=(1, -1)),
    Case((2, 3, 4), (2, 1, 3)),
)
_ONE = (
    *(Case((4, 5), (3,), mode=mode) for mode in _MODES),
    Case((4, 5), (4,), axis=0, mode="mirror"),
    Case((3,), (7,), mode="wrap"),
    Case((3,), (8,), mode="reflect", origin=2),
    Case((4, 5), (3,), axis=0, mode="constant", cval=0.7, origin=-1),
)
_declare(ndimage.correlate, False, False)
_declare(ndimage.convolve, True, False)
_declare(ndimage.correlate1d, False, True)
_declare(ndimage.convolve1d, True, True)


# ---- the transposes themselves


def _forward(flip: bool, axis: Any) -> Any:
    if axis is None:
        return ndimage.convolve if flip else ndimage.correlate
    return ndimage.convolve1d if flip else ndimage.correlate1d


def _applied(x: Any, w: Any, mode: Any, origin: Any, axis: Any, flip: Any) -> Any:
    """The filter whose transposes are meant."""
    more = {} if axis is None else {"axis": axis}
    return call(_forward(flip, axis), x, w, mode=mode, origin=origin, **more)


def _back_jvp(
    ts: Any, y: Any, g: Any, w: Any, mode: Any, origin: Any = 0, axis: Any = None, flip: Any = False
) -> Any:
    about = (mode, origin, axis, flip)
    terms = ZERO if ts[0] is ZERO else call(runtime.filter_back, ts[0], w, *about)
    if ts[1] is not ZERO:
        terms = terms + call(runtime.filter_back, g, ts[1], *about)
    return cast_like(terms, y)


def _back_type(g: object, w: object, *_: object, **__: object) -> Type:
    return _filtered_type(g)


rule(
    runtime.filter_back,
    jvp=_back_jvp,
    g=lambda h, y, g, w, mode, origin=0, axis=None, flip=False: cast_like(
        _applied(h, w, mode, origin, axis, flip), g
    ),
    w=lambda h, y, g, w, mode, origin=0, axis=None, flip=False: cast_like(
        call(runtime.filter_weights, h, g, shape_of_value(w), mode, origin, axis, flip), w
    ),
    type_of=real_only(_back_type),
    cases=(
        Case((4, 5), (3, 2), "reflect"),
        Case((4, 5), (3,), "constant", 0, 1, True),
    ),
)


def _weights_jvp(
    ts: Any, y: Any, x: Any, g: Any, shape: Any, mode: Any, origin: Any = 0, axis: Any = None,
    flip: Any = False, cval: Any = 0.0,
) -> Any:  # fmt: skip
    about = (shape, mode, origin, axis, flip)
    terms = ZERO if ts[0] is ZERO else call(runtime.filter_weights, ts[0], g, *about)
    if ts[1] is not ZERO:
        terms = terms + call(runtime.filter_weights, x, ts[1], *about, cval)
    return cast_like(terms, y)


def _weights_x(
    h: Any, y: Any, x: Any, g: Any, shape: Any, mode: Any, origin: Any = 0, axis: Any = None,
    flip: Any = False, cval: Any = 0.0,
) -> Any:  # fmt: skip
    return cast_like(call(runtime.filter_back, g, h, mode, origin, axis, flip), x)


def _weights_g(
    h: Any, y: Any, x: Any, g: Any, shape: Any, mode: Any, origin: Any = 0, axis: Any = None,
    flip: Any = False, cval: Any = 0.0,
) -> Any:  # fmt: skip
    more = {} if axis is None else {"axis": axis}
    forward = _forward(flip, axis)
    return cast_like(call(forward, x, h, mode=mode, origin=origin, cval=cval, **more), g)


def _weights_type(x: object, g: object, shape: object, *_: object, **__: object) -> Type:
    return ArrayType(promote(as_type(x), as_type(g)), shape_from(shape))


rule(
    runtime.filter_weights,
    jvp=_weights_jvp,
    x=_weights_x,
    g=_weights_g,
    type_of=real_only(_weights_type),
    cases=(
        Case((4, 5), (4, 5), Case.made(lambda rng: (3, 2)), "reflect"),
        Case((4, 5), (4, 5), Case.made(lambda rng: (3,)), "constant", 0, 1, True, 0.5),
    ),
)


# ---- Gaussian and uniform filters


def _kernel_type(
    sigma: object, order: object = 0, truncate: object = 4.0, radius: object = None
) -> Type:
    return ArrayType(np.dtype(float), (unknown_extent(),))


nondiff(runtime.gaussian_weights, type_of=_kernel_type, cases=(Case(1.5), Case(0.7, 2, 3.0)))


def _gaussian_bar(
    g: Any, y: Any, input: Any, sigma: Any, axis: Any = -1, order: Any = 0, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None,
) -> Any:  # fmt: skip
    w = call(runtime.gaussian_weights, sigma, order, truncate, radius)
    return cast_like(call(runtime.filter_back, g, w, mode, 0, axis), input)


def _gaussian_jvp(ts: Any, y: Any, input: Any, sigma: Any, cval: Any = 0.0, **options: Any) -> Any:
    return cast_like(call(ndimage.gaussian_filter1d, ts[0], sigma, **options), y)


def _normalize_gaussian(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, *, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, radius: Any = None,
) -> Any:  # fmt: skip
    given = {"axis": axis, "order": order, "mode": mode, "cval": cval, "truncate": truncate}
    return (input, sigma), given | {"radius": radius}


rule(
    ndimage.gaussian_filter1d,
    jvp=_gaussian_jvp,
    input=_gaussian_bar,
    type_of=real_only(_filtered_type),
    normalize=_normalize_gaussian,
    note="sigma is a constant",
    cases=(
        *(Case((3, 7), 1.2, mode=mode) for mode in ("reflect", "constant", "nearest", "wrap")),
        Case((7, 3), 0.8, axis=0, order=1),
        Case((7,), 1.5, order=2, mode="mirror"),
        Case((7,), 1.5, truncate=2.0, cval=0.5, mode="constant"),
        Case((7,), 1.5, radius=2),
    ),
)


def _uniform_bar(
    g: Any, y: Any, input: Any, size: Any, axis: Any = -1, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    w = call(np.full, size, 1.0) / size
    return cast_like(call(runtime.filter_back, g, w, mode, origin, axis), input)


def _uniform_jvp(ts: Any, y: Any, input: Any, size: Any, cval: Any = 0.0, **options: Any) -> Any:
    return cast_like(call(ndimage.uniform_filter1d, ts[0], size, **options), y)


def _normalize_uniform(
    input: Any, size: Any, axis: Any = -1, *, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    return (input, size), {"axis": axis, "mode": mode, "cval": cval, "origin": origin}


rule(
    ndimage.uniform_filter1d,
    jvp=_uniform_jvp,
    input=_uniform_bar,
    type_of=real_only(_filtered_type),
    normalize=_normalize_uniform,
    cases=(
        *(Case((3, 7), 3, mode=mode) for mode in ("reflect", "constant", "nearest", "wrap")),
        Case((7, 3), 4, axis=0, mode="mirror"),
        Case((7,), 4, origin=1, cval=0.5, mode="constant"),
    ),
)
