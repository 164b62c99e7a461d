"""What inputs' extents are to each other in the first call is taken for a fact, and guarded."""

import numpy as np
import pytest
from corpus.trees import inner

import srcad


def smoothed(u, v, n):
    for _ in range(n):
        u[1:-1] += v[2:] - 2 * v[1:-1] + v[:-2]
        v = 0.5 * u
    return np.sum(u * u)


def diffused(field, coeff):
    n = coeff.shape[0]
    lap = 2.0 * field[1 : n + 3] - (field[2 : n + 4] + field[0 : n + 2])
    return np.sum((coeff * (lap[1 : n + 1] ** 2)) ** 2)


def added_in_turn(u, v, n):
    total = np.zeros_like(u)
    for i in range(n):
        total[1:-1] += (i + 1) * v[1:-1]
    return np.sum(u * total * total)


def vectors(*sizes):
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal(size) for size in sizes)


def assert_right(gradient, fn, args, n):
    """Compare the gradient by the first `n` arguments with differences."""
    rng = np.random.default_rng(1)
    bars = gradient(*args)
    tangents = [rng.standard_normal(a.shape) for a in args[:n]]

    def at(h):
        return fn(*(a + h * t for a, t in zip(args[:n], tangents, strict=True)), *args[n:])

    assert [b.shape for b in bars] == [a.shape for a in args[:n]]
    assert np.isclose(inner(bars, tuple(tangents)), (at(1e-6) - at(-1e-6)) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("fn", "args"),
    [(smoothed, (*vectors(7, 7), 3)), (diffused, vectors(12, 8))],
)
def test_no_step_looks_for_broadcasting(fn, args):
    gradient = srcad.grad(fn, (0, 1))
    assert_right(gradient, fn, args, 2)
    assert "unbroadcast" not in gradient.source(*args)
    assert ".shape)" not in gradient.source(*args)


def test_arguments_that_fit_alike_share_the_program():
    gradient = srcad.grad(diffused, (0, 1))
    for n in (8, 9, 30):
        assert_right(gradient, diffused, vectors(n + 4, n), 2)
    assert gradient.cache_info().misses == 1


def test_what_is_broadcast_in_a_later_call_is_summed():
    gradient = srcad.grad(added_in_turn, (0, 1))
    assert_right(gradient, added_in_turn, (*vectors(7, 7), 2), 2)
    assert_right(gradient, added_in_turn, (*vectors(7, 3), 2), 2)  # v[1:-1] is one number
    assert_right(gradient, added_in_turn, (*vectors(9, 9), 2), 2)


def test_what_is_broadcast_in_the_first_call_is_summed():
    gradient = srcad.grad(added_in_turn, (0, 1))
    assert_right(gradient, added_in_turn, (*vectors(7, 3), 2), 2)
    assert_right(gradient, added_in_turn, (*vectors(3, 3), 2), 2)
    assert_right(gradient, added_in_turn, (*vectors(8, 8), 2), 2)


def every_second(u, v):
    for _ in range(2):
        u[::2] = u[::2] * v
    return np.sum(u * u)


def test_a_difference_by_chance_costs_one_program():
    gradient = srcad.grad(every_second, (0, 1))
    for n in range(4, 12):
        assert_right(gradient, every_second, vectors(n, (n + 1) // 2), 2)
    assert gradient.cache_info().misses == 2
