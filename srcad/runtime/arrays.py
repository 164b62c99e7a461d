"""Helpers of emitted code for facts that are known at run time only, and for scattered cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` down to `shape`, from which it was broadcast."""
    if np.shape(g) == shape:
        return g
    lead = np.ndim(g) - len(shape)
    ones = tuple(i + lead for i, n in enumerate(shape) if n == 1 and np.shape(g)[i + lead] != 1)
    return np.sum(g, axis=(*range(lead), *ones), keepdims=True).reshape(shape)


def scatter(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """An array of zeros of `shape` with `g` added at `index` (repeated indices add up): the transpose of `x[index]`."""
    x_bar = np.zeros(shape, np.asarray(g).dtype)
    np.add.at(x_bar, index, g)
    return x_bar


def index_add(x_bar: Any, index: Any, g: Any) -> Any:
    """A copy of `x_bar` with `g` added at `index` (repeated indices add up). Emitted in place."""
    x_bar = np.array(x_bar)
    np.add.at(x_bar, index, g)
    return x_bar
