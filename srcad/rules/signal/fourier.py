"""Discrete Fourier transforms: `np.fft`, and the machinery that `scipy.fft` shares.

y = F a with a symmetric matrix F, and no conjugate in <g, y_dot> = Re(sum(g * y_dot)): so `fft` and
`ifft`, in any number of dimensions and with any `norm`, are their own transposes. `rfft` gives the
half of the spectrum that is not the conjugate of the other half. With n entries in all, and the
bins that stand for two of them counted twice or half,

    rfft:   a_bar = irfft(conj(g), inner bins halved)      irfft:  a_bar = conj(rfft(g)), inner
                                                                   bins doubled

with the scale of the one left to the other (`norm` "forward" and "backward" swapped). A transform
of n entries of a longer or shorter array cuts it or pads it by zeros; so does its transpose. The
factors are those of autograd and JAX.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import ArrayType, Extent, Type, have_same_shape
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import NOTHING_TO_DO, has_no_axes
from srcad.rules.core.facts import extent_of, real_only, resized_type, same_type
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call, shape_of_value, type_of
from srcad.rules.core.table import Case
from srcad.rules.signal.fourier_cases import extents, more_axes_cases, one_axis_cases, spectrum
from srcad.rules.signal.fourier_types import full_extent, half_extent, same_extent, transform_type

LAST_TWO = (-2, -1)
_SWAPPED = {None: "forward", "backward": "forward", "forward": None, "ortho": "ortho"}


def swapped(norm: Any) -> Any:
    """The `norm` of the inverse transform that has the scale of this one."""
    if norm not in _SWAPPED:
        raise error("E132", None, what=f"a transform with norm={norm!r}")
    return _SWAPPED[norm]


def fit(x: Any, like: Any) -> Any:
    """`x` cut or padded to the shape of `like`; as it is where that is known to be its own."""
    if have_same_shape(type_of(x), type_of(like)):
        return x
    return call(runtime.fitted, x, shape_of_value(like))


# ---- transposes: (g, y, a, *, options) -> a_bar


def _own(fn: Any) -> Any:
    """Of a transform that is its own transpose; `g` has the size asked for already."""

    def a_bar(g: Any, y: Any, a: Any, n: Any = None, s: Any = None, **options: Any) -> Any:
        return fit(cast_like(call(fn, g, **_over(options, s)), a), a)

    return a_bar


def _over(options: dict[str, Any], s: Any) -> dict[str, Any]:
    """The options with the axes that are meant: the last ones, where sizes are given alone."""
    if s is None or options["axes"] is not None:
        return options
    return options | {"axes": tuple(range(-len(s), 0))}


def _pairs(x: Any, like: Any, axis: int) -> Any:
    """Half a spectrum with the bins that stand for two doubled; `like` is the real array."""
    return call(runtime.scale_pairs, x, shape_of_value(like)[axis], True, axis=axis)


def _last_axis(options: dict[str, Any]) -> int:
    axes = options.get("axis", options.get("axes"))
    if axes is None:
        return -1
    return int(axes[-1] if isinstance(axes, Sequence) else axes)


def _of_real(inverse: Any) -> Any:
    """Of `rfft` and its like; `inverse` is `irfft` and its like."""

    def a_bar(
        g: Any, y: Any, a: Any, n: Any = None, s: Any = None, norm: Any = None, **options: Any
    ) -> Any:
        options = _over(options, s)
        taken = _as_taken(a, n, s, options)
        axis = _last_axis(options)
        spectrum = call(runtime.scale_pairs, np.conj(g), taken[axis], False, axis=axis)
        options = options | _taken_sizes(taken, options)
        return fit(cast_like(call(inverse, spectrum, norm=swapped(norm), **options), a), a)

    return a_bar


def _as_taken(a: Any, n: Any, s: Any, options: dict[str, Any]) -> Any:
    """The shape of the array that is transformed: that of `a` but for the sizes asked for."""
    shape = shape_of_value(a)
    if n is None and s is None:
        return shape
    taken = [shape[k] for k in range(len(shape))]
    if "axis" in options:
        taken[options["axis"]] = n
        return taken
    axes = options["axes"]
    for k, axis in enumerate(axes):
        if s[k] is not None and not (isinstance(s[k], int) and s[k] == -1):
            taken[axis] = s[k]
    return taken


def _taken_sizes(taken: Any, options: dict[str, Any]) -> dict[str, Any]:
    if "axis" in options:
        return {"n": taken[options["axis"]]}
    axes = options["axes"]
    axes = tuple(range(len(taken))) if axes is None else tuple(axes)
    return {"s": tuple(taken[axis] for axis in axes), "axes": axes}


def _to_real(inverse: Any) -> Any:
    """Of `irfft` and its like; `inverse` is `rfft` and its like."""

    def a_bar(
        g: Any, y: Any, a: Any, n: Any = None, s: Any = None, norm: Any = None, **options: Any
    ) -> Any:
        options = _over(options, s)
        axis = _last_axis(options)
        spectrum = np.conj(call(inverse, g, norm=swapped(norm), **options))
        return fit(cast_like(_pairs(spectrum, g, axis), a), a)

    return a_bar


def _hermitian(forward: Any) -> Any:
    """Of `hfft`, which is `irfft` of the conjugate, with the other scale; `forward` is `rfft`."""

    def a_bar(g: Any, y: Any, a: Any, n: Any = None, s: Any = None, **options: Any) -> Any:
        options = _over(options, s)
        axis = _last_axis(options)
        return fit(cast_like(_pairs(call(forward, g, **options), g, axis), a), a)

    return a_bar


def _to_hermitian(backward: Any) -> Any:
    """Of `ihfft`, the conjugate of `rfft` with the other scale; `backward` is `irfft`."""

    def a_bar(g: Any, y: Any, a: Any, n: Any = None, s: Any = None, **options: Any) -> Any:
        options = _over(options, s)
        taken = _as_taken(a, n, s, options)
        axis = _last_axis(options)
        spectrum = call(runtime.scale_pairs, g, taken[axis], False, axis=axis)
        options = options | _taken_sizes(taken, options)
        return fit(cast_like(call(backward, spectrum, **options), a), a)

    return a_bar


def as_declared(body: Any, name: str, defaults: dict[str, Any], more: dict[str, Any]) -> Any:
    """`body` as `(g, y, name, **defaults, *, **more)`: what the signature of its function is."""
    kind = inspect.Parameter
    parameters = [kind(p, kind.POSITIONAL_OR_KEYWORD) for p in ("g", "y", name)]
    for key, value in defaults.items():
        parameters.append(kind(key, kind.POSITIONAL_OR_KEYWORD, default=value))
    for key, value in more.items():
        parameters.append(kind(key, kind.KEYWORD_ONLY, default=value))

    @functools.wraps(body)
    def vjp(g: Any, y: Any, x: Any, **given: Any) -> Any:
        return body(g, y, x, **(defaults | given))

    vjp.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
    return vjp


# ---- declarations

_ONE = {"n": None, "axis": -1, "norm": None}
_TWO = {"s": None, "axes": LAST_TWO, "norm": None}
_ALL = {"s": None, "axes": None, "norm": None}


def declare(module: Any, name: str, more: dict[str, Any], suffixes: tuple[str, ...]) -> None:
    """State the rules of all transforms of a module whose first parameter is `name`."""
    for suffix in suffixes:
        about: Any = (name, {"": _ONE, "2": _TWO, "n": _ALL}[suffix], more)
        fft, ifft, rfft, irfft = (
            getattr(module, stem + suffix) for stem in ("fft", "ifft", "rfft", "irfft")
        )
        if suffix:
            NOTHING_TO_DO[fft] = NOTHING_TO_DO[ifft] = has_no_axes
        _declare(about, fft, _own(fft), same_extent, (extents, spectrum))
        _declare(about, ifft, _own(ifft), same_extent, (extents, spectrum))
        _declare(about, rfft, _of_real(irfft), half_extent, (extents,))
        _declare(about, irfft, _to_real(rfft), full_extent, (extents, spectrum))
        if hasattr(module, "hfft" + suffix):
            hfft, ihfft = (getattr(module, stem + suffix) for stem in ("hfft", "ihfft"))
            _declare(about, hfft, _hermitian(rfft), full_extent, (extents, spectrum))
            _declare(about, ihfft, _to_hermitian(irfft), half_extent, (extents,))


def _declare(
    about: tuple[str, dict[str, Any], dict[str, Any]],
    fn: Any,
    body: Any,
    out: Callable[[Extent], Extent],
    arrays: tuple[Any, ...],
) -> None:
    """State one rule; `about` is the name of the input and the defaults of the options."""
    name, defaults, more = about
    axes = defaults.get("axes", -1)
    cases = one_axis_cases if axes == -1 else functools.partial(more_axes_cases, axes=axes)
    transposes: dict[str, Any] = {name: as_declared(body, name, defaults, more)}
    linear(
        fn,
        type_of=transform_type(fn, out, axes),
        cases=[case for array in arrays for case in cases(array)],
        **transposes,
    )


def frequencies(fn: Any, out: Callable[[Extent], Extent]) -> None:
    """The rule of `fftfreq` or `rfftfreq`, whose values go as 1 / d."""

    def type_of(n: object, d: object) -> Type:
        return ArrayType(np.dtype(float), (out(extent_of(n)),))

    rule(
        fn,
        jvp=lambda ts, y, n, d: -y * (ts[1] / d),
        d=lambda g, y, n, d: cast_like(-np.sum(g * y) / d, d),
        type_of=real_only(type_of),
        normalize=lambda n, d=1.0: ((n, d), {}),
        domain=(0.5, 2.0),
        cases=(Case(4), Case(5, 0.5), Case(4, float), Case(5, np.float64), Case(1, float)),
    )


def shifts(there: Any, back: Any) -> None:
    """The rules of `fftshift` and `ifftshift`, each the transpose of the other."""
    cases = (
        Case((3, 4)),
        Case((5,)),
        Case((3, 5), axes=0),
        Case((2, 3, 4), axes=(1, -1)),
        Case((0, 3)),
    )
    for fn, other in ((there, back), (back, there)):

        def x_bar(g: Any, y: Any, x: Any, axes: Any = None, other: Any = other) -> Any:
            return call(other, g, axes=axes)

        body = as_declared(x_bar, "x", {"axes": None}, {})
        linear(fn, x=body, type_of=same_type, cases=cases)


declare(np.fft, "a", {}, ("", "2", "n"))
frequencies(np.fft.fftfreq, same_extent)
frequencies(np.fft.rfftfreq, half_extent)
shifts(np.fft.fftshift, np.fft.ifftshift)

# ---- the helpers


def _helper_cases(*arguments: Any, **options: Any) -> list[Case]:
    return [Case(array(3, 4), *arguments, **options) for array in (extents, spectrum)]


def _constant(shape: Any, rng: Any) -> Any:
    return shape


linear(
    runtime.fitted,
    x=lambda g, y, x, shape: fit(g, x),
    type_of=resized_type,
    cases=[
        case
        for shape in ((3, 4), (2, 6), (1, 1), (5, 2))
        for case in _helper_cases(Case.made(functools.partial(_constant, shape)))
    ],
)


def _pairs_back(g: Any, y: Any, x: Any, n: Any, twice: Any, axis: Any = -1) -> Any:
    return call(runtime.scale_pairs, g, n, twice, axis=axis)


def _ends_back(g: Any, y: Any, x: Any, twice: Any, axes: Any, first: Any, last: Any) -> Any:
    return call(runtime.scale_ends, g, twice, axes, first, last)


linear(
    runtime.scale_pairs,
    x=_pairs_back,
    type_of=same_type,
    cases=[*_helper_cases(6, False), *_helper_cases(7, True), *_helper_cases(5, False, axis=0)],
)
linear(
    runtime.scale_ends,
    x=_ends_back,
    type_of=same_type,
    cases=[*_helper_cases(False, (0,), True, False), *_helper_cases(True, (-1, 0), True, True)],
)
