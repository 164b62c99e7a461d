"""Waveforms of `scipy.signal`, and its windows with a parameter that varies."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, call, is_number
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special

# ---- windows


def _places(M: Any, sym: Any) -> tuple[Any, int]:  # noqa: N803 -- SciPy's name
    """The numbers of the samples, and the last of the symmetric window of which they are part."""
    n = known(M, "the size of a window")
    if n < 2:
        raise UncoveredError("windows of fewer than two samples")
    return np.arange(n, dtype=np.float64), n - 1 if sym else n


def _gaussian(M: Any, std: Any, sym: Any = True) -> Any:  # noqa: N803 -- SciPy's names
    n, last = _places(M, sym)
    return np.exp(-((n - last / 2.0) ** 2) / (2 * std * std))


def _exponential(M: Any, center: Any = None, tau: Any = 1.0, sym: Any = True) -> Any:  # noqa: N803 -- SciPy's names
    n, last = _places(M, sym)
    if center is not None and sym:
        raise ValueError("If sym==True, center must be None.")
    return np.exp(-np.abs(n - (last / 2 if center is None else center)) / tau)


def _kaiser(M: Any, beta: Any, sym: Any = True) -> Any:  # noqa: N803 -- SciPy's names
    n, last = _places(M, sym)
    inside = np.sqrt(1 - ((n - last / 2.0) / (last / 2.0)) ** 2.0)
    return call(special.i0, beta * inside) / call(special.i0, beta)


def _general_hamming(M: Any, alpha: Any, sym: Any = True) -> Any:  # noqa: N803 -- SciPy's names
    n, last = _places(M, sym)
    return alpha + (1.0 - alpha) * np.cos(2 * np.pi * n / last - np.pi)


_SIZES = (Case(7, float), Case(6, float, False))
composed(signal.windows.gaussian, _gaussian, domain=(0.6, 2.0), cases=_SIZES)
composed(signal.windows.kaiser, _kaiser, domain=(0.6, 2.0), cases=_SIZES)
composed(signal.windows.general_hamming, _general_hamming, domain=(0.6, 2.0), cases=_SIZES)
composed(
    signal.windows.exponential,
    _exponential,
    domain=(0.6, 2.0),
    cases=(Case(7, None, float), Case(6, 2.3, float, False)),
)


# ---- waveforms


def _chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0,
    vertex_zero: Any = True,
) -> Any:  # fmt: skip
    phase = _phase(as_array(t), f0, t1, f1, method, vertex_zero)
    return np.cos(phase + np.deg2rad(phi))


def _phase(t: Any, f0: Any, t1: Any, f1: Any, method: Any, vertex_zero: Any) -> Any:
    if method in ("linear", "lin", "li"):
        return 2 * np.pi * (f0 * t + 0.5 * ((f1 - f0) / t1) * t * t)
    if method not in ("quadratic", "quad", "q"):
        raise UncoveredError(f"`method={method!r}`")
    beta = (f1 - f0) / t1**2
    if vertex_zero:
        return 2 * np.pi * (f0 * t + beta * t**3 / 3)
    return 2 * np.pi * (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3)


def _common_dtype(t: Any, width: Any) -> Any:
    """The dtype to which SciPy brings its arguments first, as since 1.18; None before."""
    if signal.sawtooth(np.ones(1, np.float32)).dtype == np.float64:
        return None
    like = 1 if is_number(width) else np.ones(1, width.dtype)
    return signal.sawtooth(np.ones(1, t.dtype), like).dtype


def _sawtooth(t: Any, width: Any = 1) -> Any:
    t, width = as_array(t), width if is_number(width) else as_array(width)
    dtype = _common_dtype(t, width)
    if dtype is not None:
        t = t.astype(dtype)
    w = width + (t - t)
    within = np.mod(t, 2 * np.pi)
    rises = within < w * 2 * np.pi
    up = np.where(rises, within / (np.pi * np.where(rises, w, 1.0)) - 1, 0.0)
    down = (np.pi * (w + 1) - within) / (np.pi * (1 - np.where(rises, 0.0, w)))
    wave = np.where((w > 1) | (w < 0), np.nan, np.where(rises, up, down))
    return wave.astype(np.float64 if dtype is None else dtype)


composed(
    signal.chirp,
    _chirp,
    domain=(0.5, 2.0),
    cases=(
        Case((5,), float, float, float),
        Case((5,), float, float, float, "quadratic", float),
        Case((5,), float, float, float, "quad", vertex_zero=False),
    ),
)
composed(
    signal.sawtooth,
    _sawtooth,
    domain=(0.3, 0.8),
    cases=(Case((5,), float), Case((5,), (5,)), Case((5,))),
)
