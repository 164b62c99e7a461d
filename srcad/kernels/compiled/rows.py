"""Rows of tables, and gradients that are zero but for some, by compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels import rows as plain
from srcad.kernels.compiled.adding_rows import add_rows, copy_rows, find_rows
from srcad.kernels.recycled import empty
from srcad.kernels.threads import scratch

Array = NDArray[Any]

# Rows there are, for each that is named: with more of them sorting is less work than a table.
_SCARCE = 64


class SparseRows(plain.SparseRows):
    """As `srcad.kernels.SparseRows`."""

    __slots__ = ()

    def summed(self) -> tuple[Array, Array]:
        """The rows, each once and in order, and the sums of their values."""
        n, m, dtype = self.shape[0], len(self.rows), self.dtype
        if dtype not in (np.float32, np.float64) or not dtype.isnative or n > _SCARCE * m:
            return super().summed()
        rows = np.ascontiguousarray(self.rows, np.int64)
        table = scratch((n + m + 1,), np.int64)
        places, found = table[:n], table[n:]
        find_rows(dtype)(rows, places, found)
        named = found[1 : 1 + int(found[0])].copy()
        sums = np.zeros((len(named), *self.shape[1:]), dtype)
        values = np.ascontiguousarray(self.values).reshape(-1)
        add_rows(dtype)(values, rows, places, values.size // m, sums.reshape(-1))
        return named, sums


def embedding(table: Array, ids: Array) -> Array:
    """The rows that `ids` name, as `srcad.kernels.embedding`."""
    ids = np.asarray(ids)
    takes = table.dtype in (np.float32, np.float64) and table.dtype.isnative
    if not takes or not table.flags.c_contiguous or ids.dtype.kind not in "iu" or not table.size:
        return plain.embedding(table, ids)
    y, missing = empty((*ids.shape, *table.shape[1:]), table.dtype), np.zeros(1, np.int64)
    rows = np.ascontiguousarray(ids, np.int64).reshape(-1)
    sizes = len(table), table.size // len(table)
    copy_rows(table.dtype)(table.reshape(-1), rows, *sizes, y.reshape(-1), missing)
    return plain.embedding(table, ids) if missing[0] else y  # which says what is not there


def scatter_rows(values: Array, shape: tuple[int, ...], rows: Array) -> Array:
    """Zeros of `shape` with `values` added at `rows`, as `srcad.kernels.scatter_rows`."""
    return np.asarray(SparseRows(rows, values, shape))


def summed_rows(values: Array, shape: tuple[int, ...], rows: Array) -> tuple[Array, Array]:
    """The rows there are and what they hold, as `srcad.kernels.summed_rows`."""
    return SparseRows(rows, values, shape).summed()


__all__ = ["SparseRows", "embedding", "scatter_rows", "summed_rows"]
