"""Arrays of index sets against arrays of Python's sets."""

import numpy as np
import pytest

from srcad.runtime import index_sets as sets
from srcad.runtime.index_sets import places
from srcad.runtime.index_sets.places import Places, Pool


def plain(x):
    """The same as an array of frozensets."""
    return np.asarray(x, object)


@pytest.fixture
def pair():
    """Sets of several places in an array, in both forms."""
    rng = np.random.default_rng(0)
    own = sets.own_places(np.zeros((4, 5)))
    found = own
    for _ in range(3):
        found = found | np.roll(own, int(rng.integers(20))).reshape(4, 5)
    return found, plain(found)


def test_each_entry_depends_on_itself():
    own = sets.own_places(np.zeros((2, 2)))
    assert plain(own).tolist() == [[{0}, {1}], [{2}, {3}]]
    assert sets.own_places(0.5) == {0}


@pytest.mark.parametrize(
    "move",
    [
        lambda x: x.T,
        lambda x: x[1:, ::-1],
        lambda x: x[np.array([0, 2, 2])],
        lambda x: x[1, 3],
        lambda x: x.reshape(2, 10).ravel(),
        lambda x: np.roll(x, 2, 1),
        lambda x: np.concatenate([x, x[:1]]),
        lambda x: np.stack([x, x], 1),
        lambda x: np.split(x, 2)[1],
        lambda x: np.repeat(x, 2, 0),
        lambda x: np.broadcast_to(x, (3, 4, 5)),
        lambda x: np.copy(x),
        lambda x: x[:, :1] | x,
        lambda x: x[0, 0] | x,
        lambda x: x | x[0, 0],
    ],
)
def test_entries_are_moved_and_joined(pair, move):
    np.testing.assert_array_equal(plain(move(pair[0])), plain(move(pair[1])))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
def test_along_axes(pair, axis):
    expected = np.bitwise_or.reduce(pair[1], axis=axis, initial=frozenset())
    np.testing.assert_array_equal(plain(sets.joined_places(pair[0], axis)), plain(expected))
    if isinstance(axis, int):
        expected = np.bitwise_or.accumulate(pair[1], axis=axis)
        np.testing.assert_array_equal(plain(sets.running_places(pair[0], axis)), expected)


def test_stores(pair):
    array, expected = pair[0].copy(), pair[1].copy()
    for index, more in (
        ((0, 1), frozenset({7, 3})),
        (2, pair[0][1]),
        (np.s_[1:, 0], pair[0][0, 1]),
    ):
        array[index] = more
        expected[index] = plain(more) if isinstance(more, Places) else more
    np.testing.assert_array_equal(plain(array), expected)
    added = sets.added_places(array, (np.array([0, 0, 3]), np.array([1, 1, 4])), pair[0][0, :3])
    expected[0, 1] = expected[0, 1] | pair[1][0, 0] | pair[1][0, 1]
    expected[3, 4] = expected[3, 4] | pair[1][0, 2]
    np.testing.assert_array_equal(plain(added), expected)


def test_zeros_that_are_filled_in_depend_on_nothing(pair):
    assert plain(sets.moved_places(np.tril, pair[0]))[0, 1] == frozenset()
    padded = sets.computed_places(np.pad, pair[0], 1, mode="constant", constant_values=3.0)
    assert padded[0, 0] == frozenset()
    np.testing.assert_array_equal(plain(padded[1:-1, 1:-1]), pair[1])


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(np.diff, x, n=2),
        lambda f, x: f(np.diff, x, axis=0),
        lambda f, x: f(np.outer, x[0], x[:, 1]),
        lambda f, x: f(np.kron, x[0], x[1]),
        lambda f, x: f(np.inner, x, x[1:]),
    ],
)
def test_what_numpy_adds_and_multiplies(pair, call):
    union = type("Union", (frozenset,), {})
    for name in ("add", "radd", "sub", "rsub", "mul", "rmul"):
        setattr(union, f"__{name}__", lambda a, b: union(a | b))
    numbers = np.frompyfunc(union, 1, 1)
    expected = call(lambda fn, *args, **options: fn(*args, **options), numbers(pair[1]))
    np.testing.assert_array_equal(plain(call(sets.computed_places, pair[0])), expected)


def test_what_no_array_needs_is_dropped(monkeypatch):
    monkeypatch.setattr(places, "_FEW", 100)
    pool = Pool.new()
    pool._limit = 100
    first = pool.extend(np.ones(50, np.intp), np.arange(50))
    own = x = pool.of(first + np.arange(50))
    view, expected = x[10:20], plain(x[10:20])
    numbers = []
    for _ in range(30):
        x = x | np.roll(x, 1)
        numbers.append(int(pool.starts[pool.count]))
    assert max(numbers) < 4 * 50 * 31
    assert plain(x)[0] == {k % 50 for k in range(-30, 1)}
    np.testing.assert_array_equal(plain(view), expected)
    assert plain(own).tolist() == [{k} for k in range(50)]


def test_few_numbers_are_held_for_each_place():
    n = 20_000
    own = sets.own_places(np.zeros(n))
    found = own[2:] | own[1:-1] | own[:-2]
    rows, columns, count = sets.placed(found)
    assert (len(rows), count) == (3 * (n - 2), n - 2)
    np.testing.assert_array_equal(columns, (np.arange(n - 2)[:, None] + np.arange(3)).ravel())
    assert own.pool.columns.nbytes + own.pool.starts.nbytes < 30 * len(rows)


def test_sets_of_another_pool_are_taken_over(pair):
    """A function that is called while a pattern is found may find one itself."""
    array, expected = pair
    other = sets.own_places(np.zeros((4, 5)))
    assert other.pool is not array.pool
    both = plain(other) | expected
    np.testing.assert_array_equal(plain(array | other), both)
    np.testing.assert_array_equal(plain(other | array), both)
    np.testing.assert_array_equal(
        plain(sets.joined_places(array, 0)), np.bitwise_or.reduce(expected, axis=0)
    )
    np.testing.assert_array_equal(plain(np.concatenate([other, array]))[4:], expected)
    rows, columns, count = sets.placed(array)
    assert count == 20
    assert columns[rows == 3].tolist() == sorted(expected[0, 3])
