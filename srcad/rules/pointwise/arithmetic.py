"""Operators and their ufunc twins: `+ - * / // % ** divmod abs`, comparisons, logic and bits.

At the edges: `0 ** n` and `x ** 0` have the derivatives 0 and 1 of the polynomials that they are;
the derivative of `0 ** b` in `b` is 0; `a // b` has derivative 0, at its jumps too, and `a % b`
that of `a - (a // b) * b`.
"""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.facts import TypeFunction, bool_type, ufunc_type
from srcad.rules.core.kinks import nonzero, sign
from srcad.rules.core.operator_facts import operator_type, same_kind_type
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.product import over, spread, times
from srcad.rules.core.registry import elementwise, nondiff, rule, same, zero
from srcad.rules.core.staged import call, is_complex, is_number
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.complex_numbers import conj

_UFUNC = {op: ufunc for ufunc, op in OPERATORS.items()}


def _operator_type(op: Any) -> TypeFunction:
    return operator_type(op, _UFUNC[op])


def _both(op: Any, *partials: Any, **about: Any) -> None:
    """The rule of an operator and of the ufunc that it calls for arrays."""
    elementwise(op, *partials, type_of=_operator_type(op), **about)
    same(_UFUNC[op], op)


_NUMBERS = (Case((3, 4), float), Case(float, (4,)), Case(float, float), Case((3, 4), 2.5))

_both(operator.add, lambda y, a, b: 1, lambda y, a, b: 1, cases=_NUMBERS)
_both(operator.sub, lambda y, a, b: 1, lambda y, a, b: -1, cases=_NUMBERS)
_both(operator.mul, lambda y, a, b: b, lambda y, a, b: a, cases=_NUMBERS)
_both(operator.neg, lambda y, a: -1, cases=(Case(float),))
_both(operator.pos, lambda y, a: 1, cases=(Case(float),))


def _divisor(y: Any, a: Any, b: Any) -> Any:
    return over(1, -y * y) if is_number_equal(a, 1) else over(b, -y)


def is_number_equal(a: Any, number: float) -> bool:
    """Whether `a` is this constant."""
    return type(a) in (int, float) and a == number


_both(
    operator.truediv,
    lambda y, a, b: over(b),
    _divisor,
    domain=(0.5, 2.0),
    cases=(
        *_NUMBERS,
        Case(1, (3, 4)),
        Case(1, float),
        Case((3, 4), lambda rng: -rng.uniform(0.5, 2.0, (3, 4))),
    ),
)
_both(
    operator.mod,
    lambda y, a, b: 1,
    lambda y, a, b: -(a // b),
    domain=(1.05, 1.95),
    cases=(
        *_NUMBERS,
        Case(lambda rng: rng.uniform(2.1, 2.9, (3, 4)), lambda rng: np.full(4, -1.0)),
    ),
)
zero(
    operator.floordiv,
    type_of=_operator_type(operator.floordiv),
    domain=(0.5, 2.0),
    cases=_NUMBERS,
)
zero(np.floor_divide, domain=(0.5, 2.0))


def base_partial(y: Any, a: Any, b: Any) -> Any:
    """The partial of `a ** b` in `a`; no 0 * inf at `b = 0`."""
    if type(b) not in (int, float):
        return b * a ** (b - (b != 0))
    match b:
        case 0:
            return ZERO
        case 1:
            return 1
        case 2:
            return 2 * a
        case -1:
            return over(1, -y * y)
        case 0.5:
            return over(y, 0.5)
        case _:
            return b * a ** (b - 1)


def exponent_partial(y: Any, a: Any, b: Any) -> Any:
    """The partial of `a ** b` in `b`: 0 for the base 0."""
    if type(a) in (int, float) and (a >= 0 or not is_complex(y)):
        return y * math.log(a) if a > 0 else y * math.nan if a else ZERO
    base = nonzero(a)
    if is_number(a):
        return y * call(cmath.log if is_complex(y) else math.log, base)
    if is_complex(y) and not is_complex(a):
        base = base.astype(y.dtype)  # its logarithm is complex where it is negative
    return y * np.log(base)


_POWERS = tuple(Case((3, 4), n) for n in (0, 1, 2, 3, -1, -2, 0.5, 2.5))
_both(
    operator.pow,
    base_partial,
    exponent_partial,
    domain=(0.4, 2.0),
    cases=(
        *_NUMBERS,
        *_POWERS,
        Case(2, (3, 4)),
        Case(float, 3),
        Case(float, 0.5),
        Case(lambda rng: -rng.uniform(0.5, 2.0, (3, 4)), 3),
        Case(lambda rng: -rng.uniform(0.5, 2.0, (3, 4)), Case.made(lambda rng: np.arange(4))),
    ),
    note="0 ** b has derivative 0 in b",
)
same(pow, operator.pow)


def _divmod_jvp(ts: Any, y: Any, a: Any, b: Any) -> Any:
    partials = (1, -y[0])
    terms = (times(t, p) for t, p in zip(ts, partials, strict=True) if t is not ZERO)
    return ZERO, spread(sum(terms, start=ZERO), y[1])


def _divmod_type(a: Any, b: Any) -> Any:
    return _operator_type(operator.floordiv)(a, b), _operator_type(operator.mod)(a, b)


def _divmod(fn: Any, type_of: TypeFunction) -> None:
    rule(
        fn,
        jvp=_divmod_jvp,
        a=lambda g, y, a, b: unbroadcast(g[1], a),
        b=lambda g, y, a, b: unbroadcast(times(g[1], -y[0]), b),
        type_of=type_of,
        domain=(1.05, 1.95),
        cases=(Case((3, 4), (4,)), *_NUMBERS),
    )


_divmod(divmod, _divmod_type)
_divmod(np.divmod, ufunc_type(np.divmod))


def _abs_jvp(ts: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return np.real(ts[0] * conj(x)) / nonzero(y)
    return times(ts[0], sign(x))


def _abs_vjp(g: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return g * conj(x) / nonzero(y)
    return times(g, sign(x))


for _abs in (abs, operator.abs):
    rule(
        _abs,
        jvp=_abs_jvp,
        x=_abs_vjp,
        type_of=same_kind_type(np.absolute),
        cases=(Case((3, 4)), Case(float)),
        note="0 at 0",
    )

_NUMBER_PAIRS = (Case((3, 4), (4,)), *_NUMBERS)
for _op in (
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
):
    nondiff(_op, type_of=_operator_type(_op), cases=_NUMBER_PAIRS)
    nondiff(_UFUNC[_op])

_INTEGERS = Case.made(lambda rng: rng.integers(0, 5, (3, 4)))
_INTEGER_PAIRS = (Case(_INTEGERS, _INTEGERS), Case(_INTEGERS, 2), Case(6, 3))
for _op in (
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
):
    nondiff(_op, type_of=_operator_type(_op), cases=_INTEGER_PAIRS)
    nondiff(_UFUNC[_op], cases=_INTEGER_PAIRS[:1])
nondiff(
    operator.invert,
    type_of=_operator_type(operator.invert),
    cases=(Case(_INTEGERS), Case(5)),
)
nondiff(np.invert, np.bitwise_count, cases=(Case(_INTEGERS),))
nondiff(np.gcd, np.lcm, cases=_INTEGER_PAIRS[:1])


nondiff(
    operator.not_, operator.truth, bool, type_of=bool_type, cases=(Case(2.0), Case(float), Case(()))
)
nondiff(runtime.is_or_equals, type_of=bool_type, cases=(Case(float, float), Case((), float)))
nondiff(runtime.is_numpys, type_of=bool_type, cases=(Case(float),))
nondiff(operator.is_, operator.is_not, type_of=bool_type, cases=(Case(None, (3,)), Case(1.5, None)))
nondiff(operator.contains, type_of=bool_type, cases=(Case((1, 2, 3), 2),))
