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


@pytest.mark.parametrize(
    ("fn", "bad"),
    [(after_a_loop, (NONE, 2)), (after_a_loop, (X, 0)), (after_a_branch, (X, 1)),
     (array_of_a_branch, (X, 1))],
)  # fmt: skip
def test_what_is_read_is_bound(fn, bad):
    pair = pair_of(fn, X, 2)
    assert pair.functions
    assert compare(pair, (X, 2)) == "equal"
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
