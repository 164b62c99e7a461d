"""Lists of numbers that loops index: values, types and exceptions are Python's."""

from __future__ import annotations

import numpy as np
import pytest

import srcad

X = np.linspace(0.3, 1.2, 20)
P = np.array([1.0, 0.4, 0.3])


def lines(fn):
    return len(srcad.grad(fn, backend="numpy").source(P, X).splitlines())


def of_python(p, x):
    """All items are floats of Python's."""
    ws = [0.0] * 30
    for i in range(25):
        ws[i] = 0.5 * i
    return p[0] * ws[3] / (ws[1] + ws[24])


def of_numpy(p, x):
    ws = [p[0], p[1], p[2]]
    for i in range(len(x)):
        ws[(2 * i) % 3] = ws[i % 3] * 0.9 + x[i]
    return ws[1]


def counted(p, x):
    """Ints, at places that the data tell."""
    counts = [0] * 4
    for i in range(len(x)):
        counts[int(x[i] * 3) % 4] += 1
    return p[0] * counts[1] / counts[0]


@pytest.mark.parametrize("fn", [of_python, of_numpy, counted])
def test_the_loop_stays(fn):
    value, _ = srcad.value_and_grad(fn, backend="numpy")(P, X)
    assert type(value) is type(fn(P, X))
    assert value == pytest.approx(fn(P, X), rel=1e-14)
    assert lines(fn) < 60


def of_either(p, x):
    ws = [0.5, 0.7, 0.9]
    for i in range(17):
        if x[i] > 5:
            ws[i % 3] = p[0]
    return ws[1] * 1.0


def divided(p, x):
    ws = [0.0, p[0]]
    total = 0.0
    for i in range(len(x)):
        total += 1.0 / ws[i % 2]
    return total


def roots(p, x):
    ws = [2.0, p[0]]
    total = 0.0
    for i in range(len(x)):
        total += (-ws[i % 2]) ** 0.5 if i == 0 else ws[i % 2] ** i
    return abs(total) * p[0]


def sequence(p, x):
    """Ints of Python's that grow beyond those of arrays."""
    fib = [1] * 100
    for i in range(2, 100):
        fib[i] = fib[i - 1] + fib[i - 2]
    return p[0] * fib[90] / fib[99]


@pytest.mark.parametrize("fn", [of_either, divided, roots, sequence])
def test_where_the_kind_of_an_item_counts_it_is_pythons(fn):
    gradient = srcad.value_and_grad(fn, backend="numpy")
    try:
        wanted = fn(P, X)
    except ZeroDivisionError as problem:
        with pytest.raises(ZeroDivisionError, match=str(problem)):
            gradient(P, X)
        return
    value, _ = gradient(P, X)
    assert type(value) is type(wanted)
    assert value == pytest.approx(wanted, rel=1e-14)


def beyond(p, x):
    ws = [p[0], 1.0, p[2]]
    total = 0.0
    for i in range(len(x)):
        total += ws[i]
    return total


def test_an_index_beyond_is_refused_or_raises():
    with pytest.raises((IndexError, srcad.errors.SrcadError)):
        srcad.grad(beyond)(P, X)


@pytest.mark.parametrize(
    "f",
    [
        lambda rows, x: rows[int(np.argmax(x))],
        lambda rows, x: (rows[np.argmax(x)], x),
        lambda rows, x: [rows[np.array(np.argmax(x))]],
    ],
)
def test_an_array_of_the_callers_that_data_picks_does_not_leave(f):
    rows, x = [np.ones(2), np.zeros(2)], np.arange(2.0)
    with pytest.raises(srcad.SrcadError, match="E139"):
        srcad.compile(f)(rows, x)


def test_a_copy_of_an_array_that_data_picks_leaves():
    rows, x = [np.ones(2), np.zeros(2)], np.arange(2.0)
    picked = srcad.compile(lambda rows, x: np.copy(rows[np.argmax(x)]))(rows, x)
    assert np.array_equal(picked, rows[1])
    assert picked is not rows[1]
