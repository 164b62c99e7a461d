"""With the real SciPy: derivatives go straight into its optimisers, solvers and integrators."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import srcad

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")

START = np.array([1.3, 0.7, 0.8, 1.9])


def rosenbrock(x: Any, a: float = 1.0, b: float = 100.0) -> Any:
    return np.sum(b * (x[1:] - x[:-1] ** 2) ** 2 + (a - x[:-1]) ** 2)


def circle(x: Any) -> Any:
    return np.array([x[0] ** 2 + x[1] ** 2, x[0] * x[1]])


value_and_grad = srcad.value_and_grad(rosenbrock)
hessian, hvp = srcad.hessian(rosenbrock), srcad.hvp(rosenbrock)


@pytest.mark.parametrize("args", [(), (1.0, 10.0)])
@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP"])
def test_minimize_with_the_gradient(method: str, args: Any) -> None:
    found = optimize.minimize(value_and_grad, START, args=args, jac=True, method=method)
    assert found.success
    np.testing.assert_allclose(found.x, 1.0, atol=1e-2)
    apart = optimize.minimize(
        rosenbrock, START, args=args, jac=srcad.grad(rosenbrock), method=method
    )
    np.testing.assert_allclose(apart.x, found.x, atol=1e-2)


@pytest.mark.parametrize("args", [(), (1.0, 10.0)])
@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"])
def test_minimize_with_second_derivatives(method: str, args: Any) -> None:
    for second in ({"hess": hessian}, {"hessp": hvp}):
        found = optimize.minimize(
            value_and_grad, START, args=args, jac=True, method=method, **second
        )
        assert found.success, found.message
        np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


@pytest.mark.parametrize("method", ["dogleg", "trust-exact"])
def test_minimize_with_the_hessian_alone(method: str) -> None:
    found = optimize.minimize(
        value_and_grad, np.array([1.05, 1.1]), jac=True, hess=hessian, method=method
    )
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)


def test_constraints() -> None:
    def weighted(x: Any, v: Any) -> Any:
        return srcad.hessian(lambda x: np.sum(v * circle(x)))(x)

    inside = optimize.NonlinearConstraint(
        circle, [0.0, 0.0], [1.0, np.inf], jac=srcad.jacobian(circle), hess=weighted
    )
    found = optimize.minimize(
        value_and_grad, np.array([0.1, 0.2]), jac=True, hess=hessian, method="trust-constr",
        constraints=[inside],
    )  # fmt: skip
    assert found.constr_violation < 1e-8
    slsqp = optimize.minimize(
        value_and_grad, np.array([0.1, 0.2]), jac=True, method="SLSQP",
        constraints=[{
            "type": "ineq",
            "fun": lambda x: 1.0 - circle(x)[0],
            "jac": srcad.grad(lambda x: 1.0 - circle(x)[0]),
        }],
    )  # fmt: skip
    np.testing.assert_allclose(found.x, slsqp.x, atol=1e-3)


def test_global_search() -> None:
    def wells(x: Any) -> Any:
        return np.sum((x**2 - 1.0) ** 2 + 0.3 * x)

    found = optimize.basinhopping(
        srcad.value_and_grad(wells),
        np.ones(2),
        niter=20,
        stepsize=2.0,
        minimizer_kwargs={"jac": True},
        rng=0,
    )
    assert np.all(found.x < -1.0)


def model(t: Any, a: float, b: float, c: float) -> Any:
    return a * np.exp(-b * t) + c


def residuals(p: Any, t: Any, y: Any) -> Any:
    return model(t, p[0], p[1], p[2]) - y


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares(method: str) -> None:
    t = np.linspace(0, 4, 30)
    y = model(t, 2.5, 1.3, 0.5)
    found = optimize.least_squares(
        residuals, np.ones(3), jac=srcad.jacobian(residuals), args=(t, y), method=method
    )
    np.testing.assert_allclose(found.x, [2.5, 1.3, 0.5], rtol=1e-6)
    old = optimize.leastsq(residuals, np.ones(3), Dfun=srcad.jacobian(residuals), args=(t, y))
    np.testing.assert_allclose(old[0], [2.5, 1.3, 0.5], rtol=1e-6)


def test_curve_fit() -> None:
    t = np.linspace(0, 4, 30)
    y = model(t, 2.5, 1.3, 0.5)
    by_parameters = srcad.jacfwd(model, argnums=("a", "b", "c"))

    def jac(t: Any, *parameters: Any) -> Any:
        return np.stack(by_parameters(t, *parameters), axis=1)

    found, _ = optimize.curve_fit(model, t, y, p0=[1.0, 1.0, 1.0], jac=jac)
    np.testing.assert_allclose(found, [2.5, 1.3, 0.5], rtol=1e-6)


def chandrasekhar(x: Any, c: float) -> Any:
    n = x.size
    mu = (np.arange(n) + 0.5) / n
    kernel = mu[:, None] / (mu[:, None] + mu)
    return x - 1.0 / (1.0 - c / (2 * n) * (kernel @ x))


def test_roots() -> None:
    jac = srcad.jacobian(chandrasekhar)
    for method in ("hybr", "lm"):
        found = optimize.root(chandrasekhar, np.ones(8), args=(0.9,), jac=jac, method=method)
        assert found.success
        np.testing.assert_allclose(chandrasekhar(found.x, 0.9), 0.0, atol=1e-8)
    old = optimize.fsolve(chandrasekhar, np.ones(8), args=(0.9,), fprime=jac)
    np.testing.assert_allclose(old, found.x, rtol=1e-8)


def test_root_of_one_number() -> None:
    def f(x: Any) -> Any:
        return x**3 - 2.0 * x - 5.0

    prime, second = srcad.derivative(f), srcad.derivative(f, order=2)
    newton = optimize.root_scalar(f, x0=2.0, fprime=prime, method="newton")
    halley = optimize.root_scalar(f, x0=2.0, fprime=prime, fprime2=second, method="halley")
    for found in (newton, halley):
        assert found.converged
        assert abs(f(found.root)) < 1e-12


def robertson(t: Any, y: Any, k: float = 3e7) -> Any:
    a, b = -0.04 * y[0] + 1e4 * y[1] * y[2], k * y[1] ** 2
    return np.array([a, -a - b, b])


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_stiff_equations(method: str) -> None:
    jac = srcad.jacobian(robertson, argnums="y")
    found = integrate.solve_ivp(
        robertson, (0.0, 40.0), [1.0, 0.0, 0.0], jac=jac, method=method, rtol=1e-8, atol=1e-10
    )
    assert found.success
    np.testing.assert_allclose(found.y[:, -1], [0.71583, 9.1855e-6, 0.28416], rtol=1e-4)
    if method != "LSODA":  # which calls its Jacobian without the arguments
        with_args = integrate.solve_ivp(
            robertson, (0.0, 1.0), [1.0, 0.0, 0.0], jac=jac, method=method, args=(2e7,)
        )
        assert with_args.success


def test_parameters_in_containers() -> None:
    x = np.linspace(-1, 1, 40)
    y = np.sin(2 * x)
    rng = np.random.default_rng(0)
    start = {"w": rng.normal(size=(2, 5)), "b": np.zeros(5), "out": 0.1 * np.ones(5), "shift": 0.0}

    def loss(p: Any) -> Any:
        h = np.tanh(np.outer(x, p["w"][0]) + p["b"] * p["w"][1])
        return np.mean((h @ p["out"] + p["shift"] - y) ** 2)

    vector, unflatten = srcad.flatten(start)
    found = optimize.minimize(
        srcad.value_and_grad(lambda v: loss(unflatten(v))), vector, jac=True, method="L-BFGS-B"
    )
    assert loss(unflatten(found.x)) < 1e-3
    assert type(unflatten(found.x)["shift"]) is float


def test_partial_and_bound_functions() -> None:
    class Problem:
        scale = 10.0

        def cost(self, x: Any) -> Any:
            return rosenbrock(x, 1.0, self.scale)

    for f in (Problem().cost, functools.partial(rosenbrock, b=10.0)):
        found = optimize.minimize(
            srcad.value_and_grad(f), START, jac=True, hessp=srcad.hvp(f), method="trust-ncg"
        )
        np.testing.assert_allclose(found.x, 1.0, atol=1e-4)
