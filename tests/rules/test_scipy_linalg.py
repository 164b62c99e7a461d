"""`scipy.linalg` in functions of the user: both modes, second order, complex numbers, refusals."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

linalg = pytest.importorskip("scipy.linalg")

pytestmark = pytest.mark.filterwarnings("ignore:logm result")

RNG = np.random.default_rng(2)
A = RNG.standard_normal((3, 3)) + 3 * np.eye(3)
S = A @ A.T + np.diag([0.0, 3.0, 7.0])
B, V = RNG.standard_normal((3, 2)), RNG.standard_normal(3)
C = RNG.standard_normal((12, 12)) + 1j * RNG.standard_normal((12, 12))
Z = A + 1j * RNG.standard_normal((3, 3))
H = Z @ np.conj(Z.T) + np.diag([0.0, 3.0, 7.0])


def weigh(y):
    """A real loss in which every entry counts."""
    y = np.ravel(y)
    return np.sum(np.real(np.ravel(C)[: y.size] * y) + np.abs(y) ** 2)


def symmetric(a):
    return a + np.conj(a.T)


def by_cho(a, b):
    return weigh(linalg.cho_solve(linalg.cho_factor(symmetric(a)), b))


def by_cho_lower(a, b):
    factor = linalg.cho_factor(symmetric(a), lower=True)
    return weigh(linalg.cho_solve(factor, b))


def by_lu(a, b):
    return weigh(linalg.lu_solve(linalg.lu_factor(a), b))


def by_lu_transposed(a, b):
    factors = linalg.lu_factor(a)
    return weigh(linalg.lu_solve(factors, b, trans=1)) + weigh(linalg.lu_solve(factors, b, 2))


def by_solve(a, b):
    return weigh(linalg.solve(a, b))


def by_assumption(a, b):
    return weigh(linalg.solve(symmetric(a), b, assume_a="pos", lower=True))


def by_triangle(a, b):
    upper, lower = np.triu(a), np.tril(a)
    y = linalg.solve_triangular(upper, b) + linalg.solve_triangular(lower, b, lower=True)
    y = y + linalg.solve_triangular(a, b, trans="C") + linalg.solve_triangular(a, b, trans=1)
    return weigh(y + linalg.solve_triangular(a, b, unit_diagonal=True, check_finite=False))


def factors(a):
    p, lower, upper = linalg.lu(a)
    return weigh(p @ lower) + weigh(upper) + weigh(linalg.cholesky(symmetric(a)))


def sylvester(a, b):
    return weigh(linalg.solve_sylvester(a, b.T @ b + np.eye(2), b))


def lyapunov(a):
    x = linalg.solve_continuous_lyapunov(a, a) + linalg.solve_discrete_lyapunov(a / 9, a)
    return weigh(x + linalg.solve_lyapunov(a, a))


def exponential(a):
    return weigh(linalg.expm(a / 3))


def frechet(a):
    value, change = linalg.expm_frechet(a / 3, a @ a)
    return weigh(value) + weigh(change)


def trigonometric(a):
    y = linalg.cosm(a / 3) + linalg.sinm(a / 4) + linalg.coshm(a / 3) + linalg.sinhm(a / 3)
    return weigh(y)


def root_and_logarithm(a):
    a = a @ np.conj(a.T)
    return weigh(linalg.sqrtm(a)) + weigh(linalg.logm(a))


def patterns(a):
    y = linalg.toeplitz(a[0]) + linalg.toeplitz(a[0], a[1]) + linalg.circulant(a[1])
    y = y + linalg.hankel(a[0]) + linalg.hankel(a[2], a[1])
    return weigh(y @ y) + weigh(linalg.khatri_rao(a, a)) + weigh(linalg.block_diag(a, a[0], 2.0))


def numbers(a):
    return weigh(linalg.det(a)) + weigh(linalg.inv(a)) + weigh(linalg.pinv(a)) + linalg.norm(a)


def least_squares(a, b):
    x, _, _, s = linalg.lstsq(a, b)
    return weigh(x) + weigh(s)


def singular(a):
    u, s, vh = linalg.svd(a)
    return weigh(u * np.sqrt(s) @ vh) + weigh(np.abs(u)) + weigh(linalg.svdvals(a) ** 2)


def eigen(a):
    w, v = linalg.eigh(symmetric(a))
    return weigh(w) + weigh(np.abs(v) ** 2) + weigh(linalg.eigvalsh(symmetric(a), lower=False))


def eigen_of_pair(a):
    b = np.eye(3) * 9 + symmetric(a) / 9
    w, v = linalg.eigh(symmetric(a), b)
    return weigh(w) + weigh(np.abs(v) ** 2) + weigh(linalg.eigvalsh(symmetric(a), b))


def eigen_of_any(a):
    w, v = linalg.eig(a)
    return weigh(w**2) + weigh(np.abs(v) ** 2) + np.sum(np.abs(linalg.eigvals(a)) ** 2)


def orthogonal(a):
    q, r = linalg.qr(a)
    return weigh(q) + weigh(r) + weigh(linalg.qr(a[:, :2], mode="economic")[0])


CALLS = [
    *((f, (A, b)) for f in (by_lu, by_lu_transposed, by_solve, by_triangle) for b in (B, V)),
    *((f, (S, b)) for f in (by_cho, by_cho_lower, by_assumption) for b in (B, V)),
    *((f, (S,)) for f in (factors, root_and_logarithm, eigen, eigen_of_pair)),
    *((f, (A,)) for f in (lyapunov, exponential, frechet, trigonometric, patterns, numbers)),
    *((f, (A,)) for f in (singular, eigen_of_any, orthogonal)),
    *((f, (A, B)) for f in (sylvester, least_squares)),
]
IDS = [f"{f.__name__}-{len(args)}" for f, args in CALLS]


@pytest.mark.parametrize(("f", "args"), CALLS, ids=IDS)
def test_real(f, args):
    check_grads(f, args, order=2)


@pytest.mark.parametrize(("f", "args"), CALLS, ids=IDS)
def test_complex(f, args):
    a = H if args[0] is S else Z
    t, grad, rest = RNG.standard_normal((3, 3)) + 1j * RNG.standard_normal((3, 3)), None, args[1:]
    rest = tuple(b + 0.5j for b in rest)
    grad, h = srcad.grad(f), 1e-4

    def differences(of):
        ahead, behind = of(a + h * t, *rest), of(a - h * t, *rest)
        far, near = of(a + 2 * h * t, *rest), of(a - 2 * h * t, *rest)
        return (8 * (ahead - behind) - (far - near)) / (12 * h)

    want = differences(f)
    np.testing.assert_allclose(np.sum(grad(a, *rest) * t).real, want, rtol=1e-5)
    y_dot = srcad.jvp(lambda a: f(a, *rest), (a,), (t,))[1]
    np.testing.assert_allclose(y_dot, want, rtol=1e-5)
    bar_dot = srcad.jvp(lambda a: grad(a, *rest), (a,), (t,))[1]
    np.testing.assert_allclose(bar_dot, differences(grad), rtol=1e-4, atol=1e-4)


def test_third_derivative_of_expm():
    def f(x):
        return np.sum(linalg.expm(x * A) ** 2)

    g = srcad.grad(srcad.grad(f))
    h = 1e-5
    np.testing.assert_allclose(srcad.grad(g)(0.1), (g(0.1 + h) - g(0.1 - h)) / (2 * h), rtol=1e-6)


def test_stacks_of_exponentials():
    check_grads(lambda a: np.sum(linalg.expm(a / 4) ** 2), (np.stack((A, S / 9)),), order=2)


def test_solving_uses_the_triangles():
    source = srcad.grad(by_cho).source(S, V)
    assert "inv" not in source
    assert "np.linalg.solve" not in source


def test_a_root_that_is_not_real_is_refused():
    for fn in (linalg.sqrtm, linalg.logm):
        with pytest.raises(NotImplementedError, match="pass a complex one"):
            srcad.grad(lambda a: np.sum(fn(a)))(-S)
        assert np.iscomplexobj(srcad.grad(lambda a: np.sum(np.abs(fn(a))))(-S + 0j))


@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.sum(linalg.solve(a, V, overwrite_a=True)),
        lambda a: np.sum(linalg.solve(a, V, assume_a="tridiagonal")),
        lambda a: np.sum(linalg.qr(a, pivoting=True)[1]),
        lambda a: np.sum(linalg.eigh(a, subset_by_index=[0, 1])[0]),
        lambda a: np.sum(linalg.inv(a, overwrite_a=True)),
        lambda a: np.sum(np.abs(linalg.schur(a)[0])),
        lambda a: np.sum(linalg.null_space(a)),
        lambda a: np.sum(linalg.solveh_banded(a, a[0])),
    ],
)
def test_what_has_no_rule_is_refused(f):
    with pytest.raises(SrcadError, match="E20"):
        srcad.grad(f)(A)


def test_single_precision():
    a, b = S.astype(np.float32), V.astype(np.float32)
    for f in (by_cho, by_lu, by_solve, by_triangle, least_squares):
        b_or_matrix = B.astype(np.float32) if f is least_squares else b
        assert srcad.grad(f)(a, b_or_matrix).dtype == np.float32
    for f in (factors, exponential, frechet, lyapunov, singular, eigen, root_and_logarithm):
        assert srcad.grad(f)(a).dtype == np.float32


def test_a_square_matrix_whose_size_is_a_constant():
    """Its other extent is that constant too: `linalg.qr` is refused for what is not square."""
    by_size = [1.0, 2.0, 3.0, 4.0]
    check_grads(lambda a: np.sum(linalg.qr(a)[0] ** 3) * by_size[a.shape[0]], (A,), order=1)


# ---- banded matrices


def diffused(k, u, steps):
    """Implicit Euler for the heat equation: a tridiagonal system in each step."""
    bands = np.zeros((3, len(u)))
    bands[0, 1:] = -k[1:]
    bands[1] = 1 + 2 * k
    bands[2, :-1] = -k[:-1]
    for _ in range(steps):
        u = linalg.solve_banded((1, 1), bands, u)
    return u


def test_steps_with_a_tridiagonal_matrix():
    rng = np.random.default_rng(0)
    k, u = rng.uniform(0.1, 0.5, 6), rng.normal(size=6)
    np.testing.assert_array_equal(srcad.compile(diffused)(k, u, 3), diffused(k, u, 3))
    check_grads(lambda k, u: diffused(k, u, 3), (k, u))


def test_the_numbers_of_diagonals_may_be_variables():
    def solved(ab, b, below):
        return linalg.solve_banded((below, ab.shape[0] - below - 1), ab, b, check_finite=False)

    rng = np.random.default_rng(0)
    ab, b = rng.normal(size=(4, 6)), rng.normal(size=(6, 2))
    ab[2] += 5.0
    np.testing.assert_array_equal(srcad.compile(solved)(ab, b, 1), solved(ab, b, 1))
    check_grads(lambda ab, b: solved(ab, b, 1), (ab, b), order=1)


@pytest.mark.parametrize(
    ("bands", "b", "problem"),
    [
        (np.ones((2, 6)), np.ones(6), ValueError),
        (np.ones((3, 5)), np.ones(6), ValueError),
        (np.zeros((3, 6)), np.ones(6), np.linalg.LinAlgError),
    ],
)
def test_what_is_no_banded_system_is_refused_as_by_scipy(bands, b, problem):
    with pytest.raises(problem):
        srcad.grad(lambda bands: np.sum(linalg.solve_banded((1, 1), bands, b)))(bands)
