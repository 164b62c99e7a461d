"""Choices between numbers are operations in compiled functions, not branches."""

from __future__ import annotations

import numpy as np
import pytest

import srcad


def chain(x):
    s = x
    for k in (0.1, 0.4, 0.5):
        s = np.where(s > k, s * 0.9, x * x)
    return np.sum(s)


def two_names(x):
    low, high = 0.0, 1.0
    total = 0.0
    for v in x:
        if v > total:
            low, high = v, low
        total = total + low * high
    return total


def counted(x):
    n, s = 0, 0.0
    for v in x:
        n = n + 1 if v > 0.5 else n
        s = s + (v if v > 0.2 else 1)
    return s * n


def with_work(x):
    s = 0.0
    for v in x:
        s = s + (np.exp(v) if v > 0.5 else np.sin(v))
    return s


X = np.array([0.7, 0.2, -0.0, 0.45, 0.9, np.inf, 0.3])


@pytest.mark.parametrize("f", [chain, two_names, counted, with_work])
def test_choices_give_the_same(f):
    made = srcad.value_and_grad(f, backend="native")
    with np.errstate(all="ignore"):
        expected = srcad.value_and_grad(f, backend="numpy")(X)
        found = made(X)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.nan_to_num(mine), np.nan_to_num(other))
    assert made.explain().compiled


def test_a_choice_is_no_branch():
    text = srcad.value_and_grad(chain, backend="native").source(X)
    assert text.count("where(") > 5
    assert " if " not in text
    assert " if " in srcad.value_and_grad(with_work, backend="native").source(X)


def test_both_are_converted_to_what_they_have_in_common():
    from numba import njit

    from srcad.native.functions import where

    chosen = njit(lambda c, a, b: where(c, a, b))
    assert chosen(True, 1, 2.5) == 1.0
    assert chosen(False, np.float32(1.0), np.float64(0.1)) == 0.1
    assert chosen(True, True, False) is True
    assert chosen(False, 1.0, 2j) == 2j
    assert np.signbit(chosen(True, -0.0, 0.0))
