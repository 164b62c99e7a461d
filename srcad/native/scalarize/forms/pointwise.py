"""Functions of single entries, by others that compiled code has.

np.sinc(x)          sin(pi x) / (pi x), near 0 as NumPy takes it
np.heaviside(x, h)  0, h or 1
np.select(...)      np.where, one in the other
np.polyval(p, x)    Horner's scheme
np.i0(x)            its power series
polygamma(0, x)     a recurrence up to 15, then the asymptotic series
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.native.scalarize.forms.axes import entry_by_entry
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    Choice,
    Chosen,
    Form,
    Formula,
    is_array,
    options,
    rank,
)
from srcad.rules.core.staged import type_of


def sinc(x: Any) -> Any:
    """`np.sinc(x)`."""
    y = np.pi * np.where(x == 0.0, 1.0e-20, x)
    return np.sin(y) / y


def heaviside(x: Any, h: Any) -> Any:
    """`np.heaviside(x, h)`."""
    return np.where(x < 0.0, 0.0, np.where(x > 0.0, 1.0, np.where(x == 0.0, h, x)))


def without_nan(x: Any) -> Any:
    """`np.nan_to_num(x)`."""
    most = np.finfo(np.float64).max
    return np.where(np.isnan(x), 0.0, np.minimum(np.maximum(x, -most), most))


def are_close(a: Any, b: Any) -> Any:
    """`np.isclose(a, b)`."""
    near = np.abs(a - b) <= 1.0e-8 + 1.0e-5 * np.abs(b)
    return (near & np.isfinite(b)) | (a == b)


def selected(rest: Any, *parts: Any) -> Any:
    """`np.select(conditions, choices, rest)`: `parts` are the conditions, then the choices."""
    count = len(parts) // 2
    for k in range(count - 1, -1, -1):
        rest = np.where(parts[k], parts[count + k], rest)
    return rest


def polynomial(x: Any, *coefficients: Any) -> Any:
    """`np.polyval(coefficients, x)` of a list."""
    y = 0.0 * x
    for c in coefficients:
        y = y * x + c
    return y


def polynomial_at(p: Any, x: Any) -> Any:
    """`np.polyval(p, x)` of a number."""
    y = 0.0 * x
    for k in range(len(p)):
        y = y * x + p[k]
    return y


def polynomial_of_entries(p: Any, x: Any) -> Any:
    """`np.polyval(p, x)` of a vector."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = polynomial_at(p, x[i])
    return out


def powers(x: Any, n: Any) -> Any:
    """`np.vander(x, n)`."""
    if n < 1:
        raise ValueError("no powers")
    out = np.empty((len(x), n))
    for i in range(len(x)):
        out[i, n - 1] = 1.0
        for k in range(1, n):
            out[i, n - 1 - k] = out[i, n - k] * x[i]
    return out


def other_powers(x: Any, n: Any, is_increasing: bool) -> Any:
    """`np.vander(x, n, increasing)`, of as many powers as there are numbers if n is None."""
    y = np.vander(x, x.shape[0] if n is None else n)
    return np.flip(y, 1) if is_increasing else y


def mantissa_and_exponent(x: Any) -> Any:
    """`np.frexp(x)`: by powers of two, which are exact."""
    is_tiny = np.abs(x) < 2.0**-1022
    a = np.where(is_tiny, np.abs(x) * 2.0**54, np.abs(x))
    e = np.where(is_tiny, -54, 0)
    for k in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1):
        is_large = a >= (2.0**k if k > 1 else 1.0)
        a, e = np.where(is_large, a * 2.0**-k, a), np.where(is_large, e + k, e)
    for k in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
        is_small = a < 2.0**-k
        a, e = np.where(is_small, a * 2.0**k, a), np.where(is_small, e - k, e)
    is_number = np.isfinite(x) & (x != 0.0)
    e = np.where(is_number, e, 0)
    return np.where(is_number, np.copysign(a, x), x), np.astype(e, np.dtype(np.int32))


def bessel(x: Any) -> Any:
    """`np.i0(x)` of a number, by its power series, whose terms are positive."""
    if not abs(x) <= 700.0:
        raise ValueError("a large number, or none")
    square = 0.25 * x * x
    total, term, k = np.float64(1.0), np.float64(1.0), 1.0
    while term > 1.0e-17 * total:
        term *= square / (k * k)
        total += term
        k += 1.0
    return total


def bessel_of_entries(x: Any) -> Any:
    """`np.i0(x)` of a vector."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = bessel(x[i])
    return out


def logarithm_of_sum(x: Any, y: Any) -> Any:
    """`np.logaddexp2(x, y)`; equal infinities are no difference."""
    apart = np.where(x == y, 0.0, x - y)
    return np.maximum(x, y) + np.log1p(np.exp2(-np.abs(apart))) * (1.0 / math.log(2.0))


def logarithm_to_ten(z: Any) -> Any:
    """`np.log10(z)` of complex numbers."""
    return np.log(z) * (1.0 / math.log(10.0))


def logarithm_to_two(z: Any) -> Any:
    """`np.log2(z)` of complex numbers."""
    return np.log(z) * (1.0 / math.log(2.0))


def inverse(z: Any) -> Any:
    """`np.reciprocal(z)` of complex numbers."""
    return 1.0 / z


def angle_of_real(x: Any, deg: bool) -> Any:
    """`np.angle(x, deg)` of real numbers."""
    angle = np.arctan2(0.0 * x, x)
    return angle * (180.0 / np.pi) if deg else angle


def digamma(x: Any) -> Any:
    """`runtime.polygamma(0, x)`."""
    x = float(x)
    total = 0.0
    while x < 15:
        total -= 1.0 / x
        x += 1.0
    square, series, power = x * x, 0.5 / x, 1.0
    for b in (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12):
        power *= square
        series += b / power
    return total + math.log(x) - series


def _digamma(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and not op.kwargs and op.args[0] == 0
    return (digamma, op.args[1:]) if is_fit else None


def _bessel(op: Op) -> Chosen | None:
    if op.kwargs or not is_array(op.args[0], FLOAT, *range(4)):
        return None
    n = rank(op.args[0])
    if n > 1:
        return Formula(entry_by_entry(np.i0)), op.args
    return (bessel_of_entries if n else bessel), op.args


def _vander(op: Op) -> Chosen | None:
    found = options(op, 1, N=None, increasing=False)
    if found is None or type(found[1]) is not bool or not is_array(op.args[0], FLOAT, 1):
        return None
    if found[1] or found[0] is None:
        return Formula(other_powers), (op.args[0], *found)
    return (powers, (op.args[0], found[0])) if is_python_int(found[0]) else None


def _is_choice(x: Any) -> bool:
    return type(x) in (int, np.float64) or is_array(x, FLOAT, *range(4))


def _select(op: Op) -> Chosen | None:
    found = options(op, 2, default=0)
    conditions, choices = op.args[:2]
    if found is None or not isinstance(conditions, list | tuple):
        return None
    if not isinstance(choices, list | tuple) or len(choices) != len(conditions):
        return None
    is_fit = all(is_array(x, np.dtype(bool), *range(4)) for x in conditions)
    is_fit = is_fit and all(map(_is_choice, (*choices, found[0])))
    if not is_fit or dtype_of(type_of(op.out)) != FLOAT:
        return None
    return Formula(selected), (found[0], *conditions, *choices)


def _polyval(op: Op) -> Chosen | None:
    if op.kwargs or len(op.args) != 2 or not is_array(op.args[1], FLOAT, *range(4)):
        return None
    p, x = op.args
    if isinstance(p, np.ndarray) and p.ndim == 1 and p.dtype.kind in "if":
        p = p.tolist()
    if isinstance(p, list | tuple):
        is_fit = bool(p) and all(type(c) is int or is_array(c, FLOAT, 0) for c in p)
        return (Formula(polynomial), (x, *p)) if is_fit else None
    if not is_array(p, FLOAT, 1) or not is_array(x, FLOAT, 0, 1):
        return None
    return (polynomial_at if is_array(x, FLOAT, 0) else polynomial_of_entries), (p, x)


def _angle(op: Op) -> Chosen | None:
    found = options(op, 1, deg=False)
    is_fit = found is not None and type(found[0]) is bool
    is_fit = is_fit and is_array(op.args[0], FLOAT, *range(4))
    return (Formula(angle_of_real), (op.args[0], *(found or ()))) if is_fit else None


def _of_entries(form: Form, count: int, kind: np.dtype = FLOAT) -> Choice:
    def choose(op: Op) -> Chosen | None:
        if op.kwargs or len(op.args) != count:
            return None
        fits = all(is_array(x, kind, *range(4)) for x in op.args)
        return (Formula(form), op.args) if fits else None

    return choose


POINTWISE: Final[dict[Any, Choice]] = {
    runtime.polygamma: _digamma,
    np.sinc: _of_entries(sinc, 1),
    np.heaviside: _of_entries(heaviside, 2),
    np.nan_to_num: _of_entries(without_nan, 1),
    np.logaddexp2: _of_entries(logarithm_of_sum, 2),
    np.angle: _angle,
    np.log10: _of_entries(logarithm_to_ten, 1, COMPLEX),
    np.log2: _of_entries(logarithm_to_two, 1, COMPLEX),
    np.reciprocal: _of_entries(inverse, 1, COMPLEX),
    np.select: _select,
    np.polyval: _polyval,
    np.vander: _vander,
    np.frexp: _of_entries(mantissa_and_exponent, 1),
    np.i0: _bessel,
    np.isclose: _of_entries(are_close, 2),
}
