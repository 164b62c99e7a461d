"""Sums of rows by compiled loops against those by sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcad import kernels

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import compiled

RNG = np.random.default_rng(0)


def both(rows: Any, values: Any, shape: Any) -> Any:
    return compiled.SparseRows(rows, values, shape), kernels.SparseRows(rows, values, shape)


def assert_same(found: Any, expected: Any) -> None:
    tolerance = 1e-12 if expected.dtype == np.float64 else 1e-5
    (rows, values), (wanted, sums) = found.summed(), expected.summed()
    np.testing.assert_array_equal(rows, wanted)
    np.testing.assert_allclose(values, sums, rtol=tolerance, atol=tolerance)
    assert values.dtype == sums.dtype
    assert np.array(found).shape == found.shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ids", [np.int64, np.uint16, np.int8])
@pytest.mark.parametrize("trailing", [(), (5,), (2, 3)])
def test_rows_in_any_number_and_order(dtype: Any, ids: Any, trailing: Any) -> None:
    for n, m in ((1, 1), (7, 20), (100, 30), (100, (4, 5))):
        low = 0 if ids is np.uint16 else -n
        rows = RNG.integers(low, n, m).astype(ids)
        values = RNG.standard_normal((*rows.shape, *trailing)).astype(dtype)
        assert_same(*both(rows, values, (n, *trailing)))


def test_what_the_loops_do_not_take() -> None:
    none = np.zeros(0, int)
    assert_same(*both(none, np.zeros((0, 3)), (5, 3)))
    assert_same(*both(np.array([99_999, 1, 99_999]), np.ones((3, 2)), (100_000, 2)))
    assert_same(*both(np.array([1, 1]), np.ones((2, 2), int), (3, 2)))
    assert_same(*both(np.array([1, 1]), np.ones((2, 2), complex), (3, 2)))
    assert_same(*both(np.array([1, 1]), np.ones((2, 2), ">f8"), (3, 2)))
    with pytest.raises(IndexError, match="row 3 is out of bounds for 3 rows"):
        compiled.SparseRows(np.array([3]), np.ones((1, 2)), (3, 2))


def test_values_in_any_layout() -> None:
    values = RNG.standard_normal((3, 8)).T
    values.flags.writeable = False
    assert_same(*both(RNG.integers(0, 4, 8), values, (4, 3)))


def test_sums_and_multiples_are_of_the_same_kind() -> None:
    a, _ = both(np.array([1, 1]), np.ones((2, 2)), (3, 2))
    for made in (2 * a, a / 2, -a, a + a, a - a):
        assert type(made) is compiled.SparseRows
    np.testing.assert_array_equal(np.asarray(a + a), [[0, 0], [4, 4], [0, 0]])


def test_scattered_rows() -> None:
    rows, values = RNG.integers(0, 9, (4, 5)), RNG.standard_normal((4, 5, 2))
    found = compiled.scatter_rows(values, (9, 2), rows)
    np.testing.assert_allclose(found, kernels.scatter_rows(values, (9, 2), rows), rtol=1e-12)
    assert type(found) is np.ndarray


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ids", [np.int64, np.uint16, np.int8])
def test_rows_that_are_read(dtype: Any, ids: Any) -> None:
    for shape in ((9,), (9, 1), (30, 5), (30, 16), (30, 50), (4, 3, 20)):
        table = RNG.standard_normal(shape).astype(dtype)
        rows = RNG.integers(0 if ids is np.uint16 else -shape[0], shape[0], (6, 7)).astype(ids)
        for given in (rows, rows.T, rows[:0]):
            found = compiled.embedding(table, given)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, table[given])


def test_rows_that_are_not_there() -> None:
    table = RNG.standard_normal((5, 3))
    for wrong in (5, -6, 1 << 40):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
            compiled.embedding(table, np.array([0, wrong]))


def test_tables_that_the_loops_do_not_take() -> None:
    ids = np.array([1, 0, 1])
    for table in (
        np.arange(6).reshape(2, 3),
        np.ones((3, 2)).T,
        np.ones((2, 0)),
        np.ones((2, 2), ">f8"),
    ):
        np.testing.assert_array_equal(compiled.embedding(table, ids), table[ids])
