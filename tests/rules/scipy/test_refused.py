"""What of SciPy is refused in a differentiated function, and what may be called on constants."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

integrate = pytest.importorskip("scipy.integrate")
interpolate = pytest.importorskip("scipy.interpolate")
ndimage = pytest.importorskip("scipy.ndimage")
optimize = pytest.importorskip("scipy.optimize")
signal = pytest.importorskip("scipy.signal")

X = np.linspace(0.1, 1.0, 9)
NEAREST = interpolate.NearestNDInterpolator(np.eye(2), [1.0, 2.0])


def non_negative(x):
    return optimize.nnls(np.eye(9), x)[1]


def global_minimum(x):
    return optimize.dual_annealing(lambda z: np.sum((z - x) ** 2), [(0.0, 1.0)] * 9).fun


def spline_through(x):
    return interpolate.Akima1DInterpolator(X, x)(0.3)


def points_from_outside(x):
    return np.sum(NEAREST(x[:2]))


def quadrature(x):
    return integrate.quad_vec(lambda y: y * x, 0, 1)[0].sum()


def boundary_value_problem(x):
    ends = np.zeros((2, 9))
    return integrate.solve_bvp(lambda t, y: -x[0] * y, lambda a, b: a - b, X, ends).y.sum()


def resampled(x):
    return np.sum(signal.resample_poly(x, 2, 3))


def shifted(x):
    return np.sum(ndimage.shift(x, 0.3))


@pytest.mark.parametrize(
    "fn",
    [
        *(non_negative, global_minimum, spline_through, points_from_outside, quadrature),
        *(boundary_value_problem, resampled, shifted),
    ],
)
def test_a_refusal_has_a_reason_and_a_way_out(fn):
    with pytest.raises(SrcadError, match=r"E204.*scipy") as caught:
        srcad.grad(fn)(X)
    assert caught.value.notes
    assert "object at" not in str(caught.value)


def test_coefficients_may_be_made_inside():
    def loss(x):
        b, a = signal.butter(2, 0.3)
        return np.sum(signal.lfilter(b, a, x) * signal.get_window("hann", 9))

    direction = np.cos(X)
    difference = (loss(X + 1e-6 * direction) - loss(X - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(srcad.grad(loss)(X) @ direction, difference, rtol=1e-7)


def test_the_way_out_of_a_spline():
    matrix = interpolate.make_interp_spline(X, np.eye(9))(np.array([0.33, 0.5]))

    def loss(y):
        return np.sum((matrix @ y) ** 2)

    def by_scipy(y):
        return np.sum(interpolate.make_interp_spline(X, y)(np.array([0.33, 0.5])) ** 2)

    np.testing.assert_allclose(loss(X**3), by_scipy(X**3))
    direction = np.sin(7 * X)
    step = 1e-6 * direction
    difference = (by_scipy(X**3 + step) - by_scipy(X**3 - step)) / 2e-6
    np.testing.assert_allclose(srcad.grad(loss)(X**3) @ direction, difference, rtol=1e-7)
