"""`math`, and the built-in functions on numbers: they give Python numbers, as do their partials.

Those that take lists of numbers stand in `srcad.rules.pointwise.math_sequences`.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, is_inexact, shape_of
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    bool_type,
    promote,
    real_only,
)
from srcad.rules.core.kinks import nonzero, or_infinity, sign
from srcad.rules.core.product import Chosen, over, spread
from srcad.rules.core.registry import elementwise, linear, nondiff, rule, zero
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.arithmetic import base_partial, exponent_partial
from srcad.rules.pointwise.varargs import log_partial, varargs

NUMBER = (Case(float), Case(np.float64))


@real_only
def float_type(*args: object, **_: object) -> Type:
    """The type function of `math.sin` and its like: numbers give a float."""
    if any(shape_of(as_type(a)) != () for a in args):
        raise UncoveredError("arrays")
    if promote(*map(as_type, args)).kind == "c":
        raise UncoveredError("complex arguments")
    return NumberType(float)


def _int(*_: object, **__: object) -> Type:
    return NumberType(int)


def _unary(
    fn: Any, partial: Any, domain: tuple[float, float] = (-2.0, 2.0), note: str = ""
) -> None:
    elementwise(fn, partial, type_of=float_type, domain=domain, cases=NUMBER, note=note)


# Exponentials, logarithms, powers
_POSITIVE = (0.2, 3.0)
_unary(math.exp, lambda y, x: y)
_unary(math.exp2, lambda y, x: y * math.log(2))
_unary(math.expm1, lambda y, x: y + 1)
_unary(math.log2, lambda y, x: over(x, 1 / math.log(2)), _POSITIVE)
_unary(math.log10, lambda y, x: over(x, 1 / math.log(10)), _POSITIVE)
_unary(math.log1p, lambda y, x: over(1 + x), (-0.7, 2.0))
_unary(math.sqrt, lambda y, x: over(y, 0.5), _POSITIVE)
_unary(math.cbrt, lambda y, x: over(3 * y * y), _POSITIVE)
elementwise(
    math.pow,
    base_partial,
    exponent_partial,
    type_of=float_type,
    domain=(0.4, 2.0),
    cases=(Case(float, float), Case(float, 3), Case(2, float), Case(float, 0)),
)


varargs(
    math.log,
    log_partial(math.log),
    cases=(*NUMBER, Case(float, float), Case(float, 10), Case(2, float)),
    type_of=float_type,
    domain=(1.2, 3.0),
)
varargs(
    math.hypot,
    lambda i, y, *args: over(or_infinity(y), args[i]),
    cases=(*NUMBER, Case(float, float), Case(float, 1.5, float)),
    type_of=float_type,
    note="0 at 0",
)

# Trigonometric and hyperbolic functions
_unary(math.sin, lambda y, x: call(math.cos, x))
_unary(math.cos, lambda y, x: -call(math.sin, x))
_unary(math.tan, lambda y, x: 1 + y * y, (-1.2, 1.2))
_unary(math.asin, lambda y, x: over(call(math.sqrt, 1 - x * x)), (-0.9, 0.9))
_unary(math.acos, lambda y, x: over(call(math.sqrt, 1 - x * x), -1), (-0.9, 0.9))
_unary(math.atan, lambda y, x: over(1 + x * x))
_unary(math.sinh, lambda y, x: call(math.cosh, x))
_unary(math.cosh, lambda y, x: call(math.sinh, x))
_unary(math.tanh, lambda y, x: 1 - y * y)
_unary(math.asinh, lambda y, x: over(call(math.sqrt, 1 + x * x)))
_unary(math.acosh, lambda y, x: over(call(math.sqrt, x * x - 1)), (1.2, 4.0))
_unary(math.atanh, lambda y, x: over(1 - x * x), (-0.9, 0.9))
_unary(math.degrees, lambda y, x: 180 / math.pi)
_unary(math.radians, lambda y, x: math.pi / 180)
elementwise(
    math.atan2,
    lambda y, a, b: over(nonzero(a * a + b * b), b),
    lambda y, a, b: over(nonzero(a * a + b * b), -a),
    type_of=float_type,
    cases=(Case(float, float), Case(np.float64, float)),
    note="(0, 0) at (0, 0)",
)

# Special functions
_ROOT_PI = math.sqrt(math.pi)
_unary(math.erf, lambda y, x: 2 / _ROOT_PI * call(math.exp, -x * x))
_unary(math.erfc, lambda y, x: -2 / _ROOT_PI * call(math.exp, -x * x))
_unary(math.gamma, lambda y, x: y * call(runtime.polygamma, 0, x), (0.5, 4.0))
_unary(math.lgamma, lambda y, x: call(runtime.polygamma, 0, x), (0.5, 4.0))


def _polygamma_partial(n: int, x: Any) -> Any:
    return call(runtime.polygamma, n + 1, x)


rule(
    runtime.polygamma,
    jvp=lambda ts, y, n, x: ts[1] * _polygamma_partial(n, x),
    x=lambda g, y, n, x: unbroadcast(g * _polygamma_partial(n, x), x),
    type_of=float_type,
    domain=(0.5, 4.0),
    cases=(Case(0, float), Case(1, float), Case(2, float)),
)

# Parts of numbers
_unary(math.fabs, lambda y, x: sign(x), note="0 at 0")
elementwise(
    math.copysign,
    lambda y, a, b: sign(a) * call(math.copysign, 1.0, b),
    lambda y, a, b: ZERO,
    type_of=float_type,
    cases=(Case(float, float), Case(float, -1.0)),
    note="0 at 0",
)
elementwise(
    math.fmod,
    lambda y, a, b: 1,
    lambda y, a, b: over(b, y - a),
    type_of=float_type,
    domain=(1.05, 1.95),
    cases=(Case(float, float), Case(4.5, float), Case(float, 1.0)),
)
elementwise(
    math.remainder,
    lambda y, a, b: 1,
    lambda y, a, b: over(b, y - a),
    type_of=float_type,
    domain=(1.05, 1.35),
    cases=(Case(float, float), Case(2.9, float), Case(float, 1.0)),
)
linear(
    math.ldexp,
    x=lambda g, y, x, i: unbroadcast(call(math.ldexp, g, i), x),
    type_of=float_type,
    cases=(Case(float, 3), Case(float, -2)),
)
rule(
    math.frexp,
    jvp=lambda ts, y, x: (call(math.ldexp, ts[0], -y[1]), ZERO),
    x=lambda g, y, x: unbroadcast(call(math.ldexp, g[0], -y[1]), x),
    type_of=lambda x: (float_type(x), NumberType(int)),
    cases=NUMBER,
)
rule(
    math.modf,
    jvp=lambda ts, y, x: (ts[0], ZERO),
    x=lambda g, y, x: unbroadcast(g[0], x),
    type_of=lambda x: (float_type(x), NumberType(float)),
    cases=NUMBER,
)
zero(math.ulp, type_of=float_type, cases=(Case(0.75),))
nondiff(math.floor, math.ceil, math.trunc, type_of=_int, cases=NUMBER)
nondiff(math.isnan, math.isinf, math.isfinite, type_of=bool_type, cases=NUMBER)
nondiff(math.isclose, type_of=bool_type, cases=(Case(float, 1.0), Case(2.0, 2.1, rel_tol=0.1)))
nondiff(math.gcd, math.lcm, math.comb, math.perm, type_of=_int, cases=(Case(6, 4),))
nondiff(math.factorial, math.isqrt, type_of=_int, cases=(Case(5),))

# Built-in functions


def _float_jvp(ts: Any, y: Any, x: Any) -> Any:
    return ts[0] if isinstance(type_of(ts[0]), NumberType) else call(float, ts[0])


rule(
    float,
    jvp=_float_jvp,
    x=lambda g, y, x: spread(g, x),
    type_of=float_type,
    cases=(Case(float), Case(np.float64), Case(())),
)
nondiff(int, type_of=_int, cases=(Case(float), Case(np.float64), Case(()), Case(3)))


def _round_type(x: object, ndigits: object = None) -> Type:
    if isinstance(ndigits, str | float):
        raise TypeError(f"{ndigits!r} cannot be interpreted as an integer")
    return NumberType(int) if ndigits is None else as_type(x)


zero(round, type_of=_round_type, cases=(Case(float), Case(float, 1), Case(np.float64, 1)))


def _winner_share(i: int, y: Any, *args: Any) -> Chosen:
    """1 for the only winner of `max` or `min`, evenly shared at ties."""
    winners = [arg == y for arg in args]
    if len(args) == 2:
        tie = 0.5 * (args[0] == args[1])
        return Chosen(winners[i], 1 - tie, winners[i] - tie)
    # The 0 makes numbers of NumPy's Booleans, whose sum would be a Boolean.
    count = functools.reduce(operator.add, winners, 0)
    return Chosen(winners[i], over(count), over(count, winners[i]))


def _extremum_type(*args: object, **options: object) -> Type:
    types = [as_type(a) for a in args]
    if options or len(types) < 2 or any(shape_of(t) != () for t in types):
        raise UncoveredError("anything but two or more numbers")
    if promote(*types).kind == "c":
        raise UncoveredError("complex arguments")
    if any(isinstance(t, ArrayType) for t in types):
        return ArrayType(promote(*types), (), scalar=True)
    return NumberType(float if any(is_inexact(t) for t in types) else int)


for _fn in (max, min):
    varargs(
        _fn,
        _winner_share,
        cases=(Case(float, float), Case(float, 0.1), Case(float, float, float)),
        type_of=_extremum_type,
        note="ties share evenly",
    )


def _sum_type(iterable: object, start: object = 0) -> Type:
    t = as_type(iterable)
    if not isinstance(t, ArrayType) or not t.shape or start != 0:
        raise UncoveredError("anything but an array")
    return array_or_scalar(promote(t, NumberType(int)), t.shape[1:])


linear(
    sum,
    iterable=lambda g, y, iterable: spread(g, iterable),
    type_of=_sum_type,
    cases=(Case((5,)), Case((3, 4))),
)
