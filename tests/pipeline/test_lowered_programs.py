"""A function is lowered once for all its derivatives, and again where its guards do not hold."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import srcad
from srcad.pipeline import lowered_programs, stages

KINDS = (srcad.value_and_grad, srcad.jacfwd, srcad.jacrev, srcad.hessian)
SCALE = 2.0


def loss(w, x):
    total = 0.0
    for row in x:
        total = total + SCALE * np.tanh(row @ w) if np.sum(w) > 0 else total - np.sin(w[0])
    return total


@pytest.fixture
def count(monkeypatch):
    """The list of the functions that were lowered."""
    lowered = []
    lower = stages.lower

    def counted(fn, *args, **options):
        lowered.append(fn)
        return lower(fn, *args, **options)

    monkeypatch.setattr(stages, "lower", counted)
    monkeypatch.setattr(lowered_programs, "_entries", ())
    return lowered


def derivative_of(kind, fn):
    return kind(fn, backend="numpy", cache=False)


def test_all_derivatives_are_made_of_one_lowered_program(count):
    w, x = np.array([0.3, 0.5]), np.array([[1.0, 2.0], [3.0, -1.0]])
    want = [derivative_of(kind, lambda w, x: loss(w, x))(w, x) for kind in KINDS]
    count.clear()
    got = [derivative_of(KINDS[0], loss)(w, x)]
    first = list(count)
    assert set(first) == {loss}
    got += [derivative_of(kind, loss)(w, x) for kind in KINDS[1:]]
    assert count == first
    for a, b in zip(got[1:], want[1:], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(got[0][1], want[0][1])


def test_compiling_changes_nothing_of_the_program_kept(count):
    w, x = np.array([0.3, 0.5]), np.array([[1.0, 2.0], [3.0, -1.0]])
    derivative_of(srcad.grad, loss)(w, x)
    ((entry),) = lowered_programs._entries
    before = str(entry.lowered.function)
    assert "tanh" in before
    for kind in KINDS:
        derivative_of(kind, loss)(w, x)
    assert str(entry.lowered.function) == before


def test_a_function_is_lowered_again_where_a_guard_does_not_hold(count, monkeypatch):
    w, x = np.array([0.3, 0.5]), np.array([[1.0, 2.0], [3.0, -1.0]])
    first = derivative_of(srcad.grad, loss)(w, x)
    once = len(count)
    derivative_of(srcad.jacrev, loss)(w.astype(np.float32), x)
    twice = len(count)
    assert twice > once
    monkeypatch.setitem(loss.__globals__, "SCALE", np.array(4.0))
    np.testing.assert_allclose(derivative_of(srcad.jacrev, loss)(w, x), 2 * first)
    assert len(count) > twice


def test_a_rule_that_is_added_counts(count):
    def cubed(x):
        return x**3

    def f(x):
        return cubed(x)

    assert derivative_of(srcad.grad, f)(2.0) == 12.0
    srcad.rules.elementwise(cubed, lambda y, x: 100.0)
    assert derivative_of(srcad.value_and_grad, f)(2.0) == (8.0, 100.0)


def test_a_function_dies_and_its_program_is_forgotten(count):
    def f(x):
        return np.sum(np.sin(x))

    derivative_of(srcad.grad, f)(np.ones(2))
    alive = weakref.ref(f)
    assert lowered_programs._entries
    del f
    count.clear()
    gc.collect()
    assert alive() is None
    derivative_of(srcad.grad, loss)(np.ones(2), np.eye(2))
    assert [entry.primal() for entry in lowered_programs._entries] == [loss]


def test_a_program_does_not_keep_an_argument_alive(count):
    class Table:
        """It is not read."""

    def f(x, activation, table):
        return np.sum(activation(x))

    table = Table()
    activation = lambda x: np.sin(x) * 2.0  # noqa: E731
    derivative_of(srcad.grad, f)(np.ones(2), activation, table)
    alive = [weakref.ref(table), weakref.ref(activation)]
    del table, activation
    gc.collect()
    assert [each() for each in alive] == [None, None]


def picked(a, p):
    u = p @ np.full(p.shape[1], a)
    high = u[u > 0.2]
    mean = np.mean(high) if high.size else 0.0
    v = np.full(len(p), 3.0)
    return mean + (1.0 if v[v < -99.0].size else np.sum(v))


def test_a_derivative_made_later_has_extents_of_its_own():
    p = np.array([[0.5, 1.0], [-2.0, 0.3], [1.0, 1.0]])
    expected = picked(1.5, p)
    assert srcad.value_and_grad(picked)(1.5, p)[0] == expected
    srcad.grad(np.sum)(p)  # which has no such extents
    srcad.jacfwd(picked)(1.5, p)
    assert srcad.jvp(picked, (1.5, p), (1.0, np.zeros_like(p)))[0] == expected
    assert srcad.hessian(picked)(1.5, p) == 0.0
