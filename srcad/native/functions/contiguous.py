"""Reductions of whole contiguous vectors, in blocks: sums as exact as NumPy's pairwise ones.

    total(x)  dot(x, y)  sum_of_squares(x)  largest(x)  smallest(x)

A block is summed in vector registers (see `reductions`), and the blocks' sums are added one after
another: a million terms carry the errors of about 300 additions. Always in the same order.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from numba import njit

from srcad.native.functions.reductions import add, larger, smaller

__all__ = ["dot", "largest", "smallest", "sum_of_squares", "total"]

BLOCK = 4096


@njit(nogil=True, error_model="numpy")
def total(x: Any) -> Any:
    """The sum of a vector."""
    result = x.dtype.type(0)
    for start in range(0, x.size, BLOCK):
        part = x.dtype.type(0)
        for i in range(start, min(start + BLOCK, x.size)):
            part = add(part, x[i])
        result += part
    return result


@njit(nogil=True, error_model="numpy")
def dot(x: Any, y: Any) -> Any:
    """The sum of the products of two vectors of one length and dtype."""
    if x.size != y.size:
        raise ValueError("vectors of different lengths")
    result = x.dtype.type(0)
    for start in range(0, x.size, BLOCK):
        part = x.dtype.type(0)
        for i in range(start, min(start + BLOCK, x.size)):
            part = add(part, x[i] * y[i])
        result += part
    return result


@njit(nogil=True, error_model="numpy")
def sum_of_squares(x: Any) -> Any:
    """The squared length of a vector."""
    return dot(x, x)


@njit(nogil=True, error_model="numpy")
def largest(x: Any) -> Any:
    """The greatest entry; NaN if one is NaN."""
    if x.size == 0:
        raise ValueError("the largest entry of an empty vector")
    result = x[0]
    for i in range(x.size):
        result = larger(result, x[i])
    return result


@njit(nogil=True, error_model="numpy")
def smallest(x: Any) -> Any:
    """The least entry; NaN if one is NaN."""
    if x.size == 0:
        raise ValueError("the smallest entry of an empty vector")
    result = x[0]
    for i in range(x.size):
        result = smaller(result, x[i])
    return result
