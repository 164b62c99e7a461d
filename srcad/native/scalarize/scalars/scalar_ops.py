"""One entry of an elementwise operation: what is computed of numbers, and in which precision.

add(x, y)  float32, weak 0.1     x + np.float32(0.1)
where(c, a, b)                   a if c else b
square(x)                        x * x
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.kinds import dtype_of_atom
from srcad.ir.types import NUMBER_KINDS, dtype_of, rank_of
from srcad.native.helpers import check_inverse, finite_power
from srcad.native.numpy_semantics import int_quotient, int_remainder, quotient, remainder
from srcad.native.python_semantics import (
    COMPILED_AS,
    floor_divide,
    modulo,
)
from srcad.native.scalarize.loop_builder import NARROW, Code, Unsuited, scalar
from srcad.native.scalarize.scalars import complex_numbers
from srcad.native.scalarize.scalars.arithmetic import (
    as_float,
    division,
    guarded,
    in_precision,
    of_python,
    rounded,
    type_of_entry,
    whole_division,
)
from srcad.native.scalarize.scalars.bits import shift
from srcad.native.scalarize.scalars.choice import extreme_of, select
from srcad.native.scalarize.scalars.powers import guarded_power, power, square
from srcad.native.scalarize.scalars.precision import alike, cast, weak
from srcad.native.scalarize.scalars.weak_scalars import GUARDED
from srcad.native.vectorised import TWINS
from srcad.rules.core.operators import OPERATORS

Writer = Callable[[Code, Sequence[Any], Any], Any]

# Functions of real numbers that compiled code calls under their own name.
_CALLED: Final = (
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.sin,
    np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh,
    np.arccosh, np.arctanh, np.arctan2, np.hypot, np.floor, np.ceil, np.trunc, np.rint,
    np.maximum, np.minimum, np.fmax, np.fmin, np.copysign, np.logaddexp, np.deg2rad, np.rad2deg,
    np.nextafter, np.isnan, np.isfinite, np.isinf, np.signbit,
    math.atan, math.atan2, math.tanh, math.erf, math.erfc, math.fabs, math.copysign, math.asinh,
    math.degrees, math.radians,
)  # fmt: skip
# Of Python's functions those that may raise; the others are called under their own name.
_PYTHON: Final = {
    fn: twin for fn, twin in COMPILED_AS.items() if fn not in (operator.floordiv, operator.mod)
}
_DTYPES: Final = (
    np.float64, np.float32, np.int64, np.bool_, np.intp, np.complex128, *NARROW,
)  # fmt: skip


def is_elementwise(op: Op) -> bool:
    """Whether `op` computes each entry of its result from the entries at the same place."""
    is_known = op.fn in WRITERS or op.fn in complex_numbers.WRITERS
    if not is_known or op.kwargs or not all(map(_is_number, (*op.args, op.out))):
        return False
    axes = [rank_of(x.type) for x in op.args if isinstance(x, Value)]  # `bool(x)` of one entry
    return rank_of(op.out.type) != 0 or not any(axes)


def _is_number(x: Any) -> bool:
    if isinstance(x, Value):
        return is_number_type(x.type)
    return isinstance(x, int | float | complex | np.generic) and not isinstance(x, np.complex64)


def is_number_type(t: Any) -> bool:
    """Whether a value is made of numbers that compiled code knows."""
    if isinstance(t, NumberType):
        return t.kind in NUMBER_KINDS
    if not isinstance(t, ArrayType) or t.shape is None or not t.dtype.isnative:
        return False
    return t.dtype in _DTYPES


def write(code: Code, op: Op, operands: Sequence[Any]) -> Any:
    """The code of one entry of `op`; returns the atom that holds it."""
    if any(map(complex_numbers.is_complex, (*operands, op.out))):
        return complex_numbers.write(code, op, operands)
    if op.fn not in WRITERS:
        raise Unsuited(f"{getattr(op.fn, '__name__', 'an operation')} of real numbers")
    return WRITERS[op.fn](code, operands, op)


# Writers -----------------------------------------------------------------------------------------


def _comparison(fn: Any) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        strong = [dtype_of(x.type) for x in operands if isinstance(x, Value) and not weak(x)]
        given = operands
        if any(d == np.float32 for d in strong):
            dtype = np.result_type(*[d for d in strong if d is not None])
            given = [cast(code, x, dtype) for x in operands]
        return code.op(fn, given, NumberType(bool))

    return write


def _truth(code: Code, x: Any) -> Any:
    if not isinstance(x, Value):
        return bool(x)
    if dtype_of(x.type) == np.bool_:
        return x
    return code.op(operator.ne, (x, 0), NumberType(bool))


def _logic(fn: Any) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        dtype = dtype_of(op.out.type)
        if dtype == np.bool_:
            operands = [_truth(code, x) for x in operands]
        elif dtype in NARROW:
            operands = alike(code, operands, dtype)
        return code.op(fn, operands, type_of_entry(op))

    return write


def _not(code: Code, operands: Sequence[Any], op: Op) -> Any:
    if dtype_of(op.out.type) != np.bool_:
        raise Unsuited("bits")
    return code.op(operator.not_, operands, NumberType(bool))


def _where(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    dtype = dtype_of(t)
    assert dtype is not None
    cond, a, b = operands
    if dtype.kind == "f" or dtype in NARROW:
        a, b = (cast(code, x, dtype) for x in (a, b))
    return select(code, _truth(code, cond), a, b, t)


def _clip(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    x, low, high = (cast(code, x, np.dtype(dtype_of(t))) for x in operands)
    x = code.op(np.maximum, (x, low), t)
    return code.op(np.minimum, (x, high), t)


def _sign(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`np.sign`, which is 0.0 of -0.0."""
    sign, t = _called(np.sign)(code, operands, op), type_of_entry(op)
    dtype = np.dtype(dtype_of(t))
    return code.op(operator.add, (sign, cast(code, 0.0, dtype)), t) if dtype.kind == "f" else sign


def _reciprocal(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    if np.dtype(dtype_of(t)).kind != "f":
        raise Unsuited("reciprocals of integers")
    return code.op(operator.truediv, (cast(code, 1, t.dtype), operands[0]), t)


def _inverse(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    (c,) = operands
    inverse = code.op(operator.truediv, (cast(code, 1.0, np.dtype(dtype_of(t))), c), t)
    return code.op(check_inverse, (inverse, c), t)


def _relu(code: Code, operands: Sequence[Any], op: Op) -> Any:
    t = type_of_entry(op)
    return code.op(np.maximum, (operands[0], cast(code, 0, np.dtype(dtype_of(t)))), t)


def _called(fn: Any, of_integers: bool = True) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        t = type_of_entry(op)
        dtype = np.dtype(dtype_of(t))
        if dtype.kind != "f" and not of_integers:  # its twin rounds otherwise
            raise Unsuited(f"`{fn.__name__}` of integers")
        if dtype in NARROW and fn not in (np.maximum, np.minimum):
            raise Unsuited("a function of integers of few bits")
        if dtype.kind == "f" or dtype in NARROW:
            operands = alike(code, operands, dtype)
        return code.op(TWINS.get(fn, fn) if dtype.kind == "f" else fn, operands, t)

    return write


def _scaled(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`np.ldexp`: what is beyond such a power of two is 0 or infinite."""
    t, whole = type_of_entry(op), scalar(np.int64)
    count = cast(code, operands[1], np.dtype(np.int64))
    count = code.op(np.maximum, (code.op(np.minimum, (count, 5000), whole), -5000), whole)
    return code.op(np.ldexp, (cast(code, operands[0], np.dtype(dtype_of(t))), count), t)


def _hypot(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`math.hypot` of two numbers."""
    if len(operands) != 2:
        raise Unsuited("the length of a vector of other than two numbers")
    return _called(math.hypot)(code, operands, op)


def _same(code: Code, operands: Sequence[Any], op: Op) -> Any:
    return operands[0]


def _to_python(kind: type) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        (x,) = operands
        own = dtype_of(x.type) if isinstance(x, Value) else None
        if own is not None and own == np.dtype(kind) and isinstance(x.type, NumberType):
            return x
        if own is not None and own.kind == "f" and kind is int:
            return code.op(COMPILED_AS[math.trunc], (x,), NumberType(int))
        if own == np.float32 and kind is float:
            return as_float(code, x)
        return code.op(kind, (x,), NumberType(kind))

    return write


def _to_int64(code: Code, operands: Sequence[Any], op: Op) -> Any:
    (x,) = operands
    dtype = dtype_of_atom(x)
    if dtype is None or dtype.kind not in "iub":
        raise Unsuited("a float as an integer of NumPy's")
    return cast(code, x, np.dtype(np.int64))


def _to_dtype(dtype: np.dtype) -> Writer:
    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        return cast(code, operands[0], dtype)

    return write


def _with_ufuncs(write: Callable[[Any], Writer], *fns: Any) -> dict[Any, Writer]:
    """Operators and the ufuncs that do the same."""
    same = {own: ufunc for ufunc, own in OPERATORS.items()}
    return {fn: write(own) for own in fns for fn in (own, same[own])}


WRITERS: Final[dict[Any, Writer]] = {
    **_with_ufuncs(in_precision, operator.add, operator.sub, operator.mul),
    np.divide: in_precision(operator.truediv),
    operator.truediv: division,
    **_with_ufuncs(_comparison, operator.lt, operator.le, operator.gt, operator.ge),
    **_with_ufuncs(_comparison, operator.eq, operator.ne),
    **_with_ufuncs(_logic, operator.and_, operator.or_, operator.xor),
    np.logical_and: _logic(operator.and_),
    np.logical_or: _logic(operator.or_),
    **{fn: _called(fn) for fn in _CALLED},
    np.sign: _sign,
    **{fn: of_python(twin) for fn, twin in _PYTHON.items()},
    operator.floordiv: whole_division(floor_divide, int_quotient, quotient),
    operator.mod: whole_division(modulo, int_remainder, remainder),
    **{fn: guarded(fn) for fn in GUARDED},
    finite_power: guarded_power,
    operator.neg: in_precision(operator.neg),
    np.negative: in_precision(operator.neg),
    operator.pos: _same,
    np.positive: _same,
    max: extreme_of(operator.gt),
    min: extreme_of(operator.lt),
    operator.abs: in_precision(abs),
    abs: in_precision(abs),
    np.absolute: in_precision(abs),
    np.fabs: in_precision(abs),
    math.hypot: _hypot,
    np.ldexp: _scaled,
    operator.not_: _not,
    np.logical_not: _not,
    operator.invert: _not,
    operator.lshift: shift,
    operator.rshift: shift,
    np.where: _where,
    np.clip: _clip,
    operator.pow: power,
    np.power: power,
    np.float_power: power,
    np.fix: _called(np.trunc, of_integers=False),
    np.fmod: _called(np.fmod, of_integers=False),
    np.round: rounded,
    np.around: rounded,
    np.square: square,
    np.reciprocal: _reciprocal,
    runtime.inverse: _inverse,
    runtime.relu: _relu,
    runtime.stop_gradient: _same,
    runtime.as_listed: _same,
    runtime.item_as_float: _same,
    np.real: _same,
    np.conjugate: _same,
    float: _to_python(float),
    int: _to_python(int),
    bool: _to_python(bool),
    np.int64: _to_int64,
    np.float64: _to_dtype(np.dtype(np.float64)),
    np.float32: _to_dtype(np.dtype(np.float32)),
}
