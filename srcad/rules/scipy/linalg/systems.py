"""`scipy.linalg`: linear systems: solve, solve_triangular, inv, det, pinv, lstsq.

After Giles (2008), section 2.2. Of a matrix of which one triangle is read, the cotangent is in that
triangle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import call, is_complex, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    conj,
    folded,
    inexact,
    known_options,
    mH,
    mirrored,
    mT,
    regular,
    strict,
    symmetric,
    triangle,
)
from srcad.rules.scipy.linalg.options import (
    has_arrays_for_numbers,
    one_matrix,
    result_dtype,
    solver_rule,
    validated,
    working,
)

SQUARE.update((linalg.inv, linalg.det, linalg.solve, linalg.solve_triangular, runtime.substitute))


def _system_type(a: object, b: object, *_: object, **__: object) -> Type:
    one_matrix(a, "scipy.linalg")
    ta, tb = as_type(a), as_type(b)
    shape = shape_of(tb)
    if shape is not None and len(shape) > 2:
        raise UncoveredError("stacks of right-hand sides")
    return ArrayType(np.result_type(inexact(ta), inexact(tb)), shape)


def _outer(x: Any, y: Any) -> Any:
    """The sum over right-hand sides of outer products."""
    return np.outer(x, y) if rank_of(x) == 1 else x @ mT(y)


# ---- solve

_SYMMETRIC = ("sym", "her", "pos", "symmetric", "hermitian", "positive definite")
_TRIANGULAR = ("upper triangular", "lower triangular")


def _is_symmetric(assume_a: Any) -> bool:
    return assume_a in _SYMMETRIC


def _check_structure(a: Any, assume_a: Any) -> None:
    known = (None, "gen", "general", "diagonal", *_SYMMETRIC, *_TRIANGULAR)
    if assume_a not in known:
        raise UncoveredError(f"`assume_a={assume_a!r}`")
    if assume_a in ("sym", "symmetric") and is_complex(a):
        raise UncoveredError("complex symmetric matrices")


def _solve_type(
    a: object, b: object, lower: Any = False, assume_a: Any = None, transposed: Any = False
) -> Type:
    dtype = as_type(a)
    _check_structure(np.zeros(1, inexact(dtype)), assume_a)
    return _system_type(a, b)


def _solved(a: Any, b: Any, lower: Any, assume_a: Any, transposed: Any) -> Any:
    """The solution of a derivative's system, which may be infinite."""
    given = {"lower": lower, "assume_a": assume_a, "transposed": transposed}
    options = {name: value for name, value in given.items() if value not in (None, False)}
    return call(linalg.solve, a, b, **options, check_finite=False)


def _read(t: Any, lower: Any, assume_a: Any) -> Any:
    """The matrix of which `solve` reads a part, in the tangent `t`."""
    if _is_symmetric(assume_a):
        return mirrored(t, bool(lower))
    if assume_a in _TRIANGULAR:
        return triangle(t, assume_a == "lower triangular")
    return np.diag(np.diagonal(t)) if assume_a == "diagonal" else t


def _written(bar: Any, lower: Any, assume_a: Any) -> Any:
    """The transpose of `_read`."""
    return folded(bar, bool(lower)) if _is_symmetric(assume_a) else _read(bar, lower, assume_a)


def _solve_jvp(
    ts: Any, y: Any, a: Any, b: Any, lower: Any = False, assume_a: Any = None,
    transposed: Any = False,
) -> Any:  # fmt: skip
    a_dot, b_dot = ts
    if a_dot is not ZERO:
        read = _read(a_dot, lower, assume_a)
        b_dot = b_dot - (mT(read) if transposed else read) @ y
    return cast_like(_solved(a, b_dot, lower, assume_a, transposed), y)


def _adjoint_solve(g: Any, a: Any, lower: Any, assume_a: Any, transposed: Any) -> Any:
    if transposed or (_is_symmetric(assume_a) and not is_complex(a)):
        return _solved(a, g, lower, assume_a, False)
    if _is_symmetric(assume_a):
        lower = not lower
    elif assume_a in _TRIANGULAR:
        assume_a = _TRIANGULAR[assume_a == "upper triangular"]
    return _solved(mT(a), g, lower, assume_a, False)


def _solve_a(
    g: Any, y: Any, a: Any, b: Any, lower: Any = False, assume_a: Any = None,
    transposed: Any = False,
) -> Any:  # fmt: skip
    b_bar = _adjoint_solve(g, a, lower, assume_a, transposed)
    bar = -(_outer(y, b_bar) if transposed else _outer(b_bar, y))
    return cast_like(_written(bar, lower, assume_a), a)


def _solve_b(
    g: Any, y: Any, a: Any, b: Any, lower: Any = False, assume_a: Any = None,
    transposed: Any = False,
) -> Any:  # fmt: skip
    return cast_like(_adjoint_solve(g, a, lower, assume_a, transposed), b)


solver_rule(
    linalg.solve,
    jvp=_solve_jvp,
    a=_solve_a,
    b=_solve_b,
    type_of=known_options(_solve_type),
    cases=[
        Case(regular(3, 3), (3,)),
        Case(regular(3, 3), (3, 2)),
        Case(regular(3, 3), (3, 2), transposed=True),
        Case(symmetric(3, 3), (3,), assume_a="pos"),
        Case(symmetric(3, 3), (3, 2), assume_a="sym", lower=True),
        Case(symmetric(3, 3), (3, 2), assume_a="her"),
        Case(regular(3, 3), (3, 2), assume_a="upper triangular"),
        Case(regular(3, 3), (3,), assume_a="lower triangular"),
    ],
    note="of the part of the matrix that is read",
)


# ---- solve_triangular


def _trans(trans: Any) -> int:
    found = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    if found not in (0, 1, 2):
        raise UncoveredError(f"`trans={trans!r}`")
    return int(found)


def _triangular_type(
    a: object, b: object, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Type:
    _trans(trans)
    return _system_type(a, b)


def _substitute_type(
    a: object, b: object, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False
) -> Type:
    t = _triangular_type(a, b, trans, lower, unit_diagonal)
    return ArrayType(np.result_type(working(as_type(a)), working(as_type(b))), shape_of(t))


def _part(t: Any, lower: Any, unit_diagonal: Any) -> Any:
    return strict(t, bool(lower)) if unit_diagonal else triangle(t, bool(lower))


def triangular_solve(a: Any, b: Any, trans: int, lower: Any, unit_diagonal: Any) -> Any:
    """The solution of a triangular system, which may be infinite."""
    given = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    options = {k: v for k, v in given.items() if v}
    return call(linalg.solve_triangular, a, b, **options, check_finite=False)


def substitution(a: Any, b: Any, trans: int, lower: Any, unit_diagonal: Any) -> Any:
    """The solution of a system that may be singular: it is infinite then."""
    return call(runtime.substitute, a, b, trans, bool(lower), bool(unit_diagonal))


def _triangular_parts(solve: Any) -> dict[str, Any]:
    """The tangent of a triangular system, and the cotangents of its arguments."""

    def jvp(
        ts: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False,
        unit_diagonal: Any = False,
    ) -> Any:  # fmt: skip
        a_dot, b_dot = ts
        if a_dot is not ZERO:
            part = _part(a_dot, lower, unit_diagonal)
            b_dot = b_dot - (part, mT(part), mH(part))[_trans(trans)] @ y
        return cast_like(solve(a, b_dot, _trans(trans), lower, unit_diagonal), y)

    def solved_back(g: Any, a: Any, trans: int, lower: Any, unit_diagonal: Any) -> Any:
        return solve(conj(a) if trans == 2 else a, g, int(trans == 0), lower, unit_diagonal)

    def of_b(
        g: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False,
        unit_diagonal: Any = False,
    ) -> Any:  # fmt: skip
        return cast_like(solved_back(g, a, _trans(trans), lower, unit_diagonal), b)

    def of_a(
        g: Any, y: Any, a: Any, b: Any, trans: Any = 0, lower: Any = False,
        unit_diagonal: Any = False,
    ) -> Any:  # fmt: skip
        b_bar = solved_back(g, a, _trans(trans), lower, unit_diagonal)
        bar = -(_outer(y, b_bar) if _trans(trans) else _outer(b_bar, y))
        bar = conj(bar) if _trans(trans) == 2 else bar
        return cast_like(_part(bar, lower, unit_diagonal), a)

    return {"jvp": jvp, "a": of_a, "b": of_b}


solver_rule(
    linalg.solve_triangular,
    **_triangular_parts(triangular_solve),
    type_of=known_options(_triangular_type),
    cases=[
        Case(regular(3, 3), (3,)),
        Case(regular(3, 3), (3, 2), lower=True),
        Case(regular(3, 3), (3,), trans=1),
        Case(regular(3, 3), (3, 2), trans="C", lower=True),
        Case(regular(3, 3), (3, 2), trans="T", lower=True, unit_diagonal=True),
        Case(regular(3, 3), (3,), unit_diagonal=True),
    ],
    note="of the triangle of the matrix that is read",
)
rule(
    runtime.substitute,
    **_triangular_parts(substitution),
    type_of=known_options(_substitute_type),
    cases=[
        Case(regular(3, 3), (3,)),
        Case(regular(3, 3), (3, 2), 1, True),
        Case(regular(3, 3), (3, 2), 2, False, True),
    ],
    note="of the triangle of the matrix that is read",
)


# ---- inv, det, pinv, lstsq: those of NumPy


def _no_overwriting(overwritten: Any) -> None:
    if overwritten is not False:
        raise UncoveredError("what is overwritten")


def _inv(
    a: Any, overwrite_a: Any = False, check_finite: Any = True, assume_a: Any = None,
    lower: Any = False,
) -> Any:  # fmt: skip
    _no_overwriting(overwrite_a)
    if assume_a not in (None, "gen", "general"):
        raise UncoveredError(f"`assume_a={assume_a!r}`")
    return call(np.linalg.inv, validated(a, check_finite))


def _det(a: Any, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    _no_overwriting(overwrite_a)
    found = call(np.linalg.det, validated(a, check_finite))
    dtype = _dtype_of(found)
    wide = result_dtype(linalg.det, dtype)
    return found if wide == dtype else found.astype(wide)


def _pinv(
    a: Any, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True
) -> Any:
    if atol is not None or return_rank:
        raise UncoveredError("`atol=` and `return_rank=`")
    return call(np.linalg.pinv, validated(a, check_finite), rtol=rtol)


def _lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False,
    check_finite: Any = True, lapack_driver: Any = None,
) -> Any:  # fmt: skip
    _no_overwriting(overwrite_a or overwrite_b)
    if lapack_driver not in (None, "gelsd"):
        raise UncoveredError(f"`lapack_driver={lapack_driver!r}`")
    a, b = validated(a, check_finite), validated(b, check_finite)
    if cond is None:
        cond = float(np.finfo(np.result_type(_dtype_of(a), _dtype_of(b))).eps)
    x, residuals, rank, s = call(np.linalg.lstsq, a, b, cond)
    if rank_of(b) != 2:
        m, n = (known(extent, "the shape of the matrix") for extent in a.shape)
        if m > n:
            residuals = call(runtime.only_residual, residuals)
            residuals = call(np.array, residuals) if has_arrays_for_numbers() else residuals
    return x, residuals, call(np.int64 if has_arrays_for_numbers() else int, rank), s


def _dtype_of(x: Any) -> np.dtype:
    return dtype_of_arrays(as_type(type_of(x)))


rule(
    runtime.only_residual,
    jvp=lambda ts, y, residuals: ts[0][0],
    residuals=lambda g, y, residuals: call(runtime.scatter, g, np.shape(residuals), 0),
    type_of=lambda residuals: array_or_scalar(dtype_of_arrays(as_type(residuals)), ()),
    cases=[Case((1,))],
)
composed(linalg.inv, _inv, cases=[Case(regular(3, 3))])
composed(linalg.det, _det, cases=[Case(regular(3, 3))])
composed(linalg.pinv, _pinv, cases=[Case((4, 3))])
composed(linalg.lstsq, _lstsq, cases=[Case((4, 3), (4, 2)), Case((4, 3), (4,))])
