"""Float ufuncs: exponentials, roots, trigonometric and hyperbolic functions, parts of numbers.

Partials are stated in the output `y` where that is cheaper: exp' = y, tanh' = 1 - y², sqrt' = 1 /
(2 y).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import Type, dtype_of, shape_of
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.declaration.declared import elementwise_type
from srcad.rules.core.declaration.own_backward import Backward, attached_type, attached_vjp
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    float_type,
    real_part_type,
    same_type,
    truth_type,
    ufunc_type,
)
from srcad.rules.core.kinks import nonzero, or_infinity
from srcad.rules.core.product import over, times
from srcad.rules.core.registry import elementwise, linear, nondiff, rule, zero
from srcad.rules.core.staged import call, is_complex, is_scalar, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.arithmetic import base_partial, exponent_partial

LN2, LN10 = math.log(2), math.log(10)

# Exponentials and logarithms
elementwise(np.exp, lambda y, x: y)
elementwise(np.exp2, lambda y, x: y * LN2)
elementwise(np.expm1, lambda y, x: y + 1)
elementwise(np.log, lambda y, x: over(x), domain=(0.2, 3.0))
elementwise(np.log2, lambda y, x: over(x, 1 / LN2), domain=(0.2, 3.0))
elementwise(np.log10, lambda y, x: over(x, 1 / LN10), domain=(0.2, 3.0))
elementwise(np.log1p, lambda y, x: over(1 + x), domain=(-0.7, 2.0))


def _share(a: Any, y: Any, exp: Any) -> Any:
    """exp(a - y); 1 where `a` is all of `y`, infinite ones too."""
    return np.where(a == y, 1, exp(a - y))


def _share_of_second(y: Any, a: Any, b: Any) -> Any:
    """The logistic function of b - a; with `a` zero by the exponential that the value uses."""
    if type(a) in (int, float) and a == 0 and not is_scalar(b):
        e = np.exp(-np.abs(b))
        return over(1 + e, np.where(b >= 0, 1, e))
    return _share(b, y, np.exp)


elementwise(np.logaddexp, lambda y, a, b: _share(a, y, np.exp), _share_of_second)
elementwise(
    np.logaddexp2, lambda y, a, b: _share(a, y, np.exp2), lambda y, a, b: _share(b, y, np.exp2)
)

# Powers and roots
elementwise(np.square, lambda y, x: 2 * x)
elementwise(np.sqrt, lambda y, x: over(y, 0.5), domain=(0.2, 3.0))
elementwise(np.cbrt, lambda y, x: over(3 * y * y), domain=(0.2, 3.0))
elementwise(np.reciprocal, lambda y, x: -y * y, domain=(0.4, 3.0))
elementwise(np.float_power, base_partial, exponent_partial, domain=(0.4, 2.0))
elementwise(
    np.hypot,
    lambda y, a, b: over(or_infinity(y), a),
    lambda y, a, b: over(or_infinity(y), b),
    note="(0, 0) at (0, 0)",
)

# Trigonometric functions
elementwise(np.sin, lambda y, x: np.cos(x))
elementwise(np.cos, lambda y, x: -np.sin(x))
elementwise(np.tan, lambda y, x: 1 + y * y, domain=(-1.2, 1.2))
elementwise(np.arcsin, lambda y, x: over(np.sqrt(1 - x * x)), domain=(-0.9, 0.9))
elementwise(np.arccos, lambda y, x: over(np.sqrt(1 - x * x), -1), domain=(-0.9, 0.9))
elementwise(np.arctan, lambda y, x: over(1 + x * x))
elementwise(
    np.arctan2,
    lambda y, a, b: over(nonzero(a * a + b * b), b),
    lambda y, a, b: over(nonzero(a * a + b * b), -a),
    domain=(0.2, 2.0),
    note="(0, 0) at (0, 0)",
)


def _sinc_partial(y: Any, x: Any) -> Any:
    """The quotient; near 0, where it cancels, its Taylor series: exact, as are its derivatives."""
    s = np.square(np.pi * x)
    series = s * (s * (s * (s / 3991680 - 1 / 45360) + 1 / 840) - 1 / 30) + 1 / 3
    near = np.abs(x) < 0.1
    far = (np.cos(np.pi * x) - y) / np.where(near, 1, x)
    return np.where(near, -(np.pi**2) * x * series, far)


elementwise(np.sinc, _sinc_partial, type_of=float_type, note="0 at 0")
for _degrees in (np.degrees, np.rad2deg):
    elementwise(_degrees, lambda y, x: 180 / math.pi)
for _radians in (np.radians, np.deg2rad):
    elementwise(_radians, lambda y, x: math.pi / 180)

# Hyperbolic functions
elementwise(np.sinh, lambda y, x: np.cosh(x))
elementwise(np.cosh, lambda y, x: np.sinh(x))
elementwise(np.tanh, lambda y, x: 1 - y * y)
elementwise(np.arcsinh, lambda y, x: over(np.sqrt(1 + x * x)))
elementwise(
    np.arccosh,
    # Of complex numbers in two factors, which have the branch cut of the function: Kahan (1987),
    # "Branch cuts for complex elementary functions".
    lambda y, x: over(np.sqrt(x - 1) * np.sqrt(x + 1) if is_complex(x) else np.sqrt(x * x - 1)),
    domain=(1.2, 4.0),
)
elementwise(np.arctanh, lambda y, x: over(1 - x * x), domain=(-0.9, 0.9))


# Magnitude and sign
def _abs_jvp(ts: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return np.real(ts[0] * np.conj(x)) / nonzero(y)
    return times(ts[0], np.sign(x))


def _abs_vjp(g: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return times(g, over(nonzero(y), np.conj(x)))
    return cast_like(times(g, np.sign(x)), x)


rule(np.absolute, jvp=_abs_jvp, x=_abs_vjp, note="0 at 0")
elementwise(
    runtime.relu,
    lambda y, x: y > 0,
    type_of=lambda x: ufunc_type(np.maximum)(x, 0),
    note="0 at 0",
)
elementwise(np.fabs, lambda y, x: np.sign(x), note="0 at 0")
elementwise(
    np.copysign,
    lambda y, a, b: np.sign(a) * np.copysign(1, b),
    lambda y, a, b: ZERO,
    note="0 at 0",
)
elementwise(np.heaviside, lambda y, a, b: ZERO, lambda y, a, b: a == 0, note="0 at 0")


def _sign_jvp(ts: Any, y: Any, x: Any) -> Any:
    """Of complex numbers the turn alone: the size of `x / |x|` stays."""
    if not is_complex(x):
        return ZERO
    return y * (1j * np.imag(np.conj(y) * ts[0]) / nonzero(np.abs(x)))


def _sign_vjp(g: Any, y: Any, x: Any) -> Any:
    if not is_complex(x):
        return ZERO
    return np.conj(y) * (1j * np.imag(g * y) / nonzero(np.abs(x)))


rule(np.sign, jvp=_sign_jvp, x=_sign_vjp, note="0 for real numbers, and at 0")
nondiff(np.signbit, np.isnan, np.isinf, np.isfinite)
nondiff(np.isneginf, np.isposinf, np.iscomplex, np.isreal, type_of=truth_type)
nondiff(np.logical_and, np.logical_or, np.logical_xor, np.logical_not)

# Parts of numbers
zero(np.floor, np.ceil, np.rint, np.trunc)
zero(np.fix, type_of=elementwise_type(np.fix))  # of integers by the version of NumPy
nondiff(runtime.stop_gradient, type_of=same_type, cases=(Case((3, 4)), Case(float)))
rule(
    runtime.attached,
    vjp=attached_vjp,
    type_of=attached_type,
    cases=[Case((3, 4), (3, 4), backward=Backward(np.copy, lambda kept, g: g, None, 0, 1, False))],
)


def _in_dtype_of(g: Any, x: Any) -> Any:
    dtype = dtype_of(type_of(x))
    assert dtype is not None, x
    return call(dtype.type, g) if is_scalar(x) else call(np.asarray, g, dtype=dtype.type)


rule(
    runtime.own_dtype,
    jvp=lambda ts, y, x: ts[0],
    x=lambda g, y, x: _in_dtype_of(g, x),
    type_of=same_type,
    cases=(Case((3, 4)),),
)


linear(
    runtime.as_tried,
    x=lambda g, y, x, kind, dtype="", rank=0, count=None: g,
    type_of=same_type,
    cases=(Case((3, 4), "ndarray", "", 2),),
)


for _mark in (runtime.own_array, runtime.own_view):
    linear(_mark, x=lambda g, y, x: g, type_of=same_type, cases=(Case((3, 4)),))


linear(
    runtime.as_listed,
    x=lambda g, y, x, is_numpys: g,
    type_of=same_type,
    cases=(Case(float, True), Case(float, False)),
)


rule(
    runtime.as_held,
    jvp=lambda ts, y, x, items, index: ts[0],
    x=lambda g, y, x, items, index: g,
    items=lambda g, y, x, items, index: ZERO,
    type_of=same_type,
    cases=(Case(float, [0.5, 1.5], 1),),
)


def _round_type(a: object, decimals: object = 0) -> Type:
    t = as_type(a)
    if shape_of(as_type(decimals)) != () or isinstance(decimals, str | type):
        raise TypeError(f"{decimals} cannot be interpreted as an integer")
    return array_or_scalar(dtype_of(t) or np.dtype(float), shape_of(t))


zero(
    np.round,
    np.around,
    type_of=_round_type,
    cases=(Case((3, 4)), Case((3, 4), 1), Case((3,), decimals=2)),
)
elementwise(
    np.fmod,
    lambda y, a, b: 1,
    lambda y, a, b: -np.trunc(a / b),
    domain=(1.05, 1.95),
    cases=(Case(lambda rng: rng.uniform(2.1, 2.9, (3, 4)), lambda rng: np.full(4, -1.0)),),
)
linear(
    np.ldexp,
    x=lambda g, y, x, i: unbroadcast(np.ldexp(g, i), x),
    cases=tuple(
        Case(shape, Case.made(lambda rng: rng.integers(-2, 3, 4))) for shape in ((3, 4), ())
    ),
)
rule(
    np.frexp,
    jvp=lambda ts, y, x: (np.ldexp(ts[0], -y[1]), ZERO),
    x=lambda g, y, x: np.ldexp(g[0], -y[1]),
)
rule(np.modf, jvp=lambda ts, y, x: (ts[0], ZERO), x=lambda g, y, x: g[0])


def _nan_to_num_type(x: object, **_: object) -> Type:
    t = as_type(x)
    return array_or_scalar(dtype_of(t) or np.dtype(float), shape_of(t))


def _where_finite(t: Any, x: Any) -> Any:
    """`t` where `x` is finite; of complex numbers each part where that of `x` is."""
    if is_complex(x):
        real, imag = (np.where(np.isfinite(p(x)), p(t), 0) for p in (np.real, np.imag))
        return cast_like(real + imag * 1j, x)
    return cast_like(np.where(np.isfinite(x), t, 0), x)


rule(
    np.nan_to_num,
    jvp=lambda ts, y, x, nan=0.0, posinf=None, neginf=None: _where_finite(ts[0], x),
    x=lambda g, y, x, nan=0.0, posinf=None, neginf=None: _where_finite(g, x),
    type_of=_nan_to_num_type,
    note="0 at NaN and infinities",
)

# Complex parts
linear(np.conjugate, x=lambda g, y, x: np.conj(g))
linear(np.real, val=lambda g, y, val: cast_like(g, val), type_of=real_part_type)
rule(
    np.imag,
    jvp=lambda ts, y, val: np.imag(ts[0]) if is_complex(val) else ZERO,
    val=lambda g, y, val: g * -1j if is_complex(val) else ZERO,
    type_of=real_part_type,
)


def _angle_type(z: object, **_: object) -> Type:
    return real_part_type(float_type(z))


def _turn(z: Any, deg: Any) -> Any:
    """The partial of the angle: along `1j * z` it grows by one."""
    return over(nonzero(z), -180j / math.pi if deg else -1j)


rule(
    np.angle,
    jvp=lambda ts, y, z, deg=False: np.real(times(ts[0], _turn(z, deg))) if is_complex(z) else ZERO,
    z=lambda g, y, z, deg=False: times(g, _turn(z, deg)) if is_complex(z) else ZERO,
    type_of=_angle_type,
    cases=(Case((3, 4)), Case((3, 4), deg=True)),
    note="0 for real numbers",
)

# The number beside x1 moves with it.
elementwise(np.nextafter, lambda y, x1, x2: 1, lambda y, x1, x2: ZERO)
