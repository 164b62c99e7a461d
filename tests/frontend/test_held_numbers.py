"""What an array of integers does not hold, and lists of more axes than it, raise as in NumPy."""

import numpy as np
import pytest

import srcad

MASK = np.array([True, False, True])
ARRAYS = [
    np.array([1, 2, 3], np.int8), np.array([1, 2, 3], np.uint8), np.array([1, 2, 3]),
    np.array([1.0, 2.0, 3.0]),
]  # fmt: skip


def entry(y, m):
    y.flat[0] = 300


def entry_of_a_float(y, m):
    y.flat[0] = 1e30


def entry_of_infinity(y, m):
    y.flat[0] = np.inf


def entry_by_data(y, m):
    y.flat[-1] = int(y[1]) * 1000


def entry_by_a_float(y, m):
    y.flat[0] = float(y[1]) * -1000


def entry_of_numpys(y, m):
    y.flat[0] = np.int64(300)


def entries_in_a_loop(y, m):
    for i in range(3):
        y.flat[i] = i * 100


def entry_that_fits(y, m):
    y.flat[0] = 100
    y.flat[1] = 7.9
    y.flat[2] = y[0]


def no_entry(y, m):
    y.flat[7] = int(y[1]) * 1000


def handled(y, m):
    try:
        y.flat[0] = 300
    except OverflowError:
        y[1] = 7
    except ValueError:
        y[1] = 8


def some_entries(y, m):
    y.flat[:2] = 300


def copied(y, m):
    np.copyto(y, 300, where=m)


def copied_nowhere(y, m):
    np.copyto(y, 300, where=False)


def copied_of_a_float(y, m):
    np.copyto(y, 300.0, where=m, casting="unsafe")


def copied_of_numpys(y, m):
    np.copyto(y, np.int64(300), casting="unsafe")


def copied_from_an_array(y, m):
    np.copyto(y, np.array([300, 1, 2]), where=m, casting="unsafe")


def a_list_in_a_list(y, m):
    y[:] = [[1, 2, 3]]


def a_list_in_a_list_that_is_too_large(y, m):
    y[...] = [[300, 2, 3]]


def an_array_in_a_list(y, m):
    y[:] = [y * 2]


def a_list_in_a_list_for_a_row(y, m):
    z = np.ones((2, 3))
    z[0, :] = [[1, 2, 3]]


def a_list_in_a_list_with_a_new_axis(y, m):
    y[None] = [[4, 5, 6]]


def a_list_in_a_list_by_positions(y, m):
    y[[0, 1]] = [[5, 6]]


def an_array_of_more_axes(y, m):
    y[:] = np.array([[4, 5, 6]])


@pytest.mark.parametrize("y", ARRAYS, ids=lambda y: y.dtype.name)
@pytest.mark.parametrize(
    "f",
    [
        *(entry, entry_of_a_float, entry_of_infinity, entry_by_data, entry_by_a_float),
        *(entry_of_numpys, entries_in_a_loop, entry_that_fits, no_entry, handled, some_entries),
        *(copied, copied_nowhere, copied_of_a_float, copied_of_numpys, copied_from_an_array),
        *(a_list_in_a_list, a_list_in_a_list_that_is_too_large, an_array_in_a_list),
        *(a_list_in_a_list_for_a_row, a_list_in_a_list_with_a_new_axis),
        *(a_list_in_a_list_by_positions, an_array_of_more_axes),
    ],
)
def test_stores(f, y):
    wanted, got = y.copy(), y.copy()
    try:
        f(wanted, MASK)
    except (IndexError, OverflowError, ValueError) as problem:
        with pytest.raises(type(problem)):
            srcad.compile(f, backend="numpy")(got, MASK)
        return
    srcad.compile(f, backend="numpy")(got, MASK)
    assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize("f", [entry, copied_nowhere, a_list_in_a_list])
def test_derivatives_raise_it_too(f):
    def loss(x, y):
        f(y.copy(), MASK)
        return np.sum(x)

    with pytest.raises((OverflowError, ValueError)) as raised:
        loss(ARRAYS[3], ARRAYS[0])
    with pytest.raises(raised.type):
        srcad.grad(loss)(ARRAYS[3], ARRAYS[0])
