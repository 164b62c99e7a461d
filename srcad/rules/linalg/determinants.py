"""Determinants: det, slogdet, and the cofactors.

After Giles (2008), "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", section 2.2.4: the derivative of the determinant is the matrix of cofactors, which
is finite also where the matrix is singular, and so is its own derivative. The third derivative of
`det` and any of `slogdet` need a regular matrix and raise `LinAlgError` for others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type
from srcad.rules.arrays.shaping import dtype_of_arrays
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import as_type
from srcad.rules.core.product import times, without_missing
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    each,
    inexact,
    mT,
    real,
    real_dtype,
    regular,
    square_type,
    stack_type,
    traces,
)

SQUARE.update((np.linalg.det, np.linalg.slogdet))
_Slogdet: Any = type(np.linalg.slogdet(np.eye(1)))


def _pairing(a: Any, b: Any) -> Any:
    """The sum of the products of the entries, for each matrix."""
    return np.sum(a * b, axis=(-2, -1))


rule(
    np.linalg.det,
    jvp=lambda ts, y, a: _pairing(call(runtime.cofactors, a), ts[0]),
    a=lambda g, y, a: cast_like(times(each(g), call(runtime.cofactors, a)), a),
    type_of=lambda a: stack_type(as_type(a), inexact(as_type(a))),
    cases=[
        Case(regular(3, 3)),
        Case(regular(2, 3, 3)),
        Case(regular(1, 1)),
        Case(lambda rng: np.outer(np.arange(3), rng.random(3))),
    ],
    note="at singular matrices the cofactors",
)

rule(
    runtime.cofactors,
    jvp=lambda ts, y, a: call(runtime.cofactors_change, ts[0], a),
    a=without_missing(lambda g, y, a: call(runtime.cofactors_change, g, a)),
    type_of=square_type,
    cases=[
        Case(regular(3, 3)),
        Case(regular(2, 3, 3)),
    ],
)


def _second_change(t: Any, s: Any, a: Any) -> Any:
    """The third derivative of the determinant along `t` and `s`: det times traces of products."""
    inverse = call(np.linalg.inv, a)
    x, y = inverse @ t, inverse @ s
    of_x, of_y = traces(x), traces(y)
    linear = each(of_x * of_y - _pairing(x, mT(y))) * inverse
    crossed = (x @ y + y @ x - each(of_x) * y - each(of_y) * x) @ inverse
    return each(call(np.linalg.det, a)) * mT(linear + crossed)


def _change_jvp(ts: Any, y: Any, t: Any, a: Any) -> Any:
    t_dot, a_dot = ts
    moved = ZERO if t_dot is ZERO else call(runtime.cofactors_change, t_dot, a)
    return cast_like(moved if a_dot is ZERO else moved + _second_change(t, a_dot, a), y)


rule(
    runtime.cofactors_change,
    jvp=_change_jvp,
    t=lambda g, y, t, a: cast_like(call(runtime.cofactors_change, g, a), t),
    a=lambda g, y, t, a: cast_like(_second_change(t, g, a), a),
    type_of=lambda t, a: ArrayType(dtype_of_arrays(as_type(t), as_type(a)), square_type(a).shape),
    cases=[Case((3, 3), regular(3, 3)), Case((2, 3, 3), regular(2, 3, 3))],
)


# ---- slogdet: of complex matrices the sign turns with the imaginary part of the trace


def _slogdet_type(a: object) -> tuple[Type, Type]:
    t = as_type(a)
    dtype = inexact(t)
    found: tuple[Type, Type] = _Slogdet(stack_type(t, dtype), stack_type(t, real_dtype(dtype)))
    return found


def _slogdet_jvp(ts: Any, y: Any, a: Any) -> Any:
    change = traces(call(np.linalg.solve, a, ts[0]))
    turn = y[0] * (1j * np.imag(change)) if is_complex(a) else ZERO
    return turn if turn is ZERO else cast_like(turn, y[0]), real(change)


def _slogdet_vjp(g: Any, y: Any, a: Any) -> Any:
    sign_bar, log_bar = g
    if sign_bar is not ZERO and is_complex(a):
        log_bar = log_bar + 1j * np.imag(sign_bar * y[0])
    if log_bar is ZERO:
        return ZERO
    return cast_like(times(each(log_bar), mT(call(np.linalg.inv, a))), a)


rule(
    np.linalg.slogdet,
    jvp=_slogdet_jvp,
    a=_slogdet_vjp,
    type_of=_slogdet_type,
    cases=[Case(regular(3, 3)), Case(regular(2, 3, 3))],
)
