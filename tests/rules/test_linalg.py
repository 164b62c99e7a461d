import numpy as np
import pytest

from srcad.errors import SrcadError
from srcad.ir import ArrayType
from srcad.rules import RULES, ZERO
from srcad.rules.infer import infer
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


@pytest.mark.parametrize("options", [{"ord": "nuc"}, {"ord": 2}, {"ord": -2}, {"ord": 1}])
def test_other_matrix_norms_are_refused(options):
    x = np.eye(3)
    with pytest.raises(SrcadError, match="E203"):
        gradient(np.linalg.norm, x, **options)


def test_orders_below_one_are_refused():
    with pytest.raises(SrcadError, match="E203"):
        gradient(np.linalg.norm, np.ones(3), ord=0.5)
    with pytest.raises(SrcadError, match="E203"):
        gradient(np.linalg.norm, np.ones(3), ord=0)


def test_solving_inverts_nothing():
    stage = Stage()
    a, b = stage.array("a", "n", "n"), stage.array("b", "n")
    assert "inv" not in vjp_text(np.linalg.solve, 0, stage, a, b)
    assert "inv" not in vjp_text(np.linalg.solve, 1, stage, a, b)


@pytest.mark.parametrize("fn", [np.linalg.cholesky, np.linalg.eigvalsh, np.linalg.pinv])
def test_complex_matrices_are_refused_where_the_rule_is_real(fn):
    with pytest.raises(SrcadError, match="E203"):
        gradient(fn, np.eye(2) + 0j)


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


def test_the_determinant_of_a_singular_matrix_is_refused_at_run_time():
    with pytest.raises(np.linalg.LinAlgError):
        gradient(np.linalg.det, np.zeros((2, 2)))


def test_a_vector_is_no_matrix():
    with pytest.raises(SrcadError, match="E400"):
        infer(np.linalg.inv, (ArrayType(np.dtype(float), (3,)),), {})


@pytest.mark.parametrize("fn", [np.linalg.inv, np.linalg.det, np.linalg.norm])
def test_integer_matrices_give_doubles(fn):
    t = infer(fn, (ArrayType(np.dtype(int), (2, 2)),), {})
    assert t.dtype == fn(np.array([[2, 1], [1, 2]])).dtype
