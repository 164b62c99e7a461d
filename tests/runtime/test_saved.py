"""Tapes as arrays, and back."""

from __future__ import annotations

import numpy as np

from srcad.runtime.saved import tape_array, tape_column, tape_items, tape_numbers, tape_tuples

A = np.arange(6.0).reshape(3, 2)


def test_items_are_what_loops_save():
    rows = tape_items(A, 1)
    assert [type(row) for row in rows] == [np.ndarray] * 3
    assert type(tape_items(A, 2)[2][1]) is np.float64
    np.testing.assert_array_equal(tape_array(rows, A.dtype), A)
    np.testing.assert_array_equal(tape_array(tape_items(A, 2), A.dtype), A)


def test_numbers_are_python_s():
    assert tape_numbers(A) == A.tolist()
    assert type(tape_numbers(A)[0][0]) is float
    assert tape_array([True, False], np.bool_).dtype == bool


def test_tuples_have_a_column_for_each_item():
    columns = np.array([1, 2, 3]), np.array([4, 5, 6])
    tape = tape_tuples(1, *columns)
    assert tape == [(1, 4), (2, 5), (3, 6)]
    np.testing.assert_array_equal(tape_column(tape, 1, 1), columns[1])
    nested = tape_tuples(2, columns[0][:, None], columns[1][:, None])
    assert nested == [[(1, 4)], [(2, 5)], [(3, 6)]]
    np.testing.assert_array_equal(tape_column(nested, 0, 2), [[1], [2], [3]])
    shapes = [tape_column(*args).shape for args in (([], 0, 1), ([], 1, 2), ([[], []], 0, 2))]
    assert shapes == [(0,), (0, 0), (2, 0)]
