"""Calls of SciPy's solvers that are refused, each at the line of the call."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")


def square(x, a):
    return x**2 - a


REFUSED = [
    ("E203", lambda a: len(optimize.fsolve(square, [1.0], (a,), full_output=1)[3]) * a),
    ("E203", lambda a: optimize.leastsq(square, [1.0], (a,), full_output=1)[1][0, 0]),
    ("E203", lambda a: optimize.fsolve(square, [1.0], (a,), xtol=a)[0]),
    ("E203", lambda a: optimize.newton(square, [1.0], args=(a,), full_output=True)[0][0]),
    ("E203", lambda a: optimize.minimize_scalar(square, args=(a,), bounds=(0.0, a)).x),
    ("E203", lambda a: optimize.root_scalar(square, (a,), "newton", bracket=(0.0, 5.0)).root),
    ("E203", lambda a: optimize.root_scalar(square, (a,), x0=1.0, fprime=True).root),
    ("E203", lambda a: optimize.minimize(lambda x: x @ x - a, [1.0], bounds=[1.0, 2.0]).x[0]),
    (
        "E203",
        lambda a: optimize.minimize(lambda x: x @ x - a, [1.0], constraints=({"type": "eq"},)).x[0],
    ),
    ("E203", lambda a: optimize.least_squares(square, [1.0], args=(a,), bounds=[1]).x[0]),
    ("E203", lambda a: optimize.least_squares(square, [1.0], args=(a,), loss="huber").x[0]),
    ("E131", lambda a: optimize.brentq(square, 0.0)),
    ("E132", lambda a: optimize.brentq(lambda x: np.array([x, a]), 0.0, 1.0)),
    ("E132", lambda a: optimize.fsolve(lambda x: [x[0] - a], [1.0, 2.0])[0]),
    ("E132", lambda a: optimize.fsolve(lambda x: x - a, np.ones((2, 2)))[0]),
    ("E132", lambda a: optimize.fsolve(lambda x: 1j * x - a, np.ones(2))[0]),
    ("E203", lambda a: optimize.linprog([a], [[1.0]], [2.0], integrality=1).x[0]),
    ("E203", lambda a: optimize.curve_fit(square, [1.0], [a], bounds=(0.0, 9.0))[0][0]),
    ("E203", lambda a: optimize.curve_fit(square, [1.0, 2.0], [a, a])[1][0, 0]),
    ("E203", lambda a: optimize.curve_fit(square, [1.0], [a], sigma=[[a]])[0][0]),
    ("E204", lambda a: optimize.nnls([[1.0]], [a])[0][0]),
    ("E204", lambda a: optimize.differential_evolution(square, [(0.0, 2.0)], (a,)).x[0]),
]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_what_the_derivative_does_not_take_into_account_is_refused(code, f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(2.0)
    assert refused.value.code == code
    assert "test_solvers.py" in str(refused.value)


def test_a_function_that_writes_into_its_unknown_is_refused():
    def writes(x, a):
        x[0] = a
        return x

    with pytest.raises(SrcadError, match="E133"):
        srcad.grad(lambda a: optimize.fsolve(writes, np.ones(2), (a,))[0])(2.0)


def test_an_attribute_that_is_not_known_is_refused():
    with pytest.raises(SrcadError, match="message"):
        srcad.grad(lambda a: len(optimize.root(square, [1.0], (a,)).message) * a)(2.0)


def test_a_result_object_stays_inside():
    with pytest.raises(SrcadError):
        srcad.compile(lambda a: optimize.root(square, [1.0], (a,)))(2.0)


def test_odeint_inside_what_odeint_calls_is_refused():
    def inner(t, a):
        return integrate.odeint(lambda z, s: -a * z, [1.0], [0.0, t + 0.1])[-1, 0]

    def f(a):
        return integrate.odeint(lambda y, t: -y * inner(t, a), [1.0], [0.0, 1.0])[-1, 0]

    with pytest.raises(SrcadError, match="whose function calls it"):
        srcad.grad(f)(2.0)


FIXED_POINTS = [
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), 0.5),
    lambda a: optimize.fixed_point(lambda x: 0.5 * math.cos(a * x), 0.5),
    lambda a: optimize.fixed_point(lambda x, b: 0.5 * np.cos(b * x), a, (a,)),
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), 0.5, method="iteration"),
    lambda a: optimize.fixed_point(lambda x: 0.5 * math.cos(a * x), 0.5, method="iteration"),
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), [0.5]),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", FIXED_POINTS)
def test_the_fixed_point_of_a_number_is_of_the_type_that_scipy_gives(f, backend):
    expected = f(1.3)
    for found in (srcad.compile(f, backend=backend)(1.3), srcad.vjp(f, 1.3)[0]):
        assert type(found) is type(expected)
        assert np.shape(found) == np.shape(expected)
        assert found == expected
    slope = np.ravel(srcad.jacobian(f, backend=backend)(1.3))[0]
    ends = [np.ravel(f(1.3 + h))[0] for h in (1e-5, -1e-5)]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4)
