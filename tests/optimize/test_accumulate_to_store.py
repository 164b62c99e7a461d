import operator

import numpy as np
import pytest

import srcad
from srcad.ir import ArrayType, Block, For, Function, NumberType, Op, Value
from srcad.optimize.simplify.accumulate_to_store import eliminate_zero_fills
from srcad.runtime import index_add
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, (5, 3))


def whole(x):
    h = np.zeros_like(x[0])
    for t in range(len(x)):
        h = np.tanh(h + x[t])
    return np.sum(h**2)


def part(x):
    h = np.zeros_like(x[0])
    for t in range(1, len(x) - 1):
        h = np.tanh(h + x[t])
    return np.sum(h**2)


def backwards(x):
    h = np.zeros_like(x[0])
    for t in range(len(x) - 1, -1, -1):
        h = np.tanh(h + x[t])
    return np.sum(h**2)


def numbers(x):
    h = 0.0
    v = x[:, 1]
    for t in range(len(v)):
        h = np.sin(h + v[t])
    return h * h


def left_early(x):
    h = np.zeros_like(x[0])
    for t in range(len(x)):
        h = np.tanh(h + x[t])
        if h[0] > 0.9:
            break
    return np.sum(h**2)


STORED = [whole, part, backwards, numbers, left_early]


def twice(x):
    h = np.zeros_like(x[0])
    for t in range(-2, 5):
        h = np.tanh(h + x[t])
    return np.sum(h**2)


def twice_backwards(x):
    h = np.zeros_like(x[0])
    for t in range(4, -3, -1):
        h = np.tanh(h + x[t])
    return np.sum(h**2)


def neighbours(x):
    h = np.zeros_like(x[0])
    for t in range(1, len(x)):
        h = np.tanh(h + x[t] * x[t - 1])
    return np.sum(h**2)


def same_row(x):
    h = np.zeros_like(x[0])
    for _ in range(len(x)):
        h = np.tanh(h + x[2])
    return np.sum(h**2)


def read_after(x):
    h = np.zeros_like(x[0])
    for t in range(len(x)):
        h = np.tanh(h + x[t])
    return np.sum(h**2) + np.sum(x**3)


ADDED = [twice, twice_backwards, neighbours, same_row, read_after]


@pytest.mark.parametrize("f", STORED + ADDED, ids=lambda f: f.__name__)
def test_gradients(f):
    check_grads(f, (X,))
    check_grads(f, (X[:, ::-1],), order=1)


@pytest.mark.parametrize("f", STORED, ids=lambda f: f.__name__)
def test_each_turn_stores(f):
    source = srcad.grad(f).source(X)
    assert "_bar[t] = h_bar" in source
    assert ("np.empty_like(" in source) == (f in (whole, numbers))


@pytest.mark.parametrize("f", ADDED, ids=lambda f: f.__name__)
def test_what_is_reached_twice_is_added(f):
    source = srcad.grad(f).source(X)
    assert "+=" in source
    assert "empty" not in source


def read_before(x):
    sums, s = np.zeros(len(x)), 0.0
    for t in range(len(x)):
        s = s + sums[-1] * x[t, 1] + sums[t - 1]
        sums[t] += x[t, 0]
    return s + np.sum(sums)


def read_behind(x):
    sums, s = np.zeros(len(x)), 0.0
    for t in range(len(x)):
        sums[t] += x[t, 0]
        s = s + sums[-1] * x[t, 1] + sums[t]
    return s + np.sum(sums)


def added_until(x):
    sums = np.zeros(len(x))
    for t in range(len(x)):
        sums[t] += x[t, 0]
        if t == 2:
            break
    return np.sum(sums**2)


@pytest.mark.parametrize("f", [read_before, read_behind, added_until], ids=lambda f: f.__name__)
def test_what_the_loop_reads_or_leaves_out_is_cleared(f):
    check_grads(f, (X,))
    forward, _, _ = srcad.value_and_grad(f).source(X).partition("\n\n    # return")
    assert "\n    sums = np.zeros(" in forward


def test_a_loop_that_starts_from_a_constant_array():
    f64 = ArrayType(np.dtype(float), (3,))
    x, start, after = Value("x", f64), Value("h", f64), Value("h", f64)
    index, entry, out = Value("i", NumberType(int)), Value("", f64), Value("h", f64)
    body = [
        Op(operator.getitem, (x, index), {}, (entry,)),
        Op(index_add, (start, index, entry), {}, (after,)),
    ]
    inner = Block([index, start], body, [after])
    loop = For(0, 3, 1, False, [np.full(3, 2.0)], [], inner, (out,), ())
    made = eliminate_zero_fills(Function("f", Block([x], [loop], [out])))
    assert [op.fn for op in made.body.body[-1].body.body] == [operator.getitem, index_add]
