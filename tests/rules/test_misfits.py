"""Arguments that do not fit, where nothing reads the result: a slice, all with `-m campaign`."""

import itertools

import numpy as np
import pytest
from optional import BACKENDS
from rules.misfits import campaign, misfits

import srcad
from srcad.errors import MissingRule, ShapeError, SrcadError

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


def of_two_depths(x):
    return np.sum(np.block([x, [x]]))


def of_truth_values(x):
    return np.sum(np.gradient(np.array([True, False, True]), x[1]))


def by_rows_of_shifts(x):
    return np.sum(np.roll(x, [[1, 2], [3, 4]]))


def of_a_whole_quotient(x):
    return x[0] + abs((1 + 2j) // np.float64(2))


@pytest.mark.parametrize(
    "f", [of_two_depths, of_truth_values, by_rows_of_shifts, of_a_whole_quotient]
)
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad, srcad.jacfwd])
def test_a_derivative_raises_where_the_function_does(f, transform):
    with pytest.raises((ValueError, TypeError)) as wanted:
        f(X)
    with pytest.raises((type(wanted.value), srcad.SrcadError)):
        transform(f)(X)


def written(x, k, m):
    b = np.zeros(5)
    b[:k] = x[:m]
    return np.sum(x)


def added_in_place(x, k, m):
    b = x * 2
    b[:k] += x[:m]
    return np.sum(x)


def added_to_what_is_summed(x, k, m):
    b = x * 2
    b[:k] += x[:m]
    np.sum(b)
    return np.sum(x)


def concatenated(x, k, m):
    np.concatenate([np.ones((1, k)), np.ones((1, m))])
    return np.sum(x)


def stacked(x, k, m):
    np.stack([x[:k], x[:m]]), np.vstack([x[:k], x[:m]])
    return np.sum(x)


def tiled(x, k, m):
    np.tile(x[:2], k - m)
    return np.sum(x)


def asked_for_their_truth(x, k, m):
    1.0 if x[:k] > m else 2.0
    return np.sum(x)


@pytest.mark.parametrize(
    "f",
    [
        written, added_in_place, added_to_what_is_summed, concatenated, stacked, tiled,
        asked_for_their_truth,
    ],
)  # fmt: skip
@pytest.mark.parametrize("transform", [srcad.compile, srcad.value_and_grad])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_nothing_reads_raises(f, transform, backend):
    """Each was left out."""
    x = np.arange(5.0) + 1.0
    made = transform(f, backend=backend)
    for k, m in ((2, 2), (3, 2), (1, 3), (2, 4), (1, 1), (5, 0)):
        try:
            f(x, k, m)
        except ValueError:
            with pytest.raises((ValueError, ShapeError)):
                made(x, k, m)
        else:
            found = made(x, k, m)
            assert (found[0] if isinstance(found, tuple) else found) == np.sum(x)


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


def rows_of_a_dtype(x):
    return np.sum(x) * np.ones((2,), dtype=("f8", 3)).ndim


def masked(x):
    a = np.ma.arange(3.0)
    a[1] = np.ma.masked
    return np.sum(a * x)


@pytest.mark.parametrize("f", [rows_of_a_dtype, masked])
def test_arrays_of_other_kinds_are_refused(f):
    """Their shapes and entries were those of plain arrays."""
    with pytest.raises(SrcadError, match=r"E201|E120|E203|E204"):
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


GRADIENTS = {
    "an order that there is not": (lambda x: np.sum(np.gradient(x, edge_order=3)), 5),
    "one entry": (lambda x: np.sum(np.gradient(x)), 1),
    "too few for the order": (lambda x: np.sum(np.gradient(x, edge_order=2)), 2),
    "too few places": (lambda x: np.sum(np.gradient(x, np.arange(4.0))), 5),
    "places in a matrix": (lambda x: np.sum(np.gradient(x, x[:, None])), 5),
    "another mask": (lambda x: np.sum(np.delete(x, [True, False, True])), 5),
}


@pytest.mark.parametrize(("f", "n"), GRADIENTS.values(), ids=GRADIENTS)
@pytest.mark.parametrize("transform", [srcad.compile, srcad.value_and_grad])
@pytest.mark.parametrize("backend", BACKENDS)
def test_numpys_own_exception_is_raised(f, n, transform, backend):
    """Some gave a value, others an `IndexError`."""
    x = np.ones(n)
    with pytest.raises(ValueError):
        f(x)
    with pytest.raises(ValueError) as found:
        transform(f, backend=backend)(x)
    assert not isinstance(found.value, IndexError)


def test_truth_values_are_no_distances():
    """NumPy takes equal ones, and raises of others, which it cannot negate."""
    x, places = np.array([1.0, 2.0, 4.0]), np.array([True, False, True])
    with pytest.raises(MissingRule, match="E203"):
        srcad.grad(lambda x: np.sum(np.gradient(x, places)))(x)
