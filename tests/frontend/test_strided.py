"""`as_strided` and `x.strides`, of arrays that lie in memory row by row."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

X = np.random.default_rng(0).normal(size=12)


def largest_in_windows(x):
    windows = as_strided(x, (x.shape[0] - 2, 3), (x.strides[0], x.strides[0]))
    return np.sum(windows.max(axis=1) ** 2)


def hops(x):
    (step,) = x.strides
    shape = [(len(x) - 4) // 2 + 1, 4]
    frames = as_strided(2.0 * x, shape=shape, strides=[2 * step, step], writeable=False)
    return np.sum(np.tanh(frames) @ np.arange(4.0))


def patches(x):
    image = x.reshape(3, 4)
    down, right = image.strides
    found = as_strided(image, (2, 3, 2, 2), (down, right, down, right))
    return np.sum(found * found * np.arange(4.0).reshape(2, 2))


def is_a_view(x):
    y = 1.0 * x
    first = as_strided(y, (3,), (8,))
    y[0] = 5.0 * x[1]
    return np.sum(first * x[:3])


def asked(x):
    return x.strides[0] * np.sum(x * x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [largest_in_windows, hops, patches, is_a_view, asked])
def test_as_numpy(f, backend):
    value, gradient = srcad.value_and_grad(f, backend=backend)(X)
    assert value == pytest.approx(f(X))
    h = 1e-6
    slopes = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(X.size)]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    assert srcad.jvp(f, (X,), (np.ones(X.size),))[1] == pytest.approx(np.sum(gradient))


def test_strides_are_those_of_the_argument():
    strides = srcad.compile(lambda x: x.strides)
    column = np.ones((6, 2))[::2][:1]  # of one entry along the first axis
    for x in (X, X.reshape(3, 4), X.astype(np.float32), column.copy()):
        assert strides(x) == x.strides


def of_every_second(x):
    return np.sum(as_strided(x[::2], (3,), (16,)))


def between_entries(x):
    return np.sum(as_strided(x, (3,), (4,)))


def of_columns(x):
    y = np.asfortranarray(x.reshape(3, 4))
    return np.sum(as_strided(y, (3,), (8,)))


@pytest.mark.parametrize("f", [of_every_second, between_entries, of_columns])
def test_what_is_not_known_of_the_layout_is_refused(f):
    with pytest.raises(SrcadError, match="sliding_window_view"):
        srcad.grad(f)(X)


def test_a_view_beyond_the_array_raises():
    for steps in ((8,), (-8,)):
        with pytest.raises(ValueError, match="beyond the array"):
            srcad.grad(lambda x, steps: np.sum(as_strided(x, (20,), steps)))(X, steps)


def test_what_is_written_through_it_is_refused():
    def f(x):
        windows = as_strided(x, (3, 2), (8, 8))
        windows[0] = 1.0
        return np.sum(windows)

    with pytest.raises(SrcadError, match="E137"):
        srcad.grad(f)(X)
