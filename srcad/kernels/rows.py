"""Rows of tables: embedding, and gradients that are zero but for some rows.

    embedding(table, ids)                       table[ids]
    SparseRows(rows, values, table.shape)       zeros, with `values` added at `rows`

Of a table of ten thousand rows a sample reads a hundred: the gradient says which, and an optimiser
changes those alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

Array = NDArray[Any]


def embedding(table: Array, ids: Array) -> Array:
    """The rows of table (n, ...) that ids, integers of any shape, name."""
    return np.take(table, ids, axis=0)


def scatter_rows(values: Array, shape: tuple[int, ...], rows: Array) -> Array:
    """Zeros of `shape` with `values` added at `rows`: transposes `embedding`."""
    return np.asarray(SparseRows(rows, values, shape))


def summed_rows(values: Array, shape: tuple[int, ...], rows: Array) -> tuple[Array, Array]:
    """Which rows of `scatter_rows(values, shape, rows)` there are, each once and in order, and
    what they hold.
    """
    return SparseRows(rows, values, shape).summed()


class SparseRows(NDArrayOperatorsMixin):
    """An array that is zero but for some rows.

    `rows` (m,) says which, `values` (m, ...) what they hold; where a row is named twice, its values
    add up. `np.asarray` gives the whole array. NumPy's functions and operators take it as that one,
    and it has an array's attributes and methods: what they return is whole, and what would be a
    view is read-only. Sums, multiples, copies and casts are some rows as well.
    """

    __slots__ = ("rows", "shape", "values")

    def __init__(self, rows: Array, values: Array, shape: tuple[int, ...]) -> None:
        if np.shape(values) != (*np.shape(rows), *shape[1:]):
            raise ValueError(
                f"SparseRows: rows {np.shape(rows)} of an array {tuple(shape)} want values "
                f"of shape {(*np.shape(rows), *shape[1:])}, got {np.shape(values)}"
            )
        self.shape = tuple(shape)
        self.rows = np.array(rows).reshape(-1)  # the caller may change his
        self.values = np.asarray(values).reshape(len(self.rows), *self.shape[1:])
        n = self.shape[0]
        if self.rows.size and not -n <= self.rows.min() <= self.rows.max() < n:
            wrong = next(row for row in self.rows if not -n <= row < n)
            raise IndexError(f"SparseRows: row {wrong} is out of bounds for {n} rows")

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of axes of the whole array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries of the whole array."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"SparseRows({len(self.rows)} rows of {self.shape}, {self.dtype})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("SparseRows: the whole array is a new one, copy=False cannot be had")
        rows, values = self.summed()
        whole = np.zeros(self.shape, self.dtype if dtype is None else dtype)
        whole[rows] = values
        return whole

    def summed(self) -> tuple[Array, Array]:
        """The rows, each once and in order, and the sums of their values."""
        rows = np.where(self.rows < 0, self.rows + self.shape[0], self.rows)
        # NumPy sorts numbers of two bytes by their digits, in a tenth of the time.
        short = rows.astype(np.uint16) if self.shape[0] <= 1 << 16 else rows
        order = np.argsort(short, kind="stable")
        rows, values = rows[order], np.take(self.values, order, axis=0)
        starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if rows.size else rows
        values = np.add.reduceat(values, starts, axis=0) if rows.size else self.values
        return rows[starts], values

    # As an array --------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Attributes and methods of arrays, of the whole one; in this one they change nothing."""
        if name.startswith("_") or name in SparseRows.__slots__ or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        whole = np.asarray(self)
        whole.flags.writeable = False
        return getattr(whole, name)

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def __setitem__(self, index: Any, values: Any) -> None:
        whole = np.asarray(self)
        whole[index] = values
        self._hold(whole)

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __contains__(self, value: object) -> bool:
        return value in np.asarray(self)

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __float__(self) -> float:
        return float(np.asarray(self))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def copy(self) -> SparseRows:
        """The same rows in memory of their own."""
        return type(self)(self.rows, np.array(self.values), self.shape)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> SparseRows:
        return self.copy()

    def astype(self, dtype: Any, **options: Any) -> SparseRows:
        """The rows in another dtype; options as of an array's `astype`."""
        rows, values = self.summed()
        return type(self)(rows, values.astype(dtype, **options), self.shape)

    # Operators ----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == (np.asarray(other) if isinstance(other, SparseRows) else other)

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != (np.asarray(other) if isinstance(other, SparseRows) else other)

    __hash__ = None  # type: ignore[assignment]  # mutable, as arrays: `object` has a method here

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Sums and multiples are some rows as well; with all else the array is whole."""
        into = options.get("out", ())
        if method == "__call__" and options.keys() <= {"out"} and len(into) < 2:
            found = self._few(ufunc, *inputs)
            if found is not None and not into:
                return found
            if found is not None and isinstance(into[0], SparseRows):
                return into[0]._take(found)
        whole = [np.asarray(x) if isinstance(x, SparseRows) else x for x in inputs]
        outs = tuple(np.asarray(x) if isinstance(x, SparseRows) else x for x in into)
        if outs:
            options["out"] = outs
        result = getattr(ufunc, method)(*whole, **options)
        changed = [*zip(into, outs, strict=True)]
        changed += [(inputs[0], whole[0])] if method == "at" else []
        for x, made in changed:
            if isinstance(x, SparseRows):
                x._hold(made)
        return result if not into else into[0] if len(into) == 1 else into

    def _few(self, ufunc: np.ufunc, a: Any, b: Any = 1) -> SparseRows | None:
        """The result where it is zero in all other rows, else None."""
        if ufunc is np.multiply and isinstance(a, SparseRows) and _is_finite(b):
            return type(self)(a.rows, a.values * b, a.shape)
        if ufunc is np.multiply and isinstance(b, SparseRows) and _is_finite(a):
            return type(self)(b.rows, a * b.values, b.shape)
        if ufunc is np.divide and isinstance(a, SparseRows) and _is_finite(b) and b != 0:
            return type(self)(a.rows, a.values / b, a.shape)
        if ufunc is np.negative:
            return type(self)(self.rows, -self.values, self.shape)
        of_both = isinstance(a, SparseRows) and isinstance(b, SparseRows) and a.shape == b.shape
        if ufunc not in (np.add, np.subtract) or not of_both:
            return None
        rows = np.concatenate((a.rows, b.rows))
        return type(self)(rows, np.concatenate((a.values, ufunc(0, b.values))), self.shape)

    def _take(self, other: SparseRows) -> SparseRows:
        """Become another one of the same shape, in the own dtype."""
        if other.shape != self.shape:
            raise ValueError(f"SparseRows: a result of {other.shape} does not fit {self.shape}")
        values = other.values.astype(self.dtype, casting="same_kind", copy=False)
        self.rows, self.values = other.rows, values
        return self

    def _hold(self, whole: Array) -> None:
        """Become a whole array: each of its rows."""
        self.rows, self.values = np.arange(len(whole)), whole


def _is_finite(x: Any) -> bool:
    """Whether `x` is a finite number: times that, or by that, zeros stay zeros."""
    number = isinstance(x, int | float | complex | np.number)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        number = x.dtype.kind in "iufc"
    return number and bool(np.isfinite(x))


__all__ = ["SparseRows", "embedding", "scatter_rows", "summed_rows"]
