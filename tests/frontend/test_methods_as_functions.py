"""Methods of arrays as functions, and those of arrays outside: as if they had been called."""

import numpy as np
import pytest

import srcad

X = np.array([0.3, 0.2, 1.0])
W = np.array([1.0, 2.0, 3.0])
weigh = W.dot


def test_a_method_of_the_class():
    np.testing.assert_array_equal(srcad.grad(np.ndarray.sum)(X), np.ones(3))
    np.testing.assert_array_equal(srcad.jacobian(np.ndarray.cumsum)(X), np.tri(3))
    np.testing.assert_allclose(srcad.grad(lambda x: np.ndarray.mean(x, axis=0))(X), np.ones(3) / 3)
    twice = srcad.grad(lambda x: sum(map(np.ndarray.sum, [x, x])))
    np.testing.assert_array_equal(twice(X), 2 * np.ones(3))


def test_a_method_of_an_array_outside(monkeypatch):
    w = W.copy()
    monkeypatch.setitem(globals(), "weigh", w.dot)
    inside, itself = srcad.grad(lambda x: 2 * weigh(x)), srcad.grad(w.dot)
    for factor in (1.0, 5.0):
        w[:] = factor * W
        np.testing.assert_array_equal(inside(X), 2 * w)
        np.testing.assert_array_equal(itself(X), w)
    monkeypatch.setitem(globals(), "weigh", (7 * W).dot)
    np.testing.assert_array_equal(inside(X), 14 * W)


def test_a_number_is_no_array():
    def f(x):
        return np.ndarray.sum(x[0])

    with pytest.raises(TypeError):
        f(X)
    with pytest.raises(srcad.SrcadError):
        srcad.grad(f)(X)
