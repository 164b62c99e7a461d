"""Calls of SciPy's solver of differential equations: what is refused, and how."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

integrate = pytest.importorskip("scipy.integrate")

T = np.linspace(0.0, 1.0, 4)
Y = np.array([0.7, 1.3])


def decay(y, t, k):
    return -k * y


def writes_the_state(y, t, k):
    y *= k
    return y


def writes_an_argument(y, t, k):
    k[0] = 0.1
    return k * y


def solves_inside(y, t, k):
    return k * integrate.odeint(decay, y, T, (k,))[-1]


@pytest.mark.parametrize(
    ("fn", "k", "code"),
    [
        (writes_the_state, 0.3, "E133"),
        (writes_an_argument, Y, "E133"),
        (solves_inside, 0.3, "E100"),
    ],
)
def test_functions_that_scipy_would_run_otherwise(fn, k, code):
    with pytest.raises(SrcadError, match=code):
        srcad.grad(lambda k: np.sum(integrate.odeint(fn, Y, T, (k,))))(k)


def test_a_closure_that_changes_what_is_around_it():
    def loss(k):
        b = np.array([k, k])

        def rhs(y, t):
            b[0] = b[0] + 1.0
            return -b * y

        return np.sum(integrate.odeint(rhs, Y, T))

    with pytest.raises(SrcadError, match="E133"):
        srcad.grad(loss)(0.3)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"full_output": 1}, "full_output"),
        ({"Dfun": decay}, "Dfun"),
        ({"tcrit": [1.0]}, "tcrit"),
        ({"rtol": np.ones(2)}, "rtol"),
    ],
)
def test_options_that_the_derivatives_do_not_know(options, name):
    with pytest.raises(SrcadError, match=f"E203.*{name}"):
        srcad.grad(lambda k: np.sum(integrate.odeint(decay, Y, T, (k,), **options)))(0.3)


@pytest.mark.parametrize(("y0", "args"), [(Y * 1j, (0.3,)), (np.eye(2), (0.3,)), (Y, 0.3)])
def test_arguments_that_the_solver_does_not_take(y0, args):
    with pytest.raises(SrcadError, match="E132"):
        srcad.grad(lambda k: np.sum(integrate.odeint(decay, k * y0, T, args)))(0.3)


def test_options_as_if_left_out():
    def loss(k):
        return np.sum(integrate.odeint(decay, Y, T, (k,), full_output=0, Dfun=None, mxstep=900))

    expected = np.sum(-T[:, None] * Y * np.exp(-0.3 * T)[:, None])
    np.testing.assert_allclose(srcad.grad(loss)(0.3), expected, rtol=1e-6)
