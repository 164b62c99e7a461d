"""`scipy.linalg`: lu, lu_factor, lu_solve, for square matrices, with the order of rows kept.

l @ u = p.T @ a. The tangent of l is l times the strict lower triangle of
inv(l) @ p.T @ a_dot @ inv(u), that of u the upper triangle times u; as in Walter and Lehmann
(2013), "Algorithmic differentiation of linear algebra functions with application in optimum
experimental design". Matrices that are not square are refused, where the extents are not known at
run time, as the factors are solved with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import call_beside, dims
from srcad.rules.core.call_facts import SQUARE, TAKE_TUPLES
from srcad.rules.core.compose import known, raise_unless_equal
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import composed, nondiff
from srcad.rules.core.staged import as_array, call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import mT, real_dtype, regular, smaller
from srcad.rules.scipy.linalg.options import checked, one_matrix, solver_rule, working
from srcad.rules.scipy.linalg.systems import substitution

TAKE_TUPLES.add(linalg.lu_solve)
SQUARE.update((linalg.lu, linalg.lu_factor))


def _triangular(
    a: Any, b: Any, trans: int = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    return substitution(a, b, trans, lower, unit_diagonal)


def _of_factors(x: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """The tangents of the factors, where `x` is that of the matrix with its rows in order."""
    middle = _triangular(lower, x, lower=True, unit_diagonal=True)
    middle = mT(_triangular(upper, mT(middle), trans=1))
    return lower @ np.tril(middle, k=-1), np.triu(middle) @ upper


def _of_matrix(l_bar: Any, u_bar: Any, lower: Any, upper: Any) -> Any:
    """The cotangent of the matrix with its rows in order, where these are of the factors."""
    middle: Any = ZERO if l_bar is ZERO else np.tril(mT(lower) @ l_bar, k=-1)
    if u_bar is not ZERO:
        middle = middle + np.triu(u_bar @ mT(upper))
    middle = _triangular(lower, middle, trans=1, lower=True, unit_diagonal=True)
    return mT(_triangular(upper, mT(middle)))


# ---- lu


def _lu_type(a: object) -> tuple[Type, ...]:
    m, n = one_matrix(a, "lu")
    dtype, k = working(as_type(a)), smaller(m, n)
    return (
        ArrayType(real_dtype(dtype), (m, m)),
        ArrayType(dtype, (m, k)),
        ArrayType(dtype, (k, n)),
    )


def _refuse_oblong(a: Any) -> None:
    """Refuse a matrix that is not square, of unknown extents where the program runs."""
    m, n = one_matrix(type_of(a), "lu")
    note = "there is no rule for matrices that are not square"
    if m != n and (1 in (m, n) or (isinstance(m, int) and isinstance(n, int))):
        raise error("E203", None, what="`scipy.linalg.lu`", notes=(note,))
    rows, columns = dims(a)
    message = f"of `scipy.linalg.lu` {note}"
    raise_unless_equal(rows, columns, NotImplementedError, message, beside=a)


def _lu_jvp(ts: Any, y: Any, a: Any) -> Any:
    _refuse_oblong(a)
    p, lower, upper = y
    return (ZERO, *_of_factors(mT(p) @ ts[0], lower, upper))


def _lu_vjp(g: Any, y: Any, a: Any) -> Any:
    _refuse_oblong(a)
    (p, lower, upper), (_, l_bar, u_bar) = y, g
    if l_bar is ZERO and u_bar is ZERO:
        return ZERO
    return p @ _of_matrix(l_bar, u_bar, lower, upper)


solver_rule(
    linalg.lu,
    jvp=_lu_jvp,
    a=_lu_vjp,
    type_of=_lu_type,
    cases=[Case(regular(3, 3))],
    note="of square matrices",
)


# ---- lu_factor: both factors in one array, and the rows that were exchanged

nondiff(
    runtime.order_of_pivots,
    type_of=lambda piv: ArrayType(np.dtype(np.intp), shape_of(as_type(piv))),
    cases=[Case(Case.made(lambda rng: np.array([1, 1, 2], np.int64)))],
)


def _factor_type(a: object) -> tuple[Type, ...]:
    m, n = one_matrix(a, "lu_factor")
    return ArrayType(working(as_type(a)), (m, n)), ArrayType(_PIVOTS, (smaller(m, n),))


_PIVOTS = linalg.lu_factor(np.eye(1))[1].dtype


def _unpacked(packed: Any) -> tuple[Any, Any]:
    eye = call_beside(packed, np.eye, dims(packed)[0])
    return np.tril(packed, k=-1) + eye.astype(packed.dtype), np.triu(packed)


def _factor_jvp(ts: Any, y: Any, a: Any) -> Any:
    _refuse_oblong(a)
    packed, piv = y
    lower, upper = _unpacked(packed)
    l_dot, u_dot = _of_factors(ts[0][call(runtime.order_of_pivots, piv)], lower, upper)
    return l_dot + u_dot, ZERO


def _factor_vjp(g: Any, y: Any, a: Any) -> Any:
    _refuse_oblong(a)
    packed, piv = y
    lower, upper = _unpacked(packed)
    bar = _of_matrix(np.tril(g[0], k=-1), np.triu(g[0]), lower, upper)
    return bar[np.argsort(call(runtime.order_of_pivots, piv))]


solver_rule(
    linalg.lu_factor,
    jvp=_factor_jvp,
    a=_factor_vjp,
    type_of=_factor_type,
    cases=[Case(regular(3, 3)), Case((3, 3))],
    note="of square matrices",
)


def _lu_solve(
    lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    if overwrite_b is not False or trans not in (0, 1, 2):
        raise UncoveredError("these options")
    (packed, piv), trans = lu_and_piv, known(trans, "`trans=`")
    b = checked(as_array(b), check_finite)
    raise_unless_equal(
        packed.shape[0], b.shape[0], ValueError, "Shapes of lu and b are incompatible"
    )
    order = call(runtime.order_of_pivots, piv)
    if trans == 0:
        half = substitution(packed, b[order], 0, True, True)
        return substitution(packed, half, 0, False, False)
    half = substitution(packed, b, trans, False, False)
    full = substitution(packed, half, trans, True, True)
    return full[call(np.argsort, order)]


composed(
    linalg.lu_solve,
    _lu_solve,
    cases=[
        Case(Case.made(lambda rng: linalg.lu_factor(regular(3, 3)(rng))), (3,)),
        Case(Case.made(lambda rng: linalg.lu_factor(regular(3, 3)(rng))), (3, 2), trans=1),
    ],
)
