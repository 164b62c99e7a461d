"""Splines of SciPy's that are captured or passed, at points that vary."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

interpolate = pytest.importorskip("scipy.interpolate")

X = np.linspace(0.0, 3.0, 7)
Y = np.sin(X)
BOTH = np.stack((Y, Y**2), axis=1)
SPLINES = {
    "cubic": interpolate.CubicSpline(X, Y),
    "natural": interpolate.CubicSpline(X, Y, bc_type="natural"),
    "inside alone": interpolate.CubicSpline(X, Y, extrapolate=False),
    "of vectors": interpolate.CubicSpline(X, BOTH),
    "pchip": interpolate.PchipInterpolator(X, Y),
    "akima": interpolate.Akima1DInterpolator(X, Y),
    "hermite": interpolate.CubicHermiteSpline(X, Y, np.cos(X)),
    "pieces": interpolate.PPoly(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [0.0, 1.2, 3.0]),
    "b-spline": interpolate.make_interp_spline(X, Y),
    "b-spline of vectors": interpolate.make_interp_spline(X, BOTH),
    "univariate": interpolate.UnivariateSpline(X, Y, s=0.01),
    "interpolated": interpolate.InterpolatedUnivariateSpline(X, Y),
}
TABLES = {
    "linear": interpolate.interp1d(X, Y),
    "by a spline": interpolate.interp1d(X, Y, kind="cubic"),
    "nearest": interpolate.interp1d(X, Y, kind="nearest"),
    "filled": interpolate.interp1d(X, Y, bounds_error=False, fill_value=0.0),
    "further": interpolate.interp1d(X, Y, fill_value="extrapolate"),
}
POINTS = [
    np.array([0.31, 1.23]), 0.7, np.float64(0.3), np.array([[0.1, 0.2], [0.4, 2.9]]), np.array([]),
    np.array([5.0, -1.0]), [0.3, 0.4], 1,
]  # fmt: skip


def alike(found, wanted):
    return (
        type(found) is type(wanted)
        and found.dtype == wanted.dtype
        and np.array_equal(found, wanted, equal_nan=True)
    )


@pytest.mark.parametrize("name", [*SPLINES, *TABLES])
def test_values_are_scipys_to_the_last_bit(name):
    spline = (SPLINES | TABLES)[name]
    forms = [lambda p: spline(p)]
    if name in SPLINES:
        forms += [lambda p: spline(p, 1), lambda p: spline(p, nu=2)]
    for form in forms:
        compiled = srcad.compile(form)
        for p in POINTS:
            try:
                wanted = form(p)
            except ValueError:
                with pytest.raises(ValueError, match="interpolation range"):
                    compiled(p)
                continue
            assert alike(compiled(p), wanted)


@pytest.mark.parametrize("name", [*SPLINES, *TABLES])
def test_slopes(name):
    spline = (SPLINES | TABLES)[name]
    for p in POINTS[:4]:
        check_grads(lambda p: spline(p), (p,), order=2 if name in ("cubic", "b-spline") else 1)
    if name in SPLINES:
        check_grads(lambda p: spline(p, 1), (np.array([0.31, 1.23]),), order=1)


def test_beyond_its_degree_a_spline_has_no_slope():
    spline = SPLINES["univariate"]
    assert srcad.grad(lambda p: spline(p, 3))(0.3) == 0.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_spline_is_read_anew(backend):
    def misfit(spline, p):
        return np.sum(spline(p) ** 2)

    gradient = srcad.grad(misfit, 1, backend=backend)
    p = np.array([0.3, 0.4])
    for name in ("cubic", "natural", "b-spline", "univariate"):
        spline = SPLINES[name]
        np.testing.assert_allclose(gradient(spline, p), 2 * spline(p) * spline(p, 1), rtol=1e-12)
    vectors = SPLINES["of vectors"]
    wanted = np.sum(2 * vectors(p) * vectors(p, 1), axis=1)
    np.testing.assert_allclose(gradient(vectors, p), wanted, rtol=1e-12)


def test_a_spline_of_an_object_in_a_loop():
    class Road:
        def __init__(self):
            self.height = SPLINES["cubic"]

        def slope(self, s):
            return self.height(s, 1)

    road = Road()

    def rolled(s, v, n):
        for _ in range(n):
            v = v - 0.1 * road.slope(s)
            s = s + 0.1 * v
        return s

    assert srcad.compile(rolled)(0.3, 1.0, 5) == rolled(0.3, 1.0, 5)
    check_grads(lambda s, v: rolled(s, v, 5), (0.3, 1.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda p: interpolate.CubicSpline(X, Y * p[0])(p),
        lambda p: interpolate.interp1d(X, BOTH, axis=0)(p),
        lambda p: interpolate.CubicSpline(X, BOTH.T, axis=1)(p),
    ],
)
def test_refused(f):
    with pytest.raises(SrcadError, match="E204"):
        srcad.grad(lambda p: np.sum(f(p)))(np.array([0.3, 0.4]))
