"""B-splines and tables by them, of values that vary: SciPy's values, derivatives and exceptions."""

import numpy as np
import pytest

import srcad

interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

X = np.array([0.3, 0.5, 0.1, 0.9, 0.4, 0.7])
T = np.array([0.0, 0, 0, 0, 1, 2, 3, 3, 3, 3])
POINTS = np.array([-0.5, 0.0, 0.3, 1.0, 1.7, 3.0, 3.4])
PLACES = np.arange(6.0)

EACH = {
    "a point": lambda c: interpolate.BSpline(T, c, 3)(1.3),
    "points": lambda c: interpolate.BSpline(T, c, 3)(POINTS),
    "by its points": lambda p: interpolate.BSpline(T, X, 3)(3 * p),
    "inside alone": lambda c: np.nan_to_num(
        interpolate.BSpline(T, c, 3, extrapolate=False)(POINTS)
    ),
    "a slope": lambda c: interpolate.BSpline(T, c, 3).derivative()(POINTS),
    "knots twice": lambda c: interpolate.BSpline([0, 0, 0, 0, 1.0, 1, 3, 3, 3, 3], c, 3)(POINTS, 1),
    "of vectors": lambda c: interpolate.BSpline(T, np.outer(c, c), 3)(POINTS, 1),
    "too few": lambda c: interpolate.BSpline(T, c[:3], 3)(POINTS),
    "knots that fall": lambda c: interpolate.BSpline(T[::-1], c, 3)(POINTS),
    "by its places": lambda q: interpolate.make_interp_spline(np.cumsum(q), np.sin(PLACES))(1.7),
    "through vectors": lambda y: interpolate.make_interp_spline(PLACES, np.outer(y, y))(POINTS),
}
EACH |= {
    f"order {nu}": lambda c, nu=nu: interpolate.BSpline(T, c, 3)(POINTS, nu) for nu in range(1, 5)
}
EACH |= {
    f"degree {k}": lambda y, k=k: interpolate.make_interp_spline(PLACES, y, k=k)(POINTS)
    for k in range(1, 6)
}
for kind in ("slinear", "quadratic", "cubic"):
    EACH[kind] = lambda y, kind=kind: interpolate.interp1d(PLACES, y, kind=kind)(POINTS[1:])
    EACH[f"{kind} outside"] = lambda y, kind=kind: interpolate.interp1d(PLACES, y, kind=kind)(
        POINTS
    )
    EACH[f"{kind} filled"] = lambda y, kind=kind: interpolate.interp1d(
        PLACES[::-1], y, kind=kind, bounds_error=False, fill_value=(0.0, 2.0)
    )(POINTS)
    EACH[f"{kind} further"] = lambda y, kind=kind: interpolate.interp1d(
        PLACES, y, kind=kind, fill_value="extrapolate"
    )(POINTS)


@pytest.mark.parametrize("f", EACH.values(), ids=EACH)
def test_splines_of_values_that_vary(f):
    try:
        wanted = f(X)
    except ValueError:
        for call in (srcad.compile(f), srcad.grad(lambda x: np.sum(f(x)))):
            with pytest.raises(ValueError):
                call(X)
        return
    got = srcad.compile(f)(X)
    assert (type(got), got.shape) == (type(wanted), wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)
    slope = srcad.grad(lambda x: np.sum(f(x) ** 2))(X)
    t = np.cos(PLACES)
    ahead, behind = (np.sum(f(X + step * t) ** 2) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(slope @ t, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-7)


def degree_by_option(y, degree=3):
    return interpolate.make_interp_spline(PLACES, y, k=degree)(1.3)


def test_what_an_option_leaves_out_is_not_refused():
    gradient = srcad.grad(degree_by_option)
    for degree in (2, 3):
        ahead, behind = (degree_by_option(X + step, degree) for step in (1e-6, -1e-6))
        np.testing.assert_allclose(np.sum(gradient(X, degree)), (ahead - behind) / 2e-6, rtol=1e-6)
    with pytest.raises(srcad.SrcadError, match="degree 0"):
        gradient(X, 0)
