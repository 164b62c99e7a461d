"""Systems that SciPy's iterations solve: values, derivatives, refusals."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

N = 6
D, B = np.linspace(2.5, 3.0, N), np.linspace(0.2, 1.0, N)
A = sparse.diags([-np.ones(N - 1), D, -np.ones(N - 1)], [-1, 0, 1], format="csr")
NEAR = sparse.diags([1 / D], [0], format="csr")
SOLVERS = ["bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"]


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("form", ["csr", "csc", "dense"])
def test_against_differences(name, form):
    solver = getattr(linalg, name)

    def f(d, b):
        a = sparse.diags([-np.ones(N - 1), d, -np.ones(N - 1)], [-1, 0, 1], format="csr")
        a = a.toarray() if form == "dense" else a.tocsc() if form == "csc" else a
        x, info = solver(a, b, rtol=1e-13)
        return np.sum(x**2) + info

    np.testing.assert_allclose(srcad.value_and_grad(f)(D, B)[0], f(D, B), rtol=1e-12)
    check_grads(f, (D, B), order=2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab", "minres"])
@pytest.mark.parametrize("near", [NEAR, NEAR.toarray()], ids=["sparse", "dense"])
def test_of_a_captured_matrix_with_a_preconditioner(name, near):
    solver = getattr(linalg, name)

    def f(b):
        x, _ = solver(A, b, np.ones(N), rtol=1e-13, M=near)
        return np.sum(x**3)

    value, _ = srcad.value_and_grad(f)(B)
    assert value == f(B)
    check_grads(f, (B,), order=2, atol=1e-5, rtol=1e-5)


def test_a_matrix_that_is_not_symmetric():
    def f(entries, b):
        a = sparse.csr_matrix((entries, ([0, 0, 1, 2, 2], [0, 1, 1, 0, 2])), shape=(3, 3))
        return np.sum(linalg.gmres(a, b, rtol=1e-13)[0] ** 2)

    check_grads(f, (np.array([3.0, 1.0, 2.0, 0.5, 4.0]), np.ones(3)), order=2)


def test_a_solution_that_was_not_found_has_no_derivative():
    with pytest.raises(np.linalg.LinAlgError, match="cg has not found"):
        srcad.grad(lambda b: np.sum(linalg.cg(A, b, maxiter=1)[0]))(B)


OPERATOR = linalg.aslinearoperator(A)
REFUSED = [
    ("E203", lambda b: np.sum(linalg.cg(A, b, callback=print)[0])),
    ("E203", lambda b: np.sum(linalg.cg(OPERATOR, b)[0])),
    ("E203", lambda b: np.sum(linalg.cg(A, b, M=OPERATOR)[0])),
    ("E203", lambda b: np.sum(linalg.qmr(A, b, M1=OPERATOR)[0])),
    ("E203", lambda b: np.sum(linalg.lsqr(A, b, show=True)[0])),
    ("E131", lambda b: linalg.lsqr(A, b, 0.0, 1e-6, 1e-6, 1e8, 9, True)[0][0]),
    ("E132", lambda b: linalg.lsqr(A, b)[3] * 2.0),
    ("E306", lambda b: linalg.lsmr(A, b)[3]),
    ("E204", lambda b: np.sum(linalg.expm_multiply(A, b))),
]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_refused(code, f):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(B)
    assert caught.value.code == code
    assert caught.value.location is not None


def test_columns_lists_starts_and_single_precision():
    dense = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    single = sparse.csr_matrix(dense)
    for f in (
        lambda b: np.sum(linalg.cg(A, b[:, None], rtol=1e-13)[0] + b),
        lambda b: np.sum(linalg.cg(A, [b[0], 2.0, b[1], 1.0, 0.0, 0.5], rtol=1e-13)[0] ** 2),
        lambda b: np.sum(linalg.cg(A, b, x0=b, rtol=1e-13)[0] ** 2),
    ):
        assert srcad.value_and_grad(f)(B)[0] == pytest.approx(f(B))
        check_grads(f, (B,), order=2, atol=1e-5, rtol=1e-5)
    slope = srcad.grad(lambda b: np.sum(linalg.cg(single, b, rtol=1e-6)[0]))(np.ones(2, np.float32))
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, np.linalg.solve(dense, np.ones(2)), rtol=1e-5)


FIT = np.random.default_rng(2).standard_normal((9, 4))
ROWS, COLUMNS = np.nonzero(np.abs(FIT) > 0.4)
TIGHT = {"atol": 1e-14, "btol": 1e-14}


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_fits_against_differences(name):
    solver = getattr(linalg, name)
    right, start = np.linspace(-1.0, 2.0, 9), np.linspace(0.0, 1.0, 4)

    def dense(a, b):
        x, ended, _, *norms = solver(a, b, **TIGHT)
        return np.sum(x**2) + 0 * ended + len(norms)

    def by_entries(v, b, damp, x0):
        a = sparse.csr_matrix((v, (ROWS, COLUMNS)), shape=(9, 4))
        return np.sum(np.sin(solver(a, b, damp, x0=x0, **TIGHT)[0]))

    def undamped(v, b):
        return by_entries(v, b, -0.3 if name == "lsqr" else 0.0, start)

    entries = FIT[ROWS, COLUMNS]
    for f, args in (
        (dense, (FIT, right)),
        (by_entries, (entries, right, 0.3, start)),
        (undamped, (entries, right)),
    ):
        assert srcad.value_and_grad(f)(*args)[0] == f(*args)
        check_grads(f, args, order=2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_options_of_fits_by_position(name):
    def f(b):
        return np.sum(getattr(linalg, name)(FIT, b, 0.1, 1e-13, 1e-13, 1e9, 50)[0])

    b = np.linspace(-1.0, 2.0, 9)
    assert srcad.value_and_grad(f)(b)[0] == f(b)
    normal = FIT.T @ FIT + 0.01 * np.eye(4)
    np.testing.assert_allclose(srcad.grad(f)(b), np.linalg.solve(normal, FIT.T).sum(0), rtol=1e-8)


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("a", [FIT[:3], FIT @ np.ones((4, 4))], ids=["wide", "dependent"])
def test_a_fit_that_is_not_the_only_one_has_no_derivative(name, a):
    def f(a, b):
        return np.sum(getattr(linalg, name)(a, b)[0])

    b = np.ones(len(a))
    assert srcad.compile(f)(a, b) == f(a, b)
    with pytest.raises(np.linalg.LinAlgError, match="not the only one"):
        srcad.grad(f)(a, b)
    with pytest.raises(np.linalg.LinAlgError, match="not the only one"):
        srcad.jvp(f, (a, b), (a, np.zeros_like(b)))
