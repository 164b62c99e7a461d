"""Samples in files for training: batches that are read ahead, and the columns of Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from srcad.forks import lock
from srcad.parallel.splitting import check_split, part_of
from srcad.parallel.storage import ahead, as_stored, read


def batches(data: Any, size: int, rng: np.random.Generator | None = None) -> Iterator[Any]:
    """Parts of so many samples, one after the other; a thread reads the next one meanwhile.

    Args:
        data: an array with the samples along its first axis, or a tuple, list or dict of arrays:
            of NumPy, in files (`np.memmap`, Zarr, HDF5), of Dask, `parquet(...)`.
        size: samples of a batch; the last one may have fewer.
        rng: takes the batches in another order. Samples that lie together stay together.

    Returns:
        An iterator of arrays, or of containers like `data`.

    Raises:
        ValueError: `size` is below 1.
        ArgumentValueError: E323, arrays of different lengths.

    >>> import numpy as np
    >>> from srcad.parallel import batches
    >>> for x, y in batches((np.arange(5), np.arange(5) ** 2), size=2):
    ...     print(x, y)
    [0 1] [0 1]
    [2 3] [4 9]
    [4] [16]
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"size={size!r}: a batch has at least one sample")
    data = as_stored(data)
    n = check_split([("data", data)])
    starts = np.arange(0, n, size)
    if rng is not None:
        rng.shuffle(starts)
    yield from ahead([partial(_batch, data, int(k), min(int(k) + size, n)) for k in starts])


def _batch(data: Any, start: int, stop: int) -> Any:
    return read(part_of(data, start, stop))


class Parquet:
    """Columns of Parquet files as the columns of one array; see `parquet`."""

    def __init__(self, paths: Sequence[Path], columns: str | Sequence[str]) -> None:
        from pyarrow.parquet import ParquetFile

        self._files = [ParquetFile(path) for path in paths]
        self._lock = lock()  # Arrow's readers of a file serve one thread at a time
        self._names = [columns] if isinstance(columns, str) else list(columns)
        self._groups = [
            (file, k, file.metadata.row_group(k).num_rows)
            for file in self._files
            for k in range(file.num_row_groups)
        ]
        schema = self._files[0].schema_arrow
        types = [schema.field(name).type.to_pandas_dtype() for name in self._names]
        self.dtype = np.result_type(*types)
        n = sum(rows for *_, rows in self._groups)
        self.shape: tuple[int, ...] = (n,) if isinstance(columns, str) else (n, len(self._names))
        self.ndim = len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype)

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise ValueError("rows are read one after the other")
        out = np.empty((max(stop - start, 0), *self.shape[1:]), self.dtype)
        first = 0
        for file, k, count in self._groups:
            a, b = max(start, first), min(stop, first + count)
            if a < b:
                with self._lock:
                    table = file.read_row_group(k, self._names)
                self._fill(out[a - start : b - start], table.slice(a - first, b - a))
            first += count
        return out

    def _fill(self, out: np.ndarray, table: Any) -> None:
        for k, name in enumerate(self._names):
            column = table.column(name)
            if column.null_count:
                raise ValueError(f"column {name!r} has {column.null_count} rows without a value")
            target = out[:, k] if out.ndim > 1 else out
            target[:] = column.to_numpy()


def parquet(path: str | Path | Sequence[str | Path], columns: str | Sequence[str]) -> Parquet:
    """Columns of Parquet files, by Arrow, to be read in parts.

    Args:
        path: a file, a folder of them, which are taken by their names, or several files.
        columns: a name for an array with one axis, several for one with a column for each.

    Returns:
        What `over=` takes, and `batches`.

    Raises:
        ImportError: PyArrow is not installed.
    """
    paths = [Path(each) for each in ([path] if isinstance(path, str | Path) else path)]
    files = [f for p in paths for f in (sorted(p.glob("*.parquet")) if p.is_dir() else [p])]
    if not files:
        raise FileNotFoundError(f"no Parquet file in {', '.join(map(str, paths))}")
    return Parquet(files, columns)


__all__ = ["Parquet", "batches", "parquet"]
