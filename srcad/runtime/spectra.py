"""Helpers of emitted code for eigenvectors and singular vectors, which are not always determined.

Each divides by what may be zero, and raises `LinAlgError` where the quotient would be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def over_gaps(m: Any, w: Any, squared: bool = False) -> Any:
    """m[i, j] / (w[j] - w[i]), 0 on the diagonal; with `squared`, over w[j]**2 - w[i]**2.

    Where values are equal, as far as rounding tells, their vectors are not determined: then the
    columns of `m` that belong to them must be zero.
    """
    n = w.shape[-1]
    gaps = w[..., None, :] - w[..., :, None]
    largest = np.max(np.abs(w), axis=-1, initial=0)[..., None, None]
    equal = np.abs(gaps) <= n * np.finfo(w.dtype).eps * largest
    used = np.any(m != 0, axis=-2)
    missed = equal & (used[..., None, :] | used[..., :, None]) & ~np.eye(n, dtype=bool)
    if np.any(missed):
        raise np.linalg.LinAlgError("vectors of equal eigenvalues or singular values have no "
                                    "derivative")  # fmt: skip
    if squared:
        gaps = gaps * (w[..., None, :] + w[..., :, None])
    return np.where(equal, 0, m / np.where(equal, 1, gaps))


def over_values(m: Any, s: Any, u: Any) -> Any:
    """m[i, j] / s[j], where the vectors `u` span a part of their space; 0 where they span all.

    A vector of the singular value zero is not determined: then its column of `m` must be zero.
    """
    if u.shape[-2] == u.shape[-1]:
        return np.zeros(m.shape, np.result_type(m, s))
    largest = np.max(s, axis=-1, initial=0)[..., None]
    gone = s <= max(u.shape) * np.finfo(s.dtype).eps * largest
    if np.any(gone & np.any(m != 0, axis=-2)):
        raise np.linalg.LinAlgError("vectors of the singular value zero have no derivative")
    gone = gone[..., None, :]
    return np.where(gone, 0, m / np.where(gone, 1, s[..., None, :]))


def free_of_phase(x: Any, m: Any) -> Any:
    """`x`; raises where the diagonal of `m` shows that a result depends on the phases of vectors.

    Complex eigenvectors and singular vectors are determined up to a factor of modulus 1 each.
    """
    off = np.abs(np.imag(np.diagonal(m, axis1=-2, axis2=-1)))
    if off.size and np.max(off) > np.sqrt(np.finfo(m.dtype).eps) * np.max(np.abs(m)):
        raise np.linalg.LinAlgError("what depends on the phases of complex eigenvectors or "
                                    "singular vectors has no derivative")  # fmt: skip
    return x


def determined(x: Any, whole: Any) -> Any:
    """`x`, the part of `whole` that belongs to singular values; raises where the rest counts."""
    if np.count_nonzero(whole) > np.count_nonzero(whole[tuple(map(slice, x.shape))]):
        raise np.linalg.LinAlgError("singular vectors beyond the smaller extent have no "
                                    "derivative: pass full_matrices=False")  # fmt: skip
    return x


def complex_eig(a: Any) -> Any:
    """`np.linalg.eig` with complex results, also where all of them are real."""
    found = np.linalg.eig(a)
    dtype = np.result_type(found.eigenvalues.dtype, np.complex64)
    return type(found)(*(part.astype(dtype) for part in found))


def complex_eigvals(a: Any) -> Any:
    """`np.linalg.eigvals` with complex results, also where all of them are real."""
    w = np.linalg.eigvals(a)
    return w.astype(np.result_type(w.dtype, np.complex64))


def complex_roots(p: Any) -> Any:
    """`np.roots` with complex results, also where all of them are real."""
    r = np.roots(p)
    p = np.atleast_1d(p)
    if np.iscomplexobj(p) and not np.iscomplexobj(r):
        raise NotImplementedError("roots of a complex polynomial of degree 0, which are real")
    return r.astype(np.result_type(p.dtype if p.dtype.kind in "fc" else float, np.complex64))


def simple(slopes: Any, p: Any) -> Any:
    """`slopes`, those of a polynomial at its roots; raises where roots have no derivative."""
    if not p[0] or not np.all(slopes):
        raise np.linalg.LinAlgError("the roots of a polynomial have no derivative where two are "
                                    "equal, or where the first coefficient is 0")  # fmt: skip
    return slopes


def cofactors(a: Any) -> Any:
    """The derivative of the determinant of `a` by its entries: also where the matrix is singular.

    For regular matrices det(a) inv(a).T; else, by the singular values, u diag(p) vh det(u vh) with
    p[i] the product of all singular values but the i-th.
    """
    eps = np.finfo(a.dtype).eps
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        inverse = None
    if inverse is not None:
        condition = np.linalg.norm(a, axis=(-2, -1)) * np.linalg.norm(inverse, axis=(-2, -1))
        if np.all(condition < 1 / np.sqrt(eps)):
            return np.linalg.det(a)[..., None, None] * np.swapaxes(inverse, -1, -2)
    finite = np.isfinite(a).all(axis=(-2, -1), keepdims=True)  # of others there is no SVD
    u, s, vh = np.linalg.svd(np.where(finite, a, np.eye(a.shape[-1], dtype=a.dtype)))
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :])
    sign = np.linalg.det(u @ vh)[..., None, None]
    found = sign * (np.conj(u) * np.prod(others, axis=-1)[..., None, :] @ np.conj(vh))
    return np.where(finite, found, np.nan)


def cofactors_change(t: Any, a: Any) -> Any:
    """The tangent of `cofactors(a)` along `t`, by products of all singular values but two."""
    finite = np.isfinite(a).all(axis=(-2, -1), keepdims=True)  # of others there is no SVD
    u, s, vh = np.linalg.svd(np.where(finite, a, np.eye(a.shape[-1], dtype=a.dtype)))
    n = s.shape[-1]
    eye = np.eye(n, dtype=bool)
    left_out = eye[:, None, :] | eye[None, :, :]
    pairs = np.prod(np.where(left_out, 1, s[..., None, None, :]), axis=-1) * ~eye
    uh, v = np.conj(np.swapaxes(u, -1, -2)), np.conj(np.swapaxes(vh, -1, -2))
    turned = uh @ t @ v
    diagonal = np.diagonal(turned, axis1=-2, axis2=-1)
    kept = np.sum(pairs * diagonal[..., None, :], axis=-1)
    inner = np.where(eye, kept[..., None, :], -pairs * np.swapaxes(turned, -1, -2))
    sign = np.linalg.det(u @ vh)[..., None, None]
    return np.where(finite, sign * (np.conj(u) @ inner @ np.conj(vh)), np.nan)
