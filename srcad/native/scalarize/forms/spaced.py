"""Evenly spaced numbers, and the bins between numbers.

np.linspace(a, b, n)      a + i * ((b - a) / (n - 1)), and b itself
np.fft.fftfreq(n, d)      k / (n * d), the last ones of k - n
np.digitize(x, bins)      a bisection for each
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op, Value
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    Choice,
    Chosen,
    Formula,
    emitted,
    is_array,
    options,
)
from srcad.native.scalarize.forms.sorting import all_found
from srcad.native.scalarize.loop_forms import found_left, found_right
from srcad.rules.core.staged import type_of

_FEW_BINS = 16  # that are known: so many comparisons are faster than a bisection


def spaced(start: Any, stop: Any, n: Any, with_end: bool) -> Any:
    """`np.linspace(start, stop, n)`."""
    out = np.empty(n)
    parts = n - 1 if with_end else n
    apart = np.float64(stop) - np.float64(start)
    if parts > 0:
        step = apart / parts
        for i in range(n):
            if step == 0.0:
                out[i] = i / parts * apart + start
            else:
                out[i] = i * step + start
    else:
        for i in range(n):
            out[i] = 0.0 * apart + start
    if with_end and n > 1:
        out[n - 1] = stop
    return out


def window(n: Any, name: str) -> Any:
    """`np.hanning(n)`, `hamming`, `blackman` or `bartlett`."""
    out = np.empty(max(n, 0))
    for i in range(n):
        if n == 1:
            out[i] = 1.0
        else:
            k = 1 - n + 2 * i
            x = k / (n - 1)
            if name == "hanning":
                out[i] = 0.5 + 0.5 * np.cos(np.pi * k / (n - 1))
            elif name == "hamming":
                out[i] = 0.54 + 0.46 * np.cos(np.pi * k / (n - 1))
            elif name == "bartlett":
                out[i] = 1 + x if k <= 0 else 1 - x
            else:
                turn = np.pi * k / (n - 1)
                out[i] = 0.42 + 0.5 * np.cos(turn) + 0.08 * np.cos(2.0 * turn)
    return out


def _check_rising(bins: Any) -> None:
    """Refuse what is not in order."""
    for k in range(1, len(bins)):
        if not bins[k - 1] <= bins[k]:
            raise ValueError("bins that do not rise")


def bin_of(x: Any, bins: Any, is_right: bool) -> Any:
    """`np.digitize(x, bins)` of a number."""
    _check_rising(bins)
    return found_left(bins, x) if is_right else found_right(bins, x)


def bins_of(x: Any, bins: Any, is_right: bool) -> Any:
    """`np.digitize(x, bins)` of a vector."""
    _check_rising(bins)
    return all_found(bins, x, is_right)


def among(x: Any, bins: Sequence[float], is_right: bool) -> Any:
    """`np.digitize(x, bins)` for a few numbers that are known, and rise."""
    return sum(1 - (x <= bound if is_right else x < bound) for bound in bins)


def frequencies(n: int, d: Any, is_half: bool) -> Any:
    """`np.fft.fftfreq(n, d)`, or `np.fft.rfftfreq`, which has none below zero."""
    apart = 1.0 / (n * d)
    out = np.empty(n // 2 + 1 if is_half else n)
    for k in range(len(out)):
        if is_half or 2 * k < n:
            out[k] = k * apart
        else:
            out[k] = (k - n) * apart
    return out


def range_of_floats(start: Any, stop: Any, step: Any) -> Any:
    """`np.arange(start, stop, step)` of floats."""
    count = np.ceil((stop - start) / step)
    if not 0.0 <= count < 1e9:
        raise ValueError("a range of no length")
    apart = (start + step) - start
    out = np.empty(int(count))
    for k in range(int(count)):
        out[k] = start + k * apart
    if len(out) > 1:
        out[1] = start + step
    return out


def spaced_apart(start: Any, stop: Any, n: int, with_end: bool) -> Any:
    """`np.linspace(start, stop, n)` of arrays."""
    apart = stop - start
    places = emitted(apart, np.arange, n)[(slice(None), *(None,) * apart.ndim)]
    parts = n - 1 if with_end else n
    if parts == 0:
        return places * apart + start
    step = apart / parts
    y = np.where(step == 0.0, places / parts * apart, places * step) + start
    return np.where(places == n - 1, stop, y) if with_end else y


def _linspace(op: Op) -> Chosen | None:
    found = options(op, 2, num=50, endpoint=True)
    if found is None or type(found[1]) is not bool or not is_python_int(found[0]):
        return None
    if all(is_array(x, FLOAT, 0) or _is_number(x) for x in op.args[:2]):
        return spaced, (*op.args[:2], *found)
    is_fit = type(found[0]) is int and found[0] > 0
    is_fit = is_fit and all(is_array(x, FLOAT, 0, 1, 2) or _is_number(x) for x in op.args[:2])
    return (Formula(spaced_apart), (*op.args[:2], *found)) if is_fit else None


def _frequencies(is_half: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, d=1.0)
        n = op.args[0]
        if found is None or type(n) is not int or n < 1:
            return None
        is_fit = is_array(found[0], FLOAT, 0) or _is_number(found[0])
        return (frequencies, (n, found[0], is_half)) if is_fit else None

    return choose


def _arange(op: Op) -> Chosen | None:
    """Of floats that data give."""
    ends = op.args if len(op.args) > 1 else (0.0, *op.args)
    given = (*ends, 1.0)[:3]
    is_fit = not op.kwargs and all(is_array(x, FLOAT, 0) or _is_number(x) for x in given)
    is_fit = is_fit and len(op.args) < 4 and dtype_of(type_of(op.out)) == FLOAT
    return (range_of_floats, given) if is_fit and any(map(_is_float, given[:2])) else None


def _is_float(x: Any) -> bool:
    return isinstance(x, Value) and dtype_of(type_of(x)) == FLOAT


def _is_number(x: Any) -> bool:
    t = type_of(x)
    return isinstance(t, NumberType) and t.kind in (int, float)


def _digitize(op: Op) -> Chosen | None:
    found = options(op, 2, right=False)
    if found is None or type(found[0]) is not bool:
        return None
    x, bins = op.args[:2]
    if not is_array(x, FLOAT, 0, 1):
        return None
    if isinstance(bins, list | tuple):
        are_known = all(type(bound) in (int, float) for bound in bins)
        rise = are_known and all(a <= b for a, b in pairwise(bins))
        is_fit = rise and 0 < len(bins) <= _FEW_BINS
        return (Formula(among), (x, bins, found[0])) if is_fit else None
    if is_array(bins, FLOAT, 1):
        return (bin_of if is_array(x, FLOAT, 0) else bins_of), (x, bins, found[0])
    return None


def _window(name: str) -> Choice:
    def choose(op: Op) -> Chosen | None:
        is_fit = len(op.args) == 1 and not op.kwargs
        is_fit = is_fit and is_python_int(op.args[0])
        return (window, (op.args[0], name)) if is_fit else None

    return choose


SPACED: Final[dict[Any, Choice]] = {
    np.linspace: _linspace,
    np.digitize: _digitize,
    np.arange: _arange,
    np.fft.fftfreq: _frequencies(False),
    np.fft.rfftfreq: _frequencies(True),
    **{fn: _window(fn.__name__) for fn in (np.hanning, np.hamming, np.bartlett, np.blackman)},
}
