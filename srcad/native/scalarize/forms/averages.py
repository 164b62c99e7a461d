"""Weighted means, over any axes.

np.average(a, axis=0, weights=w)     np.sum(a * w[:, None], axis=0) / np.sum(w)
np.average(a, weights=b)             np.sum(a * b) / np.sum(b)
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.axes import axes_of
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    Choice,
    Chosen,
    Formula,
    is_array,
    must,
    must_agree,
    options,
    rank,
)
from srcad.rules.core.staged import call


def weighted_mean(a: Any, weights: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """`np.average(a, axes, weights)`, of weights of its shape or of one axis."""
    given = axes if weights.ndim < a.ndim else range(a.ndim)
    for axis, n in zip(given, weights.shape, strict=True):
        must_agree(a.shape[axis], n)
    if weights.ndim < a.ndim:
        whole = np.sum(weights)
        weights = weights[(slice(None), *(None,) * (a.ndim - 1 - axes[0]))]
    else:
        whole = np.sum(weights, axis=axes, keepdims=keepdims)
    differ = call(operator.ne, whole, 0.0)
    must(np.all(differ) if whole.ndim else differ)
    return np.sum(a * weights, axis=axes, keepdims=keepdims) / whole


def _average(op: Op) -> Chosen | None:
    found = options(op, 1, axis=None, weights=None, returned=False, keepdims=False)
    if found is None or found[2] is not False or not is_array(op.args[0], FLOAT, 1, 2, 3):
        return None
    axis, weights, _, keepdims = found
    axes, n = axes_of(axis, rank(op.args[0])), rank(op.args[0])
    if axes is None or type(keepdims) is not bool:
        return None
    if weights is None:
        return Formula(partial(np.mean, axis=axis, keepdims=keepdims)), op.args[:1]
    is_fit = is_array(weights, FLOAT, n) or (is_array(weights, FLOAT, 1) and len(axes) == 1)
    return (Formula(weighted_mean), (op.args[0], weights, axes, keepdims)) if is_fit else None


AVERAGES: Final[dict[Any, Choice]] = {np.average: _average}
