"""Gradients of samples whose loops take ways of their own: each sample has its own tapes."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def branches(a):
    total = 0.0
    for v in a:
        if v > 1:
            total += np.sqrt(v)
        else:
            total += v * v
    return total


def caught(a):
    total = 0.0
    for v in a:
        try:
            total += math.sqrt(v - 1.0)
        except ValueError:
            total += v * v
    return total


def newton(a):
    x = a[0]
    for _ in range(20):
        step = (x * x - a[1]) / (2 * x)
        x = x - step
        if abs(step) < 1e-9:
            break
    return x


def until(a):
    total, turns = 0.0, 0
    while total < 5.0 and turns < 20:
        total += np.exp(a[0]) * a[1]
        turns += 1
    return total * a[2]


X = np.array([[2.0, 0.5, 1.5], [0.5, 3.0, 2.0]])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("derivative", [srcad.grad, srcad.jacfwd, srcad.hessian])
@pytest.mark.parametrize("f", [branches, caught, newton, until])
def test_derivatives_are_those_of_each_sample(f, derivative, backend):
    found = srcad.vmap(derivative(f), backend=backend)(X)
    wanted = np.stack([derivative(f)(x) for x in X])
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def filled(a, t, n):
    for _ in range(n):
        t = np.tanh(t) * t
    np.full(n, a)  # it raises where n is negative, and has to run for each sample
    return np.sum(t) * a


def filled_within(a, t, n):
    for i in range(n):
        for _ in range(i):
            t = np.tanh(t) * t
    np.full(n, a)
    return np.sum(t) * a


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [filled, filled_within])
def test_a_loop_for_each_sample_reads_the_tapes_of_all(f, backend):
    a, t = np.array([0.5, -1.5]), np.array([[0.3, 1.2, -0.4], [2.0, 0.1, 0.7]])
    gradient = srcad.grad(f, (0, 1))
    found = srcad.vmap(gradient, (0, 0, None), backend=backend)(a, t, 3)
    wanted = [np.stack(each) for each in zip(*map(gradient, a, t, (3, 3)), strict=True)]
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def margin(x, y):
    return -np.sum(x - y)


def entropy(p, x, y):
    return -np.sum((x @ p - y) * np.exp(y))


@pytest.mark.parametrize(
    ("f", "axes", "shapes"),
    [(margin, 0, [(5, 3), (5, 3)]), (entropy, (None, 0, 0), [(3, 4), (5, 3), (5, 4)])],
)
def test_shapes_that_fit_leave_no_statement(f, axes, shapes):
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape) for shape in shapes]
    per_sample = srcad.vmap(srcad.grad(f, backend="numpy"), in_axes=axes, backend="numpy")
    found = per_sample(*args)
    rows = [srcad.grad(f)(*(a if len(a) != 5 else a[k] for a in args)) for k in range(5)]
    np.testing.assert_allclose(found, rows)
    lines = [line.strip() for line in per_sample.source().splitlines()]
    assert "x - y" not in lines
    assert not any(line.startswith("np.broadcast_to") for line in lines)


def test_shapes_that_do_not_fit_raise_as_for_one_sample():
    per_sample = srcad.vmap(srcad.grad(margin))
    with pytest.raises(ValueError, match="broadcast"):
        per_sample(np.ones((5, 3)), np.ones((5, 4)))
