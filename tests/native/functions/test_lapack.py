"""Decompositions in compiled code: equal to NumPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from srcad.kernels.lapack import find_lapack

numba = pytest.importorskip("numba")
if not find_lapack():
    pytest.skip("NumPy's LAPACK has other names", allow_module_level=True)

from srcad.native import decompositions as twins  # noqa: E402 - needs Numba
from srcad.native import functions  # noqa: E402

RNG = np.random.default_rng(1)
KINDS = pytest.mark.parametrize("kind", ["f", "c"])


def matrix(kind, *shape):
    """Random numbers, of one kind."""
    x = RNG.standard_normal(shape)
    return x + 1j * RNG.standard_normal(shape) if kind == "c" else x


def compiled(twin):
    """The function, called by compiled code."""
    fn = getattr(functions, twin.name_in_runtime)
    count = twin.of.__code__.co_argcount
    names = ", ".join("abcde"[:count])
    scope = {"fn": fn}
    exec(f"def call({names}):\n    fn({names})\n", scope)
    return numba.njit(scope["call"])


def by_columns(x):
    return x.T.copy()


@KINDS
@pytest.mark.parametrize("n", [1, 2, 3, 7, 40])
def test_eigenvectors(kind, n):
    x = matrix(kind, n, n)
    x = x + np.conj(x.T)
    a, w = by_columns(x), np.empty(n)
    compiled(twins.EIGEN[kind])(a, w, True)
    wanted = np.linalg.eigh(x)
    np.testing.assert_array_equal(w, wanted[0])
    np.testing.assert_array_equal(a.T, wanted[1])
    a = by_columns(x)
    compiled(twins.EIGEN[kind])(a, w, False)
    np.testing.assert_array_equal(w, np.linalg.eigvalsh(x))


@KINDS
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 2), (2, 5), (30, 12)])
def test_singular_vectors(kind, shape):
    x, few = matrix(kind, *shape), min(shape)
    svd = compiled(twins.SINGULAR[kind])
    for job, full in ((twins.REDUCED, False), (twins.FULL, True)):
        u, s, vh = np.linalg.svd(x, full_matrices=full)
        a, found = by_columns(x), (np.empty_like(by_columns(u)), np.empty(few), by_columns(vh))
        svd(a, *found, job)
        for each, wanted in zip(found, (u.T, s, vh.T), strict=True):
            np.testing.assert_array_equal(each, wanted)
    a, s = by_columns(x), np.empty(few)
    svd(a, a, s, a, twins.NONE)
    np.testing.assert_array_equal(s, np.linalg.svd(x, compute_uv=False))


@KINDS
@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (40, 33)])
def test_orthogonal_factors(kind, shape):
    x, few = matrix(kind, *shape), min(shape)
    a, scales = by_columns(x), np.empty(few, x.dtype)
    compiled(twins.REFLECTORS[kind])(a, scales)
    q = a[:few].copy()
    compiled(twins.ORTHOGONAL[kind])(q, scales)
    wanted = np.linalg.qr(x)
    np.testing.assert_array_equal(q.T, wanted[0])
    np.testing.assert_array_equal(np.triu(a.T[:few]), wanted[1])
    plain = a[:few].copy()
    twins.ORTHOGONAL[kind](plain, scales)
    np.testing.assert_allclose(plain, q, atol=1e-12)


@pytest.mark.parametrize("shape", [(3, 3), (6, 2), (2, 5), (20, 7)])
@pytest.mark.parametrize("is_short", [False, True])
def test_least_squares(shape, is_short):
    x, y = matrix("f", *shape), matrix("f", shape[0], 3)
    if is_short:
        x[:, 1] = x[:, 0]
    b = np.zeros((3, max(shape)))
    b[:, : shape[0]] = y.T
    s, rank = np.empty(min(shape)), np.empty(1, np.int32)
    compiled(twins.LEAST_SQUARES)(by_columns(x), b, s, rank, np.finfo(float).eps * max(shape))
    wanted = np.linalg.lstsq(x, y)
    np.testing.assert_array_equal(b[:, : shape[1]].T, wanted[0])
    np.testing.assert_array_equal(s, wanted[3])
    assert rank[0] == wanted[2]


@KINDS
@pytest.mark.parametrize("n", [1, 3, 40])
def test_systems(kind, n):
    x, y = matrix(kind, n, n), matrix(kind, n, 2)
    b = by_columns(y)
    compiled(twins.SOLVED[kind])(by_columns(x), b)
    np.testing.assert_array_equal(b.T, np.linalg.solve(x, y))
    a = by_columns(x @ np.conj(x.T) + np.eye(n))
    wanted = np.linalg.cholesky(a.T)
    compiled(twins.CHOLESKY[kind])(a)
    np.testing.assert_array_equal(np.tril(a.T), wanted)


def test_complex_products():
    x, y = matrix("c", 5, 3), matrix("c", 3, 4)
    out = np.empty((5, 4), complex)
    compiled(twins.COMPLEX_PRODUCT)(out, x, y)
    np.testing.assert_array_equal(out, x @ y)
    out = np.full((2, 2), np.nan, complex)
    compiled(twins.COMPLEX_PRODUCT)(out, x[:2, :0].copy(), y[:0, :2].copy())
    np.testing.assert_array_equal(out, 0)


def test_what_is_not_found_raises():
    singular = np.ones((2, 2))
    with pytest.raises(ValueError, match="LAPACK"):
        compiled(twins.SOLVED["f"])(singular.copy(), np.ones((1, 2)))
    with pytest.raises(ValueError, match="LAPACK"):
        compiled(twins.CHOLESKY["f"])(-singular)
    with pytest.raises(ValueError, match="entries"):
        compiled(twins.SINGULAR["f"])(*[np.empty((0, 2))] * 2, np.empty(0), np.empty((0, 2)), 83)
