"""`lfilter` with the state that it begins with gives SciPy's samples and state."""

import numpy as np
import pytest

import srcad

signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")

X = np.array([0.3, 0.5, 0.1, 0.7, 0.2])
B, A = [0.2, 0.3, 0.4], [2.0, -0.5]


def first_order(x):
    y, zf = signal.lfilter([0.2, 0.3], [1.0, -0.5], x, zi=x[:1])
    return np.sum(y**2) + zf[0] ** 2


def along_rows(x):
    y, zf = signal.lfilter(B, A, np.outer(x, x), axis=0, zi=np.outer(x[:2], x))
    return np.sum(y**2) + np.sum(zf**3)


def without_state(x):
    y, zf = signal.lfilter([0.2], [2.0], x, zi=np.zeros(0))
    return np.sum(y**2) + np.sum(zf)


def in_parts(x):
    zi = signal.lfilter_zi(B, A) * x[0]
    y, zi = signal.lfilter(B, A, x[:3], zi=zi)
    z, zi = signal.lfilter(B, A, x[2:], zi=zi)
    return np.sum(y**2) + np.sum(z**3) + np.sum(zi)


def by_the_filter(x):
    y, zf = signal.lfilter(x[:2], x[2:4] + 1, np.cos(X), zi=x[4:])
    return np.sum(y**2) + zf[0]


@pytest.mark.parametrize("f", [first_order, along_rows, without_state, in_parts, by_the_filter])
def test_filters_that_begin_with_a_state(f):
    value, slope = srcad.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    t = np.cos(np.arange(5.0))
    wanted = (f(X + 1e-6 * t) - f(X - 1e-6 * t)) / 2e-6
    np.testing.assert_allclose(slope @ t, wanted, rtol=1e-6)


def test_a_state_of_another_length_raises():
    def f(x):
        return np.sum(signal.lfilter(B, A, x, zi=x[:1])[0])

    for call in (f, srcad.grad(f)):
        with pytest.raises(ValueError, match="zi"):
            call(X)
