"""Arrays that lie in files: a part is read when it is computed, or a little before.

x = zarr.open("x.zarr")           rows a to b are `x[a:b]`, read where the part is computed
x = np.memmap("x", ...)           likewise; what is read is a copy, and the file's pages are let go

Everything with a shape, a dtype and slices will do: Zarr, HDF5, Dask arrays, `parquet(...)`.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from srcad.api.arguments.trees import leaves, map_leaves

T = TypeVar("T")
_READER = "srcad-reads-ahead"


class Stored:
    """Some rows of an array in a file. Sent to another process, it is read here."""

    def __init__(self, source: Any, start: int, stop: int) -> None:
        self.source = source
        self.start = start
        self.stop = stop
        self.dtype = np.dtype(source.dtype)
        self.shape = (stop - start, *source.shape[1:])
        self.ndim = len(self.shape)

    def __len__(self) -> int:
        return self.stop - self.start

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.read() if dtype is None else self.read().astype(dtype)

    def __getitem__(self, rows: slice) -> Stored:
        start, stop, _ = rows.indices(len(self))
        return Stored(self.source, self.start + start, self.start + max(start, stop))

    def __reduce__(self) -> Any:
        return np.asarray, (self.read(),)

    def read(self) -> np.ndarray:
        """The rows, in memory of their own."""
        x = np.array(self.source[self.start : self.stop])
        if x.shape != self.shape or x.dtype != self.dtype:
            told = f"{self.dtype} of shape {self.shape}, got {x.dtype} of shape {x.shape}"
            raise ValueError(f"rows {self.start} to {self.stop} of a stored array: expected {told}")
        if isinstance(self.source, np.memmap):
            _let_go(self.source[self.start : self.stop])
        return x


def _let_go(rows: np.ndarray) -> None:
    """Take the pages of a file's rows out of this process; the system may keep them, or not.

    What is written to a private copy of a file is nowhere else, and stays.
    """
    file = getattr(rows, "_mmap", None)
    if not isinstance(file, mmap.mmap) or getattr(rows, "mode", "c") == "c" or not rows.size:
        return
    begin = np.frombuffer(file, np.uint8).__array_interface__["data"][0]
    first, last = np.lib.array_utils.byte_bounds(rows)
    first = -(-(first - begin) // mmap.PAGESIZE) * mmap.PAGESIZE
    if hasattr(mmap, "MADV_DONTNEED") and last - begin > first:
        file.madvise(mmap.MADV_DONTNEED, first, last - begin - first)


def is_stored(x: Any) -> bool:
    """Whether something is an array of which rows can be read."""
    if isinstance(x, np.ndarray):
        return isinstance(x, np.memmap) and x.ndim > 0
    shape = getattr(x, "shape", None)
    return (
        isinstance(shape, tuple)
        and len(shape) > 0
        and all(isinstance(n, int) for n in shape)  # a Dask array may not know its length
        and isinstance(getattr(x, "dtype", None), np.dtype)
        and hasattr(x, "__getitem__")
        and not hasattr(x, "iloc")  # tables have slices by label
    )


def as_stored(tree: Any) -> Any:
    """An argument with each stored array in it as a leaf."""
    if type(tree) is dict:
        return {key: as_stored(item) for key, item in tree.items()}
    if type(tree) in (list, tuple):
        return type(tree)(map(as_stored, tree))
    return Stored(tree, 0, tree.shape[0]) if is_stored(tree) else tree


def read(tree: Any) -> Any:
    """An argument with what is stored read."""
    if not any(isinstance(leaf, Stored) for leaf in leaves(tree)):
        return tree
    return map_leaves(lambda x: x.read() if isinstance(x, Stored) else x, tree)


def ahead(makers: Sequence[Callable[[], T]]) -> Generator[T, None, None]:
    """What each of them gives, made in a thread while its predecessor is used."""
    reader = ThreadPoolExecutor(1, _READER)
    try:
        coming = reader.submit(makers[0]) if makers else None
        for k in range(len(makers)):
            assert coming is not None
            found = coming.result()
            coming = reader.submit(makers[k + 1]) if k + 1 < len(makers) else None
            yield found
            del found  # or the one before it would still be there when the next one is read
    finally:
        # Where this is dropped half way, the collector may come by in the reading thread.
        is_here = threading.current_thread().name.startswith(_READER)
        reader.shutdown(wait=not is_here, cancel_futures=True)


__all__ = ["Stored", "ahead", "as_stored", "is_stored", "read"]
