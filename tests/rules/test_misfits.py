"""Arguments that do not fit, where nothing reads the result: a slice, all with `-m campaign`."""

import itertools

import numpy as np
import pytest
from rules.misfits import campaign, misfits

import srcad
from srcad.errors import MissingRule, ShapeError

STEP = 197
X, Y = np.arange(6.0), np.arange(5.0)


def branch(x, y):
    if x[0] < 5.0:
        r = x + y
    else:
        r = x
    return np.sum(r)


def loop(x, y):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(x + y)
    return total


def selected(x, y):
    return np.sum(x[x > 1.5] + y[y > 2.5])


def interpolated(x, y):
    return np.sum(np.interp(x, y, x))


def labelled(x, y):
    return np.sum(np.einsum("i,i->i", x, y))


def widened(x, y):
    return np.sum(np.broadcast_to(x, (5,))) + y[0]


@pytest.mark.parametrize("f", [branch, loop, selected, interpolated, labelled, widened])
@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
def test_a_gradient_raises_where_the_function_does(f, argnums):
    """Each gave numbers, some in the shape of the other argument."""
    with pytest.raises(ValueError):
        f(X, Y)
    with pytest.raises((ValueError, ShapeError)):
        srcad.grad(f, argnums=argnums, backend="numpy")(X, Y)


def test_arguments_that_fit_are_not_added_up_twice():
    """What is proved to fit costs the gradient nothing."""

    def f(x, y):
        if x[0] < 5.0:
            r = x + y
        else:
            r = x
        return np.sum(r)

    text = srcad.grad(f, argnums=(0, 1), backend="numpy").source(X, X)
    assert "= x + y" not in text


def test_entries_that_are_written_tell_whether_they_fit():
    def f(b, z):
        b = b.copy()
        b[1:] += z[1:]
        return np.sum(b)

    text = srcad.grad(f, backend="numpy").source(np.ones(4), np.ones(4))
    assert "+=" not in text


def fields(x):
    a = np.array([(1, 2), (3, 4), (5, 6)], dtype=[("a", "f8"), ("b", "f8")])
    return np.sum(x) * len(a.shape)


def rows_of_a_dtype(x):
    return np.sum(x) * np.ones((2,), dtype=("f8", 3)).ndim


def masked(x):
    a = np.ma.arange(3.0)
    a[1] = np.ma.masked
    return np.sum(a * x)


@pytest.mark.parametrize("f", [fields, rows_of_a_dtype, masked])
def test_arrays_of_other_kinds_are_refused(f):
    """Their shapes and entries were those of plain arrays."""
    with pytest.raises(MissingRule):
        srcad.value_and_grad(f)(np.ones(3))


def test_the_iterator_of_an_array_is_no_array():
    def f(x):
        return isinstance(x.flat, np.ndarray), type(x.flat).__name__, len(x.flat)

    assert srcad.compile(f)(np.ones((2, 3))) == f(np.ones((2, 3)))


def test_lists_that_are_broadcast_are_arrays():
    def f(x):
        return np.sum(np.hypot([[1.0], [2.0]], x))

    x = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(srcad.grad(f)(x), np.sum(x / np.hypot([[1.0], [2.0]], x), axis=0))


def test_a_slice_of_the_misfits():
    counts, faults = campaign(itertools.islice(misfits(), 11, None, STEP))
    assert not faults, "\n".join(faults)
    assert counts["raises"] > counts.total() / 8


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(20))
def test_all_misfits(first):
    _, faults = campaign(itertools.islice(misfits(), first, None, 20))
    assert not faults, "\n".join(faults)
