"""`scipy.linalg`: eigenvalues, singular values, the QR decomposition, norms.

The derivatives are those of `np.linalg`, with its conventions; the options are SciPy's. In the
generalised problem a v = w b v the eigenvectors are normal in b: with
m = v^H (a_dot - w_j b_dot) v, w_dot is its diagonal and v_dot = v c, with c_ij = m_ij / (w_j - w_i)
and c_jj = -v_j^H b_dot v_j / 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad import runtime
from srcad.ir.types import ArrayType, dtype_of, shape_of
from srcad.rules.arrays.shaping import rank_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.decompositions import eigh_vjp
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    diagonals,
    folded,
    inexact,
    known_options,
    mH,
    mirrored,
    mT,
    real,
    regular,
    square_type,
    symmetric,
    values_type,
)
from srcad.rules.linalg.orthogonal import qr_cotangent, qr_tangent, qr_type
from srcad.rules.linalg.singular_values import (
    svd_cotangent,
    svd_tangent,
    svd_type,
    svdvals_type,
    values_jvp,
    values_vjp,
)
from srcad.rules.linalg.spectra import over_gaps
from srcad.rules.scipy.linalg.options import (
    listed,
    of_stack,
    one_matrix,
    plain,
    solver_rule,
    validated,
)

SQUARE.update((linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.qr))

# ---- eigh, eigvalsh


def _eigh_type(a: object, *b: object, lower: Any = True, eigvals_only: Any = False) -> Any:
    one_matrix(a, "eigh")
    dtype = np.result_type(*(inexact(as_type(m)) for m in (a, *b)))
    w = values_type(a, np.zeros((), dtype).real.dtype)
    return w if eigvals_only else (w, ArrayType(dtype, square_type(a).shape))


def _normalize(fn: Any) -> Any:
    strip = plain(fn)

    def normalize(*args: Any, **kwargs: Any) -> Arguments:
        args, options = strip(*args, **kwargs)
        given = [m for m in (*args, options.pop("b", None)) if m is not None]
        options.pop("driver", None)
        if options.pop("type", 1) != 1:
            raise TypeError("`type=`")
        for name in ("subset_by_index", "subset_by_value"):
            if options.pop(name, None) is not None:
                raise TypeError(f"`{name}=`: take the ones that you want of all")
        return tuple(given), options

    return normalize


def _vectors(y: Any, xs: Any, lower: Any, eigvals_only: Any) -> Any:
    """All eigenvalues and eigenvectors."""
    options = {} if lower else {"lower": False}
    return call(linalg.eigh, *xs, **options) if eigvals_only else y


def _eigh_jvp(ts: Any, y: Any, *xs: Any, lower: Any = True, eigvals_only: Any = False) -> Any:
    w, v = _vectors(y, xs, lower, eigvals_only)
    change: Any = ZERO if ts[0] is ZERO else mH(v) @ mirrored(ts[0], lower) @ v
    of_b: Any = ZERO
    if len(xs) == 2 and ts[1] is not ZERO:
        of_b = mH(v) @ mirrored(ts[1], lower) @ v
        change = change - of_b * columns(w)
    w_dot = cast_like(real(diagonals(change)), w)
    if eigvals_only:
        return w_dot
    v_dot = v @ over_gaps(change, w)
    if of_b is not ZERO:
        v_dot = v_dot - v * columns(real(diagonals(of_b)) / 2)
    return w_dot, cast_like(v_dot, v)


def _eigh_vjp(
    g: Any, y: Any, *xs: Any, at: int, lower: Any = True, eigvals_only: Any = False
) -> Any:
    w, v = _vectors(y, xs, lower, eigvals_only)
    w_bar, v_bar = (g, ZERO) if eigvals_only else g
    if w_bar is ZERO and v_bar is ZERO:
        return ZERO
    if at == 0:
        return cast_like(folded(eigh_vjp(w_bar, v_bar, w, v), lower), xs[0])
    inner: Any = ZERO
    weights = ZERO if w_bar is ZERO else w_bar * w
    if v_bar is not ZERO:
        turned = mT(v) @ v_bar
        inner = over_gaps(turned, w) * columns(w) @ mT(v)
        weights = weights + real(diagonals(turned)) / 2
    total = -(conj(v) @ (inner + mT(v * columns(weights))))
    return cast_like(folded(total, lower), xs[1])


def _gram(rng: Any) -> Any:
    a = rng.uniform(-1, 1, (3, 3))
    return a @ a.T + np.eye(3)


solver_rule(
    linalg.eigh,
    jvp=_eigh_jvp,
    xs=_eigh_vjp,
    type_of=known_options(_eigh_type),
    normalize=_normalize(linalg.eigh),
    cases=[
        Case(symmetric(3, 3), eigvals_only=True),
        Case(symmetric(3, 3), lower=False, eigvals_only=True),
        Case(symmetric(3, 3), _gram),
        Case(symmetric(3, 3), _gram, lower=False, eigvals_only=True),
    ],
    note="as of np.linalg.eigh",
)

solver_rule(
    linalg.eigvalsh,
    jvp=lambda ts, y, *xs, lower=True: _eigh_jvp(ts, y, *xs, lower=lower, eigvals_only=True),
    xs=lambda g, y, *xs, at, lower=True: _eigh_vjp(
        g, y, *xs, at=at, lower=lower, eigvals_only=True
    ),
    type_of=lambda a, *b, lower=True: _eigh_type(a, *b, eigvals_only=True),
    normalize=_normalize(linalg.eigvalsh),
    cases=[Case(symmetric(3, 3)), Case(symmetric(3, 3), _gram, lower=False)],
)


# ---- eig, eigvals


def _eig(
    a: Any, b: Any = None, left: Any = False, right: Any = True, overwrite_a: Any = False,
    overwrite_b: Any = False, check_finite: Any = True, homogeneous_eigvals: Any = False,
) -> Any:  # fmt: skip
    if b is not None or left or overwrite_a or homogeneous_eigvals:
        raise UncoveredError("a generalised problem, left eigenvectors or overwriting")
    a = validated(a, check_finite)
    if not right:
        return call(runtime.complex_eigvals, a)
    results = call(runtime.complex_eig, a)
    return tuple(results) if rank_of(a) == 2 else of_stack(results)


def _eigvals(
    a: Any, b: Any = None, overwrite_a: Any = False, check_finite: Any = True,
    homogeneous_eigvals: Any = False,
) -> Any:  # fmt: skip
    return _eig(a, b, False, False, overwrite_a, False, check_finite, homogeneous_eigvals)


composed(linalg.eig, _eig, cases=[Case(regular(3, 3), right=False)])
composed(linalg.eigvals, _eigvals, cases=[Case(regular(3, 3))])


# ---- svd, svdvals


def _normalize_svd(*args: Any, **kwargs: Any) -> Arguments:
    args, options = plain(linalg.svd)(*args, **kwargs)
    options.pop("lapack_driver", None)
    return args, options


solver_rule(
    linalg.svd,
    jvp=svd_tangent,
    a=svd_cotangent,
    type_of=known_options(listed(svd_type)),
    normalize=_normalize_svd,
    cases=[
        Case((3, 3)),
        Case((4, 3), full_matrices=False),
        Case((3, 4), full_matrices=False),
        Case((4, 3), compute_uv=False),
    ],
    note="as of np.linalg.svd",
)

solver_rule(
    linalg.svdvals,
    jvp=lambda ts, y, a: values_jvp(ts[0], a),
    a=lambda g, y, a: values_vjp(g, a),
    type_of=svdvals_type,
    cases=[Case((3, 3)), Case((4, 3))],
)


# ---- qr, norm

_MODES = {"full": "complete", "economic": "reduced"}


def _qr_type(a: object, mode: Any = "full") -> Any:
    if mode not in _MODES:
        raise UncoveredError(f"`mode={mode!r}`")
    return qr_type(a, _MODES[mode])


def _normalize_qr(*args: Any, **kwargs: Any) -> Arguments:
    args, options = plain(linalg.qr)(*args, **kwargs)
    if options.pop("pivoting", False):
        raise TypeError("`pivoting=True`")
    options.pop("lwork", None)
    return args, options


solver_rule(
    linalg.qr,
    jvp=lambda ts, y, a, mode="full": qr_tangent(ts, y, a, _MODES[mode]),
    a=lambda g, y, a, mode="full": qr_cotangent(g, y, a, _MODES[mode]),
    type_of=known_options(listed(_qr_type)),
    normalize=_normalize_qr,
    cases=[
        Case(regular(3, 3), mode="economic"),
        Case(regular(4, 3), mode="economic"),
        Case(regular(3, 4), mode="economic"),
    ],
    note="of full rank",
)


def _norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True
) -> Any:
    if check_finite:
        a = call(np.asarray_chkfinite, a)
    found = call(np.linalg.norm, a, ord, axis, keepdims)
    if axis is not None or keepdims:
        return found
    # Where BLAS and LAPACK have the norm, it comes as a float of Python's.
    t = as_type(type_of(a))
    of_library = {1: (None, 2), 2: (1, np.inf)}.get(rank_of(a), ())
    if (dtype_of(t) or np.dtype(float)).char not in "fdFD" or 0 in (shape_of(t) or ()):
        return found
    return call(float, found) if ord in of_library else found


composed(
    linalg.norm,
    _norm,
    cases=[
        *(Case((3, 4)), Case((3, 4), ord=2), Case((3, 4), axis=1), Case((3, 4), ord=1)),
        *(Case((4,)), Case((4,), ord=1), Case((4,), ord=3), Case((4,), ord=2, keepdims=True)),
    ],
)
