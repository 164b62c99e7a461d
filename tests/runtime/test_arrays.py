import inspect

import numpy as np
import pytest

from srcad import runtime
from srcad.runtime import arrays

INDICES = [
    0,
    slice(1, None),
    (slice(None), 0),
    np.array([1, 1, 0]),
    (np.array([0, 0]), np.array([2, 2])),
    np.array([[True, False, True], [False, True, False]]),
    (Ellipsis, None, slice(2)),
    (slice(None), [0, 0]),
]


def by_loop(shape, index, values):
    """Each entry of the indexed array goes back to the entry it was read from."""
    places = np.arange(np.prod(shape)).reshape(shape)[index]
    expected = np.zeros(int(np.prod(shape)))
    for place, value in zip(np.ravel(places), np.ravel(values), strict=True):
        expected[place] += value
    return expected.reshape(shape)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_scatter_adds_where_reading_reads(index):
    values = np.random.default_rng(0).standard_normal(np.zeros((2, 3))[index].shape)
    got = runtime.scatter(values, (2, 3), index)
    np.testing.assert_allclose(got, by_loop((2, 3), index, values))


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_index_add_leaves_its_argument_alone(index):
    a = np.ones((2, 3))
    values = np.full(a[index].shape, 2.0)
    got = runtime.index_add(a, index, values)
    np.testing.assert_allclose(got, 1 + by_loop((2, 3), index, values))
    np.testing.assert_array_equal(a, np.ones((2, 3)))


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_index_update_is_an_assignment_to_a_copy(index):
    a, expected = np.ones((2, 3)), np.ones((2, 3))
    values = np.arange(2.0, 2.0 + a[index].size).reshape(a[index].shape)
    expected[index] = values
    np.testing.assert_array_equal(runtime.index_update(a, index, values), expected)
    np.testing.assert_array_equal(a, np.ones((2, 3)))
    assert runtime.index_update(a.astype(np.float32), index, values).dtype == np.float32


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_the_last_writes_are_what_stands_there(index):
    written = np.arange(np.zeros((2, 3))[index].size).reshape(np.zeros((2, 3))[index].shape)
    stands = runtime.index_update(np.zeros((2, 3)), index, written)[index] == written
    np.testing.assert_array_equal(runtime.last_writes((2, 3), index), stands)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_scattering_keeps_the_dtype(dtype):
    assert runtime.scatter(np.ones(2, dtype), (3,), np.array([0, 0])).dtype == dtype
    assert runtime.index_add(np.ones(3, dtype), 0, 2.0).dtype == dtype


def test_scatter_along_an_axis():
    indices = np.array([[0, 0, 2], [1, 1, 1]])
    values = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    got = runtime.scatter_along_axis(values, (2, 3), indices, 1)
    np.testing.assert_array_equal(got, [[3, 0, 4], [0, 56, 0]])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((4, 2, 3), (1, 3)), ((2, 3), ())],
)
def test_unbroadcast_transposes_broadcasting(given, wanted):
    rng = np.random.default_rng(0)
    g, x = rng.standard_normal(given), rng.standard_normal(wanted)
    got = runtime.unbroadcast(g, wanted)
    assert np.shape(got) == wanted
    np.testing.assert_allclose(np.sum(got * x), np.sum(g * np.broadcast_to(x, given)))


def test_the_source_of_the_helpers_needs_numpy_only():
    space = {}
    exec(inspect.getsource(arrays), space)
    np.testing.assert_array_equal(space["scatter"](np.ones(2), (2,), np.array([1, 1])), [0, 2])
