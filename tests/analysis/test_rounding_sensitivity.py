from __future__ import annotations

import operator

import numpy as np
import pytest

from srcad.analysis.rounding_sensitivity import decisive
from srcad.ir import Op
from srcad.ir.walk import statements
from srcad.pipeline.passes import simplify
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request


def quotients(fn, *args, exact=()):
    """Of each division of a program: whether it decides something."""
    stages = {}
    compile_request(Request("primal", fn), list(args), frozenset(), stages.__setitem__)
    program = simplify(stages["lower"])
    found = decisive(program, [program.body.results[k] for k in exact])
    ops = [s for s in statements(program.body) if isinstance(s, Op)]
    return [op.out in found for op in ops if op.fn is operator.truediv]


X, N = np.array([0.3, 0.7, 1.1]), 3


def into_sums(x, h):
    y = np.sum((x / h) * x - x[::-1] ** 2)
    return 2.0 * y


def into_an_index(x, h):
    return x[int(x[0] / h)]


def into_a_comparison(x, h):
    return np.where(x / h > 1.0, x, 0.0)


def into_a_branch(x, h):
    y = x / h
    s = y[0] * 2.0
    return x if s > 1.0 else 2.0 * x


def into_a_root(x, h):
    return np.sqrt(1.0 - x / h)


def into_a_divisor(x, h):
    return 1.0 / (x / h)


def into_what_a_loop_carries_to_a_floor(x, h):
    y = x
    for _ in range(3):
        y = y / h + 1.0
    return np.floor(y)


def carried(x, h):
    y = x
    for _ in range(3):
        y = y / h + 1.0
    return y


def into_the_test_of_a_loop(x, h):
    y = x[0]
    while y > 0.1:
        y = y / h - 1.0
    return x + y


def into_a_store_that_is_compared(x, h):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] / h
    return y > 0.5


@pytest.mark.parametrize("fn", [into_sums, carried])
def test_sums_and_products_decide_nothing(fn):
    assert quotients(fn, X, 0.5) == [False]


@pytest.mark.parametrize("fn", [into_sums, carried])
def test_what_a_result_that_decides_is_made_of_decides(fn):
    assert quotients(fn, X, 0.5, exact=(0,)) == [True]


@pytest.mark.parametrize(
    "fn",
    [
        into_an_index,
        into_a_comparison,
        into_a_branch,
        into_a_root,
        into_what_a_loop_carries_to_a_floor,
        into_the_test_of_a_loop,
        into_a_store_that_is_compared,
    ],
)
def test_at_an_edge_the_last_bit_decides(fn):
    assert quotients(fn, X, 0.5) == [True]


def test_a_divisor_decides():
    assert quotients(into_a_divisor, X, 0.5) == [True, False]


def test_nothing_is_known_of_a_program_that_catches():
    def catching(x, h):
        try:
            y = x / h
        except ValueError:
            y = x
        return y

    stages = {}
    compile_request(Request("primal", catching), [X, 0.5], frozenset(), stages.__setitem__)
    assert decisive(stages["lower"], []) is None
