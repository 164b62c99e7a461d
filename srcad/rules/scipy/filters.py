"""`scipy.ndimage`: filters over several axes, made of those along one.

gaussian_filter, uniform_filter, sobel, prewitt, laplace, gaussian_laplace,
gaussian_gradient_magnitude; where that is 0, its derivative is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage

from srcad.rules.core.compose import known, raise_unless_equal
from srcad.rules.core.facts import normalize_axes
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import Staged, call, rank_or_none
from srcad.rules.core.table import Case

_TINY = 1e-15  # SciPy leaves axes with a smaller sigma alone
_OF_EACH = "sequence argument must have length equal to input rank"


def _axes(input: Any, axes: Any) -> tuple[int, ...]:
    rank = rank_or_none(input)
    if rank is None:
        raise TypeError("the number of axes is not known")
    return tuple(range(rank)) if axes is None else normalize_axes(axes, rank)


def _each(given: Any, count: int) -> tuple[Any, ...]:
    """One option for each axis, of which SciPy wants as many."""
    if isinstance(given, Staged | np.ndarray) and rank_or_none(given) == 1:
        raise_unless_equal(given.shape[0], count, RuntimeError, _OF_EACH)
        return tuple(given[k] for k in range(count))
    found = tuple(given) if isinstance(given, tuple | list) else (given,) * count
    raise_unless_equal(len(found), count, RuntimeError, _OF_EACH)
    return found


def _gaussian(
    input: Any, sigma: Any, order: Any = 0, *, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    places = _axes(input, axes)
    options = (_each(x, len(places)) for x in (sigma, order, mode, radius))
    for axis, width, degree, each_mode, reach in zip(places, *options, strict=True):
        if isinstance(width, int | float) and width <= _TINY:
            continue
        more = {"mode": each_mode, "cval": cval, "truncate": truncate, "radius": reach}
        input = call(
            ndimage.gaussian_filter1d, input, width, axis=axis, order=known(degree), **more
        )
    return input


def _uniform(
    input: Any, size: Any = 3, *, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0,
    axes: Any = None,
) -> Any:  # fmt: skip
    places = _axes(input, axes)
    options = (_each(x, len(places)) for x in (size, mode, origin))
    for axis, width, each_mode, start in zip(places, *options, strict=True):
        if isinstance(width, int) and width <= 1:
            continue
        more = {"mode": each_mode, "cval": cval, "origin": start}
        input = call(ndimage.uniform_filter1d, input, width, axis=axis, **more)
    return input


def _slope(across: tuple[float, float, float]) -> Any:
    """`sobel` and `prewitt`: a difference along one axis, a mean `across` the others."""

    def body(input: Any, axis: Any = -1, *, mode: Any = "reflect", cval: Any = 0.0) -> Any:
        rank = len(_axes(input, None))
        (along,) = normalize_axes(axis, rank)
        modes = _each(mode, rank)
        for k in (along, *(j for j in range(rank) if j != along)):
            weights = (-1.0, 0.0, 1.0) if k == along else across
            more = {"axis": k, "mode": modes[k], "cval": cval}
            input = call(ndimage.correlate1d, input, np.array(weights), **more)
        return input

    return body


def _total(terms: Any) -> Any:
    """The sum of one term or more."""
    first, *rest = terms
    for term in rest:
        first = first + term
    return first


def _laplace(input: Any, *, mode: Any = "reflect", cval: Any = 0.0, axes: Any = None) -> Any:
    places = _axes(input, axes)
    bend = np.array([1.0, -2.0, 1.0])
    pairs = zip(places, _each(mode, len(places)), strict=True)
    return _total(
        call(ndimage.correlate1d, input, bend, axis=axis, mode=m, cval=cval) for axis, m in pairs
    )


def _derivatives(
    input: Any, sigma: Any, order: int, axes: Any, options: dict[str, Any]
) -> list[Any]:
    """The Gaussian derivative of this order along each axis, smoothed along the others."""
    places = _axes(input, axes)
    return [
        _gaussian(
            input, sigma, tuple(order if k == axis else 0 for k in places), axes=places, **options
        )
        for axis in places
    ]


def _gaussian_laplace(
    input: Any, sigma: Any, *, mode: Any = "reflect", cval: Any = 0.0, axes: Any = None, **more: Any
) -> Any:
    return _total(_derivatives(input, sigma, 2, axes, {"mode": mode, "cval": cval, **more}))


def _gradient_size(
    input: Any, sigma: Any, *, mode: Any = "reflect", cval: Any = 0.0, axes: Any = None, **more: Any
) -> Any:
    slopes = _derivatives(input, sigma, 1, axes, {"mode": mode, "cval": cval, **more})
    if len(slopes) == 1:
        return np.abs(slopes[0])
    if len(slopes) == 2:
        return np.hypot(*slopes)
    return np.linalg.norm(np.stack(slopes), axis=0)


def _declare(fn: Any, body: Callable[..., Any], *cases: Case, note: str = "") -> None:
    composed(fn, body, cases=cases, note=note)


_declare(
    ndimage.gaussian_filter,
    _gaussian,
    Case((4, 5), 0.8),
    Case((4, 5), Case.made(lambda rng: (0.8, 1.2)), mode="wrap"),
    Case((4, 5), 0.7, order=(0, 1), truncate=3.0),
    Case((2, 3, 4), 0.6, axes=(0, 2), mode="nearest"),
    note="sigma is a constant",
)
_declare(
    ndimage.uniform_filter,
    _uniform,
    Case((4, 5)),
    Case((4, 5), size=(2, 3), mode="constant", cval=0.4),
    Case((2, 3, 4), 2, axes=(1,), mode="mirror"),
)
for _fn, _across in ((ndimage.sobel, (1.0, 2.0, 1.0)), (ndimage.prewitt, (1.0, 1.0, 1.0))):
    _declare(_fn, _slope(_across), Case((4, 5)), Case((4, 5), 0, mode="nearest"), Case((6,)))
_declare(ndimage.laplace, _laplace, Case((4, 5)), Case((4, 5), mode="wrap"), Case((6,)))
_declare(
    ndimage.gaussian_laplace,
    _gaussian_laplace,
    Case((4, 5), 0.8),
    Case((4, 5), 0.8, mode="constant"),
    note="sigma is a constant",
)
_declare(
    ndimage.gaussian_gradient_magnitude,
    _gradient_size,
    Case((4, 5), 0.8),
    Case((2, 3, 4), 0.8),
    note="sigma is a constant; 0 where it is 0",
)
