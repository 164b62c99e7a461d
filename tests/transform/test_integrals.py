"""Derivatives of integrals and of initial value problems, against differences of SciPy's."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

integrate = pytest.importorskip("scipy.integrate")

T = np.array([0.3, 0.9, 1.5])
TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def exponential(k):
    return integrate.quad(lambda x: np.exp(-k * x), 0.0, 1.0)[0]


def moving_ends(k, a, b):
    return integrate.quad(lambda x, k: np.sin(k * x), a, b, args=(k,))[0] * k


def to_infinity(k):
    return integrate.quad(lambda x: np.exp(-k * x * x), -np.inf, np.inf)[0]


def of_a_vector(w):
    return integrate.quad(lambda x: np.sum(np.cos(w * x)) ** 2, 0.0, 2.0, epsabs=1e-12)[0]


def of_containers(p):
    def f(x, p):
        return p["c"][0] * np.exp(-p["k"] * x) + np.sum(p["c"][1] * x)

    return integrate.quad(f, 0.0, p["end"], (p,))[0]


def of_an_integral(k):
    """A quadrature inside a loop: a table of values."""
    total = 0.0
    for i in range(3):
        value, error = integrate.quad(lambda x, i: x**i * np.exp(-k * x), 0.0, 1.0, i)
        assert error < 1e-6
        total += value * k
    return total


def reads_nothing_that_varies(k):
    return integrate.quad(np.cos, 0.0, k)[0]


def decay(k, y0):
    found = integrate.solve_ivp(lambda t, y: -k * y, (0.0, 2.0), y0, t_eval=T, **TIGHT)
    return np.sum(found.y * found.t)


def pendulum(p, y0):
    def rhs(t, y, damping, length):
        return [y[1], -9.81 / length * np.sin(y[0]) - damping * y[1]]

    found = integrate.solve_ivp(
        rhs, [0.0, 1.0], y0, "DOP853", [1.0], args=(p[0], p[1]), rtol=1e-10, atol=1e-10
    )
    return found.y[0, -1] if found.success else np.nan


def stiff(k):
    found = integrate.solve_ivp(
        lambda t, y: -50.0 * (y - k * np.cos(t)), (0, 0.2), [k], "LSODA", [0.1, 0.2], **TIGHT
    )
    return found.y.sum()


def moving_times(k, t0, t1):
    found = integrate.solve_ivp(
        lambda t, y: k * y * np.cos(t), (t0, t1 + 1.0), [1.0, 2.0], t_eval=[t1], **TIGHT
    )
    return found.y.sum()


def to_the_end(k, y0):
    found = integrate.solve_ivp(lambda t, y, k: -k * y, (0.0, 2.0), y0, args=(k,), **TIGHT)
    assert found.t[-1] == 2.0
    return np.sum(found.y[:, -1] ** 2) + found.y[0, -1] * k


def until(k, t0, t1):
    """The time of the end varies, and the row is read first."""
    last = integrate.solve_ivp(lambda t, y: k * y * np.cos(t), (t0, t1), [1.0, 2.0], **TIGHT).y[1]
    return last[-1] + 0.0 * len(last)


PROGRAMS = [
    (exponential, (0.8,)), (moving_ends, (1.2, 0.3, 0.9)), (to_infinity, (0.7,)),
    (of_a_vector, (np.array([0.5, 1.1, 1.9]),)), (of_an_integral, (0.6,)),
    (of_containers, ({"k": 0.7, "c": [1.3, np.array([0.2, 0.4])], "end": 1.5},)),
    (reads_nothing_that_varies, (0.6,)), (decay, (0.7, np.array([1.0, 2.0]))),
    (pendulum, (np.array([0.3, 1.2]), np.array([0.5, 0.1]))), (stiff, (0.7,)),
    (moving_times, (0.6, 0.1, 0.8)), (to_the_end, (0.7, np.array([1.0, 2.0]))),
    (until, (0.6, 0.1, 0.8)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_derivatives_of_integrals(f, args, backend):
    value, _ = srcad.value_and_grad(f, backend=backend)(*args)
    plain = f(*args)
    assert type(value) is type(plain)
    np.testing.assert_array_equal(value, plain)
    check_grads(f, args, order=2, atol=3e-4, rtol=3e-4)


def test_the_third_derivative_of_an_integral():
    third = srcad.derivative(exponential, 3)(0.8)
    assert third == pytest.approx(-integrate.quad(lambda x: x**3 * np.exp(-0.8 * x), 0, 1)[0])


def test_the_solution_is_laid_out_as_scipy_s():
    def f(k):
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0, 2.0], t_eval=T).y

    made = srcad.compile(f)(0.7)
    np.testing.assert_array_equal(made, f(0.7))
    assert made.flags.c_contiguous


def rhs(t, y):
    return -y


REFUSED = [
    ("E203", lambda k: integrate.quad(lambda x: k * x, 0.0, 1.0, weight="cos", wvar=2.0)[0]),
    ("E203", lambda k: integrate.quad(lambda x: k * x, 0.0, 1.0, weight="cos", wvar=2.0)[0]),
    ("E203", lambda k: integrate.quad(lambda x: k * x, 0.0, 1.0)[1]),
    ("E203", lambda k: integrate.quad(lambda x: k * x, 0.0, 1.0, epsabs=k)[0]),
    ("E132", lambda k: integrate.quad(lambda x: np.array([k, x]), 0.0, 1.0)[0]),
    ("E203", lambda k: integrate.solve_ivp(rhs, (0.0, 1.0), [k]).y[0, 0]),
    ("E203", lambda k: np.sum(integrate.solve_ivp(rhs, (0.0, 1.0), [k]).y)),
    ("E203", lambda k: np.sum(integrate.solve_ivp(rhs, (0.0, 1.0), [k]).t)),
    ("E203", lambda k: integrate.solve_ivp(rhs, (0, 1), [k], t_eval=T, events=rhs).y[0, 0]),
    ("E203", lambda k: integrate.solve_ivp(rhs, (0, 1), [k], t_eval=T, dense_output=True).y[0, 0]),
    ("E132", lambda k: integrate.solve_ivp(rhs, 1.0, [k], t_eval=T).y[0, 0]),
]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_what_has_no_derivative_is_refused(code, f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(2.0)
    assert refused.value.code == code
    assert "test_integrals.py" in str(refused.value)


@pytest.mark.parametrize("part", [(0, 0), (slice(None), slice(1, 3)), (Ellipsis, -2)])
@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_the_steps_of_a_solver_have_no_derivative(mode, part):
    with pytest.raises(SrcadError, match="at its own steps") as refused:
        mode(lambda k: np.sum(integrate.solve_ivp(rhs, (0.0, 1.0), [k]).y[part]))(2.0)
    assert refused.value.code == "E203"


def test_the_end_after_a_write_is_what_was_written():
    def f(k):
        y = integrate.solve_ivp(rhs, (0.0, 1.0), [k]).y
        y[0, -1] = 5.0 * k
        return y[0, -1] * k

    with pytest.raises(SrcadError, match="at its own steps"):
        srcad.grad(f)(2.0)


def test_a_solver_that_fails_is_told():
    def blows_up(k):
        return integrate.solve_ivp(lambda t, y: k * y**2, (0, 3), [1.0], t_eval=[3.0]).y[0, 0]

    with pytest.raises(RuntimeError, match="solve_ivp: Required step size"):
        srcad.grad(blows_up)(1.0)


def test_points_where_the_integrand_is_not_smooth():
    def f(a, points):
        return integrate.quad(lambda x: np.abs(x - 0.3) * np.exp(a * x), 0.0, 1.0, points=points)[0]

    for points in ([0.3], np.array([0.3, 0.6])):
        value, slope = srcad.value_and_grad(f)(0.7, points)
        assert value == f(0.7, points)
        h = 1e-5
        assert slope == pytest.approx((f(0.7 + h, points) - f(0.7 - h, points)) / (2 * h), abs=1e-8)
    assert srcad.hessian(f)(0.7, [0.3]) > 0
    with pytest.raises(srcad.SrcadError, match="E203"):
        srcad.grad(lambda a: integrate.quad(lambda x: x > a, 0.0, 1.0, points=[a])[0])(0.3)
