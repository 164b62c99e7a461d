"""Derivatives of solutions of differential equations, against differences of SciPy's solver."""

import runpy

import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

integrate = pytest.importorskip("scipy.integrate")

T = np.linspace(0.0, 1.5, 6)
Y = np.array([0.7, 1.3])
TIGHT = {"rtol": 1e-11, "atol": 1e-11}
WITHIN = {"atol": 3e-4, "rtol": 3e-4}


def lotka_volterra(y, t, a, b, c, d):
    prey, predators = y
    return [a * prey - b * prey * predators, -c * predators + d * prey * predators]


def from_vector(p, y0, t):
    ys = integrate.odeint(lotka_volterra, y0, t, args=tuple(p[k] for k in range(4)), **TIGHT)
    return np.sum(np.sin(ys) * T[:, None])


def by_closure(k, y0):
    def rhs(y, t):
        return -k * y + np.sin(t)

    return np.sum(integrate.odeint(rhs, y0, T, rtol=1e-11, atol=1e-11)[-1] ** 2)


def of_a_number(k, y0):
    return integrate.odeint(lambda y, t: -k * y * t, y0, T, rtol=1e-11, atol=1e-11)[-1, 0]


def time_first(k, y0):
    def decay(t, y, k):
        return -k * y

    options = {"tfirst": True, "rtol": 1e-11, "atol": 1e-11}
    return integrate.odeint(decay, [y0, 2 * y0], [0.0, 0.5, 1.0], args=(k,), **options).sum()


def linear_system(a, b, y0):
    def rhs(y, t, a, b):
        return a @ y + b * np.cos(t)

    return np.sum(integrate.odeint(rhs, y0, T, (a, b), rtol=1e-11, atol=1e-11) ** 2)


def does_not_read_the_state(k, y0):
    ys = integrate.odeint(lambda y, t, k: [k * t, k**2], y0, T, (k,), rtol=1e-11, atol=1e-11)
    return np.sum(ys[:, 0] * T) + np.sum(ys[-1])


def constant_rate(y0, end):
    times = np.array([0.0, end / 2, end])
    return np.sum(integrate.odeint(lambda y, t: [1.0, 2.0], y0, times) ** 2)


def container(p, y0):
    def rhs(y, t, p, n):
        return -p["k"] * y**n + p["c"]

    return np.sum(integrate.odeint(rhs, y0, T, (p, 2), rtol=1e-11, atol=1e-11))


def heat(k, u):
    def rhs(y, t, k):
        rate = np.zeros_like(y)
        rate[1:-1] = k * (y[2:] - 2 * y[1:-1] + y[:-2])
        return rate

    return np.sum(integrate.odeint(rhs, u, T, (k,), rtol=1e-11, atol=1e-11)[-1] ** 3)


def again_and_again(k, y0):
    def rhs(y, t, k):
        total = 0.0
        for v in y:
            total = total + v * v
        return -k * y * total if t < 10 else y

    y = y0
    for i in range(3):
        y = integrate.odeint(rhs, y, np.array([0.0, 0.3]), (k * (i + 1),), rtol=1e-11, atol=1e-11)
        y = y[-1]
    return np.sum(y**2)


def by_the_times(start, end, y0):
    times = np.array([start, (start + end) / 2, end])
    ys = integrate.odeint(lambda y, t: np.cos(3 * t) * y, y0, times, rtol=1e-11, atol=1e-11)
    return np.sum(ys**2)


force = srcad.grad(lambda q, k: -k * np.sum(q**4) / 4)


def hamiltonian(k, z):
    def rhs(z, t, k):
        return np.concatenate((z[2:], force(z[:2], k)))

    return np.sum(integrate.odeint(rhs, z, T, (k,), rtol=1e-11, atol=1e-11)[-1])


RNG = np.random.default_rng(0)
PROGRAMS = [
    (from_vector, (np.array([1.1, 0.4, 0.4, 0.1]), np.array([3.0, 2.0]), T)),
    (by_closure, (0.8, Y)),
    (of_a_number, (0.8, 0.5)),
    (time_first, (0.8, 0.5)),
    (linear_system, (RNG.normal(size=(2, 2)), RNG.normal(size=2), Y)),
    (does_not_read_the_state, (0.8, Y)),
    (constant_rate, (Y, 1.3)),
    (container, ({"k": 0.4, "c": np.array([0.1, 0.2])}, Y)),
    (heat, (0.3, RNG.normal(size=6))),
    (again_and_again, (0.3, Y)),
    (by_the_times, (0.1, 1.2, Y)),
    (hamiltonian, (0.7, np.array([0.4, 0.2, 0.3, -0.1]))),
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=[fn.__name__ for fn, _ in PROGRAMS])
def test_derivatives_agree_with_differences(fn, args):
    value, _ = srcad.vjp(fn, *args)
    assert value == fn(*args)
    check_grads(fn, args, order=2, **WITHIN)


def oscillator(k, y0):
    def rhs(y, t, k):
        return np.array([y[1], -k[0] * y[0] - k[1] * y[1]])

    return integrate.odeint(rhs, y0, T, (k,), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("transform", [srcad.jacrev, srcad.jacfwd])
def test_jacobians_of_a_whole_solution(transform):
    k = np.array([1.0, 0.3])
    jac = transform(oscillator)(k, Y)
    for j in range(2):
        step = 1e-5 * np.eye(2)[j]
        found = (oscillator(k + step, Y) - oscillator(k - step, Y)) / 2e-5
        np.testing.assert_allclose(jac[:, :, j], found, atol=1e-8)


def test_what_decays_fast_does_not_grow_in_the_reverse_sweep():
    def last(k, y0):
        return integrate.odeint(lambda y, t: -k * (y - np.cos(t)), y0, [0.0, 1.0, 2.0])[-1, 0]

    by_k, by_start = srcad.grad(last, argnums=(0, 1))(1000.0, 0.0)
    difference = (last(1001.0, 0.0) - last(999.0, 0.0)) / 2
    np.testing.assert_allclose(by_k, difference, rtol=1e-2)
    assert abs(by_start) < 1e-8


def test_a_fit_finds_the_parameters_that_made_the_data():
    optimize = pytest.importorskip("scipy.optimize")
    truth, start = np.array([1.0, 0.5, 0.9, 0.3]), np.array([2.0, 1.0])
    times = np.linspace(0, 8, 25)
    seen = integrate.odeint(lotka_volterra, start, times, tuple(truth))

    def misfit(p):
        ys = integrate.odeint(lotka_volterra, start, times, (p[0], p[1], p[2], p[3]))
        return (ys - seen).ravel()

    found = optimize.least_squares(misfit, 1.2 * truth, jac=srcad.jacobian(misfit))
    np.testing.assert_allclose(found.x, truth, rtol=1e-5)


def test_dtypes_of_the_arguments_are_kept():
    def total(k, y0):
        return np.sum(integrate.odeint(lambda y, t, k: -k * y, y0, T, (k,)))

    bars = srcad.grad(total, argnums=(0, 1))(np.float32(0.3), Y.astype(np.float32))
    assert [np.asarray(bar).dtype for bar in bars] == [np.float32, np.float32]


def test_a_saved_module_needs_scipy_alone(tmp_path):
    gradient = srcad.grad(by_closure, argnums=(0, 1))
    expected = gradient(0.8, Y)
    gradient.save(tmp_path / "saved.py")
    text = (tmp_path / "saved.py").read_text()
    *_, body = text.split("\n", 2)  # behind what says where it comes from
    assert "srcad" not in body.replace("by srcad", "")
    bars = runpy.run_path(str(tmp_path / "saved.py"))["by_closure_grad"](0.8, Y)
    for bar, want in zip(bars, expected, strict=True):
        np.testing.assert_array_equal(bar, want)


def test_a_checkpointed_solution():
    held = srcad.checkpoint(oscillator)
    k = np.array([1.0, 0.3])
    plain = srcad.grad(lambda k: np.sum(oscillator(k, Y) ** 2))(k)
    np.testing.assert_allclose(srcad.grad(lambda k: np.sum(held(k, Y) ** 2))(k), plain)
