"""Checkpointed loops whose number of steps is known only when they end: the steps that they take,
there and back, are counted; and what they keep.
"""

from __future__ import annotations

import tracemalloc
from math import comb
from typing import Any

import numpy as np
import pytest

import srcad

U = np.linspace(0.1, 1.0, 100)
calls: list[int] = []


def damped(x: Any, k: Any) -> Any:
    calls.append(int(k))
    return np.tanh(x + 0.01 * k)


srcad.rules.elementwise(damped, lambda y, x, k: 1 - y * y, None, type_of=lambda x, k: x)


def by_while(x: Any, n: Any) -> Any:
    k = 0
    while k < n:
        x = damped(x, k) * x
        k += 1
    return np.sum(x)


def by_break(x: Any, n: Any) -> Any:
    for k in range(3, 10000, 2):
        if k >= 2 * n + 3:
            break
        x = damped(x, k) * x
    return np.sum(x)


def with_lists(x: Any, n: Any) -> Any:
    norms = []
    for k in range(n):
        x = damped(x, k) * x
        norms.append(np.sum(x * x))
    return np.sum(x) + sum(norms)


def over_a_list(x: Any, n: Any) -> Any:
    for k in [0, 4, 2] * 40:
        x = damped(x, k) * x
        if np.sum(x) < 0.01 * n:
            break
    return np.sum(x)


PROGRAMS = [by_while, by_break, with_lists, over_a_list]


def run(f: Any, n: int, **how: Any) -> tuple[int, int, Any]:
    """How many steps the function takes, how many its gradient, and the gradient."""
    gradient = srcad.grad(srcad.checkpoint(f, **how), backend="numpy")
    gradient(U, n)
    calls.clear()
    f(U, n)
    alone = len(calls)
    calls.clear()
    found = gradient(U, n)
    return alone, len(calls), found


@pytest.mark.parametrize("n", [0, 1, 2, 7, 101])
@pytest.mark.parametrize("f", PROGRAMS)
def test_no_step_is_run_twice_where_the_budget_holds_all(f: Any, n: int) -> None:
    alone, both, found = run(f, n, budget="4 MB")
    assert both == alone
    np.testing.assert_array_equal(found, srcad.grad(f, backend="numpy")(U, n))


def best(n: int, slots: int) -> int:
    """The steps of the best schedule, there and back, the tape of one step at a time."""
    r = 0
    while comb(slots + r, slots) < n:
        r += 1
    return n + r * n - comb(slots + r, r - 1) if r else n


@pytest.mark.parametrize("n", [1, 2, 7, 30, 101, 400])
@pytest.mark.parametrize("slots", [2, 3, 5, 8, 200])
def test_few_states_take_about_the_steps_of_the_best_schedule(slots: int, n: int) -> None:
    alone, both, found = run(by_while, n, steps=slots)
    assert alone == n
    assert both <= 1.35 * best(n, slots) + 1
    np.testing.assert_array_equal(found, srcad.grad(by_while, backend="numpy")(U, n))


@pytest.mark.parametrize("kilobytes", [5, 10, 40, 100])
@pytest.mark.parametrize("f", PROGRAMS)
def test_more_room_takes_no_more_steps(f: Any, kilobytes: int) -> None:
    wanted = srcad.grad(f, backend="numpy")(U, 101)
    few, many = (run(f, 101, budget=1000 * each) for each in (kilobytes, 2 * kilobytes))
    assert many[1] <= few[1]
    np.testing.assert_array_equal(few[2], wanted)


def test_memory_stays_within_the_budget() -> None:
    u, budget = np.linspace(0.0, 1.0, 20_000), 4_000_000

    def settled(u: Any, n: Any) -> Any:
        k = 0
        while k < n:
            u = u + 0.01 * np.sin(u)
            k += 1
        return np.sum(u)

    gradient = srcad.grad(srcad.checkpoint(settled, budget=budget), backend="numpy")
    gradient(u, 3)
    tracemalloc.start()
    gradient(u, 400)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < budget + 8 * u.nbytes


def test_a_pullback_may_be_called_twice() -> None:
    _, pullback = srcad.vjp(srcad.checkpoint(by_while, budget="40 kB"), U, 50)
    first, again = (pullback(1.0)[0] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, srcad.grad(by_while)(U, 50))
