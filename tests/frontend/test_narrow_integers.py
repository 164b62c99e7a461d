"""An int that the dtype of an array does not hold raises: also where nothing reads the result."""

import math

import numpy as np
import pytest

import srcad

X = np.array([1.5, 2.5, 3.5])
A = np.array([1, 2, 3], np.int8)


def stored_list(a, k):
    y = a.copy()
    y[0:2] = [1, 300]


def stored_ints(a, k):
    y = a.copy()
    y[0:2] = [1, k]


def stored(a, k):
    y = a.copy()
    y[0] = 300


def stored_everywhere(a, k):
    y = a.copy()
    y[:] = k


def stored_nowhere(a, k):
    y = a.copy()
    y[0:0] = 300


def filled(a, k):
    y = a.copy()
    y.fill(300)


def copied(a, k):
    y = a.copy()
    np.copyto(y, 300)


def placed(a, k):
    y = a.copy()
    np.place(y, y > 1, 300)


def masked(a, k):
    y = a.copy()
    np.putmask(y, y > 1, [300])


def added_in_place(a, k):
    y = a.copy()
    y += 300


WRITES = [
    *(stored_list, stored_ints, stored, stored_everywhere, stored_nowhere, filled, copied, placed),
    *(masked, added_in_place),
]
RAISE = [
    lambda a, k: a + 200,
    lambda a, k: 200 - a,
    lambda a, k: a + k,
    lambda a, k: a[0] * 200,
    lambda a, k: a << 300,
    lambda a, k: divmod(a, 300),
    lambda a, k: np.maximum(a, 200),
    lambda a, k: np.power(a, 300),
    lambda a, k: np.int8(200),
    lambda a, k: np.uint8(k),
    lambda a, k: np.uint8(-1),
    lambda a, k: np.array([300], np.int8),
    lambda a, k: np.array([k], np.int8),
    lambda a, k: np.asarray([1, 300], dtype=np.int8),
    lambda a, k: np.insert(a, 0, 300),
    lambda a, k: np.insert(a, 0, k),
    lambda a, k: a.sum() + 2**64,
    lambda a, k: a.astype(np.int16) + 70000,
]
HOLD = [
    lambda a, k: a + 100,
    lambda a, k: a < 300,
    lambda a, k: a == k,
    lambda a, k: np.uint16(k),
    lambda a, k: a / 300,
    lambda a, k: a.astype(int) + k,
    lambda a, k: np.append(a, 300),
    lambda a, k: np.where(a > 1, a.astype(int), 300),
]


@pytest.mark.parametrize("act", RAISE + HOLD + WRITES)
def test_of_what_nothing_reads(act):
    def f(x, a, k):
        act(a, k)
        return np.sum(x)

    for run in (srcad.compile(f), srcad.compile(f, backend="numpy"), srcad.value_and_grad(f)):
        if act in HOLD:
            run(X, A, 300)
            continue
        with pytest.raises(OverflowError):
            run(X, A, 300)


@pytest.mark.parametrize("act", RAISE + HOLD + WRITES)
def test_it_is_caught(act):
    def f(x, a, k):
        y = x[0]
        try:
            act(a, k)
        except OverflowError:
            y = 100.0 * x[1]
        return y

    wanted = f(X, A, 300)
    assert wanted == (X[0] if act in HOLD else 250.0)
    assert srcad.compile(f, backend="numpy")(X, A, 300) == wanted
    assert srcad.value_and_grad(f)(X, A, 300)[0] == wanted


def test_values_of_lists_are_converted_one_by_one():
    def f(y):
        y[:2] = [7, 8]
        y[2:] = [1.5]
        return y

    assert srcad.compile(f)(A.copy()).tolist() == f(A.copy()).tolist()


def power(x, k):
    10**k + np.arange(3)


def sum_of_a_shift(x, k):
    sum([1 + (1 << 4 * k), np.arange(3).max()])


def factorial(x, k):
    np.arange(3) * -math.factorial(k)


def array_of_a_power(x, k):
    np.array([k, max(k, 7**k)], dtype=np.int64)


@pytest.mark.parametrize("act", [power, sum_of_a_shift, factorial, array_of_a_power])
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_powers_shifts_and_factorials_have_more_than_64_bits(act, transform):
    def f(x, k):
        act(x, k)
        return x[0]

    transform(f)(X, 5)
    with pytest.raises(OverflowError):
        transform(f)(X, 30)
