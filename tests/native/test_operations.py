"""Operations that loops have a form for, and the same ones where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome

from srcad.pipeline.request import Request

X = np.array([[0.3, -0.7, 1.1], [0.2, -0.4, 0.9]])
LABELS = np.array([2, 0])


def pair_of(fn, *args):
    return both(Request("value_and_grad", fn, (0,), single=False), args, len(args))


def picked(x, labels):
    """A range as index array names each row once: what is picked may be changed in place."""
    y = np.tanh(x)
    rows = np.arange(len(labels))
    y[rows, labels] -= 0.5
    y[rows, labels] *= y[rows, labels]
    return np.sum(y * y)


def test_entries_that_a_range_keeps_apart_are_changed_in_loops():
    pair = pair_of(picked, X, LABELS)
    assert (pair.functions, pair.reasons) == (1, [])
    for labels in (LABELS, np.array([1, 1])):
        assert compare(pair, (X, labels)) == "equal"
    assert is_refusal(outcome(pair.native, (X, np.array([3, 0])))[0])


def crossed(x, columns):
    """The same range beside a matrix of columns: an entry may be named twice."""
    y = np.tanh(x)
    y[np.arange(len(x))[:, None], columns] -= 0.5
    return np.sum(y * y)


def test_entries_that_a_range_does_not_keep_apart_change_once():
    columns = np.array([[1, 1], [2, 0]])
    pair = pair_of(crossed, X, columns)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (X, columns)) == "equal"


def weighed(x, start):
    """Ranges as numbers; one that does not begin at 0 stays NumPy's."""
    return np.sum(x * np.arange(x.shape[1]) * np.sin(x)) + np.sum(np.arange(start, 3.0) * x * x)


def test_ranges_are_numbers_too():
    pair = pair_of(weighed, X, 0)
    assert pair.functions
    assert "a range of other numbers" in " ".join(pair.reasons)
    assert compare(pair, (X, 0)) == "equal"


def refused(x, limit):
    total = 0.0
    for i in range(len(x)):
        if np.sum(x[i]) > limit:
            raise ValueError("too large")
        total += np.sum(np.exp(x[i]))
    return total


def test_what_a_loop_raises_numpy_raises():
    pair = pair_of(refused, X, 9.0)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (X, 9.0)) == "equal"
    assert is_refusal(outcome(pair.native, (X, 0.1))[0])
    assert str(outcome(pair.numpy, (X, 0.1))[0]) == "too large"


def filled(x):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = np.sin(x[i]) * x[i]
    return np.sum(y * y)


def test_memory_that_nobody_has_written_is_not_cleared():
    pair = pair_of(filled, X)
    assert compare(pair, (X,)) == "equal"
    assert "y[at(i, j)] = 0.0" not in pair.text


def windowed(x, w):
    """An array of extents that NumPy refuses where `w` is longer than `x`."""
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(x) - len(w) + 1):
        for j in range(len(w)):
            y[i] += x[i + j] * w[j]
    return np.sum(y * y)


def test_an_array_of_less_than_no_entries_is_refused():
    pair = pair_of(windowed, X[0], X[1, :2])
    assert (pair.functions, compare(pair, (X[0], X[1, :2]))) == (1, "equal")
    short = X[0, :2], np.ones(4)
    assert str(outcome(pair.numpy, short)[0]) == "negative dimensions are not allowed"
    assert is_refusal(outcome(pair.native, short)[0])


def reshaped(x):
    return np.sum(np.sin(np.ravel(x)) * 2.0)


def test_the_gradient_of_an_array_without_axes_is_one():
    pair = pair_of(reshaped, np.array(0.3))
    assert pair.functions
    assert compare(pair, (np.array(0.3),)) == "equal"
    assert isinstance(outcome(pair.native, (np.array(0.3),))[0][1][0], np.ndarray)


@pytest.mark.parametrize("fn", [picked, refused, filled], ids=lambda fn: fn.__name__)
def test_machine_code_agrees(fn):
    pytest.importorskip("numba")
    args = {picked: (X, LABELS), refused: (X, 9.0), filled: (X,)}[fn]
    request = Request("value_and_grad", fn, (0,), single=False)
    assert compare(both(request, args, len(args), numba=True), args) == "equal"


def test_an_axis_that_is_an_argument_stays_numpys():
    def flipped(x, axis):
        total = 0.0
        for _ in range(2):
            x = 0.9 * x
            total += np.flip(x, axis)[0] @ x[1]
        return total

    args = np.arange(6.0).reshape(2, 3), 1
    pair = both(Request("value_and_grad", flipped, (0,), single=False), args, 2)
    assert compare(pair, args) == "equal"


def test_the_only_axis_of_a_vector_may_be_told_by_an_int():
    def turned(x):
        total = 0.0
        for k in range(3):
            total += np.sum(np.transpose(x, 0) * np.transpose(x, axes=[0]) * k)
        return total

    pair = both(Request("value_and_grad", turned, (0,), single=False), (X[0],), 1)
    assert (pair.functions, pair.reasons, compare(pair, (X[0],))) == (1, [], "equal")
