"""Long loops that are unrolled are reported once, at their line; longer ones are refused."""

import warnings

import numpy as np
import pytest

import srcad

X = np.ones(3)


def table(x, n):
    parts = {}
    for i in range(n):
        y = x * i
        parts[f"k{i}"] = y
    return sum(np.sum(v) for v in parts.values())


def rolled(x, n):
    for _ in range(n):
        x = x * 0.99
    return np.sum(x)


def told(f, n):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        srcad.grad(f, cache=False)(X, n)
    return [(str(each.message).split(":")[0], each.filename, each.lineno) for each in seen]


def test_a_long_loop_that_is_unrolled_is_told_once():
    line = table.__code__.co_firstlineno + 2
    assert told(table, 60) == []
    assert told(rolled, 5000) == []
    assert told(table, 120) == [("this loop is unrolled", __file__, line)]
    assert told(table, 121) == []


def test_a_loop_that_is_too_long_says_what_to_do():
    with pytest.raises(srcad.SrcadError, match="at most 10,000 iterations are unrolled"):
        srcad.grad(table)(X, 30_000)
