"""Which values of a derivative are finite wherever those of the program are.

g @ transpose(w), g * y          finite where g, w and y are
g / x                            infinite where x is 0
g / sqrt(1 + square(x))          finite: what is divided by is positive

The rules ask it where a choice may meet what is infinite: 0 * inf would be NaN. Also, whether the
program itself looks for NaN.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import NumberType, is_inexact
from srcad.ir.walk import statements, values_in
from srcad.rules.core.sequences import whole
from srcad.rules.core.staged import Builder, Staged

Makers = Mapping[Value, Any]
Signs = Callable[..., list[int]]

_ARRANGE = (
    operator.getitem, np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze,
    np.expand_dims, np.broadcast_to, np.copy, np.array, np.asarray, np.astype, np.flip, np.roll,
    np.repeat, np.tile, np.stack, np.concatenate, np.diagonal, np.sort, np.take,
    np.take_along_axis, operator.pos, list, tuple, np.append, np.compress, np.hstack, np.vstack,
)  # fmt: skip
_SUMS = (np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.prod, np.cumsum, sum, max, min)
# Finite where their arguments are, apart from overflow; and so are their derivatives.
_SMOOTH = frozenset({
    *_ARRANGE, *_SUMS,
    operator.add, operator.sub, operator.mul, operator.neg, operator.matmul,
    np.add, np.subtract, np.multiply, np.negative, np.square, np.absolute, abs, np.sign, np.where,
    np.select, np.choose, np.maximum, np.minimum, np.clip, np.matmul, np.dot, np.vdot, np.inner,
    np.outer, np.einsum, np.tensordot, np.trace, np.tril, np.triu, np.diag, np.pad, np.split,
    np.conj, np.conjugate, np.real, np.imag, np.exp, np.exp2, np.expm1, np.sin, np.cos, np.sinh,
    np.cosh, np.tanh, np.arctan, np.arcsinh, np.logaddexp, np.full, np.zeros, np.ones,
    np.eye, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.fmax, np.fmin,
    np.cumprod, np.add.reduceat, np.diff, np.var,
    math.exp, math.sin, math.cos, math.tanh, math.atan, math.sinh, math.cosh, float, complex,
})  # fmt: skip
# Finite themselves, but not so their derivatives.
_STEEP = frozenset({
    np.sqrt, np.cbrt, np.hypot, np.std, np.linalg.norm, np.prod, np.cumprod, math.sqrt, math.hypot,
})  # fmt: skip
_QUOTIENTS = (operator.truediv, np.divide, np.true_divide)
_POWERS = (operator.pow, pow, np.power, np.float_power)
# Those of srcad's own packages: kernels, and helpers that arrange.
_OWN = ("srcad.kernels", "srcad.runtime")

_FAR = 60  # operations that are followed back from a divisor


def is_finite(x: Any) -> bool:
    """Whether no entry of a constant is infinite or NaN; an int is none, however large it is."""
    return isinstance(x, int) or bool(np.all(np.isfinite(x)))


def is_regular(x: Any) -> bool:
    """Whether no entry of a value is infinite or NaN, unless values of the program are."""
    if not isinstance(x, Staged):
        return is_finite(x)
    if not isinstance(x.value, Value):
        return True
    marks, builder = x.builder.marks, x.builder
    todo, seen = [x.value], set[Value]()
    while todo:
        value = todo.pop()
        if value in seen or value in marks.regular or not is_inexact(value.type):
            continue
        seen.add(value)
        made = None if value in builder.primal else builder.made.get(value)
        if value in marks.singular or (made is not None and not _keeps(made, builder.makers)):
            marks.singular.add(x.value)
            return False
        if made is not None:
            todo += values_in((made.args, made.kwargs))
    marks.regular.update(seen)
    return True


def may_be_singular(block: Block) -> bool:
    """Whether the derivative of a block may be infinite or NaN where its values are finite."""
    ops = [stmt for stmt in statements(block) if isinstance(stmt, Op)]
    made = {out: op for op in ops for out in op.outs}
    return any(
        any(is_inexact(out.type) for out in op.outs)
        and (whole(op.fn) in _STEEP or not _keeps(op, made))
        for op in ops
    )


def is_nonzero(x: Any) -> bool:
    """Whether a divisor is nowhere 0."""
    return _is_nonzero(*((x.value, x.builder.makers) if isinstance(x, Staged) else (x, {})))


def _keeps(op: Any, makers: Makers) -> bool:
    """Whether an operation gives no infinity and no NaN where its arguments are finite."""
    if not isinstance(op, Op) or isinstance(op.fn, Function):
        return False
    fn = whole(op.fn)
    if fn in _QUOTIENTS:
        return _is_nonzero(op.args[1], makers)
    if fn in _POWERS:
        base, exponent = op.args[:2]
        is_whole = isinstance(exponent, int) and exponent >= 0
        return is_whole or _sign_of(base, makers) > 1
    is_cast = isinstance(fn, type) and issubclass(fn, np.generic)
    is_own = str(getattr(fn, "__module__", "")).startswith(_OWN)
    return is_cast or is_own or fn in _SMOOTH or fn in _STEEP


def _is_nonzero(x: Any, makers: Makers) -> bool:
    op = makers.get(x) if isinstance(x, Value) else None
    if isinstance(op, Op) and op.fn in (operator.neg, np.negative):
        return _is_nonzero(op.args[0], makers)
    if isinstance(op, Op) and op.fn in (np.where, operator.add) and _replaces_zero(op, makers):
        return True
    if not isinstance(x, Value):
        return bool(np.all(np.not_equal(x, 0)))
    return _sign_of(x, makers) > 1


def _replaces_zero(op: Op, makers: Makers) -> bool:
    """Whether an operation puts another number in place of 0, as `nonzero` and `or_infinity` do."""
    tested, kept = (op.args[0], op.args[2]) if op.fn is np.where else (op.args[1], op.args[0])
    test = makers.get(tested) if isinstance(tested, Value) else None
    if isinstance(test, Op) and test.fn is operator.mul:  # 1e308 * (x == 0)
        test = makers.get(test.args[1]) if isinstance(test.args[1], Value) else None
    if not isinstance(test, Op) or test.fn not in (operator.eq, np.equal):
        return False
    return test.args[0] is kept and _is_constant(test.args[1], 0)


def _is_constant(x: Any, number: int) -> bool:
    return isinstance(x, int | float) and x == number


def _sign_of(x: Any, makers: Makers) -> int:
    """2 of what is positive, 1 of what is not negative, 0 of what may be anything.

    What underflows counts as positive, and so does an extent: of an empty array nothing is divided.
    Each value is looked at once, however many operations read it.
    """
    return _sign(x, makers, _FAR, {})


def _sign(x: Any, makers: Makers, far: int, found: dict[tuple[Value, int], int]) -> int:
    """The same, of what is made by operations at most so `far` away."""
    if not isinstance(x, Value):
        return _sign_by_maker(x, makers, far, found)
    if (x, far) not in found:
        found[x, far] = _sign_by_maker(x, makers, far, found)
    return found[x, far]


def _sign_by_maker(x: Any, makers: Makers, far: int, found: dict[tuple[Value, int], int]) -> int:
    if not isinstance(x, Value):
        is_number = isinstance(x, int | float | np.number | np.ndarray) and np.isrealobj(x)
        return 2 * int(np.all(np.greater(x, 0))) or int(np.all(x >= 0)) if is_number else 0
    if isinstance(x.type, NumberType) and x.type.extent is not None:
        return 2
    op = makers.get(x)
    if not isinstance(op, Op) or isinstance(op.fn, Function) or not far:
        return 0
    fn = whole(op.fn)

    def signs(*args: Any) -> list[int]:
        return [_sign(a, makers, far - 1, found) for a in args]

    rule = _SIGNS.get(fn)
    if rule is not None:
        return rule(signs, op.args)
    if fn in _ARRANGE or fn in _SUMS:
        first = op.args[0] if op.args else 0
        return min(signs(*first), default=0) if isinstance(first, list | tuple) else signs(first)[0]
    return 0


def _power_sign(signs: Signs, args: Any) -> int:
    is_even = isinstance(args[1], int) and args[1] % 2 == 0
    (base,) = signs(args[0])
    return base or int(is_even)


def _product_sign(signs: Signs, args: Any) -> int:
    return int(args[0] is args[1]) or min(signs(*args[:2]))


def _sum_sign(signs: Signs, args: Any) -> int:
    found = signs(*args[:2])
    return max(found) if min(found) else 0


_SIGNS: dict[Any, Callable[[Signs, Any], int]] = {
    **dict.fromkeys((operator.add, np.add), _sum_sign),
    **dict.fromkeys((operator.mul, np.multiply), _product_sign),
    **dict.fromkeys(_POWERS, _power_sign),
    **dict.fromkeys(_QUOTIENTS, lambda signs, args: min(signs(*args[:2]))),
    **dict.fromkeys((np.exp, np.exp2, math.exp, np.cosh, math.cosh), lambda signs, args: 2),
    **dict.fromkeys((np.square, np.absolute, abs), lambda signs, args: max(1, signs(args[0])[0])),
    **dict.fromkeys((np.sqrt, math.sqrt), lambda signs, args: signs(args[0])[0]),
    **dict.fromkeys((np.var, np.std, np.linalg.norm), lambda signs, args: 1),
    np.maximum: lambda signs, args: max(signs(*args[:2])),
    np.where: lambda signs, args: min(signs(*args[1:3])),
    np.full: lambda signs, args: signs(args[1])[0],
    np.ones: lambda signs, args: 2,
    np.ones_like: lambda signs, args: 2,
}

_LOOKING = (
    np.isnan, np.isfinite, np.isinf, np.nanargmax, np.nanargmin, math.isnan, math.isfinite,
)  # fmt: skip
_COMPARISONS = (
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, np.equal,
    np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isclose,
)  # fmt: skip
_SAME = (operator.eq, operator.ne, np.equal, np.not_equal)


def looks_for_nan(x: Any, builder: Builder) -> bool:
    """Whether a condition, or the places that are chosen by it, tell which entries are NaN.

    Places may be computed of floats, `floor(q * (n - 1))`; a condition that compares floats does
    not tell it.
    """
    todo, seen = values_in(x), set[Value]()
    while todo:
        value = todo.pop()
        op = builder.makers.get(value)
        if value in seen or not isinstance(op, Op):
            continue
        seen.add(value)
        if _looks_for_nan(op):
            return True
        if op.fn in _COMPARISONS and any(is_inexact(v.type) for v in values_in(op.args)):
            continue
        todo += values_in((op.args, op.kwargs))
    return False


def has_look_for_nan(block: Block) -> bool:
    """Whether ops in `block` look for NaN."""
    return any(_looks_for_nan(stmt) for stmt in statements(block) if isinstance(stmt, Op))


def _looks_for_nan(op: Op) -> bool:
    return op.fn in _LOOKING or (op.fn in _SAME and op.args[0] is op.args[1])


__all__ = [
    "has_look_for_nan",
    "is_finite",
    "is_nonzero",
    "is_regular",
    "looks_for_nan",
    "may_be_singular",
]
