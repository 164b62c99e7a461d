"""What stands beside an array in comparisons: lists whose length data gives, what is an array."""

import ctypes
from collections import deque

import numpy as np
import pytest
from conformance.outcome import difference
from frontend.test_equality import check
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

Y = np.array([0.0, 1.0, 1.0])
NAN = float("nan")


def _by_index(y):
    items = []
    for v in y:
        items.append(v)
    return items


LISTS = [
    lambda y: y == list(y), lambda y: y != list(y), lambda y: list(y) == y,
    lambda y: y == sorted(y), lambda y: y == [v for v in y], lambda y: y == [*y][:3],
    lambda y: y == list(y) + [], lambda y: y == _by_index(y), lambda y: y[:1] == list(y),
    lambda y: y[:2] == list(y), lambda y: y[:, None] == list(y), lambda y: y[0] != list(y),
    lambda y: np.float64(1) == list(y), lambda y: y == deque(y), lambda y: y == y.tolist(),
    lambda y: y == [int(v) for v in y], lambda y: y == [v if v > 1 else 0 for v in y],
    lambda y: y == [[v] for v in y], lambda y: y[:, None] == [(v, 1.0) for v in y],
    lambda y: y == [y for v in y], lambda y: y == list(range(int(y[2]))),
    lambda y: (list(y) in y, np.equal(y, list(y))), lambda y: (np.sum(y), y in [list(y)[:1]]),
    lambda y: y in [y * 2], lambda y: (y[:1] in [y[1:2], y[:1] + 0], y + 1 in [y]),
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", LISTS)
def test_a_list_whose_length_data_gives_is_an_array_beside_one(f, backend):
    compiled = srcad.compile(f, cache=False, backend=backend)
    for y in (np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 3.0]), np.array([3.0, NAN, 1.0])):
        try:
            want = f(y)
        except ValueError:
            with pytest.raises(ValueError):
                compiled(y)
        else:
            found = difference(want, compiled(y))
            assert found is None, found


def test_rows_of_several_lengths_or_objects_beside_an_array_are_refused():
    for f in (
        lambda y: y == [[v] * int(v) for v in y],
        lambda y: y == [None for v in y],
        lambda y: y == (v for v in y),
    ):
        with pytest.raises(SrcadError):
            srcad.compile(f, cache=False)(np.array([1.0, 2.0]))


def test_a_list_whose_length_data_gives_decides_on_a_branch():
    def f(x):
        return np.sum(x * x) * (2.0 if np.all(x == sorted(x)) else 3.0)

    g = srcad.value_and_grad(f, cache=False)
    for x, slope in ((np.array([1.0, 2.0]), 4.0), (np.array([2.0, 1.0]), 6.0)):
        value, x_bar = g(x)
        assert value == f(x)
        np.testing.assert_array_equal(x_bar, slope * x)


class Wrapped:
    __array_wrap__ = None


class Preferred:
    __array_priority__ = 1.0


@pytest.mark.parametrize(
    "other",
    [np.int64, np.ndarray, np.generic, ctypes.c_double(1.0), Wrapped(), Wrapped, Preferred()],
    ids=lambda other: getattr(other, "__name__", type(other).__name__),
)
def test_what_numpy_knows_for_an_array_is_not_answered_by_default(other):
    for x in (Y, np.float64(1.0), np.array(1.0)):
        with pytest.raises(SrcadError):
            srcad.compile(lambda a, b: a == b, cache=False)(x, other)


@pytest.mark.parametrize("fn", [np.equal, np.not_equal])
@pytest.mark.parametrize("other", [b"a", "a", np.array([b"a", b"b", b"a"]), ["a", "b", "c"]])
@pytest.mark.parametrize(
    "x", [Y, Y > 0, np.array([b"a", b"b", b"a"]), np.array(["2020-01-01"], "M8[D]")]
)
def test_the_functions_raise_of_kinds_that_have_no_order_where_operators_do_not(fn, other, x):
    for f in (lambda a, b: fn(a, b), lambda a, b: fn(b, a)):
        try:
            want = f(x, other)
        except TypeError:
            with pytest.raises(TypeError):
                srcad.compile(f, cache=False)(x, other)
        else:
            found = difference(want, srcad.compile(f, cache=False)(x, other))
            assert found is None, found


def test_two_sequences_have_the_operators_of_functions_not_their_own():
    check(lambda x: (np.equal((x, 1.0), (x, 1.0)), np.add([x], [1.0])), (2.0,), (np.float64(2.0),))
    check(lambda y: (np.equal(tuple(y), tuple(y)), np.multiply(2, (y[0], 1.0))), (Y,))
    check(lambda y: np.less((y[0], 1.0), (y[1], 1.0)), (Y,))


def test_deques_tell_the_truth_of_their_order():
    check(lambda y: (deque(y) < deque(y * 2), deque([y[0]]) >= deque([y[1]])), (Y,), (Y[::-1],))


def test_numbers_of_texts_are_numbers():
    check(lambda x: (np.float64("1.5").shape, np.float64("nan") + x, np.float32("2") * x), (2.0,))
    with pytest.raises((TypeError, SrcadError)):
        srcad.compile(lambda x: x in np.float64("nan"), cache=False)(1.0)


@pytest.mark.parametrize("other", [None, {}, {1}, ..., float])
def test_what_has_no_equality_beside_an_array_in_a_file(other, tmp_path):
    x = np.memmap(tmp_path / "x", "f8", "w+", shape=(2,))
    check(lambda a, b: (a == b, b != a), (x, other), (np.asfortranarray(np.ones((2, 2))), other))


@pytest.mark.parametrize("f", [lambda b: b > b[0], lambda b: b[0] <= [1.0, 2.0]])
def test_a_number_that_may_be_pythons_has_no_order_with_a_list(f):
    def order(y):
        return f([v if v > 1 else 0 for v in y])

    with pytest.raises((TypeError, SrcadError)):
        srcad.compile(order, cache=False)(np.array([1.0, 2.0]))


class Row:
    """A sequence, of which NumPy makes an array."""

    def __init__(self, first):
        self.first = first

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.first, 1.0)[i]

    def __add__(self, x):
        return self.first - x

    def __radd__(self, x):
        return x - self.first


class LeftAlone(Row):
    __array_ufunc__ = None


class AsArray:
    def __init__(self, first):
        self.first = first

    def __array__(self, dtype=None, copy=None):
        return np.array([self.first, 1.0])

    __radd__ = Row.__radd__


@pytest.mark.parametrize("cls", [Row, AsArray])
def test_an_object_that_is_an_array_to_numpy_is_refused_on_its_right(cls):
    def summed(x):
        return np.sum(x[0] + cls(x[1]))

    for transform in (srcad.compile, srcad.grad):
        with pytest.raises(srcad.SrcadError, match="E132"):
            transform(summed)(np.array([3.0, 5.0]))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: 2.0 + Row(x[1]),
        lambda x: Row(x[1]) + x[0],
        lambda x: x[0] + LeftAlone(x[1]),
    ],
)
def test_elsewhere_its_own_methods_answer(fn):
    x = np.array([3.0, 5.0])
    value, _ = srcad.value_and_grad(fn)(x)
    assert value == fn(x)
    assert srcad.compile(fn)(x) == fn(x)
