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
        lambda p: interpolate.Akima1DInterpolator(X, Y * p[0])(p),
        lambda p: interpolate.interp1d(X, BOTH, axis=0)(p),
        lambda p: interpolate.CubicSpline(X, BOTH.T, axis=1)(p),
    ],
)
def test_refused(f):
    with pytest.raises(SrcadError, match=r"E204|E120"):
        srcad.grad(lambda p: np.sum(f(p)))(np.array([0.3, 0.4]))


# Made in the function -----------------------------------------------------------------------------

P = np.array([-0.2, 0.3, 1.2, 2.9])
SLOPES = np.cos(X) * 0.7
Z = np.array([0.0, 1.0, 2.5])
FIELD = np.sin(np.add.outer(X, Z**2))
AT = np.array([[0.3, 0.2], [2.1, 1.9], [1.2, 0.7]])
ENDS = ((1, 0.5), "natural")
MADE = {
    "not a knot": (lambda y, p: interpolate.CubicSpline(X, y)(p), Y, P),
    "natural": (lambda y, p: interpolate.CubicSpline(X, y, bc_type="natural")(p), Y, P),
    "clamped, by knots": (lambda x, y: interpolate.CubicSpline(x, y, 0, "clamped")(P), X, Y),
    "given ends": (lambda y, p: interpolate.CubicSpline(X, y, bc_type=ENDS)(p, 1), Y, P),
    "vectors": (lambda y: interpolate.CubicSpline(X, y)(P), BOTH),
    "second slopes": (lambda y, p: interpolate.CubicSpline(X, y)(p, 2), Y, P),
    "derivative": (lambda y, p: interpolate.CubicSpline(X, y).derivative()(p), Y, P),
    "three knots": (lambda y, p: interpolate.CubicSpline(X[:3], y)(p), Y[:3], P),
    "two knots": (lambda y, p: interpolate.CubicSpline(X[:2], y)(p), Y[:2], P),
    "one point": (lambda y, p: interpolate.CubicSpline(X, y)(p), Y, 0.7),
    "inside": (lambda y: interpolate.CubicSpline(X, y, extrapolate=False)(P[1:]), Y),
    "numbers": (lambda a, b: interpolate.CubicSpline([0, 1, 2, 3], [a, b, 1, 2.0])(P), 0.3, 0.5),
    "pchip": (lambda y, p: interpolate.PchipInterpolator(X, y)(p), Y, P),
    "pchip of two knots": (lambda y, p: interpolate.PchipInterpolator(X[:2], y)(p), Y[:2], P),
    "hermite": (lambda y, d, p: interpolate.CubicHermiteSpline(X, y, d)(p), Y, SLOPES, P),
    "table": (lambda y, p: interpolate.interp1d(X, y)(p), Y, P[1:]),
    "table that goes on": (
        lambda y, p: interpolate.interp1d(X, y, fill_value="extrapolate")(p), Y, P,
    ),
    "filled table": (
        lambda y: interpolate.interp1d(X[::-1], y, bounds_error=False, fill_value=(0, 1.0))(P), Y,
    ),
    "grid": (lambda v, p: interpolate.RegularGridInterpolator((X, Z), v)(p), FIELD, AT),
    "grid by its points": (
        lambda x, v: interpolate.RegularGridInterpolator((x, Z), v)(AT), X, FIELD,
    ),
    "grid of vectors": (
        lambda v: interpolate.RegularGridInterpolator((X, Z), v)((AT[:, 0], AT[:, 1])),
        np.stack((FIELD, FIELD**2), axis=-1),
    ),
    "grid that falls": (
        lambda v, p: interpolate.RegularGridInterpolator(
            (X[::-1], Z), v, bounds_error=False, fill_value=None)(p), FIELD, 3 * AT,
    ),
    "filled grid": (
        lambda v: interpolate.RegularGridInterpolator(
            (X, Z), v, bounds_error=False, fill_value=0.5)(3 * AT), FIELD,
    ),
    "nearest": (
        lambda v: interpolate.RegularGridInterpolator((X, Z), v, method="nearest")(AT[0]), FIELD,
    ),
    "interpn": (lambda v, p: interpolate.interpn((X, Z), v, p), FIELD, AT),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", MADE)
def test_splines_of_values_that_vary(name, backend):
    f, *args = MADE[name]
    found, wanted = srcad.compile(f, backend=backend)(*args), f(*args)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", MADE)
def test_derivatives_by_values_and_knots(name):
    f, *args = MADE[name]
    check_grads(f, tuple(args), order=2 if name == "not a knot" else 1)


@pytest.mark.parametrize(
    "f",
    [
        lambda y: interpolate.CubicSpline(X[::-1], y)(P),
        lambda y: interpolate.CubicSpline(X, y[:3])(P),
        lambda y: interpolate.CubicSpline(X[:1], y[:1])(P),
        lambda y: interpolate.CubicSpline(X, y, bc_type="loose")(P),
        lambda y: interpolate.CubicSpline(X, y, bc_type=((3, 0.0), "natural"))(P),
        lambda y: interpolate.CubicSpline(X, y / 0.0)(P),
        lambda y: interpolate.CubicHermiteSpline(X, y, y[:3])(P),
        lambda y: interpolate.interp1d(X, y)(P),
        lambda y: interpolate.RegularGridInterpolator((X,), y)(P[:, None]),
        lambda y: interpolate.RegularGridInterpolator((X, X), y)(P[:, None]),
        lambda y: interpolate.CubicSpline(X, y)(P, -1),
        lambda y: interpolate.RegularGridInterpolator((X**2 - X,), y)(P[:, None]),
    ],
)
def test_what_is_no_spline_is_refused_as_by_scipy(f):
    with np.errstate(all="ignore"):
        with pytest.raises(ValueError):
            f(Y)
        for transformed in (srcad.compile(f), srcad.grad(lambda y: np.sum(f(y)))):
            with pytest.raises((ValueError, SrcadError)):
                transformed(Y)


def test_a_grid_is_read_anew():
    grids = [
        interpolate.RegularGridInterpolator((X, Z), FIELD),
        interpolate.RegularGridInterpolator((X, Z), FIELD**2, bounds_error=False),
        interpolate.RegularGridInterpolator(
            (X[::-1], Z), FIELD, bounds_error=False, fill_value=None
        ),
    ]
    gradient = srcad.value_and_grad(lambda grid, p: np.sum(grid(p) ** 2), 1)
    for grid in grids:
        np.testing.assert_allclose(gradient(grid, AT)[0], np.sum(grid(AT) ** 2), rtol=1e-13)
        check_grads(lambda p, grid=grid: grid(p), (AT,), order=1)


UNKNOWN = np.array([[0.2, 0.3], [np.nan, 1.0], [1.6, np.nan]])
OPEN = {"bounds_error": False}


@pytest.mark.parametrize(
    "f",
    [
        lambda v, p: interpolate.RegularGridInterpolator((X, Z), v)(p),
        lambda v, p: interpolate.RegularGridInterpolator((X, Z), v, **OPEN)(p),
        lambda v, p: interpolate.RegularGridInterpolator((X, Z), v, "nearest", **OPEN)(p),
        lambda v, p: interpolate.CubicSpline(X, v[:, 0])(p[:, 0]),
        lambda v, p: interpolate.interp1d(X, v[:, 0])(p[:, 0]),
        lambda v, p: interpolate.interp1d(X, v[:, 0], fill_value=0.0, **OPEN)(p[:, 0]),
    ],
)
def test_points_that_are_not_known(f):
    try:
        wanted = f(FIELD, UNKNOWN)
    except ValueError:
        with pytest.raises(ValueError, match="out of bounds"):
            srcad.compile(f)(FIELD, UNKNOWN)
        return
    np.testing.assert_allclose(srcad.compile(f)(FIELD, UNKNOWN), wanted, rtol=1e-13)


@pytest.mark.parametrize("dtype", [complex, bool, "f4", "i1"])
@pytest.mark.parametrize(
    "f",
    [
        lambda y: interpolate.CubicSpline(X, y)(P),
        lambda y: interpolate.PchipInterpolator(X, y)(P),
        lambda y: interpolate.CubicHermiteSpline(X, y, y)(P),
        lambda y: interpolate.interp1d(X, y)(P[1:]),
        lambda y: interpolate.RegularGridInterpolator((X,), y)(P[1:, None]),
        lambda y: interpolate.RegularGridInterpolator((X,), y, "nearest")(P[1:, None]),
        lambda y: SPLINES["cubic"](y[:3]),
    ],
)
def test_other_dtypes_are_refused_or_as_in_scipy(f, dtype):
    y = (3 * Y).astype(dtype)
    try:
        found = srcad.compile(f)(y)
    except (SrcadError, ValueError):
        return
    wanted = f(y)
    assert (found.dtype, type(found)) == (wanted.dtype, type(wanted))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
