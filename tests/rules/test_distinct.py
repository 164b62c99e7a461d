import operator

import numpy as np
import pytest

from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.rules.arrays.distinct import names_all, names_once
from srcad.rules.core.sequences import OnlyItem

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


def _vector(name):
    return Value(name, ArrayType(np.dtype(np.intp), (4,)))


def test_places_and_what_is_made_of_them_are_distinct():
    places, some, again, narrow, r, c = map(
        _vector, ("places", "some", "again", "narrow", "r", "c")
    )
    made = {
        places: Op(OnlyItem(np.nonzero), (MASK,), {}, (places,)),
        some: Op(operator.getitem, (places, MASK), {}, (some,)),
        again: Op(operator.getitem, (places, ROWS), {}, (again,)),
        narrow: Op(np.arange, (4,), {"dtype": np.int8}, (narrow,)),
        **dict.fromkeys((r, c), Op(np.nonzero, (Value("m", MASK.type),), {}, (r, c))),
    }
    assert names_once(places, made)
    assert names_once(some, made)
    assert names_once((r, c), made)
    for repeated in (again, narrow, r, c, (c, r), (r, slice(None)), (r, ROWS)):
        assert not names_once(repeated, made)
