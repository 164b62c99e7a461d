"""The singular value decomposition: svd, svdvals.

After Townsend (2016), "Differentiating the singular value decomposition", and for complex matrices
Wan and Zhang (2019), "Automatic differentiation for complex valued SVD". A change of a right
singular vector has no part along it, as in JAX.

The values always have a derivative, at equal and at zero values along the vectors that NumPy finds.
Vectors of equal values, those of the value zero of a matrix that is not square, those beyond the
smaller extent (`full_matrices=True`), and what depends on the phases of complex vectors have none:
asking for it raises `LinAlgError` at run time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType
from srcad.rules.arrays.diagonals import is_square
from srcad.rules.arrays.shaping import dims
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import as_type
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    diagonals,
    inexact,
    known_options,
    mH,
    mT,
    real,
    real_dtype,
    rows,
    shape_of_matrices,
    smaller,
)
from srcad.rules.linalg.spectra import over_gaps, over_values

SQUARE.add(np.linalg.svd)
_Svd: Any = type(np.linalg.svd(np.eye(1)))


def thin_svd(a: Any) -> Any:
    """`u, s, vh` with as many vectors as values."""
    return call(np.linalg.svd, a, full_matrices=False)


def svdvals_type(x: object, *_: object, **__: object) -> ArrayType:
    """The singular values."""
    t = as_type(x)
    shape = shape_of_matrices(t)
    values = None if shape is None else (*shape[:-2], smaller(*shape[-2:]))
    return ArrayType(real_dtype(inexact(t)), values)


def svd_type(a: object, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    """The types of all results of `svd`."""
    s = svdvals_type(a)
    if not compute_uv:
        return s
    dtype, shape = inexact(as_type(a)), shape_of_matrices(as_type(a))
    if shape is None:
        return ArrayType(dtype, None), s, ArrayType(dtype, None)
    *batch, m, n = shape
    k = smaller(m, n)
    left, right = (m, n) if full_matrices else (k, k)
    return ArrayType(dtype, (*batch, m, left)), s, ArrayType(dtype, (*batch, right, n))


def _named_svd_type(*args: object, **options: object) -> Any:
    found = svd_type(*args, **options)
    return _Svd(*found) if isinstance(found, tuple) else found


# ---- the values alone


def values_jvp(t: Any, a: Any) -> Any:
    """The tangent of the singular values."""
    u, _, vh = thin_svd(a)
    return real(np.sum((mH(u) @ t) * conj(vh), axis=-1))


def values_vjp(s_bar: Any, a: Any) -> Any:
    """The cotangent of the matrix, where `s_bar` is that of its singular values."""
    u, _, vh = thin_svd(a)
    return cast_like((conj(u) * columns(s_bar)) @ conj(vh), a)


# ---- values and vectors


def _hermitian(m: Any) -> Any:
    return m + mH(m)


def svd_jvp(t: Any, u: Any, s: Any, vh: Any, square: bool) -> tuple[Any, Any, Any]:
    """The tangents of `u, s, vh`, with as many vectors as values."""
    left, right = mH(u) @ t, t @ mH(vh)
    rotated = left @ mH(vh)
    u_dot = u @ over_gaps(_hermitian(rotated * columns(s)), s, squared=True)
    vh_dot = -(over_gaps(_hermitian(rows(s) * rotated), s, squared=True) @ vh)
    if is_complex(u):
        turn = 1j * np.imag(diagonals(rotated)) / nonzero(s)
        u_dot = u_dot + cast_like(u * columns(turn), u)
    if not square:
        u_dot = u_dot + over_values(right - u @ rotated, s, u)
        vh_dot = vh_dot + mH(over_values(mH(left - rotated @ vh), s, mH(vh)))
    return u_dot, real(diagonals(rotated)), vh_dot


def svd_vjp(g: Any, u: Any, s: Any, vh: Any, square: bool) -> Any:
    """The cotangent of the matrix, with as many vectors as values."""
    u_bar, s_bar, vh_bar = g
    uc, vhc = conj(u), conj(vh)
    of_u = ZERO if u_bar is ZERO else mT(u) @ u_bar
    of_v = ZERO if vh_bar is ZERO else vhc @ mH(vh_bar)
    if is_complex(u) and not (u_bar is ZERO and vh_bar is ZERO):
        turned = of_u + of_v
        if of_u is not ZERO:
            of_u = call(runtime.free_of_phase, of_u, turned)
            s_bar = s_bar + cast_like(1j * np.imag(diagonals(of_u)) / nonzero(s), u)
        else:
            of_v = call(runtime.free_of_phase, of_v, turned)
    inner: Any = ZERO
    if of_u is not ZERO:
        inner = _hermitian(over_gaps(of_u, s, squared=True)) * columns(s)
    if of_v is not ZERO:
        inner = inner + rows(s) * _hermitian(over_gaps(of_v, s, squared=True))
    inner = inner if inner is ZERO else inner @ vhc
    a_bar = uc @ (inner if s_bar is ZERO else inner + rows(s_bar) * vhc)
    if not square and of_u is not ZERO:
        a_bar = a_bar + over_values(u_bar - uc @ of_u, s, u) @ vhc
    if not square and of_v is not ZERO:
        outside = mH(vh_bar) - mT(vh) @ of_v
        a_bar = a_bar + uc @ mH(over_values(outside, s, mH(vh)))
    return a_bar


def _has_more(a: Any, full_matrices: Any) -> bool:
    """Whether there may be more vectors than values."""
    return bool(full_matrices) and not is_square(a)


def svd_tangent(
    ts: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True
) -> Any:  # fmt: skip
    """The tangents of all results of `svd`."""
    if not compute_uv:
        return values_jvp(ts[0], a)
    u, s, vh = y
    if not _has_more(a, full_matrices):
        return svd_jvp(ts[0], u, s, vh, is_square(a))
    k = dims(s)[-1]
    u_dot, s_dot, vh_dot = svd_jvp(ts[0], u[..., :k], s, vh[..., :k, :], False)
    return (
        call(runtime.determined, u_dot, u),
        s_dot,
        call(runtime.determined, vh_dot, vh),
    )


def svd_cotangent(
    g: Any, y: Any, a: Any, full_matrices: Any = True, compute_uv: Any = True
) -> Any:  # fmt: skip
    """The cotangent of the argument of `svd`."""
    if not compute_uv:
        return values_vjp(g, a)
    (u, s, vh), (u_bar, s_bar, vh_bar) = y, g
    if all(bar is ZERO for bar in g):
        return ZERO
    if _has_more(a, full_matrices):
        k = dims(s)[-1]
        u, vh = u[..., :k], vh[..., :k, :]
        if u_bar is not ZERO:
            u_bar = call(runtime.determined, u_bar[..., :k], u_bar)
        if vh_bar is not ZERO:
            vh_bar = call(runtime.determined, vh_bar[..., :k, :], vh_bar)
    return cast_like(svd_vjp((u_bar, s_bar, vh_bar), u, s, vh, is_square(a)), a)


_VALUES = "values always; vectors that are not unique are refused at run time"

rule(
    np.linalg.svd,
    jvp=svd_tangent,
    a=svd_cotangent,
    type_of=known_options(_named_svd_type),
    cases=[
        Case((3, 3)),
        Case((4, 3), full_matrices=False),
        Case((3, 4), full_matrices=False),
        Case((2, 4, 3), full_matrices=False),
        Case((2, 3, 3), full_matrices=False),
        Case((4, 3), compute_uv=False),
        Case((2, 3, 4), full_matrices=False, compute_uv=False),
    ],
    note=_VALUES,
)

if hasattr(np.linalg, "svdvals"):
    rule(
        np.linalg.svdvals,
        jvp=lambda ts, y, x: values_jvp(ts[0], x),
        x=lambda g, y, x: values_vjp(g, x),
        type_of=svdvals_type,
        cases=[Case((3, 3)), Case((4, 3)), Case((2, 3, 4))],
    )
