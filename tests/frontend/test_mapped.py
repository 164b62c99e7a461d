"""Functions that take a function of the user's: what they refuse, and where."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.2]])


def no_such_axis(x):
    return np.sum(np.apply_along_axis(np.sum, 2, x))


def too_many_functions(x):
    return np.sum(np.piecewise(x, [x < 0], [np.sin, np.cos, np.tan]))


def reads_a_file(x):
    return np.sum(np.apply_along_axis(lambda row: np.load("rows.npy") * row, 0, x))


@pytest.mark.parametrize(
    ("fn", "code"), [(no_such_axis, "E403"), (too_many_functions, "E132"), (reads_a_file, "E")]
)
def test_what_does_not_fit_is_refused_where_it_stands(fn, code):
    with pytest.raises(SrcadError, match=code) as caught:
        srcad.grad(fn)(X)
    assert caught.value.location.line == fn.__code__.co_firstlineno + 1


def test_a_scalar_takes_one_of_the_pieces():
    def f(x):
        return np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * v])

    assert srcad.grad(f)(np.float64(3.0)) == 6.0
    assert srcad.grad(f)(np.float64(-3.0)) == -1.0


def test_a_later_condition_wins():
    def f(x):
        return np.sum(np.piecewise(x, [x > 0, x > 1], [np.square, lambda v: 5 * v]))

    np.testing.assert_array_equal(srcad.grad(f)(X), [[1.0, 0.0, 5.0], [5.0, 0.6, 0.0]])


def test_one_row():
    def f(x):
        return np.sum(np.apply_along_axis(lambda row: row * row, 1, x))

    assert srcad.grad(f)(np.zeros((1, 3))).shape == (1, 3)
