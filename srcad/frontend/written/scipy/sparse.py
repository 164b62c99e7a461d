"""Sparse matrices of SciPy's: their compressed form and its operations, read in place of SciPy's.

A = csr_matrix((v, (i, j)), shape)      place, indices, indptr = sparse_places(i, j, shape, False)
                                        data = bincount(place, v, minlength=len(indices))
A @ x                                   sparse_product(data, indices, indptr, x, shape, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.written import beyond


class Matrix:
    """A matrix of which the compressed form is known, but not read: `*` is the product."""

    ndim = 2
    __array_ufunc__ = None  # a dense matrix on the left leaves the product to this one

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: Any, by_columns: bool) -> None:
        self._data = data
        self._indices = indices
        self._indptr = indptr
        self.shape = shape
        self._by_columns = by_columns

    def _class(self) -> Any:
        """The class of what is like it; `type` gives SciPy's."""
        return Matrix

    def _with(self, data: Any) -> Any:
        """A matrix with entries at the same places."""
        return self._class()(data, self._indices, self._indptr, self.shape, self._by_columns)

    def _entries(self) -> Any:
        """The row and the column of each entry."""
        counts = self._indptr[1:] - self._indptr[:-1]
        major = np.repeat(np.arange(len(self._indptr) - 1), counts)
        return (self._indices, major) if self._by_columns else (major, self._indices)

    def __bool__(self) -> Any:
        if self.shape != (1, 1):
            ways = "Use a.any() or a.all()."
            what = "The truth value of an array with more than one element is ambiguous."
            raise ValueError(f"{what} {ways}")
        return self._data.size != 0

    def __eq__(self, other: object) -> Any:
        beyond("a comparison of sparse matrices")

    def __ne__(self, other: object) -> Any:
        beyond("a comparison of sparse matrices")

    @property
    def dtype(self) -> Any:
        return self._data.dtype

    @property
    def T(self) -> Any:
        return self.transpose()

    def transpose(self) -> Any:
        shape = (self.shape[1], self.shape[0])
        return self._class()(self._data, self._indices, self._indptr, shape, not self._by_columns)

    def copy(self) -> Any:
        return self._with(self._data.copy())

    def _compressed(self, by_columns: bool) -> Any:
        cls = CompressedArray if isinstance(self, Array) else Compressed
        if by_columns == self._by_columns:
            if isinstance(self, Compressed):
                return self
            return cls(self._data, self._indices, self._indptr, self.shape, by_columns)
        rows, columns = self._entries()
        return from_entries(cls, self._data, rows, columns, self.shape, by_columns)

    def tocsr(self) -> Any:
        return self._compressed(False)

    def tocsc(self) -> Any:
        return self._compressed(True)

    def toarray(self) -> Any:
        dense = np.zeros(self.shape, self._data.dtype)
        np.add.at(dense, self._entries(), self._data)
        return dense

    def diagonal(self) -> Any:
        rows, columns = self._entries()
        found = np.zeros(self.shape[0], self._data.dtype)
        np.add.at(found, rows, np.where(rows == columns, self._data, 0.0))
        return found[: min(self.shape[0], self.shape[1])]

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if dtype is not None or out is not None:
            beyond("`sum` of a sparse matrix with `dtype=` or `out=`")
        if axis is None:
            return np.sum(self._data)
        if not isinstance(self, Array):
            beyond("`sum` along an axis of what is no sparse array, an `np.matrix`,")
        along = self if axis in (1, -1) else self.transpose()
        return along @ np.ones(along.shape[1], np.sum(self._data[:0]).dtype)

    def dot(self, other: Any) -> Any:
        return self * other if np.ndim(other) == 0 else self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            return NotImplemented
        x = _operand(other)
        return runtime.sparse_product(
            self._data, self._indices, self._indptr, x, self.shape, self._by_columns
        )

    def __rmatmul__(self, other: Any) -> Any:
        return np.transpose(self.transpose() @ np.transpose(_operand(other)))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            return NotImplemented
        return self._with(self._data * other) if np.ndim(other) == 0 else self @ other

    def __rmul__(self, other: Any) -> Any:
        return self._with(other * self._data) if np.ndim(other) == 0 else other @ self

    def __truediv__(self, other: Any) -> Any:
        return self._with(self._data / other) if np.ndim(other) == 0 else NotImplemented

    def __imul__(self, other: Any) -> Any:
        if np.ndim(other):
            return NotImplemented
        data = self._data
        data *= other
        return self

    def __itruediv__(self, other: Any) -> Any:
        if np.ndim(other):
            return NotImplemented
        self *= 1.0 / other
        return self

    def __neg__(self) -> Any:
        return self._with(-self._data)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Matrix) or other.shape != self.shape:
            return NotImplemented
        if isinstance(other, Compressed) and not isinstance(self, Compressed):
            return self.tocsr() + other
        rows, columns = self._entries()
        more_rows, more_columns = other._entries()
        data = np.concatenate((self._data, other._data))
        rows, columns = np.concatenate((rows, more_rows)), np.concatenate((columns, more_columns))
        return from_entries(self._class(), data, rows, columns, self.shape, self._by_columns)

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if isinstance(other, Matrix) else NotImplemented


class Array(Matrix):
    """A sparse array: `*` is by entries."""

    def _class(self) -> Any:
        return Array

    def __mul__(self, other: Any) -> Any:
        return self._with(self._data * other) if np.ndim(other) == 0 else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return self._with(other * self._data) if np.ndim(other) == 0 else NotImplemented


class Compressed(Matrix):
    """`csr_matrix`, or `csc_matrix` where it is compressed by columns."""

    def _class(self) -> Any:
        return Compressed

    @property
    def data(self) -> Any:
        return self._data

    @property
    def indices(self) -> Any:
        return self._indices

    @property
    def indptr(self) -> Any:
        return self._indptr

    @property
    def nnz(self) -> Any:
        return len(self._data)

    @property
    def format(self) -> str:
        return "csc" if self._by_columns else "csr"


class CompressedArray(Compressed, Array):
    """`csr_array`, `csc_array`."""

    def _class(self) -> Any:
        return CompressedArray


# Making them -------------------------------------------------------------------------------------


def _operand(x: Any) -> Any:
    """A factor of a product, which is no number."""
    found = np.asarray(x)
    if found.ndim == 0:
        raise ValueError("Scalar operands are not allowed, use '*' instead")
    return found


def from_entries(
    cls: Any, values: Any, rows: Any, columns: Any, shape: Any, by_columns: bool
) -> Any:
    """A matrix by its entries; those at one place add up."""
    place, indices, indptr = runtime.sparse_places(rows, columns, shape, by_columns)
    data = np.zeros(len(indices), values.dtype)
    np.add.at(data, place, values)
    return cls(data, indices, indptr, shape, by_columns)


def _made(cls: Any, given: Any, shape: Any, by_columns: bool, dtype: Any) -> Any:
    if isinstance(given, Matrix):
        made = given._compressed(by_columns)
        data = made._data.copy() if dtype is None else made._data.astype(dtype)
        return cls(data, made._indices, made._indptr, made.shape, by_columns)
    if not isinstance(given, tuple):
        dense = np.asarray(given, dtype)
        if shape is not None and shape != dense.shape:
            beyond("a sparse matrix of a dense one with another `shape=`")
        data, *places = runtime.sparse_form(dense, by_columns)
        return cls(runtime.entries_of_fixed(data, dense), *places, dense.shape, by_columns)
    if len(given) == 3:
        data, indices, indptr = given
        found = np.asarray(data, dtype), np.asarray(indices), np.asarray(indptr)
        return cls(*found, shape, by_columns)
    values, (rows, columns) = given
    entries = (np.asarray(values, dtype), np.asarray(rows), np.asarray(columns))
    return from_entries(cls, *entries, shape, by_columns)


def csr_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
    return _made(Compressed, arg1, shape, False, dtype)


def csc_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
    return _made(Compressed, arg1, shape, True, dtype)


def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
    return _made(CompressedArray, arg1, shape, False, dtype)


def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> Any:
    return _made(CompressedArray, arg1, shape, True, dtype)


def _in_format(made: Any, format: Any) -> Any:
    if format is None or format == "dia":
        return made
    return made.tocsc() if format == "csc" else made.tocsr()


def _identity(cls: Any, n: int, format: Any) -> Any:
    made = cls(np.ones(n), np.arange(n), np.arange(n + 1), (n, n), format == "csc")
    return _in_format(made, format)


def identity(n: int, dtype: Any = "d", format: Any = None) -> Any:
    return _identity(Matrix, n, format)


def eye(m: int, n: Any = None, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return _identity(Matrix, m, format)


def eye_array(m: int, n: Any = None, *, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    return _identity(Array, m, format)


def _diagonals(cls: Any, diagonals: Any, offsets: Any, shape: Any, by_columns: bool) -> Any:
    values, rows, columns = [], [], []
    for diagonal, offset in zip(diagonals, offsets, strict=True):
        length = min(shape[0] + min(offset, 0), shape[1] - max(offset, 0))
        first = np.arange(length)
        values.append(np.broadcast_to(_numbers(diagonal), (length,)))
        rows.append(first - min(offset, 0))
        columns.append(first + max(offset, 0))
    return from_entries(
        cls, np.concatenate(values), np.concatenate(rows), np.concatenate(columns), shape,
        by_columns,
    )  # fmt: skip


def _numbers(diagonal: Any) -> Any:
    """A diagonal in a dtype that `np.common_type` gives, as SciPy asks it: of ints, floats."""
    values = np.asarray(diagonal)
    if values.dtype.kind == "b":
        raise TypeError("can't get common type for non-numeric array")
    return values.astype(float) if values.dtype.kind in "iu" else values


def _of_diagonals(
    cls: Any, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any
) -> Any:
    if isinstance(offsets, int):
        if len(diagonals) and np.ndim(diagonals[0]):
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [diagonals], [offsets]
    if dtype is None and any([np.asarray(each).dtype.kind in "iu" for each in diagonals]):
        beyond("`diags` of ints with `dtype=None`, which SciPy's versions take for several dtypes,")
    if shape is None:
        n = len(diagonals[0]) + abs(offsets[0])
        shape = (n, n)
    return _in_format(_diagonals(cls, diagonals, offsets, shape, format == "csc"), format)


def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = ""
) -> Any:
    return _of_diagonals(Matrix, diagonals, offsets, shape, format, dtype)


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: Any = None,
    format: Any = None,
    dtype: Any = "",
) -> Any:
    return _of_diagonals(Array, diagonals, offsets, shape, format, dtype)


# Systems -----------------------------------------------------------------------------------------
