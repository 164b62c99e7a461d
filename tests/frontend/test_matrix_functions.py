"""Functions of matrices: what SciPy checks, the dtypes it computes in, and singular systems."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy
from optional import needs_numba

import srcad

linalg = pytest.importorskip("scipy.linalg")

A = np.array([[4.0, 1.0], [1.0, 3.0]])
B = np.array([1.0, 2.0])
MISSING = np.array([[4.0, 1.0], [np.nan, 2.0]])
TALL = np.array([[1.0], [2.0], [4.0]])


def by_factors_in_a_loop(a, b):
    c = linalg.cho_factor(a)
    k = 0
    while k < 3:
        b = linalg.cho_solve(c, b)
        k += 1
    return np.sum(b)


def by_parts(a, b):
    c, lower = linalg.cho_factor(a, lower=True)
    return np.sum(linalg.cho_solve((c, lower), b))


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: np.sum(linalg.cho_solve(linalg.cho_factor(a), b)),
        lambda a, b: np.sum(linalg.cho_solve(linalg.cho_factor(a, lower=True), b)),
        by_factors_in_a_loop,
        by_parts,
        lambda a, b: np.sum(linalg.lstsq(a, b)[0]),
        lambda a, b: np.sum(linalg.lstsq(a[:, :1], b)[0]) + linalg.lstsq(a[:, :1], b)[1],
        lambda a, b: np.sum(linalg.lstsq(a, b[:, None])[0]) * linalg.lstsq(a, b)[2],
        lambda a, b: np.sum(linalg.lstsq(a * 0.0 + b[0], b)[0]),
    ],
)
def test_systems_by_factors_and_of_one_right_hand_side(f):
    as_numpy(f, A, B)
    for wrt in (0, 1):
        value_as_numpy(f, A, B, wrt=wrt)


def test_results_of_least_squares():
    as_numpy(lambda a, b: linalg.lstsq(a, b), A, B)
    as_numpy(lambda a, b: linalg.lstsq(a, b), A[:, :1], B)
    slope = srcad.grad(lambda b: linalg.lstsq(TALL, b)[1])(np.array([1.0, 0.0, 2.0]))
    off = np.array([1.0, 0.0, 2.0]) - TALL[:, 0] * 9.0 / 21.0
    np.testing.assert_allclose(slope, 2.0 * off)


@needs_numba
def test_a_residual_that_is_no_number_is_refused():
    f = srcad.compile(lambda a, b: linalg.lstsq(a, b)[1], backend="native")
    with pytest.raises(NotImplementedError, match="full rank"):
        f(TALL * 0.0, np.ones(3))


@pytest.mark.parametrize(
    "f",
    [
        lambda m: linalg.det(m),
        lambda m: linalg.inv(m),
        lambda m: linalg.pinv(m),
        lambda m: linalg.eigvals(m),
        lambda m: linalg.lstsq(m, np.ones(2))[0],
        lambda m: linalg.cho_solve((np.eye(2), True), m),
        lambda m: linalg.cho_solve((m, True), np.ones(2)),
        lambda m: linalg.lu_solve((np.eye(2), np.arange(2)), m),
        lambda m: linalg.det(m, check_finite=False),
        lambda m: linalg.solve_triangular(m, np.ones(2), lower=True, check_finite=False),
        lambda m: linalg.lu_solve((np.eye(2), np.arange(2)), m, check_finite=False)[0],
        lambda m: linalg.lu_factor(m, check_finite=False)[0][0],
    ],
)
def test_finite_entries_are_asked_for_where_scipy_does(f):
    as_numpy(f, MISSING)


@pytest.mark.parametrize("dtype", ["u1", "?", "i2", "i8", "f2", "f4"])
@pytest.mark.parametrize(
    "f",
    [
        lambda m: linalg.inv(m),
        lambda m: linalg.det(m),
        lambda m: linalg.pinv(m),
        lambda m: linalg.eigvals(m),
        lambda m: linalg.lu(m)[1],
        lambda m: linalg.cholesky(m),
        lambda m: linalg.cho_solve(linalg.cho_factor(m), m),
        lambda m: linalg.lu_solve(linalg.lu_factor(m), m),
        lambda m: linalg.norm(m, 1),
        lambda m: linalg.norm(m[0]),
        lambda m: linalg.norm(m, np.inf),
    ],
)
def test_dtypes_are_those_that_scipy_computes_in(f, dtype):
    as_numpy(f, (np.eye(2) if dtype == "?" else A).astype(dtype), rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [
        lambda m: linalg.lu_solve(linalg.lu_factor(m), np.ones(2))[0] + m[0, 0],
        lambda m: linalg.cho_solve((np.zeros((2, 2)), True), m)[0, 0],
        lambda m: np.sum(linalg.expm(m * np.nan)),
    ],
)
def test_singular_systems_of_factors_are_infinite(f):
    as_numpy(f, np.ones((2, 2)))
    value_as_numpy(f, np.ones((2, 2)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [
        lambda b: linalg.solve_triangular(A, b),
        lambda b: linalg.solve(A, b),
        lambda b: linalg.cho_solve(linalg.cho_factor(A), b),
        lambda b: linalg.lu_solve(linalg.lu_factor(A), b),
        lambda b: linalg.solve_banded((0, 1), A, b),
    ],
)
def test_infinite_cotangents_pass(f):
    value_as_numpy(lambda b: np.sqrt(np.sum(f(b) ** 2)), np.zeros(2))


def test_what_has_no_derivative_is_refused():
    with pytest.raises(NotImplementedError, match="not square"):
        srcad.value_and_grad(lambda a: np.sum(linalg.lu(a)[2]))(np.ones((2, 3)))
    with pytest.raises(srcad.SrcadError, match="does not cover"):
        srcad.grad(lambda b: np.sum(linalg.solve_triangular(A, b, trans="x")))(B)


def test_no_except_of_numerical_errors_takes_a_refusal():
    def f(a):
        try:
            return np.sum(np.abs(linalg.sqrtm(a)))
        except np.linalg.LinAlgError:
            return -1.0

    for run in (srcad.compile(f), srcad.grad(f)):
        with pytest.raises(NotImplementedError, match="pass a complex one"):
            run(-np.eye(2))


def test_what_a_factorisation_overwrites_is_refused():
    def f(a):
        b = np.asfortranarray(a @ a.T + 3.0 * np.eye(2))
        return np.sum(linalg.cho_factor(b, overwrite_a=True)[0]) + np.sum(b)

    with pytest.raises(srcad.SrcadError, match="overwrite_a"):
        srcad.value_and_grad(f)(np.array([[1.0, 2.0], [0.5, 3.0]]))
