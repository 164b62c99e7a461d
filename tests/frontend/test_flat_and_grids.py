"""`x.flat = v` starts again with the values; a grid has at least no points."""

import numpy as np
import pytest

import srcad

X = np.array([1.5, 2.5, 3.0])


def longer(x):
    y = np.zeros(5)
    y.flat = x
    return np.sum(y * np.arange(5.0))


def shorter(x):
    y = np.zeros(2)
    y.flat = x
    return np.sum(y * np.arange(2.0))


def cut(x):
    y = np.zeros((2, 3))
    y.flat = x[1:]
    return np.sum(y * np.arange(3.0))


def of_a_matrix(x):
    y = np.zeros((2, 2))
    y.flat = np.outer(x, x)
    return np.sum(y * np.arange(2.0))


def of_a_list(x):
    y = np.zeros(4, int)
    y.flat = [1, 2, 3]
    return np.sum(y * np.arange(4.0)) + x[0]


def of_nothing(x):
    y = x.copy()
    y.flat = []
    return np.sum(y * y)


def a_part(x):
    y = np.zeros((2, 3))
    y.flat[1:4] = x[:2]
    return np.sum(y * np.arange(3.0))


def some(x):
    y = np.zeros(4)
    y.flat[y < 1.0] = x
    return np.sum(y * np.arange(4.0))


def one(x):
    y = np.zeros(4)
    y.flat[2] = x[0]
    return np.sum(y * np.arange(4.0))


def no_handler_is_asked(x):
    y = np.zeros(5)
    try:
        y.flat = x[1:]
    except ValueError:
        return x[0]
    return np.sum(y * np.arange(5.0))


@pytest.mark.parametrize(
    "f",
    [longer, shorter, cut, of_a_matrix, of_a_list, of_nothing, a_part, some, one]
    + [no_handler_is_asked],
)
def test_values_of_flat_start_again(f):
    assert srcad.compile(f, backend="numpy")(X) == f(X)
    value, slope = srcad.value_and_grad(f)(X)
    assert value == f(X)
    steps = 1e-6 * np.eye(3)
    wanted = [(f(X + step) - f(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-8)


GRIDS = [
    lambda x: np.mgrid[0:2, 0:-1],
    lambda x: np.mgrid[0:2, 0 : x.shape[0] - 5],
    lambda x: np.mgrid[0:2, 0 : int(x[0]) - 5],
    lambda x: np.mgrid[3:0, 0:2],
    lambda x: np.mgrid[0:2, 0:-0.5],
    lambda x: np.mgrid[0:2, 3:0:-1],
    lambda x: np.mgrid[0:2, 0:-1:3j],
    lambda x: np.mgrid[0:-1],
    lambda x: np.mgrid[0 : x.shape[0], 0 : int(x[1])],
    lambda x: np.ogrid[0:2, 0:-1][1],
]


@pytest.mark.parametrize("grid", GRIDS)
def test_a_grid_of_fewer_points_than_none_is_refused(grid):
    def f(x):
        try:
            return x[0] + np.sum(grid(x))
        except ValueError:
            return 100.0 * x[1]

    assert srcad.compile(f, backend="numpy")(X) == f(X)
    assert srcad.value_and_grad(f)(X)[0] == f(X)


def test_interpolation_of_no_points_is_not_differentiated():
    def f(x):
        if x[0] > 100.0:
            return np.interp(x[0], [], [])
        return x[1] + np.interp(x[0], [1.5], x[2:3])

    value, slope = srcad.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_array_equal(slope, [0.0, 1.0, 1.0])
    with pytest.raises(ValueError):
        srcad.grad(f)(1000.0 * X)
