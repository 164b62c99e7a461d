"""What is proved of the length of a slice with computed bounds, and what is not."""

import operator
import re

import numpy as np
import pytest

import srcad
from srcad.ir.nodes import Op
from srcad.ir.types import ArrayType
from srcad.ir.walk import statements
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics


def windows(x, w):
    k = w.shape[0]
    total = 0.0
    for i in range(x.shape[0] - k + 1):
        total = total + np.sum(x[i : i + k] * w) ** 2
    return total


def from_the_end(x, w):
    k = len(w)
    total = 0.0
    for i in range(len(x), k - 1, -1):
        total = total + np.sum(x[i - k : i] * w) ** 2
    return total


def beginnings(x, w):
    total = 0.0 * w[0]
    for i in range(len(x)):
        total = total + np.sum(x[: i + 1] ** 2)
    return total


def one_too_far(x, w):
    k = w.shape[0]
    total = 0.0
    for i in range(x.shape[0] - k + 2):
        total = total + np.sum(x[i : i + k]) ** 2 + np.sum(w)
    return total


def from_below_zero(x, w):
    k = w.shape[0]
    total = 0.0
    for i in range(-1, x.shape[0] - k + 1):
        total = total + np.sum(x[i : i + k]) ** 2 + np.sum(w)
    return total


def any_step(x, w, step=2):
    k = w.shape[0]
    total = 0.0
    for i in range(0, x.shape[0] - k + 1, step):
        total = total + np.sum(x[i : i + k]) ** 2 + np.sum(w)
    return total


def arguments(n, k):
    rng = np.random.default_rng(0)
    return rng.standard_normal(n), rng.standard_normal(k)


def length_of_slice(fn):
    """The extent of the first slice."""
    args = [*arguments(7, 3), *([2] if fn is any_step else [])]
    lowered, _ = lower_with_statics(Request("primal", fn), args, frozenset())
    return next(
        str(stmt.out.type.shape[0])
        for stmt in statements(lowered.function.body)
        if isinstance(stmt, Op) and stmt.fn is operator.getitem
        if isinstance(stmt.out.type, ArrayType) and stmt.out.type.shape
    )


@pytest.mark.parametrize("fn", [windows, from_the_end])
def test_what_loops_say_is_known(fn):
    assert length_of_slice(fn) == "s1_0"


def test_a_beginning_is_as_long_as_its_bound():
    assert re.fullmatch(r"\?\d+\+1", length_of_slice(beginnings))


@pytest.mark.parametrize("fn", [one_too_far, from_below_zero, any_step])
def test_what_is_not_so_is_not_said(fn):
    assert length_of_slice(fn) not in ("s0_0", "s1_0")


@pytest.mark.parametrize(
    "fn", [windows, from_the_end, beginnings, one_too_far, from_below_zero, any_step]
)
def test_gradients(fn):
    gradient = srcad.grad(fn, (0, 1))
    for n, k in [(7, 3), (4, 4), (5, 1), (3, 2)]:
        args = arguments(n, k)
        bars = gradient(*args)
        rng = np.random.default_rng(1)
        tangents = [rng.standard_normal(a.shape) for a in args]
        low, high = (
            fn(*(a + h * t for a, t in zip(args, tangents, strict=True))) for h in (-1e-6, 1e-6)
        )
        total = sum(np.sum(b * t) for b, t in zip(bars, tangents, strict=True))
        assert np.isclose(total, (high - low) / 2e-6, rtol=1e-6, atol=1e-7)
