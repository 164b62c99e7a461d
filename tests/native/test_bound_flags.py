"""What no path has bound is not read as zero."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome

from srcad.pipeline.request import Request

X, NONE = np.array([0.3, -0.7, 1.1]), np.empty(0)


def pair_of(fn, *args):
    return both(Request("value_and_grad", fn, (0,), single=False), args, len(args))


def after_a_loop(x, n):
    for v in x:
        kept = v * v
        for last in range(n):
            kept = kept + last * v
    return kept * last


def after_a_branch(x, n):
    if n > 1:
        s = np.sum(np.sin(x) * x)
    return s * n


def array_of_a_branch(x, n):
    if n > 1:
        y = np.sin(x) * x
    return np.sum(y * y)


def in_a_later_loop(x, n):
    total = 0.0
    for i in range(n):
        last = x[i] * x[i]
    for v in x:
        total = total + last * v
    return total


def under_another_condition(x, n):
    total = 0.0
    for v in x:
        if v > n - 2:
            kept = v * v
    for v in x:
        if v < n - 2.5:
            total = total + kept * v
    return total + np.sum(x)


def from_the_turn_before(x, n):
    total = 0.0
    for i in range(len(x)):
        if i >= n - 1:
            total = total + before * x[i]  # noqa: F821 - unbound at first, on purpose
        before = np.sin(x[i])  # noqa: F841 - read in the next iteration
    return total


def in_the_test_of_a_loop(x, n):
    total, i = np.sum(x), 0
    while i < n:
        if x[i] > 0.5:
            limit = x[i] * 9.0
        i = i + 1
    while total < limit:
        total = total * 2.0 + limit
    return total


def returned(x, n):
    for i in range(n):
        last = x[i] * x[i]
        if i > 1:
            far = last * np.sum(x)
    return far


@pytest.mark.parametrize(
    ("fn", "bad"),
    [
        (after_a_loop, (NONE, 2)),
        (after_a_loop, (X, 0)),
        (after_a_branch, (X, 1)),
        (array_of_a_branch, (X, 1)),
        (in_a_later_loop, (X, 0)),
        (under_another_condition, (X, 4)),
        (from_the_turn_before, (X, 1)),
        (in_the_test_of_a_loop, (X, 2)),
        (returned, (X, 2)),
        (returned, (X, 0)),
    ],
)
def test_what_is_read_is_bound(fn, bad):
    pair = pair_of(fn, X, 3)
    assert pair.functions
    assert compare(pair, (X, 3 if fn is not under_another_condition else 2)) == "equal"
    assert isinstance(outcome(pair.numpy, bad)[0], UnboundLocalError)
    found, _ = outcome(pair.native, bad)
    assert is_refusal(found) or isinstance(found, UnboundLocalError)


def under_conditions(x, n):
    total = 0.0
    if n > 1:
        y = np.sin(x) * x
    for i in range(n):
        last = x[i] * x[i]
    if n > 0:
        total = total + last
    if n > 1:
        total = total + np.sum(y)
    return total + np.sum(x * x)


def test_what_is_read_under_a_condition_may_be_unbound():
    pair = pair_of(under_conditions, X, 2)
    assert pair.functions
    for n in (2, 1, 0):
        assert compare(pair, (X, n)) == "equal"
