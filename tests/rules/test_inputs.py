"""An input that a rule does not cover is refused in both modes, never taken for a constant."""

import numpy as np
import pytest

import srcad

ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")
special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")

X = np.array([0.3, -0.5, 1.2, 0.7])
SOS = np.array([[1.0, 0.2, 0.1, 1.0, -0.3, 0.05]])
CALLS = [
    (lambda x, s: ndimage.gaussian_filter1d(x, s), 1.2),
    (lambda x, s: ndimage.gaussian_filter(x, s, mode="constant"), 0.8),
    (lambda x, sos: signal.sosfilt(sos, x), SOS),
    (lambda x, m: special.ellipj(x, m)[0], 0.4),
    (lambda x, a: special.pbwa(a, x)[0], 1.0),
    (lambda x, v: special.jv(v, x**2), 1.5),
]


@pytest.mark.parametrize(("f", "given"), CALLS)
def test_inputs_that_are_not_covered_are_refused_in_both_modes(f, given):
    with pytest.raises(srcad.SrcadError, match="E202"):
        srcad.jvp(f, (X, given), (X, given))
    with pytest.raises(srcad.SrcadError, match="E202"):
        srcad.vjp(f, X, given)
    value, x_dot = srcad.jvp(lambda x: f(x, given), (X,), (np.ones(4),))
    step = (f(X + 1e-6, given) - f(X - 1e-6, given)) / 2e-6
    np.testing.assert_allclose(value, f(X, given))
    np.testing.assert_allclose(x_dot, step, atol=1e-7)


def test_conditions_move_nothing():
    def f(x):
        return np.sum(np.where(x, x**2, 0.0) + np.compress(x, x)[0])

    assert srcad.jvp(f, (X,), (np.ones(4),))[1] == pytest.approx(2 * np.sum(X) + 4.0)


@pytest.mark.parametrize("kind", ["cdf", "sf", "logcdf"])
def test_laplace_is_smooth_in_its_middle(kind):
    method = getattr(stats.laplace, kind)
    for x in (np.array([0.0, 1e-9, -1e-9]), np.array([-30.0, 3.0])):
        wanted = (method(x + 1e-6) - method(x - 1e-6)) / 2e-6
        found = srcad.jvp(lambda x: method(x), (x,), (np.ones(len(x)),))[1]
        np.testing.assert_allclose(found, wanted, atol=1e-5)
