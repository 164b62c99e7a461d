"""Which values may share a buffer, and which functions give memory of their own."""

import operator

import numpy as np
import pytest
from emit.irtext import BOOL, INT, VECTOR, Body, function, params

from srcad.analysis.alias import find_aliases
from srcad.ir import For, If, Op, Value
from srcad.ir.inplace import index_iadd
from srcad.ops.memory import memory_of

X = np.arange(6.0).reshape(2, 3)


def test_a_view_shares_and_a_result_does_not():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0)
    view, copy = b(operator.getitem, y, slice(1, None)), b(operator.add, y, 1.0)
    facts = find_aliases(function("f", b, copy))
    assert facts.may_change(view, y)
    assert facts.may_change([copy, view], y)
    assert not facts.may_change(copy, y)
    assert not facts.may_change(x, y)


def test_what_a_branch_chose_may_be_either():
    (x,), (c,) = params("x"), params("c", BOOL)
    b = Body(x, c)
    y, z, other = b(np.sin, x), b(np.cos, x), b(np.exp, x)
    chosen = Value("", VECTOR)
    b.add(If(c, Body().returns(y), Body().returns(z), (chosen,)))
    facts = find_aliases(function("f", b, chosen))
    assert facts.may_change(y, chosen)
    assert facts.may_change(chosen, z)
    assert not facts.may_change(other, chosen)


@pytest.mark.parametrize("is_read", [False, True])
def test_a_loop_carries_a_buffer_of_its_own_unless_what_it_starts_with_is_read(is_read):
    x, carried, out = params("x s s")
    b, body = Body(x), Body(Value("i", INT), carried)
    start, other = b(np.sin, x), b(np.cos, x)
    body.returns(body(index_iadd, carried, 0, 1.0))
    b.add(For(0, 3, 1, False, [start], [], body.block, (out,), ()))
    facts = find_aliases(function("f", b, out, *([start] if is_read else [])))
    assert facts.may_change(start, carried) == is_read
    assert not facts.may_change(other, carried)


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
