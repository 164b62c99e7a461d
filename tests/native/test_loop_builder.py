"""Loops as they are written: shown as text, and run."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from native.backends import both, compare

from srcad.ir import ArrayType, Block, Dim, For, Function, Op, Value, show
from srcad.ir.affine import Affine
from srcad.ir.evaluate import evaluate
from srcad.ir.inplace import index_iadd, index_set
from srcad.native.scalarize.loop_builder import INT, Code, scalar
from srcad.pipeline.request import Request

FLOAT = scalar(float)


def array(code, name, *shape):
    value = Value(name, ArrayType(np.dtype(float), tuple(map(Dim, shape))))
    code.level[value] = 0
    return value


def function(code, params, results=()):
    return Function("f", Block(list(params), code.frames[0].body, list(results)), native=True)


def text(code, *params):
    """The body, as the printer shows it."""
    return [line.strip() for line in show(function(code, params)).splitlines()]


def test_a_loop_that_stores():
    code = Code()
    x, y = array(code, "x", "n"), array(code, "y", "n")
    n = Value("n", INT)
    code.level[n] = 0
    with code.loop(Affine.of(n) - 1) as i:
        code.store(index_set, y, (i + 1,), code.load(x, (i,), float))
    found = np.zeros(4)
    given = np.array([1.0, 2.0, 3.0, 4.0])
    lines = text(code, x, y, n)
    assert any(line.startswith("for i: int in range(0, t, 1)") for line in lines), lines
    evaluate(function(code, [x, y, n]), given, found, 4)
    np.testing.assert_array_equal(found, [0, 1, 2, 3])


def test_indices_are_named_by_depth():
    code = Code()
    with code.loop(Affine(2)), code.loop(Affine(3)), code.loop(Affine(4), "time"):
        names = [frame.index.name for frame in code.frames if frame.index is not None]
    assert names == ["i", "j", "time"]


def test_an_axis_of_one_entry_has_no_loop():
    code = Code()
    with code.loops((Affine(3), Affine(1), Affine(2))) as index:
        assert index[1] == Affine()
        assert len(code.frames) == 3
    with code.loops(()) as index:
        assert index == ()


def test_a_sum_over_axes():
    code = Code()
    x = array(code, "x", "n", "m")

    def step(total, index):
        return code.op(operator.add, (total, code.load(x, index, float)), FLOAT)

    total = code.fold((Affine(2), Affine(3)), 10.0, step, FLOAT)
    given = np.arange(6.0).reshape(2, 3)
    assert evaluate(function(code, [x], [total]), given) == [25.0]


def test_an_entry_is_read_once_until_something_is_written():
    code = Code()
    x = array(code, "x", "n")
    first = code.load(x, (Affine(1),), float)
    assert code.load(x, (Affine(1),), float) is first
    assert code.load(x, (Affine(2),), float) is not first
    code.store(index_iadd, x, (Affine(1),), 1.0)
    again = code.load(x, (Affine(1),), float)
    assert again is not first
    with code.block():
        assert code.load(x, (Affine(1),), float) is not again, "a block reads for itself"
    reads = [op for op in code.frames[0].body if op.fn is operator.getitem]
    assert len(reads) == 3


def test_what_a_block_binds_is_gone_after_it():
    code = Code()
    with code.loop(Affine(3)) as i:
        inner = code.op(operator.mul, (i.terms[0][0], 2), INT)
        assert code.level[inner] == 1
    assert inner not in code.level
    assert not any(value is i.terms[0][0] for value in code.level)


@pytest.mark.parametrize(("start", "stop", "step"), [(0, 5, 1), (4, -1, -1), (1, 8, 3), (3, 3, 1)])
def test_loops_either_way(start, stop, step):
    code = Code()
    y = array(code, "y", "n")
    with code.iterations(Affine(start), Affine(stop), step) as frame:
        code.store(index_iadd, y, (Affine.of(frame.index),), 1.0)
    code.close(frame, Affine(start), Affine(stop), step)
    found = np.zeros(8)
    evaluate(function(code, [y]), found)
    wanted = np.zeros(8)
    wanted[list(range(start, stop, step))] = 1
    np.testing.assert_array_equal(found, wanted)


def test_an_integer_is_one_operation_for_each_sign():
    code = Code()
    n, m = Value("n", INT), Value("m", INT)
    code.level.update({n: 0, m: 0})
    atom = code.whole(Affine.of(n) - Affine.of(m) * 2 + 3)
    assert evaluate(function(code, [n, m], [atom]), 10, 2) == [9]
    assert [op.fn for op in code.frames[0].body] == [operator.mul, operator.sub, operator.add]
    assert code.whole(Affine(7)) == 7
    assert isinstance(code.frames[0].body[0], Op)
    assert not any(isinstance(stmt, For) for stmt in code.frames[0].body)


def halved(x):
    return np.sum(x * 0.5 + 2.0 / x)


def test_constants_beside_single_numbers_are_single():
    """A plain number would make the arithmetic of machine code double."""
    given = np.ones((4, 3), np.float32)
    pair = both(Request("value_and_grad", halved, (0,), single=False), (given,), 1)
    assert "np.float32(0.5)" in pair.text
    assert "np.float32(2.0)" in pair.text
    assert compare(pair, (given,)) == "equal"
    double = both(Request("value_and_grad", halved, (0,), single=False), (np.ones((4, 3)),), 1)
    assert "* 0.5" in double.text
