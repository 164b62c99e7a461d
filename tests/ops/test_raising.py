"""Which operations may raise by the values of their arguments."""

import math
import operator

import numpy as np
import pytest

import srcad
from srcad import runtime
from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.types import Dim
from srcad.ops.raising import raises_by_value
from srcad.ops.subscripts import Told
from srcad.rules.core import library

_ = library  # fills the table

FLOAT, INT = Value("a", NumberType(float)), Value("k", NumberType(int))
VECTOR = Value("x", ArrayType(np.dtype(float), (Dim("n"),)))
OTHER = Value("y", ArrayType(np.dtype(float), (Dim("n"),)))
WHOLE = Value("i", ArrayType(np.dtype(int), (Dim("n"),)))
TRUTHS = Value("m", ArrayType(np.dtype(bool), (Dim("n"),)))
MATRIX = Value("A", ArrayType(np.dtype(float), (Dim("n"), Dim("n"))))


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        (operator.getitem, (VECTOR, 0), True),
        (operator.getitem, (VECTOR, INT), True),
        (operator.getitem, (VECTOR, WHOLE), True),
        (operator.getitem, (VECTOR, slice(INT, None)), False),
        (operator.getitem, (VECTOR, slice(None, None, INT)), True),
        (operator.getitem, (VECTOR, (None, Ellipsis)), False),
        (operator.getitem, (VECTOR, TRUTHS), False),
        (operator.getitem, (VECTOR, slice(FLOAT, None)), True),
        (operator.getitem, (VECTOR, slice(None, 2.0)), True),
        (operator.getitem, (MATRIX, (Ellipsis, Ellipsis)), True),
        (runtime.index_update, (VECTOR, INT, FLOAT), True),
        (operator.truediv, (FLOAT, FLOAT), True),
        (operator.truediv, (FLOAT, 2), False),
        (operator.truediv, (FLOAT, 0), True),
        (operator.truediv, (VECTOR, FLOAT), False),
        (operator.mod, (INT, INT), True),
        (operator.pow, (FLOAT, 2), False),
        (operator.pow, (FLOAT, -1), True),
        (operator.pow, (FLOAT, FLOAT), True),
        (operator.pow, (VECTOR, FLOAT), False),
        (operator.pow, (WHOLE, INT), True),
        (operator.lshift, (INT, INT), True),
        (operator.lshift, (INT, 3), False),
        (operator.add, (FLOAT, FLOAT), False),
        (int, (FLOAT,), True),
        (int, (INT,), False),
        (math.log, (FLOAT,), True),
        (math.tanh, (FLOAT,), False),
        (np.log, (VECTOR,), False),
        (np.sum, (VECTOR,), False),
        (np.arange, (0, 3, INT), True),
        (np.arange, (INT,), False),
        (np.zeros, (-1,), True),
        (np.zeros, (INT,), True),
        (np.zeros, (3,), False),
        (np.ones, ((2, INT),), True),
        (np.full, ((2, Value("n", NumberType(int, Dim("n")))), FLOAT), False),
        (np.take, (VECTOR, WHOLE), True),
        (np.linalg.inv, (MATRIX,), True),
        (np.linalg.det, (MATRIX,), False),
        (np.linalg.norm, (MATRIX,), False),
        (np.linalg.norm, (MATRIX, 2), True),
        (operator.methodcaller("hex"), (FLOAT,), True),
    ],
)
def test_what_may_raise_by_its_values(fn, args, expected):
    assert raises_by_value(Op(fn, args)) is expected


ARRAYS = (np.array([1.0, 2.0]), np.array(2))
CONSTANTS = (*ARRAYS, np.float64(0.0), 2, 0.0, 1j, True, [1.0, 2.0], (1, 2))
OPERATORS = (
    *(operator.truediv, operator.floordiv, operator.mod, divmod),
    *(operator.pow, np.power, operator.lshift, operator.rshift),
)


@pytest.mark.parametrize("fn", OPERATORS)
@pytest.mark.parametrize("constant", CONSTANTS, ids=repr)
@pytest.mark.parametrize("value", [FLOAT, INT, VECTOR])
def test_a_constant_of_any_kind_has_an_answer(fn, constant, value):
    assert raises_by_value(Op(fn, (value, constant))) in (True, False)
    assert raises_by_value(Op(fn, (constant, value))) in (True, False)


def dots(x):
    np.outer(x, x)[..., ...] *= 2.0
    return np.sum(x)


def from_a_float(x):
    x[x[0] :]
    return np.sum(x)


def up_to_a_float(x):
    (x * 2)[: x[0]] = 1.0
    return np.sum(x)


@pytest.mark.parametrize("fn", [dots, from_a_float, up_to_a_float])
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_subscripts_that_nothing_reads_raise(fn, transform):
    x = np.array([1.0, 2.0])
    with pytest.raises((IndexError, TypeError)) as wanted:
        fn(x)
    with pytest.raises(wanted.type):
        transform(fn)(x)


def subscript(x, index):
    return Op(operator.getitem, (x, index), {}, (Value("", NumberType(float)),))


@pytest.mark.parametrize(
    ("noted", "asked", "expected"),
    [
        ((VECTOR, INT), (OTHER, INT), True),
        ((VECTOR, INT), (MATRIX, INT), False),
        ((VECTOR, 3), (VECTOR, 2), True),
        ((VECTOR, 2), (VECTOR, 3), False),
        ((VECTOR, 3), (VECTOR, -3), False),
    ],
)
def test_what_one_subscript_tells_of_another(noted, asked, expected):
    outer = Told()
    outer.note(subscript(*noted))
    assert Told(outer).tells(subscript(*asked)) is expected
