"""`scipy.signal.find_peaks`: SciPy's own Python is read; the places it finds have no derivative."""

import numpy as np
import pytest

import srcad
from srcad.frontend.written.scipy.peaks import far_apart, local_maxima

signal = pytest.importorskip("scipy.signal")
utils = pytest.importorskip("scipy.signal._peak_finding_utils")

RNG = np.random.default_rng(0)
X = np.sin(np.linspace(0, 20, 60)) + 0.3 * RNG.normal(size=60)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 9, 40])
def test_the_places_are_those_of_scipy(n):
    for _ in range(50):
        x = RNG.integers(0, 4, n).astype(float)
        x[RNG.random(n) < 0.05] = np.nan
        for got, want in zip(local_maxima(x), utils._local_maxima_1d(x), strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
        peaks = local_maxima(x)[0]
        for distance in (1.0, 2.5, 4.0):
            want = utils._select_by_peak_distance(peaks, x[peaks], distance)
            np.testing.assert_array_equal(far_apart(peaks, x[peaks], distance), want)


def heights(x):
    return np.sum(x[signal.find_peaks(x)[0]] ** 2)


def of_a_height(x):
    found, told = signal.find_peaks(x, height=0.5)
    return np.sum(told["peak_heights"] ** 2) + np.sum(np.diff(x[found]) ** 2)


def between_heights(x):
    return np.sum(x[signal.find_peaks(x, height=(0.2, 1.0))[0]])


def steep(x):
    found, told = signal.find_peaks(x, threshold=0.1)
    return np.sum(told["left_thresholds"] ** 2 * x[found])


def apart(x):
    return np.sum(x[signal.find_peaks(x, distance=6)[0]] ** 3)


def extrema(x):
    return np.sum(x[signal.argrelextrema(x, np.less)[0]] ** 2)


@pytest.mark.parametrize("f", [heights, of_a_height, between_heights, steep, apart, extrema])
def test_derivatives_at_the_places(f):
    gradient = srcad.value_and_grad(f)
    for x in (X, X[:30], RNG.normal(size=25)):
        value, slopes = gradient(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-13)
        t = RNG.normal(size=x.size)
        slope = (f(x + 1e-7 * t) - f(x - 1e-7 * t)) / 2e-7
        np.testing.assert_allclose(slopes @ t, slope, rtol=1e-5, atol=1e-6)


def unpacked_number(x, height=0.5):
    try:
        low, high = height
    except (TypeError, ValueError):
        low, high = height, None
    return np.sum(x[x > low]) if high is None else np.sum(x)


def unpacked_entry(x):
    try:
        low, high = x[0] * 2
    except TypeError as problem:
        return np.sum(x) * len(str(problem))
    return low * high


def too_many(x):
    try:
        low, high = x[0], x[1], x[2]
    except ValueError as problem:
        return np.sum(x) * len(str(problem))
    return low * high


@pytest.mark.parametrize("f", [unpacked_number, unpacked_entry, too_many])
def test_what_cannot_be_unpacked_is_handled(f):
    value, slopes = srcad.value_and_grad(f)(X)
    assert value == f(X)
    t = RNG.normal(size=X.size)
    slope = (f(X + 1e-7 * t) - f(X - 1e-7 * t)) / 2e-7
    np.testing.assert_allclose(slopes @ t, slope, rtol=1e-5)
