"""Buffer reuse by reference count: a new array takes the memory of one that is no longer used.

    x = empty((1000, 1000))      # memory of the system's, which it clears page by page
    del x
    y = empty((1000, 1000))      # the same memory, at once

Memory is kept in blocks. A new array is a view of a block that nothing else refers to: each view
of an array, wherever it went, refers to the block that it lies in. So the arrays of one call serve
the next, results included, once their owner has dropped them; and what is held has one owner.
It is safe in threads: a block is taken out of its queue while a thread looks at it.

At most `SRCAD_KEEP_BYTES` are kept, by default 1 GiB.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Block = tuple[NDArray[np.uint8], int]  # the memory, and where in it a multiple of 64 is

LEAST = 1 << 15  # bytes of an array for which looking pays
_LINE = 64  # bytes of a line in the cache, or of a register
_TRIES = 8  # blocks that are looked at
_DEFAULT = 1 << 30


def _from_environment() -> int:
    wanted = os.environ.get("SRCAD_KEEP_BYTES", "")
    if wanted and not wanted.isdecimal():
        raise ValueError(f"SRCAD_KEEP_BYTES: expected a number of bytes, got {wanted!r}")
    return int(wanted or _DEFAULT)


_limit = _from_environment()
_blocks: dict[int, deque[Block]] = {}


def empty(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """An array without entries, as `np.empty`; large ones in memory that was used before."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if not LEAST <= size <= _limit:
        return np.empty(shape, dtype)
    size = _rounded(size)
    kept = _blocks.get(size)
    block = _idle(kept) if kept else None
    if block is None:
        block, kept = _new_block(size), _queue(size)
    assert kept is not None
    made = np.ndarray(shape, dtype, *block)
    kept.append(block)  # only now: it is in use
    return made


def empty_like(x: Array) -> Array:
    """An array with the shape and the dtype of `x`, as it lies in C's order; the one that is
    offered for it, if there is one.
    """
    if _here.offers:
        for k, (y, offered) in enumerate(_here.offers):
            if x is y and x.shape == offered.shape and x.dtype == offered.dtype:
                if offered.flags.c_contiguous:
                    del _here.offers[k]
                    return offered
                break
    return empty(x.shape, x.dtype)


def product(a: Array, b: Array) -> Array:
    """`a @ b` of matrices, in memory that was used before."""
    if a.ndim == b.ndim == 2 and a.dtype == b.dtype:
        size = len(a) * b.shape[1] * a.itemsize
        if size >= LEAST and a.dtype.kind == "f":
            return np.matmul(a, b, out=empty((len(a), b.shape[1]), a.dtype))
    return a @ b


def _idle(kept: deque[Block]) -> Block | None:
    """A block that nothing holds, taken out of its queue: the last used, or one of the oldest."""
    for k in range(min(len(kept), _TRIES)):
        try:
            block = kept.popleft() if k else kept.pop()
        except IndexError:  # another thread was faster
            return None
        if _references(block) == _UNUSED:
            return block
        kept.append(block)
    return None


def _references(block: Block) -> int:
    return sys.getrefcount(block[0])


_UNUSED = _references((np.empty(0, np.uint8), 0))  # to memory that nothing holds


def _new_block(size: int) -> Block:
    held = sum(n * len(each) for n, each in list(_blocks.items()))
    if held + size > _limit:
        release_memory()
    memory = np.empty(size + _LINE, np.uint8)
    return memory, -memory.ctypes.data % _LINE


def _queue(size: int) -> deque[Block]:
    return _blocks.get(size) or _blocks.setdefault(size, deque())


def _rounded(size: int) -> int:
    """A size of blocks: an eighth larger at most, so that similar arrays find each other's."""
    step = 1 << max(0, size.bit_length() - 4)
    return -(-size // step) * step


def release_memory() -> None:
    """Give back all memory that is kept; arrays in use keep theirs."""
    _blocks.clear()


# Offers ------------------------------------------------------------------------------------------


class _Offers(threading.local):
    """In each thread: arrays, and in whose place a program may take them."""

    offers: tuple[()] | list[tuple[Array, Array]] = ()


_here = _Offers()


@contextmanager
def offering(offers: list[tuple[Array, Array]]) -> Iterator[None]:
    """Let `empty_like(x)` return an array once, for each pair of `x` and the array."""
    before, _here.offers = _here.offers, offers
    try:
        yield
    finally:
        _here.offers = before


def withdraw() -> None:
    """Take back what is offered in this thread."""
    _here.offers = ()


__all__ = [
    "empty",
    "empty_like",
    "offering",
    "product",
    "release_memory",
    "withdraw",
]
