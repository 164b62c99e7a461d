import numpy as np
import pytest

from srcad.ir import ArrayType, NumberType, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms
from srcad.ir.kinds import (
    holds_ints,
    index_parts,
    is_array,
    is_int_scalar,
    is_integer,
    is_python_int,
)
from srcad.ir.nodes import Block

INT, BOOL = Value("i", NumberType(int)), Value("b", NumberType(bool))
SHORT = Value("n", ArrayType(np.dtype("int32"), (), True))
IN_MEMORY = Value("m", ArrayType(np.dtype("int64"), ()))
ROW = Value("x", ArrayType(np.dtype("float64"), (3,)))


@pytest.mark.parametrize(
    ("atom", "of_python", "integer", "array"),
    [
        (INT, True, True, False), (BOOL, False, False, False), (SHORT, False, True, False),
        (IN_MEMORY, False, True, True), (ROW, False, False, True), (3, True, True, False),
        (True, False, False, False), (np.int64(3), False, True, False),
        (2.0, False, False, False), (np.zeros(2), False, False, False),
    ],
)  # fmt: skip
def test_what_an_atom_is(atom, of_python, integer, array):
    found = is_python_int(atom), is_int_scalar(atom), is_array(atom)
    assert found == (of_python, integer, array)
    assert holds_ints(atom) is integer


def test_times_are_no_integers():
    assert is_integer(np.int8(3))
    assert not is_integer(np.timedelta64(3))
    assert not holds_ints(np.timedelta64(3, "D"))


def test_arrays_of_integers_hold_ints():
    assert holds_ints(Value("p", ArrayType(np.dtype("uint8"), (3, 4))))
    assert not is_int_scalar(Value("p", ArrayType(np.dtype("uint8"), (3, 4))))


def test_the_parts_of_an_index_and_their_forms():
    assert index_parts(INT) == (INT,)
    assert index_parts((INT, slice(None))) == (INT, slice(None))
    assert Forms(Block([], [], [])).place((INT, 2, slice(None))) == (
        Affine.of(INT), Affine(2), None,
    )  # fmt: skip
