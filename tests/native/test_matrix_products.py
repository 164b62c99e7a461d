"""Loops with products of matrices in them are compiled as a whole."""

from __future__ import annotations

import re

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome

from srcad import nn
from srcad.native.scalarize.handlers import matrix_products
from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


def powers(w, x, n):
    """A transposed factor that is the same in all iterations, and one that is not."""
    y = x * 1.0
    for _ in range(n):
        y = np.tanh(y @ w.T) @ w
    return np.sum(y * y)


def recurrent(p, x):
    """One's own loop over time, with rows of an array and a list of states."""
    w_x, w_h, b = p
    h = np.zeros((x.shape[1], w_h.shape[0]), x.dtype)
    states = []
    for t in range(len(x)):
        h = np.tanh(x[t] @ w_x + h @ w_h + b)
        states.append(h)
    return np.sum(np.array(states)[1:] ** 2) + np.sum(h)


def rnn(p, x):
    h = nn.rnn(x, np.zeros((x.shape[1], p[1].shape[0]), x.dtype), *p)
    return np.sum(h[-1] ** 2) + np.sum(h[0])


def lstm(p, x):
    zeros = np.zeros((x.shape[1], p[1].shape[0]), x.dtype)
    h, c = nn.lstm(x, zeros, zeros, *p)
    return np.sum(h**2) + np.sum(c * h[-1])


def gru(p, x):
    h = nn.gru(x, np.zeros((x.shape[1], p[1].shape[0]), x.dtype), *p)
    return np.sum(h[-1] ** 2)


def columns(w, x):
    """Parts of matrices, and a product that a loop adds up."""
    n = w.shape[0]
    total = np.zeros((n, n))
    for k in range(3):
        total += x[:, k : k + n].T @ x[:, 1 : n + 1] * np.cos(w)
    return np.sum(total * w)


def changed(w, x, n):
    """A factor that the loop writes is not the same in all iterations."""
    v = w * 1.0
    y = x * 1.0
    for k in range(n):
        y = y @ v.T
        v[k] = v[k] * 0.5 + np.sin(y[0])
    return np.sum(y * y)


def rows(w, x, n):
    """All rows of several matrices at once, before and after a loop."""
    y = x @ w
    total = np.tensordot(x, y, axes=((0, 1), (0, 1)))
    for _ in range(n):
        total = total @ w.T
        total += np.tensordot(total.T, w, axes=((0,), (0,)))
        total += np.tensordot(np.tensordot(total, w, axes=((-1,), (-2,))), w, axes=((-2,), (-1,)))
    return np.sum(total**2)


def halves(w, x, tol):
    """As many iterations as it takes."""
    y = x * 1.0
    while np.sum(y * y) > tol:
        y = 0.5 * np.tanh(y @ w)
    return np.sum(y)


def weights(k, dtype=np.float64, biases=1):
    made = normal(2, 4 * k, dtype=dtype), normal(4, 4 * k, dtype=dtype)
    return (*made, *(normal(4 * k, dtype=dtype) for _ in range(biases)))


X, X32 = normal(5, 3, 2), normal(5, 3, 2, dtype=np.float32)
W = 0.5 * normal(3, 3)
CALLS = {
    "powers": (powers, [(W, normal(2, 3), 3), (W, normal(4, 3), 1), (W.T, normal(6, 3)[::2], 2)]),
    "recurrent": (recurrent, [(weights(1), X), (weights(1), X[:2]), (weights(1), X[::2, ::-1])]),
    "rnn": (rnn, [(weights(1), X), (weights(1), X[:, :0])]),
    "rnn, single": (rnn, [(weights(1, np.float32), X32)]),
    "lstm": (lstm, [(weights(4), X), (weights(4), X[:2])]),
    "lstm, single": (lstm, [(weights(4, np.float32), X32)]),
    "gru": (gru, [(weights(3, biases=2), X)]),
    "columns": (columns, [(W, normal(4, 6)), (W, normal(7, 6)[:, ::-1])]),
    "changed": (changed, [(W, normal(2, 3), 3)]),
    "rows": (rows, [(W, normal(4, 2, 3), 2), (W, normal(2, 2, 3)[::-1], 0)]),
    "halves": (halves, [(W, normal(2, 3), 1e-2), (W, normal(2, 3), 1e-4)]),
}


def pair_of(name, numba=False):
    fn, calls = CALLS[name]
    request = Request("value_and_grad", fn, (0,), single=False)
    return both(request, calls[0], len(calls[0]), numba)


@pytest.mark.parametrize("name", CALLS)
def test_loops_and_numpy_agree(name):
    pair = pair_of(name)
    assert pair.functions == 1
    code = re.sub(r"#.*|@njit", "", pair.text)
    assert "matmul_into(" in code
    assert not re.search(r" @ |np\.(matmul|dot|tensordot)", code)
    found = [compare(pair, args, "single" in name) for args in CALLS[name][1]]
    assert found == ["equal"] * len(found)


@pytest.mark.parametrize("name", CALLS)
def test_machine_code_and_numpy_agree(name):
    pytest.importorskip("numba")
    pair = pair_of(name, numba=True)
    found = [compare(pair, args, "single" in name) for args in CALLS[name][1]]
    assert found == ["equal"] * len(found)


def test_a_transposed_factor_is_copied_once_before_the_loops():
    text = pair_of("powers").text
    (copy,) = re.findall(r"(\w+)\[at\(i, j\)\] = w\[at\(j, i\)\]", text)
    assert (
        len(re.findall(rf"matmul_into\(\w+, \w+, \(0, 0\), False, {copy}, \(0, 0\), ", text)) == 2
    )
    assert "w, (0, 0), True" not in text


def test_a_transposed_factor_that_is_written_is_not():
    text = pair_of("changed").text
    assert re.search(r"matmul_into\(\w+, y_bar, \(0, 0\), False, tape, \(k, 0, 0\), True, n", text)


def test_what_two_products_read_is_computed_once():
    """The cotangent of what `tanh` is of is a factor of that of `y`, and of that of `w`."""
    text = pair_of("powers").text
    assert text.count("1.0 - t") == 1


def test_without_a_blas_loops_stay_numpy(monkeypatch):
    monkeypatch.setattr(matrix_products, "find_gemm", dict)
    pair = pair_of("powers")
    assert "matmul_into" not in pair.text
    assert "a product of matrices" in " ".join(pair.reasons)
    assert compare(pair, CALLS["powers"][1][0]) == "equal"


def test_no_turn_is_left_to_numpy():
    """`nn.rnn(...)[-1]` of no steps raises, as it does there."""
    pair = pair_of("rnn")
    args = weights(1), X[:0]
    assert is_refusal(outcome(pair.native, args)[0])
    assert isinstance(outcome(pair.numpy, args)[0], IndexError)


def test_integers_and_stacks_are_multiplied_one_by_one():
    def whole(x, k):
        y = np.ones((2, 2), np.int64)
        for _ in range(3):
            y = y @ k
        return np.sum(x * y)

    def stacks(x, y):
        for _ in range(3):
            x = x @ y
        return np.sum(x)

    for fn, args in (
        (whole, (normal(2, 2), np.array([[1, 2], [3, 4]]))),
        (stacks, (normal(2, 3, 3), normal(2, 3, 3))),
    ):
        pair = both(Request("value_and_grad", fn, (0,), single=False), args, 2)
        assert ("matmul_into" in pair.text) == (fn is stacks)
        assert compare(pair, args) == "equal"
