"""`solve_ivp` by explicit methods: derivatives of the computed solution, step by step."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

integrate = pytest.importorskip("scipy.integrate")

METHODS = ["RK23", "RK45", "DOP853"]
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
X = np.array([0.7, 0.1, 1.9, 0.5, -0.3])


def at_the_end(v, method="RK45"):
    k, start, end = v[0], v[1], v[2]

    def rates(t, y):
        return np.array([-k * y[0] * np.sin(t) + y[1], np.cos(k * t) - y[0]])

    found = integrate.solve_ivp(rates, (start, end), v[3:], method=method, **TIGHT)
    return np.sum(found.y[:, -1] ** 2)


def at_times(v, method="RK45"):
    k, start, end = v[0], v[1], v[2]

    def rates(t, y):
        return [-k * y[0] * np.sin(t) + y[1], np.cos(k * t) - y[0]]

    times = np.array([0.4 * end, 0.41 * end, end])
    found = integrate.solve_ivp(rates, (start, 3.0), v[3:], method, times, **TIGHT)
    return np.sum(found.y[0] ** 2 * found.y[1])


def backwards(v, method="RK45"):
    found = integrate.solve_ivp(
        lambda t, y, k: -k * y * np.cos(t), (2.0, 0.0), v[3:], method, [2.0, 1.1, 0.0], args=(v[0],)
    )
    return np.sum(found.y**2)


def differences(f, x, h=1e-5):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("f", [at_the_end, at_times])
def test_all_that_varies_in_each_mode(f, method):
    value, gradient = srcad.value_and_grad(f)(X, method)
    assert value == f(X, method)
    np.testing.assert_allclose(gradient, differences(lambda x: f(x, method), X), rtol=1e-6)
    np.testing.assert_allclose(srcad.jacfwd(f)(X, method), gradient, rtol=1e-7)


@pytest.mark.parametrize("f", [at_the_end, at_times])
def test_second_order(f):
    second = differences(srcad.grad(f), X)
    np.testing.assert_allclose(srcad.hessian(f)(X), second, atol=1e-6)
    np.testing.assert_allclose(srcad.jacrev(srcad.grad(f))(X), second, atol=1e-6)
    np.testing.assert_allclose(srcad.jacfwd(srcad.jacfwd(f))(X), second, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [at_the_end, at_times])
def test_compiled(f, backend):
    value, gradient = srcad.value_and_grad(f, backend=backend)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-14)
    np.testing.assert_allclose(gradient, srcad.grad(f)(X), rtol=1e-12)


def test_time_that_runs_backwards():
    np.testing.assert_allclose(
        srcad.grad(backwards)(X), differences(backwards, X), atol=1e-2
    )  # at SciPy's own tolerance
    np.testing.assert_allclose(srcad.grad(backwards)(X), srcad.jacfwd(backwards)(X), rtol=1e-12)


def swing(k, method):
    found = integrate.solve_ivp(
        lambda t, y: np.array([y[1], -k * np.sin(y[0])]), (0.0, 10.0), [1.0, 0.0], method
    )
    return found.y[0, -1]


@pytest.mark.parametrize("method", METHODS)
def test_it_is_the_derivative_of_the_computed_solution(method):
    """Of SciPy's steps with their lengths, however loose the tolerance is."""
    steps = integrate.solve_ivp(
        lambda t, y: np.array([y[1], -np.sin(y[0])]), (0.0, 10.0), [1.0, 0.0], method
    ).t
    solver = getattr(integrate, method)

    def same_steps(k):
        y = np.array([1.0, 0.0])
        for t, h in zip(steps, np.diff(steps), strict=False):
            stages = np.zeros((solver.n_stages, 2))
            for s, (a, c) in enumerate(zip(solver.A, solver.C, strict=True)):
                at = y + h * (a[:s] @ stages[:s])
                stages[s] = [at[1], -k * np.sin(at[0])]
            y = y + h * (solver.B @ stages)
        return y[0]

    assert same_steps(1.0) == pytest.approx(swing(1.0, method), abs=1e-13)
    exact = (same_steps(1 + 1e-5) - same_steps(1 - 1e-5)) / 2e-5
    assert srcad.grad(swing)(1.0, method) == pytest.approx(exact, abs=1e-8)


def test_many_parameters_take_one_sweep():
    def energy(w):
        found = integrate.solve_ivp(
            lambda t, y: np.tanh(w @ y) - y, (0.0, 1.0), np.ones(4), **TIGHT
        )
        return np.sum(found.y[:, -1] ** 2)

    w = np.random.default_rng(0).normal(size=(4, 4))
    found = srcad.grad(energy)(w).ravel()
    want = differences(lambda v: energy(v.reshape(4, 4)), w.ravel())
    np.testing.assert_allclose(found, want, atol=1e-8)
    text = srcad.grad(energy).source(w)
    assert "for i in reversed(range(" in text


def test_samples_take_as_many_steps_as_each_needs():
    def f(k):
        return np.sum(integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1.0, 2.0]).y[:, -1])

    ks = np.array([0.1, 1.0, 30.0])
    want = [srcad.grad(f)(k) for k in ks]
    np.testing.assert_allclose(srcad.vmap(srcad.grad(f))(ks), want, rtol=1e-12)


def test_no_times_and_one_time():
    def f(k, times):
        found = integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0, 2.0], t_eval=times)
        return np.sum(found.y)

    assert srcad.value_and_grad(f)(1.0, np.array([])) == (0.0, 0.0)
    assert srcad.value_and_grad(f)(1.0, np.array([0.0])) == (3.0, 0.0)
    value, slope = srcad.value_and_grad(f)(1.0, np.array([1.0]))
    assert value == f(1.0, np.array([1.0]))
    assert slope == pytest.approx(-3 * np.exp(-1), rel=1e-2)
