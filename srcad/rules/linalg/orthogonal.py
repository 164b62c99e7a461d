"""The QR decomposition, of matrices of full rank with any extents.

After Walter and Lehmann (2013), "Algorithmic differentiation of linear algebra functions with
application in optimum experimental design", for tall matrices; Roberts and Roberts (2020), "QR and
LQ decomposition matrix backpropagation algorithms", for wide ones, whose first columns are
decomposed and whose others are `q.T @ others`. In the complex case the diagonal of r stays real, as
LAPACK has it. `mode="complete"` is `"reduced"` for square matrices and refused for others: there
the added columns of q have no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import call_beside, dims
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_complex, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    conj,
    inexact,
    known_options,
    mH,
    mirrored,
    mT,
    regular,
    shape_of_matrices,
    smaller,
    strict,
)

SQUARE.add(np.linalg.qr)
_Qr: Any = type(np.linalg.qr(np.eye(1)))


def qr_type(a: object, mode: Any = "reduced") -> Any:
    """`q, r`, or `r` alone."""
    t = as_type(a)
    dtype, shape = inexact(t), shape_of_matrices(t)
    if mode not in ("reduced", "complete", "r"):
        raise error("E203", None, what=f"`np.linalg.qr(..., mode={mode!r})`")
    if mode == "complete" and not is_square_type(t):
        fix = "use the mode 'reduced'"
        raise error("E203", None, what="`np.linalg.qr(..., mode='complete')`", fix=fix)
    if shape is None:
        r: Type = ArrayType(dtype, None)
        return r if mode == "r" else (r, r)
    *batch, m, n = shape
    k = smaller(m, n)
    r = ArrayType(dtype, (*batch, k, n))
    return r if mode == "r" else (ArrayType(dtype, (*batch, m, k)), r)


def _named_qr_type(*args: object, **options: object) -> Any:
    found = qr_type(*args, **options)
    return _Qr(*found) if isinstance(found, tuple) else found


def is_square_type(t: Type) -> bool:
    """Whether the last two extents are known to be equal."""
    shape = shape_of(t)
    return shape is not None and shape[-1] == shape[-2]


def _never_wide(a: Any) -> bool:
    """Whether a matrix is known to have at least as many rows as columns."""
    shape = shape_of(type_of(a))
    if shape is None:
        return False
    m, n = shape[-2:]
    return m == n or (isinstance(m, int) and isinstance(n, int) and m > n)


def _over(m: Any, r: Any) -> Any:
    """m @ inverse(r)."""
    return mT(call(np.linalg.solve, mT(r), mT(m)))


def _tall_jvp(t: Any, q: Any, r: Any) -> tuple[Any, Any]:
    scaled = _over(t, r)
    rotated = mH(q) @ scaled
    lower = strict(rotated, lower=True)
    turn = lower - mH(lower)
    if is_complex(q):
        eye = call_beside(q, np.eye, dims(r)[-1])
        turn = turn + cast_like(1j * (np.imag(rotated) * eye), q)
    rest = rotated - turn
    return scaled - q @ rest, rest @ r


def qr_tangent(ts: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The tangents of all results of `qr`."""
    q, r = y if mode != "r" else call(np.linalg.qr, a)
    if _never_wide(a):
        dots = _tall_jvp(ts[0], q, r)
    else:
        k = dims(q)[-1]
        q_dot, square_dot = _tall_jvp(ts[0][..., :k], q, r[..., :k])
        others_dot = mH(q_dot) @ a[..., k:] + mH(q) @ ts[0][..., k:]
        dots = q_dot, np.concatenate((square_dot, others_dot), axis=-1)
    return dots if mode != "r" else dots[1]


def _tall_vjp(q_bar: Any, r_bar: Any, q: Any, r: Any) -> Any:
    inner = ZERO if r_bar is ZERO else r_bar @ mT(r)
    inner = inner if q_bar is ZERO else inner - mT(q) @ q_bar
    x_bar = q_bar + conj(q) @ mirrored(inner, lower=False)
    return mT(call(np.linalg.solve, r, mT(x_bar)))


def qr_cotangent(g: Any, y: Any, a: Any, mode: str = "reduced") -> Any:
    """The cotangent of the argument of `qr`."""
    (q, r), (q_bar, r_bar) = (y, g) if mode != "r" else (call(np.linalg.qr, a), (ZERO, g))
    if q_bar is ZERO and r_bar is ZERO:
        return ZERO
    if _never_wide(a):
        return cast_like(_tall_vjp(q_bar, r_bar, q, r), a)
    k = dims(q)[-1]
    if r_bar is ZERO:
        first = _tall_vjp(q_bar, ZERO, q, r[..., :k])
        return cast_like(np.concatenate((first, np.zeros_like(a[..., k:])), axis=-1), a)
    of_others = r_bar[..., k:]
    q_bar = q_bar + conj(a[..., k:]) @ mH(of_others)
    others = conj(q) @ of_others
    first = _tall_vjp(q_bar, r_bar[..., :k], q, r[..., :k])
    return cast_like(np.concatenate((first, others), axis=-1), a)


rule(
    np.linalg.qr,
    jvp=qr_tangent,
    a=qr_cotangent,
    type_of=known_options(_named_qr_type),
    cases=[
        Case(regular(3, 3)),
        Case(regular(4, 3)),
        Case(regular(3, 5)),
        Case(regular(2, 4, 3)),
        Case(regular(2, 2, 4)),
        Case(regular(4, 3), mode="r"),
        Case(regular(3, 4), mode="r"),
    ],
    note="of full rank",
)
