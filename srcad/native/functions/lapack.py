"""Decompositions of matrices in compiled code, by the LAPACK that NumPy calls.

    eigen_into(a, w, True)             w, v = np.linalg.eigh(a.T); a becomes v.T
    singular_into(a, u, s, v, REDUCED) u.T, s, v.T = np.linalg.svd(a.T, full_matrices=False)

LAPACK's matrices lie by columns. So each array here is transposed: its rows are columns. What is
decomposed is overwritten. Routines, jobs and sizes of workspaces are those of NumPy
(`numpy/linalg/umath_linalg.cpp`), so that all bits of the results are. A routine that fails raises,
and NumPy runs the call.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

from srcad.kernels.lapack import find_lapack
from srcad.kernels.numba_adapter import binding

__all__ = [
    "cholesky_into",
    "complex_cholesky_into",
    "complex_product_into",
    "complex_reflectors_into",
    "complex_singular_into",
    "complex_solved_into",
    "eigen_into",
    "hermitian_eigen_into",
    "least_squares_into",
    "orthogonal_into",
    "reflectors_into",
    "singular_into",
    "solved_into",
    "unitary_into",
]


def routine(name: str, count: int) -> Any:
    """A routine of LAPACK's with so many arguments, which are all addresses; None if there is
    none. Machine code knows the symbol.
    """
    address, bits = find_lapack().get(name, (0, 0))
    if not address:
        return None
    symbol = f"srcad_{name}_{bits}"
    binding.add_symbol(symbol, address)
    return types.ExternalFunction(symbol, types.void(*[types.voidptr] * count))


SHORT_INTEGERS = any(bits == 32 for _, bits in find_lapack().values())
INTEGER = np.int32 if SHORT_INTEGERS else np.int64
DGELSD = routine("dgelsd", 14)
ZGEMM = routine("zgemm", 13)

# Letters that LAPACK knows jobs by; the triangle that is read.
NO_VECTORS, VECTORS, LOWER = 78, 86, 76
AS_IT_LIES = 78


@njit(nogil=True, error_model="numpy")
def check_done(info: int) -> None:
    """Leave it to NumPy where a routine has failed."""
    if info != 0:
        raise ValueError("a decomposition that LAPACK does not find")


# Of matrices of floats and of complex numbers, the same text makes a function each. What only one
# of the two passes to its routine stands behind `is_complex`, which Numba knows while it compiles.


def _eigen(syevd: Any, dtype: Any) -> Any:
    is_complex = dtype is np.complex128

    @njit(nogil=True, error_model="numpy")
    def eigen_into(a: Any, w: Any, with_vectors: bool) -> None:
        """The eigenvalues of a Hermitian matrix, and its eigenvectors in the rows of `a`."""
        n = a.shape[0]
        if n == 0:
            return
        jobs = np.empty(2, np.uint8)
        jobs[0], jobs[1] = VECTORS if with_vectors else NO_VECTORS, LOWER
        sizes = np.empty(5, INTEGER)  # n, of the three workspaces, whether it failed
        sizes[0], sizes[1], sizes[2], sizes[3], sizes[4] = n, -1, -1, -1, 0
        room, reals, places = np.empty(1, dtype), np.zeros(1), np.empty(1, INTEGER)
        for k in range(2):
            if k == 1:
                sizes[1], sizes[2], sizes[3] = int(room[0].real), int(reals[0]), places[0]
                room, reals = np.empty(sizes[1], dtype), np.empty(sizes[2])
                places = np.empty(sizes[3], INTEGER)
            if is_complex:
                syevd(
                    jobs.ctypes, jobs[1:].ctypes, sizes.ctypes, a.ctypes, sizes.ctypes, w.ctypes,
                    room.ctypes, sizes[1:].ctypes, reals.ctypes, sizes[2:].ctypes, places.ctypes,
                    sizes[3:].ctypes, sizes[4:].ctypes,
                )  # fmt: skip
            else:
                syevd(
                    jobs.ctypes, jobs[1:].ctypes, sizes.ctypes, a.ctypes, sizes.ctypes, w.ctypes,
                    room.ctypes, sizes[1:].ctypes, places.ctypes, sizes[3:].ctypes,
                    sizes[4:].ctypes,
                )  # fmt: skip
            check_done(sizes[4])

    return eigen_into


def _singular(gesdd: Any, dtype: Any) -> Any:
    is_complex = dtype is np.complex128

    @njit(nogil=True, error_model="numpy")
    def singular_into(a: Any, u: Any, s: Any, v: Any, job: int) -> None:
        """Singular values, and the vectors that a job asks for."""
        jobs = np.empty(1, np.uint8)
        jobs[0] = job
        # m, n, the smaller, rows of u and v, workspace, whether it failed
        sizes = np.empty(7, INTEGER)
        sizes[0], sizes[1], sizes[2] = a.shape[1], a.shape[0], min(a.shape)
        sizes[3], sizes[4], sizes[5], sizes[6] = a.shape[1], v.shape[1], -1, 0
        few = sizes[2]
        if few == 0:
            raise ValueError("a matrix without entries")
        places, room = np.empty(8 * few, INTEGER), np.empty(1, dtype)
        if is_complex:
            reals = np.empty(7 * few if job == NO_VECTORS else 5 * few * (few + 1))
        for k in range(2):
            if k == 1:
                sizes[5] = max(1, int(room[0].real))
                room = np.empty(sizes[5], dtype)
            if is_complex:
                gesdd(
                    jobs.ctypes, sizes.ctypes, sizes[1:].ctypes, a.ctypes, sizes.ctypes, s.ctypes,
                    u.ctypes, sizes[3:].ctypes, v.ctypes, sizes[4:].ctypes, room.ctypes,
                    sizes[5:].ctypes, reals.ctypes, places.ctypes, sizes[6:].ctypes,
                )  # fmt: skip
            else:
                gesdd(
                    jobs.ctypes, sizes.ctypes, sizes[1:].ctypes, a.ctypes, sizes.ctypes, s.ctypes,
                    u.ctypes, sizes[3:].ctypes, v.ctypes, sizes[4:].ctypes, room.ctypes,
                    sizes[5:].ctypes, places.ctypes, sizes[6:].ctypes,
                )  # fmt: skip
            check_done(sizes[6])

    return singular_into


def _reflectors(geqrf: Any, dtype: Any) -> Any:
    @njit(nogil=True, error_model="numpy")
    def reflectors_into(a: Any, scales: Any) -> None:
        """The upper factor of a matrix, and below it the vectors of reflections, which go with
        their scales.
        """
        sizes = np.empty(4, INTEGER)  # m, n, of the workspace, whether it failed
        sizes[0], sizes[1], sizes[2], sizes[3] = a.shape[1], a.shape[0], -1, 0
        if min(a.shape) == 0:
            raise ValueError("a matrix without entries")
        room = np.empty(1, dtype)
        for k in range(2):
            if k == 1:
                sizes[2] = max(sizes[1], int(room[0].real))
                room = np.empty(sizes[2], dtype)
            geqrf(
                sizes.ctypes, sizes[1:].ctypes, a.ctypes, sizes.ctypes, scales.ctypes, room.ctypes,
                sizes[2:].ctypes, sizes[3:].ctypes,
            )  # fmt: skip
            check_done(sizes[3])

    return reflectors_into


def _orthogonal(orgqr: Any, dtype: Any) -> Any:
    @njit(nogil=True, error_model="numpy")
    def orthogonal_into(q: Any, scales: Any) -> None:
        """The product of reflections, whose vectors the rows of `q` hold."""
        # rows, columns, reflectors, of the workspace, whether it failed
        sizes = np.empty(5, INTEGER)
        sizes[0], sizes[1], sizes[2] = q.shape[1], q.shape[0], scales.shape[0]
        sizes[3], sizes[4] = -1, 0
        room = np.empty(1, dtype)
        for k in range(2):
            if k == 1:
                sizes[3] = max(sizes[1], int(room[0].real))
                room = np.empty(sizes[3], dtype)
            orgqr(
                sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes, q.ctypes, sizes.ctypes,
                scales.ctypes, room.ctypes, sizes[3:].ctypes, sizes[4:].ctypes,
            )  # fmt: skip
            check_done(sizes[4])

    return orthogonal_into


def _cholesky(potrf: Any) -> Any:
    @njit(nogil=True, error_model="numpy")
    def cholesky_into(a: Any) -> None:
        """The lower factor of a positive definite matrix, in the columns of `a`. What is above its
        diagonal stays.
        """
        if a.shape[0] == 0:
            return
        jobs = np.empty(1, np.uint8)
        jobs[0] = LOWER
        sizes = np.empty(2, INTEGER)
        sizes[0], sizes[1] = a.shape[0], 0
        potrf(jobs.ctypes, sizes.ctypes, a.ctypes, sizes.ctypes, sizes[1:].ctypes)
        check_done(sizes[1])

    return cholesky_into


def _solved(gesv: Any) -> Any:
    @njit(nogil=True, error_model="numpy")
    def solved_into(a: Any, b: Any) -> None:
        """The solutions of linear systems, in the rows of `b`."""
        if a.shape[0] == 0 or b.shape[0] == 0:
            return
        sizes = np.empty(3, INTEGER)  # n, right-hand sides, whether it failed
        sizes[0], sizes[1], sizes[2] = a.shape[0], b.shape[0], 0
        places = np.empty(a.shape[0], INTEGER)
        gesv(
            sizes.ctypes, sizes[1:].ctypes, a.ctypes, sizes.ctypes, places.ctypes, b.ctypes,
            sizes.ctypes, sizes[2:].ctypes,
        )  # fmt: skip
        check_done(sizes[2])

    return solved_into


eigen_into = _eigen(routine("dsyevd", 11), np.float64)
hermitian_eigen_into = _eigen(routine("zheevd", 13), np.complex128)
singular_into = _singular(routine("dgesdd", 14), np.float64)
complex_singular_into = _singular(routine("zgesdd", 15), np.complex128)
reflectors_into = _reflectors(routine("dgeqrf", 8), np.float64)
complex_reflectors_into = _reflectors(routine("zgeqrf", 8), np.complex128)
orthogonal_into = _orthogonal(routine("dorgqr", 9), np.float64)
unitary_into = _orthogonal(routine("zungqr", 9), np.complex128)
cholesky_into, complex_cholesky_into = (
    _cholesky(routine("dpotrf", 5)),
    _cholesky(routine("zpotrf", 5)),
)
solved_into, complex_solved_into = _solved(routine("dgesv", 8)), _solved(routine("zgesv", 8))


@njit(nogil=True, error_model="numpy")
def least_squares_into(a: Any, b: Any, s: Any, rank: Any, least: float) -> None:
    """The solutions that least squares have, in the rows of `b`, which are as long as the longer
    side of the matrix: `dgelsd`. The singular values; how many of them are larger than `least`
    times the largest one.
    """
    # m, n, right-hand sides, the longer side, rank, workspace, whether it failed
    sizes = np.empty(7, INTEGER)
    sizes[0], sizes[1], sizes[2], sizes[3] = a.shape[1], a.shape[0], b.shape[0], b.shape[1]
    sizes[4], sizes[5], sizes[6] = 0, -1, 0
    if min(a.shape) == 0 or b.shape[0] == 0:
        raise ValueError("a matrix without entries")
    bounds = np.empty(1)
    bounds[0] = least
    room, places = np.empty(1), np.empty(1, INTEGER)
    for k in range(2):
        if k == 1:
            sizes[5] = int(room[0])
            room, places = np.empty(sizes[5]), np.empty(places[0], INTEGER)
        DGELSD(
            sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes, a.ctypes, sizes.ctypes, b.ctypes,
            sizes[3:].ctypes, s.ctypes, bounds.ctypes, sizes[4:].ctypes, room.ctypes,
            sizes[5:].ctypes, places.ctypes, sizes[6:].ctypes,
        )  # fmt: skip
        check_done(sizes[6])
    rank[0] = sizes[4]


@njit(nogil=True, error_model="numpy")
def complex_product_into(out: Any, x: Any, y: Any) -> None:
    """`out[...] = x @ y` of complex matrices that lie by rows: `zgemm` of the transposed ones."""
    jobs = np.empty(1, np.uint8)
    jobs[0] = AS_IT_LIES
    sizes = np.empty(3, INTEGER)
    sizes[0], sizes[1], sizes[2] = y.shape[1], x.shape[0], x.shape[1]
    factors = np.empty(2, np.complex128)
    factors[0], factors[1] = 1.0, 0.0
    if 0 in (sizes[0], sizes[1], sizes[2]):
        out[...] = 0.0
        return
    ZGEMM(
        jobs.ctypes, jobs.ctypes, sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes,
        factors.ctypes, y.ctypes, sizes.ctypes, x.ctypes, sizes[2:].ctypes, factors[1:].ctypes,
        out.ctypes, sizes.ctypes,
    )  # fmt: skip
