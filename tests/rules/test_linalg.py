import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.ir import ArrayType
from srcad.rules import RULES, ZERO
from srcad.rules.core.infer import infer
from tests.rules.staging import Stage, vjp_text


def gradient(fn, x, **options):
    y = fn(x, **options)
    return RULES[fn].vjps[0](np.ones_like(y), y, x, **options)


@pytest.mark.parametrize("ord", [None, 1, 2, 3, np.inf])
def test_the_gradient_of_a_norm_at_zero_is_zero(ord):
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(gradient(np.linalg.norm, np.zeros(3), ord=ord), np.zeros(3))
        x_dot = np.ones(3)
        y_dot = RULES[np.linalg.norm].jvp((x_dot,), np.float64(0), np.zeros(3), ord=ord)
    assert y_dot == 0


def test_the_row_that_is_zero_does_not_spoil_the_others():
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(gradient(np.linalg.norm, x, axis=1), [[0, 0], [0.6, 0.8]])


def test_ties_in_the_maximum_norm_share_evenly():
    x = np.array([2.0, -2.0, 1.0])
    np.testing.assert_array_equal(gradient(np.linalg.norm, x, ord=np.inf), [0.5, -0.5, 0])


def test_the_norm_of_a_complex_vector():
    z = np.array([3.0 + 4.0j, 0])
    np.testing.assert_allclose(gradient(np.linalg.norm, z), [0.6 - 0.8j, 0])
    y_dot = RULES[np.linalg.norm].jvp((np.array([1j, 0]),), np.float64(5), z)
    np.testing.assert_allclose(y_dot, 0.8)


@pytest.mark.parametrize("ord", ["nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_the_gradient_of_a_matrix_norm_at_zero_is_zero(ord):
    with np.errstate(all="raise"):
        zeros = np.zeros((2, 3))
        np.testing.assert_array_equal(gradient(np.linalg.norm, zeros, ord=ord), zeros)


def test_ties_of_singular_values_and_sums_share_evenly():
    np.testing.assert_allclose(gradient(np.linalg.norm, 3 * np.eye(2), ord=2), np.eye(2) / 2)
    np.testing.assert_allclose(gradient(np.linalg.norm, 3 * np.eye(2), ord=1), np.eye(2) / 2)


def test_the_nuclear_norm_of_a_matrix_of_low_rank_leaves_out_what_is_zero():
    a = np.outer([1.0, 2.0, 2.0], [3.0, 4.0])
    np.testing.assert_allclose(gradient(np.linalg.norm, a, ord="nuc"), a / 15, atol=1e-14)


@pytest.mark.parametrize("p", [0.5, -1, -2.5])
def test_entries_that_are_zero_do_not_spoil_norms_of_small_order(p):
    with np.errstate(divide="ignore"):
        found = gradient(np.linalg.norm, np.array([0.0, 4.0, 9.0]), ord=p)
    assert np.all(np.isfinite(found))
    assert found[0] == 0


@pytest.mark.parametrize(("ord", "shape"), [("nuc", 3), (3, (3, 3))])
def test_norms_that_numpy_does_not_have_are_refused(ord, shape):
    with pytest.raises(SrcadError, match="E203"):
        RULES[np.linalg.norm].vjps[0](np.float64(1), np.float64(1), np.ones(shape), ord=ord)


def test_solving_inverts_nothing():
    stage = Stage()
    a, b = stage.array("a", "n", "n"), stage.array("b", "n")
    assert "inv" not in vjp_text(np.linalg.solve, 0, stage, a, b)
    assert "inv" not in vjp_text(np.linalg.solve, 1, stage, a, b)


@pytest.mark.parametrize("fn", [np.linalg.inv, np.linalg.det])
def test_holomorphic_functions_take_complex_matrices(fn):
    rng = np.random.default_rng(1)
    z = rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)) + 3 * np.eye(3)
    t = rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))
    y, h = fn(z), 1e-6
    y_dot = RULES[fn].jvp((t,), y, z)
    np.testing.assert_allclose(y_dot, (fn(z + h * t) - fn(z - h * t)) / (2 * h), rtol=1e-6)
    g = np.asarray(rng.standard_normal(np.shape(y)) + 1j * rng.standard_normal(np.shape(y)))
    z_bar = RULES[fn].vjps[0](g, y, z)
    np.testing.assert_allclose(np.sum(z_bar * t), np.sum(g * y_dot))


def test_eigenvectors_of_equal_eigenvalues_are_refused_at_run_time():
    w, v = np.linalg.eigh(np.eye(2))
    with pytest.raises(np.linalg.LinAlgError, match="equal eigenvalues"):
        RULES[np.linalg.eigh].vjps[0]((w, v), (w, v), np.eye(2))


def test_eigenvalues_that_rounding_sets_apart_are_equal():
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))
    a = (q * [1.0, 1.0, 2.0]) @ q.T
    with pytest.raises(np.linalg.LinAlgError, match="equal eigenvalues"):
        srcad.grad(lambda a: np.linalg.eigh(a)[1][0, 0])((a + a.T) / 2)


def test_equal_eigenvalues_do_no_harm_where_their_vectors_are_not_used():
    """The projection on the leading eigenvector of a covariance of low rank."""
    x = np.outer([1.0, 2.0, 2.0], [1.0, 1.0, 1.0]) / 3
    c = np.arange(9.0).reshape(3, 3)

    def leading(a):
        _, v = np.linalg.eigh((a + a.T) / 2)
        return np.sum(c * np.outer(v[:, -1], v[:, -1]))

    t = np.random.default_rng(0).standard_normal((3, 3))
    a, h = x @ x.T, 1e-5
    want = (leading(a + h * t) - leading(a - h * t)) / (2 * h)
    np.testing.assert_allclose(np.sum(srcad.grad(leading)(a) * t), want, rtol=1e-6)


def test_equal_singular_values():
    a = np.eye(3)
    np.testing.assert_allclose(srcad.grad(lambda a: np.sum(np.linalg.svd(a)[1]))(a), np.eye(3))
    np.testing.assert_allclose(srcad.grad(lambda a: np.sum(np.linalg.svdvals(a)))(a), np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="equal"):
        srcad.grad(lambda a: np.linalg.svd(a)[0][0, 0])(a)


def test_singular_vectors_of_a_matrix_of_low_rank():
    a = np.outer([1.0, 2.0, 2.0], [3.0, 4.0])

    def of_vector(k):
        return srcad.grad(lambda a: np.linalg.svd(a, full_matrices=False)[0][0, k] ** 2)

    assert np.all(np.isfinite(of_vector(0)(a)))
    with pytest.raises(np.linalg.LinAlgError, match="singular value zero"):
        of_vector(1)(a)


def test_singular_vectors_beyond_the_smaller_extent_are_refused():
    a = np.random.default_rng(0).standard_normal((3, 2))
    values = srcad.grad(lambda a: np.sum(np.linalg.svd(a)[1] ** 2))
    np.testing.assert_allclose(values(a), 2 * a)
    for f in (lambda a: np.linalg.svd(a)[0][0, 2], lambda a: np.linalg.svd(a.T)[2][2, 0]):
        with pytest.raises(np.linalg.LinAlgError, match="full_matrices=False"):
            srcad.grad(f)(a)
    for k in (0, 2):
        whole = srcad.grad(lambda a: np.linalg.svd(a)[k][0, 0] ** 2)
        thin = srcad.grad(lambda a: np.linalg.svd(a, full_matrices=False)[k][0, 0] ** 2)
        np.testing.assert_allclose(whole(a), thin(a))


def test_singular_values_of_very_different_size_keep_their_vectors():
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))
    a = q * [1.0, 1e-8, 1e-9]
    assert np.all(np.isfinite(srcad.grad(lambda a: np.linalg.svd(a)[0][0, 0] ** 2)(a)))


def test_the_complete_qr_decomposition_is_that_of_square_matrices():
    a = np.random.default_rng(0).standard_normal((3, 3))
    complete = srcad.grad(lambda a: np.sum(np.linalg.qr(a, "complete")[0] ** 3))
    reduced = srcad.grad(lambda a: np.sum(np.linalg.qr(a).Q ** 3))
    np.testing.assert_allclose(complete(a), reduced(a))
    with pytest.raises(SrcadError, match="E203"):
        complete(a[:, :2])


def test_the_pseudoinverse_of_a_matrix_of_low_rank():
    """Along changes that keep the rank the derivative is that of pinv (Golub and Pereyra)."""
    rng = np.random.default_rng(0)
    left, right, t, s = (rng.standard_normal(n) for n in ((4, 2), (2, 3), (4, 2), (2, 3)))

    def pinv(h):
        return np.linalg.pinv((left + h * t) @ (right + h * s), rtol=1e-9)

    a, a_dot = left @ right, left @ s + t @ right
    want = (pinv(1e-5) - pinv(-1e-5)) / 2e-5
    g = rng.standard_normal((3, 4))
    found = srcad.grad(lambda a: np.sum(g * np.linalg.pinv(a, rtol=1e-9)))(a)
    np.testing.assert_allclose(np.sum(found * a_dot), np.sum(g * want), rtol=1e-6)
    x = srcad.grad(lambda a: np.sum(np.linalg.lstsq(a, g.T, rcond=1e-9)[0]))(a)
    want = (np.sum(pinv(1e-5) @ g.T) - np.sum(pinv(-1e-5) @ g.T)) / 2e-5
    np.testing.assert_allclose(np.sum(x * a_dot), want, rtol=1e-6)


def test_eig_of_real_and_complex_eigenvalues():
    diagonal, turned = np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    for a in (diagonal, turned):
        found = srcad.grad(lambda a: np.sum(np.abs(np.linalg.eig(a).eigenvalues) ** 2))(a)
        np.testing.assert_allclose(found, 2 * a)


def test_named_results():
    a = np.diag([1.0, 2.0, 4.0])
    for f in (
        lambda a: np.linalg.svd(a).S[0] ** 2,
        lambda a: np.linalg.eigh(a).eigenvalues[2] ** 2,
        lambda a: np.linalg.qr(a).R[2, 2] ** 2,
    ):
        np.testing.assert_allclose(srcad.grad(f)(a), np.diag([0, 0, 8.0]), atol=1e-15)
    found = srcad.grad(lambda a: np.linalg.slogdet(a).logabsdet)(a)
    np.testing.assert_allclose(found, np.diag([1, 0.5, 0.25]))


def test_the_sum_of_equal_eigenvalues_is_the_trace():
    a = 3 * np.eye(2)
    w_v = np.linalg.eigh(a)
    np.testing.assert_allclose(RULES[np.linalg.eigh].vjps[0]((np.ones(2), ZERO), w_v, a), np.eye(2))
    np.testing.assert_allclose(gradient(np.linalg.eigvalsh, a), np.eye(2))


def test_unused_results_cost_nothing():
    y = np.linalg.slogdet(np.eye(2))
    assert RULES[np.linalg.slogdet].vjps[0]((1.0, ZERO), y, np.eye(2)) is ZERO
    w_v = np.linalg.eigh(np.eye(2))
    assert RULES[np.linalg.eigh].vjps[0]((ZERO, ZERO), w_v, np.eye(2)) is ZERO


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_the_determinant_of_a_singular_matrix(rank):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((3, rank)) @ rng.standard_normal((rank, 3))
    t, h = rng.standard_normal((3, 3)), 1e-4
    grad = srcad.grad(np.linalg.det)

    def along(of):
        return (of(a + h * t) - of(a - h * t)) / (2 * h)

    np.testing.assert_allclose(np.sum(grad(a) * t), along(np.linalg.det), atol=1e-6)
    np.testing.assert_allclose(srcad.jvp(grad, (a,), (t,))[1], along(grad), atol=1e-6)


def test_the_third_derivative_of_a_determinant():
    rng = np.random.default_rng(0)
    a, t, h = rng.standard_normal((3, 3)), rng.standard_normal((3, 3)), 1e-4

    def second(a):
        return srcad.jvp(srcad.grad(np.linalg.det), (a,), (t,))[1]

    found = srcad.jvp(second, (a,), (t,))[1]
    np.testing.assert_allclose(found, (second(a + h * t) - second(a - h * t)) / (2 * h), rtol=1e-5)


def test_a_vector_is_no_matrix():
    with pytest.raises(SrcadError, match="E400"):
        infer(np.linalg.inv, (ArrayType(np.dtype(float), (3,)),), {})


@pytest.mark.parametrize("fn", [np.linalg.inv, np.linalg.det, np.linalg.norm])
def test_integer_matrices_give_doubles(fn):
    t = infer(fn, (ArrayType(np.dtype(int), (2, 2)),), {})
    assert t.dtype == fn(np.array([[2, 1], [1, 2]])).dtype


@pytest.mark.parametrize("k", [1, 2])
def test_options_that_are_captured_numbers_are_constants(k):
    a = np.random.default_rng(0).standard_normal((3, 3))
    flag = k == 2

    def f(a):
        y = np.linalg.norm(a, ord=k) + np.linalg.matrix_power(a, k)[0, 0]
        return y + np.sum(np.linalg.svd(a, full_matrices=flag, compute_uv=True)[1] ** k)

    assert_slope(f, a)


def assert_slope(f, a):
    t, h = np.random.default_rng(1).standard_normal(a.shape), 1e-5
    want = (f(a + h * t) - f(a - h * t)) / (2 * h)
    np.testing.assert_allclose(np.sum(srcad.grad(f)(a) * t), want, rtol=1e-6)


def test_options_that_depend_on_arrays_are_refused():
    with pytest.raises(SrcadError, match="E123"):
        srcad.grad(lambda a: np.linalg.norm(a[0], ord=a[0, 0]))(np.eye(3))


def test_an_exponent_that_a_loop_counts():
    def f(a):
        total = 0.0
        for k in range(4):
            total = total + np.sum(np.linalg.matrix_power(a, k) ** 2)
        return total

    assert_slope(f, np.random.default_rng(0).standard_normal((3, 3)))
