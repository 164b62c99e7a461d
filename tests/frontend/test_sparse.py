"""Sparse matrices of SciPy's, captured and made inside: values as SciPy's, derivatives."""

from collections import Counter

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

sp = pytest.importorskip("scipy.sparse")
sl = pytest.importorskip("scipy.sparse.linalg")

N = 6
LAPLACE = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(N, N)).tocsr()
BY_COLUMNS = (3.0 * sp.eye(N) - LAPLACE).tocsc()
WIDE = sp.random(4, N, 0.5, format="csr", random_state=1)
ARRAY = sp.csr_array(LAPLACE)
FACTORS = sl.splu(BY_COLUMNS)
ROWS, COLUMNS = np.array([0, 1, 2, 2, 0, 1]), np.array([0, 1, 2, 0, 2, 1])
X = np.linspace(0.5, 1.5, N)
U = np.array([0.9, 1.1, 1.3, 0.8, 0.7])
B = np.linspace(-1.0, 1.0, 2 * N).reshape(N, 2)


def heat(u, k):
    """Explicit Euler."""
    for _ in range(4):
        u = u + 0.1 * k * (LAPLACE @ u)
    return np.sum(u**2)


def heat_backward(u, k):
    """Implicit Euler: a system in each step, of a matrix that varies."""
    system = sp.identity(N, format="csc") - (0.1 * k) * LAPLACE.tocsc()
    for _ in range(3):
        u = sl.spsolve(system, u)
    return np.sum(u**3)


def by_factors(u, k):
    solver = sl.splu(sp.eye(N, format="csc") * (1.0 + k) - LAPLACE.tocsc())
    for _ in range(3):
        u = solver.solve(u) * k
    return np.sum(u**2)


def by_factors_of_outside(u, k):
    for _ in range(3):
        u = FACTORS.solve(u) + k * FACTORS.solve(u, "T")
    return np.sum(u**2)


def by_factorized(u, k):
    solve = sl.factorized(BY_COLUMNS * k)
    return np.sum(solve(u) * solve(np.sin(u)))


def poisson(k, f):
    """A coefficient for each edge of the grid."""
    upper = -k[1:-1]
    matrix = sp.diags([upper, k[:-1] + k[1:], upper], [-1, 0, 1], format="csr")
    return np.sum(sl.spsolve(matrix, f) ** 2)


def assembled(v, x):
    """Elements that share nodes add up."""
    matrix = sp.csr_matrix((v, (ROWS, COLUMNS)), shape=(3, 3))
    return np.sum(np.tanh(matrix @ x))


def of_csr_parts(v, x):
    matrix = sp.csr_matrix((v, WIDE.indices, WIDE.indptr), shape=WIDE.shape)
    return np.sum((matrix @ x) ** 2)


def quadratic_form(x):
    return x @ (BY_COLUMNS @ x) + x @ BY_COLUMNS @ x + x @ BY_COLUMNS.T.dot(x)


def of_a_star(x):
    return np.sum(np.sin(LAPLACE * x)) + np.sum((2.0 * LAPLACE / 3.0) * x)


def of_dense_matrices(b):
    return np.sum((WIDE @ b) ** 2) + np.sum(sl.spsolve(BY_COLUMNS, b) * b)


def from_the_left(b):
    return np.sum((b.T @ LAPLACE) ** 2)


def array_by_entries(x, c):
    matrix = c * ARRAY + sp.eye_array(N, format="csr") * 2.0
    return np.sum((matrix @ x) ** 2) + np.sum((-matrix * c).data ** 2)


def jacobi(x, k):
    matrix = (k * BY_COLUMNS).tocsr()
    d = matrix.diagonal()
    for _ in range(3):
        x = x - (matrix @ x - 1.0) / d
    return np.sum(x)


def dense_of(v):
    matrix = sp.csc_matrix((v, (ROWS, COLUMNS)), shape=(3, 4))
    return np.sum(matrix.toarray() * np.arange(12.0).reshape(3, 4)) + matrix.T.tocsr().data.sum()


def on_a_path(x, k):
    matrix = LAPLACE if k > 1.0 else LAPLACE * k
    return np.sum((matrix @ x) ** 2)


def in_containers(p):
    matrices = {"a": LAPLACE, "b": [WIDE]}
    return np.sum((matrices["b"][0] @ (matrices["a"] @ p["x"])) ** 2)


def asked(x):
    assert sp.issparse(LAPLACE) and not sp.issparse(x)
    assert isinstance(LAPLACE, sp.csr_matrix) and not isinstance(LAPLACE.T, sp.csr_matrix)
    assert type(ARRAY * x[0]) is sp.csr_array and type(sp.eye(3) * x[0]) is sp.dia_matrix
    assert isinstance(sp.eye(N) + LAPLACE, sp.csr_matrix) and not isinstance(LAPLACE, np.ndarray)
    rows, columns = WIDE.shape
    return np.sum(WIDE @ x) * rows + columns * LAPLACE.nnz + (WIDE.format == "csr") * x[0]


PROGRAMS = [
    (heat, (X, 0.7)), (heat_backward, (X, 0.7)), (by_factors, (X, 0.7)),
    (by_factors_of_outside, (X, 0.7)), (by_factorized, (X, 1.2)),
    (poisson, (np.linspace(1.0, 2.0, N), U)), (assembled, (X, X[:3])),
    (of_csr_parts, (np.linspace(0.1, 1.0, WIDE.nnz), X)), (quadratic_form, (X,)),
    (of_a_star, (X,)), (of_dense_matrices, (B,)), (from_the_left, (B,)),
    (array_by_entries, (X, 1.3)), (jacobi, (X, 1.1)), (dense_of, (X,)), (on_a_path, (X, 0.7)),
    (in_containers, ({"x": X},)), (asked, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_derivatives_through_sparse_matrices(f, args, backend):
    value, _ = srcad.value_and_grad(f, backend=backend)(*args)
    plain = f(*args)
    assert type(value) is type(plain)
    np.testing.assert_allclose(value, plain, rtol=1e-13)
    check_grads(f, args, order=2)


def test_products_are_bit_for_bit_scipy_s():
    def f(x):
        return LAPLACE @ x, BY_COLUMNS.T @ x, sl.spsolve(BY_COLUMNS, x), WIDE @ x

    for made, plain in zip(srcad.compile(f)(X), f(X), strict=True):
        np.testing.assert_array_equal(made, plain)
        assert made.dtype == plain.dtype


def test_a_matrix_may_be_an_argument():
    def f(x, matrix):
        return np.sum((matrix @ x) ** 2)

    g = srcad.grad(f)
    np.testing.assert_allclose(g(X, LAPLACE), 2 * LAPLACE.T @ (LAPLACE @ X))
    np.testing.assert_allclose(g(X, BY_COLUMNS), 2 * BY_COLUMNS.T @ (BY_COLUMNS @ X))
    np.testing.assert_allclose(g(X, WIDE), 2 * WIDE.T @ (WIDE @ X))


def test_entries_that_change_are_read_anew():
    matrix = LAPLACE.copy()
    g = srcad.grad(lambda x: np.sum(matrix @ x))
    before = g(X)
    matrix.data *= 2.0
    np.testing.assert_allclose(g(X), 2.0 * before)


@pytest.mark.parametrize(
    "f",
    [
        lambda v: np.sum((LAPLACE @ LAPLACE) @ v),
        lambda v: np.sum(sp.coo_matrix((v, (ROWS, COLUMNS)), shape=(3, 3)) @ v[:3]),
        lambda v: np.sum(sp.eye(N, k=1) @ v),
        lambda v: np.sum(sp.diags([v], [0]).data),
        lambda v: LAPLACE[0, 0] * v[0],
    ],
)
def test_what_is_not_known_is_refused(f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(X)
    assert "test_sparse.py" in str(refused.value)


@pytest.mark.parametrize("f", [lambda a: a == a, lambda a: a != a, lambda a: a == 1.0])
def test_comparisons_of_matrices_are_refused(f):
    with pytest.raises(SrcadError, match="E120"):
        srcad.compile(f)(sp.csr_array(np.eye(2)))


def test_the_truth_of_a_matrix_is_ambiguous():
    def f(a, x):
        return x if a else 2 * x

    assert srcad.compile(f)(sp.csr_array([[3.0]]), 1.0) == 1.0
    with pytest.raises(ValueError, match="ambiguous"):
        srcad.compile(f)(sp.csr_array(np.eye(2)), 1.0)


def test_conjugate_gradients_are_read():
    def f(v):
        return np.sum(sl.cg(LAPLACE, v, rtol=1e-13)[0] ** 2)

    value, gradient = srcad.value_and_grad(f)(X)
    assert value == f(X)
    slopes = [(f(X + step) - f(X - step)) / 2e-5 for step in 1e-5 * np.eye(len(X))]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


def test_a_matrix_does_not_leave_the_program():
    with pytest.raises(SrcadError, match="a sparse matrix"):
        srcad.compile(lambda v: sp.csr_matrix((v, (ROWS, COLUMNS)), shape=(3, 3)))(X)


def test_other_shapes_raise_what_scipy_raises():
    def f(x):
        return np.sum(LAPLACE @ x[:3])

    for g in (f, srcad.grad(f)):
        with pytest.raises(ValueError, match=r"mismatch|broadcast"):
            g(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda u: sp.csr_matrix((3, 3)),
        lambda u: sp.csr_matrix((U, (ROWS[:5], COLUMNS[:5]))),
    ],
)
def test_what_is_not_made_of_entries_or_of_a_dense_matrix_is_refused(make):
    with pytest.raises(SrcadError, match="E203"):
        srcad.compile(lambda u: make(u) @ u)(U)


@pytest.mark.parametrize(
    "f",
    [
        lambda u: repr(LAPLACE * u[0]),
        lambda u: f"{LAPLACE * u[0]}",
        lambda u: print(LAPLACE * u[0]),
        lambda u: str(Counter([u[0] > 0])),
    ],
)
def test_the_text_of_what_stands_for_an_object_is_refused(f):
    with pytest.raises(SrcadError, match=r"E120.*text"):
        srcad.compile(f)(X)


# What SciPy makes of ints, and of what is a compressed matrix already -----------------------------


@pytest.mark.filterwarnings("ignore:Input has data type")
@pytest.mark.parametrize(
    "f",
    [
        lambda k: sp.diags([1, 2, 3]),
        lambda k: sp.diags_array([1, 2, 3]),
        lambda k: sp.diags([1, -2], [0, 1], shape=(3, 3)),
        lambda k: sp.diags([1, -2, 1], [-1, 0, 1], shape=(4, 4), format="csc"),
        lambda k: sp.diags(np.arange(3), 1),
        lambda k: sp.diags([np.arange(3, dtype="i1"), np.ones(2, "f4")], [0, 1]),
        lambda k: sp.diags([np.ones(3, "f4")], [0]),
        lambda k: sp.diags([k, 2], [0, 1], shape=(3, 3)),
    ],
)
def test_diagonals_of_ints_are_floats(f):
    got, want = (each(lambda k: f(k).toarray())(1.5) for each in (srcad.compile, lambda g: g))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "f",
    [
        lambda k: sp.diags(1, shape=(3, 3)).toarray(),
        lambda k: sp.diags(k, shape=(3, 3)).toarray(),
        lambda k: sp.diags([[1.0, k]], 0).toarray(),
        lambda k: sp.diags([True, False]).toarray(),
        lambda k: sp.diags([1, 2], dtype=None).toarray(),
    ],
)
def test_what_are_no_diagonals(f):
    with pytest.raises((SrcadError, TypeError, ValueError)):
        srcad.compile(f)(1.5)


ROWWISE = sp.csr_matrix(np.eye(2))
COLUMNWISE = sp.csc_array(np.eye(2))


@pytest.mark.parametrize(
    "f",
    [
        lambda k: ROWWISE.tocsr() is ROWWISE,
        lambda k: ROWWISE.tocsc() is ROWWISE,
        lambda k: COLUMNWISE.tocsc() is COLUMNWISE,
        lambda k: COLUMNWISE.tocsr() is COLUMNWISE,
        lambda k: (ROWWISE * k).tocsr() is ROWWISE,
        lambda k: ROWWISE.copy() is ROWWISE,
    ],
)
def test_a_compressed_matrix_is_what_it_is_converted_to(f):
    assert srcad.compile(f)(1.5) is f(1.5)


def test_what_is_not_followed_has_a_way_out_of_its_own():
    held = sp.csr_array(np.eye(3))
    interpolate = pytest.importorskip("scipy.interpolate")

    def compared(x):
        return np.sum(x) * (held * np.sum(x) == held).sum()

    with pytest.raises(SrcadError, match=r"E120(.|\n)*toarray"):
        srcad.grad(compared)(np.ones(3))

    def periodic(y):
        return interpolate.CubicSpline(np.arange(4.0), y, bc_type="periodic")(0.5)

    with pytest.raises(SrcadError, match=r"E120(.|\n)*nondiff"):
        srcad.grad(periodic)(np.array([1.0, 2.0, 3.0, 1.0]))


HALVES = np.array([[1.0, 0.0, 2.0], [0.0, 0.5, 0.0], [3.0, 0.0, 0.0]])
PLACES = (np.array([0, 1, 2]), np.array([2, 1, 0]))


@pytest.mark.parametrize(
    "made",
    [
        lambda x: sp.csc_array(HALVES, dtype=int) @ x,
        lambda x: sp.csr_array((x, PLACES), shape=(3, 3), dtype=float) @ x,
        lambda x: sp.csr_matrix(([1, 2, 3], PLACES), shape=(3, 3), dtype=np.int64) * x,
        lambda x: sp.csc_matrix(sp.csr_array(HALVES), dtype="f4").toarray(),
        lambda x: sp.csr_array((x, PLACES[0], np.array([0, 1, 2, 3])), (3, 3), int).toarray(),
        lambda x: sp.csr_array(HALVES, copy=False) @ x,
        lambda x: sp.csr_array(HALVES).sum() * x,
        lambda x: sp.csr_array(HALVES, dtype=int).sum(axis=0) * x,
        lambda x: sp.csc_array(HALVES).sum(axis=1) * x,
        lambda x: (sp.csr_array(HALVES) * x[0]).sum(axis=-1),
        lambda x: sp.csr_matrix(np.outer(x, x)).sum(),
    ],
)
def test_sparse_matrices_are_made_in_a_dtype(made):
    x = np.array([1.5, 2.5, 3.5])
    y, wanted = srcad.compile(made, backend="numpy")(x), made(x)
    assert y.dtype == wanted.dtype
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("f", [lambda a: a @ 2.0, lambda a: 2.0 @ a])
def test_products_with_numbers_raise(f):
    a = sp.csr_array(np.eye(3))
    with pytest.raises((ValueError, TypeError)) as wanted:
        f(a)
    with pytest.raises(wanted.type):
        srcad.compile(f)(a)
