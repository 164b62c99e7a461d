"""Functions of NumPy that are another function for another number of arguments."""

import numpy as np
import pytest

import srcad

X = np.array([1.0, -2.0, 3.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[np.where(x > 0.0)],
        lambda x: np.where(x > 0.0, x, 0.0),
        lambda x: np.atleast_1d(x, x[0]),
        lambda x: np.atleast_2d(x[0], x, 3.0),
        lambda x: np.atleast_3d(x),
        lambda x: np.atleast_1d(),
    ],
)
def test_values_are_those_of_numpy(f):
    found, wanted = srcad.compile(f, backend="numpy")(X), f(X)
    assert type(found) is type(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert type(a) is type(b) and np.shape(a) == np.shape(b)
        np.testing.assert_array_equal(a, b)


def test_both_modes():
    def f(x):
        (places,) = np.where(x > 0.0)
        row, number = np.atleast_2d(x, x[0])
        return np.sum(x[places] ** 2) + np.sum(row * number)

    wanted = np.where(X > 0.0, 2 * X, 0.0) + X[0] + np.array([np.sum(X), 0.0, 0.0])
    np.testing.assert_allclose(srcad.grad(f)(X), wanted)
    np.testing.assert_allclose([srcad.jvp(f, (X,), (t,))[1] for t in np.eye(3)], wanted)


def test_a_copy_in_columns_of_a_number_has_no_axis():
    for x in (2.0, np.array(2.0), "a"):
        got = srcad.compile(lambda a: np.copy(a, order="F"))(x)
        assert got.shape == np.copy(x, order="F").shape == ()
