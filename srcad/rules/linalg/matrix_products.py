"""Products of several matrices: matrix_power, multi_dot, matvec, vecmat.

y = matrix_power(a, 4)        s = a @ a_dot + a_dot @ a;   y_dot = a² @ s + s @ a²
y = multi_dot((a, b, c))      b_bar = multi_dot((a.T, y_bar, c.T))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.kinds import is_integer
from srcad.ir.types import Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type
from srcad.rules.core.product import without_missing
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import as_array, call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import mT, regular, square_type

SQUARE.add(np.linalg.matrix_power)


def _exponent(n: Any) -> int:
    if not is_integer(n):
        raise error("E123", None, what="the exponent of `np.linalg.matrix_power`")
    return int(n)


def _power_type(a: object, n: object) -> Type:
    _exponent(n)
    return square_type(a)


def _power_sum(t: Any, a: Any, n: int) -> Any:
    """The sum of a ** k @ t @ a ** (n - 1 - k) over all k: the tangent of a ** n along `t`."""
    if n == 0:
        return ZERO
    if n < 0:
        inverse = call(np.linalg.inv, a)
        return _power_sum(-(inverse @ t @ inverse), inverse, -n)
    return _power_and_sum(t, a, n, False)[1]


def _power_and_sum(t: Any, a: Any, n: int, needed: bool) -> tuple[Any, Any]:
    """a ** n (if needed) and the sum, by repeated squaring: of the order of log(n) products."""
    if n == 1:
        return a, t
    power, total = _power_and_sum(t, a, n // 2, True)
    total = power @ total + total @ power
    if n % 2 == 0:
        return power @ power if needed else None, total
    power = power @ power
    return power @ a if needed else None, power @ t + total @ a


def _power_vjp(g: Any, y: Any, a: Any, n: Any) -> Any:
    def total(g: Any, y: Any, a: Any) -> Any:
        return _power_sum(g, mT(a), _exponent(n))

    # An inverse of what is finite of a matrix would not exist.
    return (total if _exponent(n) < 0 else without_missing(total))(g, y, a)


rule(
    np.linalg.matrix_power,
    jvp=lambda ts, y, a, n: _power_sum(ts[0], a, _exponent(n)),
    a=_power_vjp,
    type_of=_power_type,
    cases=[
        *(Case(regular(3, 3), n) for n in (-2, -1, 0, 1, 2, 3)),
        Case(regular(2, 3, 3), 3),
        Case(lambda rng: rng.uniform(-0.7, 0.7, (3, 3)), 10),
    ],
)


def _multi_dot_type(arrays: Any) -> Type:
    types = [as_type(a) for a in arrays]
    first, last = shape_of(types[0]), shape_of(types[-1])
    if any(len(s) != 2 for s in map(shape_of, types[1:-1]) if s is not None) or any(
        len(s) not in (1, 2) for s in (first, last) if s is not None
    ):
        raise UncoveredError("anything but matrices, and vectors at the ends")
    dtype = dtype_of_arrays(*types)
    if first is None or last is None:
        return array_or_scalar(dtype, None)
    return array_or_scalar(dtype, (*first[:-1], *(last[1:] if len(last) == 2 else ())))


def _multi_dot_jvp(ts: Any, y: Any, arrays: Any) -> Any:
    terms = [
        call(np.linalg.multi_dot, [*arrays[:k], t, *arrays[k + 1 :]])
        for k, t in enumerate(ts[0])
        if t is not ZERO
    ]
    return cast_like(sum(terms, start=ZERO), y)


@without_missing
def _between(g: Any, *factors: Any, at: int) -> Any:
    return call(np.linalg.multi_dot, [*factors[:at], g, *factors[at:]])


def _multi_dot_vjp(g: Any, y: Any, arrays: Any) -> list[Any]:
    """Left factors transposed, `g`, right factors transposed; end vectors as a row and a column."""
    first, last = arrays[0], arrays[-1]
    row, column = rank_of(first) == 1, rank_of(last) == 1
    factors = [*arrays]
    if row:
        factors[0], g = first[None], g[None]
    if column:
        factors[-1], g = last[:, None], g[..., None]
    cotangents = []
    for k, factor in enumerate(factors):
        left, right = [mT(f) for f in factors[:k][::-1]], [mT(f) for f in factors[k + 1 :][::-1]]
        cotangents.append(cast_like(_between(g, *left, *right, at=k), factor))
    if row:
        cotangents[0] = cotangents[0][0]
    if column:
        cotangents[-1] = cotangents[-1][:, 0]
    return cotangents


rule(
    np.linalg.multi_dot,
    jvp=_multi_dot_jvp,
    arrays=_multi_dot_vjp,
    type_of=_multi_dot_type,
    cases=[
        Case([(2, 3), (3, 4), (4, 2)]),
        Case([(3,), (3, 4), (4,)]),
        Case([(3,), (3, 4)]),
        Case([(2, 3), (3, 4), (4, 5), (5,)]),
    ],
)


# ---- matvec, vecmat: stacks of matrices and vectors


def _matvec(x1: Any, x2: Any) -> Any:
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim < 2 or x2.ndim < 1:
        raise error("E400", None, what=f"arrays with {x1.ndim} and {x2.ndim} axes in `np.matvec`")
    return x1 @ x2 if x2.ndim == 1 else (x1 @ x2[..., None])[..., 0]


def _vecmat(x1: Any, x2: Any) -> Any:
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim < 1 or x2.ndim < 2:
        raise error("E400", None, what=f"arrays with {x1.ndim} and {x2.ndim} axes in `np.vecmat`")
    x1 = np.conj(x1) if is_complex(x1) else x1
    return x1 @ x2 if x1.ndim == 1 else (x1[..., None, :] @ x2)[..., 0, :]


if hasattr(np, "matvec"):  # since NumPy 2.2
    composed(
        np.matvec,
        _matvec,
        cases=[
            Case((2, 3), (3,)),
            Case((2, 3), (4, 3)),
            Case((4, 2, 3), (3,)),
            Case((4, 2, 3), (4, 3)),
        ],
    )
    composed(
        np.vecmat,
        _vecmat,
        cases=[
            Case((3,), (3, 2)),
            Case((4, 3), (3, 2)),
            Case((3,), (4, 3, 2)),
            Case((4, 3), (4, 3, 2)),
        ],
    )
