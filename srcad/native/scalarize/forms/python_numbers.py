"""Functions of Python's `math` and `cmath` by others that compiled code has.

math.dist(p, q)      np.hypot of the differences, one after the other
math.modf(x)         math.fmod(x, 1.0), and the rest
cmath.rect(r, a)     complex(r * math.cos(a), r * math.sin(a))
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.native.scalarize.forms.calls import COMPLEX, FLOAT, Choice, Chosen, Formula, is_array
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


def _distance(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and not op.kwargs and all(is_array(x, FLOAT, 1) for x in op.args)
    return (Formula(distance), op.args) if is_fit else None


PYTHON_NUMBERS: Final[dict[Any, Choice]] = {
    math.hypot: _of_numbers(absolute, 1),
    math.modf: _of_numbers(parts, 1),
    math.dist: _distance,
    math.exp2: _of_numbers(power_of_two, 1),
    math.cbrt: _of_numbers(cube_root, 1),
    cmath.rect: _of_numbers(from_polar, 2),
    cmath.phase: _of_numbers(phase, 1, complex),
    cmath.polar: _of_numbers(to_polar, 1, complex),
    cmath.log10: _of_numbers(logarithm_to_ten, 1, complex),
}
