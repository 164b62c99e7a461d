"""What may share memory, as far as printing has to know."""

import operator

import numpy as np
import pytest
from emit.irtext import FLOAT, VECTOR, Body, params

from srcad.emit.plan.aliases import Aliases
from srcad.ir import Op, Value
from srcad.ops.memory import memory_of

X = np.arange(6.0).reshape(2, 3)


def known(*values):
    aliases = Aliases()
    for value, kind in values:
        aliases.add(value, kind)
    return aliases


def test_a_view_shares_and_a_result_does_not():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0)
    view, copy = b(operator.getitem, y, slice(1, None)), b(operator.add, y, 1.0)
    aliases = known((x, "input"))
    for op in b.block.body:
        aliases.add_op(op)
    assert aliases.may_change(view, y)
    assert not aliases.may_change(copy, y)
    assert not aliases.may_change(x, y)


def test_what_a_loop_carries_may_be_anything_made_before():
    fresh, carried, later = params("a b c")
    aliases = known((fresh, "fresh"), (carried, "unknown"), (later, "fresh"))
    assert aliases.may_change(fresh, carried)
    assert not aliases.may_change(later, carried)
    assert aliases.may_change(carried, fresh)
    assert not aliases.may_change(carried, later)


def test_numbers_share_nothing():
    x, n = Value("x", VECTOR), Value("n", FLOAT)
    aliases = known((x, "unknown"))
    aliases.add_op(Op(np.reshape, (n, -1), {}, (y := Value("y", VECTOR),)))
    assert not aliases.may_change(y, x)


@pytest.mark.parametrize(
    ("fn", "args", "kwargs"),
    [
        (np.sum, (X,), {"axis": ()}),
        (np.max, (X,), {"axis": 0}),
        (np.where, (X > 0, X, X), {}),
        (np.concatenate, ([X],), {}),
        (np.clip, (X, -1.0, 9.0), {}),
        (np.repeat, (X, 1), {}),
        (np.roll, (X, 0), {}),
        (np.astype, (X, np.dtype(float)), {}),
        (np.tile, (X, 1), {}),
        (operator.pos, (X,), {}),
        (np.cumsum, (X,), {"axis": 0}),
        (np.trace, (X[..., None] * np.ones(3),), {"axis1": 1, "axis2": 2}),
        (np.kron, (X, 1.0), {}),
        (np.tensordot, (X, 1.0, 0), {}),
    ],
)
def test_fresh_functions_return_memory_of_their_own(fn, args, kwargs):
    assert memory_of(Op(fn, args, kwargs)) == "fresh"
    assert not np.shares_memory(fn(*args, **kwargs), X)


@pytest.mark.parametrize("fn", [np.reshape, np.ravel, np.transpose, np.squeeze, np.asarray])
def test_views_are_not_fresh(fn):
    assert memory_of(Op(fn, (X,), {}, (Value("y", VECTOR),))) != "fresh"
    assert memory_of(Op(np.astype, (X, float), {"copy": False})) != "fresh"
