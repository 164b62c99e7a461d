"""Powers of Python's numbers, whose kind the numbers themselves decide.

    y = a ** 0.5        ->      If(a < 0 and a != -inf): raise_(NotImplementedError, ...)
                                y = pow(a, 0.5)

Python makes a complex number of a negative one, `(-2.0) ** 0.5`; the program has the type of a real
one for it. NumPy's numbers are NaN there. What is known to be at least 0 is not asked for.

    2 ** n              int, with the guard `n >= 0`
    2 ** n              float, with the guard that this is not so: pow(float(2), n)
    2 ** int(x[0])      an int or a float: what depends on which is refused
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.session import Session
from srcad.frontend.extents.index_bounds import affine_of, is_natural
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Block, If, Op, Value
from srcad.ir.types import NumberType, rank_of
from srcad.ops import row_of
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import raise_

_REFUSED = (
    Ref(NotImplementedError, ""),
    "a power of a negative float is complex, as (-2.0) ** 0.5: pass a complex number, `x + 0j`, "
    "or a `np.float64`, whose power is NaN",
)
_DEEPEST = 12


def power(frame: Frame, fn: Callable[..., Any], base: Abstract, exponent: Abstract) -> Abstract:
    """`base ** exponent`, emitted, of the kind that it has in Python."""
    session = frame.session
    _check_power(frame, base, exponent)
    if not is_python_int(exponent) or _kind(base) not in (bool, int):
        return session.emit(fn, (base, exponent))
    if _is_at_least_0(session, exponent, _DEEPEST):
        return session.emit(fn, (base, exponent))
    if is_natural(session, -affine_of(session, exponent) - 1):
        return session.emit(fn, (session.emit(float, (base,)), exponent))
    made = session.emit(fn, (base, exponent))
    session.kinds.put(made, [frozenset([int, float])])
    return made


def _check_power(frame: Frame, base: Abstract, exponent: Abstract) -> None:
    """Append what refuses a complex power of Python's real numbers, unless there is none."""
    session = frame.session
    kinds = _kind(base), _kind(exponent)
    if None in kinds or kinds[1] is not float or _is_whole_float(exponent):
        return
    if _is_at_least_0(session, base, _DEEPEST) or base == -math.inf:
        return
    session.check_unhandled()
    tests = []
    if isinstance(base, Value):
        tests.append(session.emit(operator.lt, (base, 0)))
        if kinds[0] is float:
            tests.append(session.emit(operator.ne, (base, -math.inf)))
    if isinstance(exponent, Value):  # neither of NaN nor of an infinity is a part left
        part = session.emit(operator.mod, (exponent, 1.0))
        tests.append(session.emit(operator.gt, (part, 0.0)))
    is_complex = reduce(lambda a, b: session.emit(operator.and_, (a, b)), tests) if tests else True
    with session.block() as body:
        session.effect(raise_, *_REFUSED)
    blocks = Block([], body, []), Block([], [], [])
    session.builder.body.append(If(is_complex, *blocks, (), session.builder.loc))


def _kind(x: Any) -> type | None:
    """The class of a real number of Python's; None for everything else."""
    t = x.type if isinstance(x, Value) else None
    kind = t.kind if isinstance(t, NumberType) else type(x)
    return kind if kind in (bool, int, float) else None


def _is_whole_float(x: Any) -> bool:
    return not isinstance(x, Value) and (not math.isfinite(x) or x.is_integer())


def _is_at_least_0(session: Session, x: Any, deepest: int) -> bool:
    """Whether a number, or all entries of an array, are known not to be negative."""
    if not isinstance(x, Value):
        return isinstance(x, int | float) and x >= 0
    if is_python_int(x) and is_natural(session, affine_of(session, x)):
        return True
    op = session.memory.producers.get(x)
    if not isinstance(op, Op) or not deepest or not op.kwargs.keys() <= {"axis", "keepdims"}:
        return False

    def known(*args: Any) -> bool:
        return all(_is_at_least_0(session, each, deepest - 1) for each in args)

    if op.fn in (operator.pow, pow):
        return known(op.args[0]) or (type(op.args[1]) is int and op.args[1] % 2 == 0)
    match row_of(op.fn).natural:
        case "always":
            return True
        case "product" if op.args[0] is op.args[1] and _is_square(op):
            return True
        case "product" | "kept":
            return known(*op.args)
    return False


def _is_square(op: Op) -> bool:
    """Whether the product of something by itself has squares alone: that of a matrix has others."""
    return rank_of(type_of(op.args[0])) in (0, 1) or row_of(op.fn).elementwise


__all__ = ["power"]
