"""Banded matrices as `scipy.linalg.solve_banded` has them.

`ab[above + i - j, j]` is the entry of row `i` and column `j`, with so many diagonals `below` the
main one and `above` it.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def banded_product(ab: Any, x: Any, below: int, above: int) -> Any:
    """The product of a banded matrix and a vector, or the columns of a matrix."""
    y = np.zeros(x.shape, np.result_type(ab, x))
    for offset, ours, theirs in _diagonals(x.shape[0], below, above):
        entries = ab[above + offset, theirs]
        y[ours] += (entries if x.ndim == 1 else entries[:, None]) * x[theirs]
    return y


def banded_outer(y: Any, x: Any, below: int, above: int) -> Any:
    """The entries of `np.outer(y, x)` in the band, summed over the columns of both."""
    n = x.shape[0]
    ab = np.zeros((below + above + 1, n), np.result_type(y, x))
    for offset, ours, theirs in _diagonals(n, below, above):
        product = y[ours] * x[theirs]
        ab[above + offset, theirs] = product if x.ndim == 1 else product.sum(axis=1)
    return ab


def banded_transposed(ab: Any, below: int, above: int) -> Any:
    """The transpose, with `above` diagonals below the main one."""
    turned = np.zeros_like(ab)
    for offset, ours, theirs in _diagonals(ab.shape[1], below, above):
        turned[below - offset, ours] = ab[above + offset, theirs]
    return turned


def _diagonals(n: int, below: int, above: int) -> Any:
    """Of each diagonal: how far below the main one it is, its rows and its columns."""
    for offset in range(-above, below + 1):
        if abs(offset) < n:
            rows = slice(max(offset, 0), n + min(offset, 0))
            columns = slice(max(-offset, 0), n - max(offset, 0))
            yield offset, rows, columns
