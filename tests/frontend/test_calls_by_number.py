"""Functions that call themselves very often at known depths become functions of the program."""

import time

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.frontend.calls import functions


def tree(x, n):
    return x if n == 0 else tree(x * 0.9, n - 1) + tree(x * 1.1, n - 1)


def fibonacci(x, n):
    return x if n < 2 else fibonacci(x, n - 1) * 0.5 + np.sin(fibonacci(x, n - 2))


def entries(x, n):
    return x[0] if n == 0 else entries(x, n - 1) + entries(x, n - 1) * x[n]


def extents(x, n):
    return np.sum(np.ones(n) * x) if n == 1 else extents(x, n - 1) + extents(x * 0.5, n - 1)


def lists(x, n):
    return [x] if n == 0 else lists(x * 0.9, n - 1) + lists(x * 1.1, n - 1)


PROGRAMS = [
    (lambda x: tree(x, 8), 1.5),
    (lambda x: np.sum(tree(x, 7)), np.ones(2)),
    (lambda x: fibonacci(x, 12), 1.5),
    (lambda x: entries(x, 7), np.linspace(0.5, 1.0, 9)),
    (lambda x: np.sum(extents(x, 8)), 1.5),
]
NAMES = ["tree", "arrays", "fibonacci", "entries", "extents"]


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(functions, "MAX_FOLLOWED", 50)


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_calls_beyond_a_number_are_of_one_function(f, x, backend, few):
    call = srcad.compile(f, backend=backend, cache=False)
    assert call(x) == pytest.approx(f(x), rel=1e-12)
    value, gradient = srcad.value_and_grad(f, backend=backend, cache=False)(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    h = np.zeros_like(x)
    h[(0,) * np.ndim(x)] = 1e-6
    assert np.ravel(gradient)[0] == pytest.approx((f(x + h) - f(x - h)) / 2e-6, rel=1e-6)


def test_what_cannot_be_one_function_is_refused(few):
    with pytest.raises(srcad.SrcadError) as caught:
        srcad.grad(lambda x: sum(lists(x, 8)), backend="numpy", cache=False)(1.5)
    assert "lists" in str(caught.value)


def test_deep_trees_are_compiled_soon():
    start = time.process_time()
    assert srcad.grad(lambda x: tree(x, 14), backend="numpy", cache=False)(1.5) == pytest.approx(
        2**14
    )
    assert time.process_time() - start < 30
