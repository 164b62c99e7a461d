"""Decompositions of symmetric matrices (Hermitian, where complex): cholesky, eigh, eigvalsh.

They read one triangle of the matrix only, the lower unless told otherwise, and so do the
derivatives: a cotangent is triangular, a tangent counts by that triangle. Where the matrix was made
symmetric before (`b @ b.T`), this gives what the symmetric convention gives. After Murray (2016),
"Differentiation of the Cholesky decomposition", and Giles (2008), section 3.1; complex eigenvectors
after Boeddeker et al. (2017), "On the computation of complex-valued gradients with application to
statistically optimum beamforming", with the convention that a change of an eigenvector has no part
along it, as in JAX.

Eigenvectors of equal eigenvalues have no derivative: asking for it raises `LinAlgError` at run
time, and so does a loss that depends on the phase of a complex eigenvector. The equal eigenvalues
themselves have one each, along the eigenvectors that NumPy finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    diagonals,
    folded,
    half_triangle,
    known_options,
    mH,
    mirrored,
    mT,
    real,
    square_type,
    symmetric,
    values_type,
)
from srcad.rules.linalg.spectra import over_gaps

SQUARE.update((np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh))
_Eigh: Any = type(np.linalg.eigh(np.eye(1)))

# ---- cholesky


def cholesky_jvp(factor: Any, a_dot: Any) -> Any:
    """The tangent of the lower factor of `a`, along a symmetric `a_dot`."""
    left = call(np.linalg.solve, factor, a_dot)
    return factor @ half_triangle(mH(call(np.linalg.solve, factor, mH(left))))


def cholesky_vjp(g: Any, factor: Any) -> Any:
    """The cotangent of a symmetric `a`, where `g` is that of its lower factor."""
    left = call(np.linalg.solve, mT(factor), half_triangle(mT(factor) @ g))
    return mT(call(np.linalg.solve, mH(factor), mT(left)))


def _cholesky_jvp(ts: Any, y: Any, a: Any, upper: bool = False) -> Any:
    if not upper:
        return cholesky_jvp(y, mirrored(ts[0]))
    return mH(cholesky_jvp(mH(y), mirrored(ts[0], lower=False)))


def _cholesky_vjp(g: Any, y: Any, a: Any, upper: bool = False) -> Any:
    if not upper:
        return folded(cholesky_vjp(g, y))
    return folded(cholesky_vjp(mH(g), mH(y)), lower=False)


rule(
    np.linalg.cholesky,
    jvp=_cholesky_jvp,
    a=_cholesky_vjp,
    type_of=known_options(square_type),
    cases=[
        Case(symmetric(3, 3)),
        Case(symmetric(2, 3, 3)),
        Case(symmetric(3, 3), upper=True),
        Case(symmetric(2, 3, 3), upper=True),
    ],
    note="of the triangle of the matrix that it reads",
)


# ---- eigh


def _eigh_type(a: object, UPLO: object = "L") -> tuple[Type, Type]:  # noqa: N803 - NumPy's name
    found: tuple[Type, Type] = _Eigh(values_type(a), square_type(a))
    return found


def eigh_jvp(w: Any, v: Any, a_dot: Any) -> tuple[Any, Any]:
    """The tangents of eigenvalues and eigenvectors, along a symmetric `a_dot`."""
    rotated = mH(v) @ a_dot @ v
    return real(diagonals(rotated)), v @ over_gaps(rotated, w)


def eigh_vjp(w_bar: Any, v_bar: Any, w: Any, v: Any) -> Any:
    """The cotangent of a symmetric matrix."""
    total: Any = ZERO
    if v_bar is not ZERO:
        turned = mT(v) @ v_bar
        if is_complex(v):
            turned = call(runtime.free_of_phase, turned, turned)
        total = conj(v) @ over_gaps(turned, w) @ mT(v)
    return total if w_bar is ZERO else total + (conj(v) * columns(w_bar)) @ mT(v)


def _eigh_jvp(ts: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    w, v = y
    return eigh_jvp(w, v, mirrored(ts[0], UPLO == "L"))


def _eigh_vjp(g: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    total = eigh_vjp(*g, *y)
    return ZERO if total is ZERO else cast_like(folded(total, UPLO == "L"), a)


_SYMMETRIC = [
    Case(symmetric(3, 3)),
    Case(symmetric(2, 3, 3)),
    Case(symmetric(3, 3), UPLO="U"),
    Case(symmetric(1, 1)),
]

rule(
    np.linalg.eigh,
    jvp=_eigh_jvp,
    a=_eigh_vjp,
    type_of=known_options(_eigh_type),
    cases=_SYMMETRIC,
    note="vectors of equal eigenvalues and what depends on phases are refused at run time",
)


def _eigvalsh_jvp(ts: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    _, v = call(np.linalg.eigh, a, UPLO=UPLO)
    return real(np.sum(conj(v) * (mirrored(ts[0], UPLO == "L") @ v), axis=-2))


def _eigvalsh_vjp(g: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    _, v = call(np.linalg.eigh, a, UPLO=UPLO)
    return cast_like(folded(eigh_vjp(g, ZERO, y, v), UPLO == "L"), a)


rule(
    np.linalg.eigvalsh,
    jvp=_eigvalsh_jvp,
    a=_eigvalsh_vjp,
    type_of=lambda a, **_: values_type(a),
    cases=_SYMMETRIC,
    note="equal eigenvalues along the eigenvectors that are found",
)
