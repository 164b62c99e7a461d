"""Functions of Python's `math` and `cmath` by others that compiled code has.

math.dist(p, q)      np.hypot of the differences, one after the other
math.modf(x)         math.fmod(x, 1.0), and the rest
cmath.rect(r, a)     complex(r * math.cos(a), r * math.sin(a))
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    Choice,
    Chosen,
    Formula,
    is_array,
    must,
)
from srcad.rules.core.staged import call, is_complex, type_of


def absolute(x: Any) -> Any:
    """`math.hypot(x)`."""
    return call(math.fabs, x)


def power_of_two(x: Any) -> Any:
    """`math.exp2(x)`."""
    return call(math.pow, 2.0, x)


def cube_root(x: Any) -> Any:
    """`math.cbrt(x)`."""
    return call(float, call(np.cbrt, x))


def parts(x: Any) -> Any:
    """`math.modf(x)`, of which `math.fmod` refuses infinities."""
    part = call(math.fmod, x, 1.0)
    return part, x - part


def scaled(x: Any, n: Any) -> Any:
    """`math.ldexp(x, n)`."""
    x = call(np.float64, x)
    y = np.ldexp(x, call(np.int64, n))
    must(call(operator.or_, np.isfinite(y), ~np.isfinite(x)))
    return call(float, y)


def mantissa_and_exponent(x: Any) -> Any:
    """`math.frexp(x)`."""
    part, exponent = np.frexp(call(np.float64, x))
    return call(float, part), call(int, exponent)


def nearest_rest(x: Any, y: Any) -> Any:
    """`math.remainder(x, y)`, as Python computes it: without rounding."""
    whole, size = call(math.fabs, x), call(math.fabs, y)
    rest = call(math.fmod, whole, size)
    other = size - rest
    half = rest - 2.0 * call(math.fmod, 0.5 * (whole - rest), size)
    found = np.where(rest < other, rest, np.where(rest > other, -other, half))
    return call(math.copysign, 1.0, x) * call(float, found)


def rest(x: Any, y: Any) -> Any:
    """`np.remainder(x, y)` of Python's numbers."""
    return np.remainder(call(np.float64, x), y)


def exact_sum(v: Any) -> Any:
    """`math.fsum(v)` of a vector: sums that do not overlap, of which the last one is rounded."""
    parts = np.zeros(64)
    n = 0
    for k in range(len(v)):
        x = float(v[k])
        if not abs(x) < 1.0e290:
            raise ValueError("a large number, or none")
        kept = 0
        for j in range(n):
            y = float(parts[j])
            if abs(x) < abs(y):
                x, y = y, x
            whole = x + y
            lost = y - (whole - x)
            if lost != 0.0:
                parts[kept] = lost
                kept += 1
            x = whole
        parts[kept] = x
        n = kept + 1
    total, lost = 0.0, 0.0
    while n > 0 and lost == 0.0:
        n -= 1
        x = total
        total = x + float(parts[n])
        lost = float(parts[n]) - (total - x)
    if n > 0 and ((lost < 0.0 and parts[n - 1] < 0.0) or (lost > 0.0 and parts[n - 1] > 0.0)):
        more = total + 2.0 * lost
        if more - total == 2.0 * lost:
            total = more
    return total


def distance(p: Any, q: Any) -> Any:
    """`math.dist(p, q)` of vectors."""
    return call(float, call(np.hypot.reduce, p - q))


def from_polar(r: Any, angle: Any) -> Any:
    """`cmath.rect(r, angle)`."""
    return call(complex, r * call(math.cos, angle), r * call(math.sin, angle))


def phase(z: Any) -> Any:
    """`cmath.phase(z)`."""
    return call(math.atan2, *_parts(z))


def to_polar(z: Any) -> Any:
    """`cmath.polar(z)`."""
    return call(math.hypot, *_parts(z)), phase(z)


def logarithm_to_ten(z: Any) -> Any:
    """`cmath.log10(z)`."""
    return call(cmath.log, z) / math.log(10.0)


def _parts(z: Any) -> tuple[Any, Any]:
    """The imaginary part and the real one, of a real number too."""
    return (call(np.imag, z), call(np.real, z)) if is_complex(z) else (0.0, z)


def _of_numbers(fn: Callable[..., Any], count: int, *kinds: type) -> Choice:
    def choose(op: Op) -> Chosen | None:
        fits = (_is_number(x, (int, float, *kinds)) for x in op.args)
        is_fit = len(op.args) == count and not op.kwargs and all(fits)
        return (Formula(fn), op.args) if is_fit else None

    return choose


def _is_number(x: Any, kinds: tuple[type, ...]) -> bool:
    t = type_of(x)
    if isinstance(t, NumberType):
        return t.kind in kinds
    return is_array(x, FLOAT, 0) or (complex in kinds and is_array(x, COMPLEX, 0))


def _rest(op: Op) -> Chosen | None:
    is_fit = all(isinstance(type_of(x), NumberType) for x in op.args) and not op.kwargs
    is_fit = is_fit and dtype_of(type_of(op.out)) == FLOAT
    return (Formula(rest), op.args) if is_fit else None


def _scaled(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and _is_number(op.args[0], (int, float))
    return (Formula(scaled), op.args) if is_fit and is_python_int(op.args[1]) else None


def _distance(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and not op.kwargs and all(is_array(x, FLOAT, 1) for x in op.args)
    return (Formula(distance), op.args) if is_fit else None


def _exact_sum(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 1)
    return (exact_sum, op.args) if is_fit else None


PYTHON_NUMBERS: Final[dict[Any, Choice]] = {
    math.hypot: _of_numbers(absolute, 1),
    math.modf: _of_numbers(parts, 1),
    math.dist: _distance,
    math.fsum: _exact_sum,
    math.ldexp: _scaled,
    math.frexp: _of_numbers(mantissa_and_exponent, 1),
    math.remainder: _of_numbers(nearest_rest, 2),
    np.remainder: _rest,
    math.exp2: _of_numbers(power_of_two, 1),
    math.cbrt: _of_numbers(cube_root, 1),
    cmath.rect: _of_numbers(from_polar, 2),
    cmath.phase: _of_numbers(phase, 1, complex),
    cmath.polar: _of_numbers(to_polar, 1, complex),
    cmath.log10: _of_numbers(logarithm_to_ten, 1, complex),
}
