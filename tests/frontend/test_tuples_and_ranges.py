"""Tuples of ints and ranges where NumPy takes arrays; methods of lists by their names."""

import numpy as np
import pytest

import srcad

X = np.arange(1.0, 7.0).reshape(3, 2)
Z = np.arange(1.0, 13.0).reshape(3, 4)

OF_SHAPES = {
    "prod": lambda x: np.sum(x**2) / np.prod(x.shape),
    "sum": lambda x: np.sum(x**2) * np.sum(x.shape),
    "max": lambda x: np.sum(x**2) * np.max(np.shape(x)),
    "mean": lambda x: np.sum(x**2) * np.mean(x.shape),
    "cumprod": lambda x: np.sum(x**2) * np.cumprod(x.shape)[-1],
    "sqrt": lambda x: np.sum(x**2) / np.sqrt(x.shape)[0],
    "dot": lambda x: np.sum(x**2) * np.dot(x.shape, x.T.shape),
    "argmax": lambda x: np.sum(x**2) * (1 + np.argmax(x.shape)),
    "unique": lambda x: np.sum(x**2) * len(np.unique(x.shape)),
    "joined": lambda x: np.sum(x**2) * np.concatenate([x.shape, (1,)])[0],
    "equal": lambda x: np.sum(x**2) * np.all(np.equal(x.shape, (3, 2))),
    "less": lambda x: np.sum(x**2) * np.less(x.shape, 3).sum(),
    "and": lambda x: np.sum(x**2) * np.logical_and(x.shape, (1, 0))[0],
    "of values": lambda x: np.sum(x**2) * np.greater((x[0, 0], 1.0), (0.5, 2.0))[0],
    "reversed": lambda x: np.sum(x.reshape(np.flip(x.shape))[0] ** 2),
}


def written(z, n):
    z[range(n), range(n)] = 5.0
    z[range(1, n)] += 1.0
    return np.sum(z**2)


def in_a_loop(z, n):
    for i in range(n):
        z[range(n), i] *= 2.0
    return np.sum(z**2)


BY_RANGES = {
    "rows and labels": lambda z, n: np.sum(z[range(n), [0, 2, 1]] ** 2),
    "rows": lambda z, n: np.sum(z[range(n)] ** 2),
    "columns": lambda z, n: np.sum(z[:, range(n, 0, -1)] ** 2),
    "known": lambda z, n: np.sum(z[range(2), range(1, 3)] ** 2) * n,
    "none": lambda z, n: np.sum(z[range(0)] ** 2) + np.sum(z[range(n - 3)]),
    "written": written,
    "in a loop": in_a_loop,
}


def largest_of_a_list(x):
    items = [x[0, 0] * 2, x[1, 1], x[2, 0] * 0.1]
    i = max(range(len(items)), key=items.__getitem__)
    return items[i] * items.__len__() * (1 + [1, 2].__contains__(2))


def check(f, x, *more):
    value, slope = srcad.value_and_grad(f)(x, *more)
    wanted = f(x.copy(), *more)
    assert (value, type(value)) == (wanted, type(wanted))
    t = np.cos(x)
    ahead, behind = (f(x + step * t, *more) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(np.sum(slope * t), (ahead - behind) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("f", OF_SHAPES.values(), ids=OF_SHAPES)
def test_the_shape_of_an_array_is_an_array_to_numpy(f):
    check(f, X)


@pytest.mark.parametrize("f", BY_RANGES.values(), ids=BY_RANGES)
def test_a_range_is_an_index(f):
    check(f, Z, 3)


def test_methods_of_lists_by_their_names():
    check(largest_of_a_list, X)


def windows_of_what_is_written(x):
    x = x[0] * 1.0
    y = np.lib.stride_tricks.sliding_window_view(x, 2)
    x[0] = x[1] ** 2
    return np.sum(y.max(axis=1) ** 2)


def test_windows_are_views():
    check(windows_of_what_is_written, Z)

    def written(x):
        y = np.lib.stride_tricks.sliding_window_view(x * 1.0, 2, axis=1)
        y[0] = 1.0
        return np.sum(y)

    with pytest.raises(srcad.SrcadError, match="E137"):
        srcad.grad(written)(Z)


ARRAYS_OF_RANGES = [
    lambda x: np.array(range(1, 9)).reshape((2, 2, 2)) * x[0],
    lambda x: np.array(range(0)),
    lambda x: np.asarray(range(3, 0, -1)) * x[0],
    lambda x: np.array(range(len(x))) * x,
    lambda x: np.asarray(range(len(x)), dtype=float) * x,
    lambda x: np.array(range(100))[98:] * x[0],
    lambda x: np.stack([range(4), x]),
    lambda x: np.concatenate((range(4), x)),
    lambda x: np.array((range(2), range(2, 4))) @ x[:2],
    lambda x: np.sum(range(5)) * x[0],
    lambda x: np.max(range(len(x))) * x,
    lambda x: np.dot(range(4), x),
    lambda x: np.polyval(range(3), x),
    lambda x: np.transpose(np.outer(x, x), range(2)[::-1]),
    lambda x: np.zeros(range(2, 4)) + x[0],
    lambda x: np.average(x, weights=range(1, 5)),
]


@pytest.mark.parametrize("made", ARRAYS_OF_RANGES)
def test_a_range_is_an_array_to_numpy(made):
    x = np.array([1.5, 2.5, 3.5, 0.5])
    y, wanted = srcad.compile(made, backend="numpy")(x), made(x)
    assert type(y) is type(wanted)
    assert y.dtype == wanted.dtype
    np.testing.assert_array_equal(y, wanted)


def test_ranges_of_the_users_functions_stay_ranges():
    @srcad.rules.nondiff
    def kind(r):
        return 2.0 if type(r) is range else 3.0

    assert srcad.grad(lambda x: x * kind(range(3)))(1.5) == 2.0
