"""`x.flat = v` starts again with the values; a grid has at least no points."""

import numpy as np
import pytest
from conformance.outcome import disagreement, run

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


def a_slice(m):
    y = m.flat[1:3]
    y[0] = 7.0
    return m.sum() + y.sum()


def all_entries(m):
    y = m.flat[:]
    y[0] = 7.0
    return m.sum() + y.sum()


def an_ellipsis(m):
    y = m.flat[...]
    y[0] = 7.0
    return m.sum() + y.sum()


def every_other(m):
    f = m.flat
    y = f[::2]
    y *= 2
    return m.sum() + y.sum()


def a_slice_in_a_tuple(m):
    y = m.flat[(slice(1, 3),)]
    y[0] = 7.0
    return m.sum() + y.sum()


def picked(m):
    y = m.flat[[0, 1]]
    y *= 2
    return m.sum() + y.sum()


def kept_while_the_matrix_is_written(m):
    y = m.flat[1:3]
    m[0] = 0.0
    return y.sum()


def stored(m):
    m.flat[1:3] = 7.0
    m.flat[2:] += 1.0
    return m.sum() + m.flat[-1]


def beside_an_array(m):
    y = m.flat
    y *= np.arange(4.0)
    return m.sum() + y.sum() + (m.flat > 1.0).sum()


def times_a_number(m):
    return (m.flat * 2).sum()


def without_sign(m):
    return (-m.flat).sum()


def with_a_new_axis(m):
    return m.flat[None].sum()


def by_two_indices(m):
    return m.flat[1, 0]


@pytest.mark.parametrize(
    "f",
    [
        a_slice,
        all_entries,
        an_ellipsis,
        every_other,
        a_slice_in_a_tuple,
        picked,
        kept_while_the_matrix_is_written,
        stored,
        beside_an_array,
        times_a_number,
        without_sign,
        with_a_new_axis,
        by_two_indices,
    ],
)
@pytest.mark.parametrize("of", [lambda x: x, np.transpose], ids=["by rows", "by columns"])
def test_entries_of_flat(f, of):
    x = np.array([[1.5, 0.5], [2.5, 3.0]])
    want, got = (run(g, (of(x.copy()),)) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, (of(x),)) is None
    if want.raised is None:
        value, slope = srcad.value_and_grad(lambda x: f(x * 1.0))(of(x))
        h = 1e-6 * np.array([[1.0, 2.0], [3.0, 4.0]])
        assert value == f(of(x) * 1.0)
        np.testing.assert_allclose(np.sum(slope * h), (f(of(x) + h) - f(of(x) - h)) / 2, 1e-6)


def test_an_array_of_flat_that_is_written():
    """It shares the memory in some versions of NumPy, in others it does not."""

    def f(x):
        m = np.outer(x, x)
        y = np.array(m.flat)
        y[0] = 9.0
        return m.sum()

    with pytest.raises(srcad.SrcadError, match="E117"):
        srcad.compile(f)(X)
