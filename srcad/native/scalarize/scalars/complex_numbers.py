"""Arithmetic of one entry where a complex number takes part.

z * np.exp(1j * w)         z * np.exp(1j * w)         Numba's, of two complex numbers
z / v, np.exp(z)           refused where Python raises, or results are not finite
np.angle(z)                np.arctan2(z.imag, z.real)

Complex numbers have double precision and no order; their powers are small.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import NumberType, Op, Value
from srcad.ir.kinds import dtype_of_atom
from srcad.ir.types import dtype_of, rank_of
from srcad.native import complex_functions as own
from srcad.native.helpers import divide, finite
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.scalars.arithmetic import type_of_entry
from srcad.native.scalarize.scalars.choice import Writer, select
from srcad.native.scalarize.scalars.precision import cast
from srcad.native.vectorised import TWINS
from srcad.rules.core.staged import type_of

_COMPLEX: Final = np.dtype(np.complex128)
_OWN: Final = (np.exp, np.log, np.sin, np.cos, np.sinh, np.cosh)
# What Numba has otherwise than NumPy at finite numbers (large ones, zeros), or not at all.
_BETTER: Final = {
    np.sqrt: own.complex_sqrt, np.tanh: own.complex_tanh, np.tan: own.complex_tan,
    np.arcsin: own.complex_asin, np.arccos: own.complex_acos, np.arctan: own.complex_atan,
    np.arcsinh: own.complex_asinh, np.arccosh: own.complex_acosh, np.arctanh: own.complex_atanh,
}  # fmt: skip
_CMATH: Final = {
    cmath.exp: np.exp, cmath.log: np.log, cmath.sqrt: own.complex_sqrt, cmath.sin: np.sin,
    cmath.cos: np.cos, cmath.sinh: np.sinh, cmath.cosh: np.cosh, cmath.tanh: own.complex_tanh,
    cmath.tan: own.complex_tan, cmath.asin: own.complex_asin, cmath.acos: own.complex_acos,
    cmath.atan: own.complex_atan, cmath.asinh: own.complex_asinh, cmath.acosh: own.complex_acosh,
    cmath.atanh: own.complex_atanh,
}  # fmt: skip


def is_complex(x: Any) -> bool:
    """Whether an atom is a complex number, or an array of them."""
    dtype = dtype_of_atom(x)
    return dtype is not None and dtype.kind == "c"


def write(code: Code, op: Op, operands: Sequence[Any]) -> Any:
    """The code of one entry of an operation that reads or makes a complex number."""
    writer = WRITERS.get(op.fn)
    if writer is None:
        raise Unsuited(f"{getattr(op.fn, '__name__', 'an operation')} of complex numbers")
    return writer(code, operands, op)


def _called(fn: Any) -> Writer:
    """A function of complex numbers."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        given = [cast(code, x, _COMPLEX) for x in operands]
        return code.op(fn, given, type_of_entry(op))

    return write


def _finite(fn: Any) -> Writer:
    """What Python raises for instead of a result that is not finite, and what NumPy has otherwise
    than Numba there.
    """

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        return code.op(finite, (_called(fn)(code, operands, op),), type_of_entry(op))

    return write


def _size(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    size = code.op(abs, operands, t)
    return code.op(finite, (size,), t) if isinstance(t, NumberType) else size


def _part(fn: Any) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        return code.op(fn, operands, type_of_entry(op))

    return write


def _of_either(fn: Any, joined: Any) -> Writer:
    """A truth of both parts."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        truth = NumberType(bool)
        parts = [code.op(part, operands, scalar(np.float64)) for part in (np.real, np.imag)]
        return code.op(joined, [code.op(fn, (part,), truth) for part in parts], truth)

    return write


def _angle(code: Code, operands: Sequence[Any], op: Op) -> Any:
    number = scalar(np.float64)
    parts = [code.op(part, operands, number) for part in (np.imag, np.real)]
    return code.op(TWINS[np.arctan2], parts, number)


def _where(code: Code, operands: Sequence[Any], op: Op) -> Any:
    cond, a, b = operands
    t = type_of_entry(op)
    if is_complex(cond):
        raise Unsuited("a complex number as a truth")
    dtype = np.dtype(dtype_of(t))
    return select(code, cond, cast(code, a, dtype), cast(code, b, dtype), t)


def _power(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """NumPy's power: of 0 it is 0, where a product has a sign. An array is squared by `**`."""
    base, exponent = operands
    if isinstance(exponent, Value) or exponent not in (1, 2, 3):
        raise Unsuited("powers of complex numbers")
    z, t = cast(code, base, _COMPLEX), type_of_entry(op)
    if isinstance(type_of(op.args[0]), NumberType):
        return _pythons_power(code, z, exponent, t)
    total = z
    for _ in range(int(exponent) - 1):
        total = code.op(operator.mul, (total, z), t)
    if exponent == 2 and op.fn is operator.pow and rank_of(type_of(op.args[0])) != 0:
        return total
    none = cast(code, 0j, _COMPLEX)
    return select(code, code.op(operator.eq, (z, none), NumberType(bool)), none, total, t)


def _pythons_power(code: Code, z: Any, exponent: int, t: Any) -> Any:
    """As Python multiplies, beginning with 1 + 0j, which decides the signs of zeros."""
    total: Any = cast(code, 1 + 0j, _COMPLEX)
    if exponent != 2:
        total = code.op(operator.mul, (total, z), t)
    if exponent != 1:
        total = code.op(operator.mul, (total, code.op(operator.mul, (z, z), t)), t)
    return code.op(finite, (total,), t)


def _square(code: Code, operands: Sequence[Any], op: Op) -> Any:
    z = cast(code, operands[0], _COMPLEX)
    return code.op(operator.mul, (z, z), type_of_entry(op))


def _inverse(code: Code, operands: Sequence[Any], op: Op) -> Any:
    return code.op(divide, (1.0, *operands), type_of_entry(op))


def _same(code: Code, operands: Sequence[Any], op: Op) -> Any:
    return operands[0]


WRITERS: Final[dict[Any, Writer]] = {
    **{fn: _called(operator.add) for fn in (operator.add, np.add)},
    **{fn: _called(operator.sub) for fn in (operator.sub, np.subtract)},
    **{fn: _called(operator.mul) for fn in (operator.mul, np.multiply)},
    **{fn: _called(divide) for fn in (operator.truediv, np.divide, divide)},
    **{fn: _called(operator.neg) for fn in (operator.neg, np.negative)},
    **{fn: _called(operator.eq) for fn in (operator.eq, np.equal)},
    **{fn: _called(operator.ne) for fn in (operator.ne, np.not_equal)},
    **{fn: _called(np.conjugate) for fn in (np.conjugate, complex.conjugate)},
    **{fn: _finite(fn) for fn in _OWN},
    **{fn: _finite(twin) for fn, twin in _BETTER.items()},
    **{fn: _finite(twin) for fn, twin in _CMATH.items()},
    **{fn: _same for fn in (operator.pos, np.positive, runtime.stop_gradient)},
    **{fn: _size for fn in (operator.abs, abs, np.absolute)},
    **{fn: _part(fn) for fn in (complex, np.complex128)},
    np.real: _part(np.real),
    np.imag: _part(np.imag),
    np.isnan: _of_either(np.isnan, operator.or_),
    np.isinf: _of_either(np.isinf, operator.or_),
    np.isfinite: _of_either(np.isfinite, operator.and_),
    np.angle: _angle,
    np.where: _where,
    np.square: _square,
    operator.pow: _power,
    np.power: _power,
    runtime.inverse: _inverse,
}
