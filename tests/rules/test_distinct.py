import numpy as np
import pytest

from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.rules.arrays.distinct import names_all, names_once

ROWS = Value("rows", ArrayType(np.dtype(np.intp), (4,)))
COUNTS = Value("counts", ArrayType(np.dtype(np.intp), (4,)))
MASK = Value("mask", ArrayType(np.dtype(bool), (4,)))
I = Value("i", NumberType(int))  # noqa: E741
MADE = {COUNTS: Op(np.arange, (4,), {}, (COUNTS,))}


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (3, True),
        ((slice(1, I), None, I, Ellipsis), True),
        (MASK, True),
        (ROWS, False),
        (COUNTS, True),
        ((COUNTS, ROWS), True),
        ((ROWS, slice(None)), False),
        ((COUNTS, MASK), False),
        (np.array([2, 0, 3]), True),
        ([2, 0, 3], True),
        ((slice(None), np.array([-1, -2])), True),
        (np.array([2, 0, -1]), False),  # the last of three is the same as 2
        (np.array([1, 1]), False),
        (np.array([[True, False]]), True),
    ],
)
def test_what_names_no_entry_twice(index, expected):
    assert names_once(index, MADE) is expected


def test_distinct_rows_are_not_enough_where_columns_are_broadcast():
    columns = Value("columns", ArrayType(np.dtype(np.intp), (3, 4)))
    assert not names_once((COUNTS, columns), MADE)


def test_what_names_every_entry():
    assert all(map(names_all, (Ellipsis, slice(None), (slice(None), slice(None)))))
    assert not any(map(names_all, (0, slice(1, None), ROWS, np.array([0, 1]), (), (None, 0))))
