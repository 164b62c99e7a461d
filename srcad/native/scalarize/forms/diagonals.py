"""Diagonals of matrices, and of each in a stack: entries at two places that run together.

np.diagonal(a, k)             a[places, places + k]
np.trace(a, k)                np.sum(np.diagonal(a, k), axis=-1)
np.diag(v, k)                 v[i] at [i, i + k], else 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    KINDS,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    options,
    rank,
)
from srcad.rules.core.staged import call


def diagonal(a: Any, k: int, axes: tuple[int, int]) -> Any:
    """`np.diagonal(a, k, *axes)`: the entries are those of the last axis."""
    rest = tuple(axis for axis in range(a.ndim) if axis not in axes)
    a = a if rest + axes == (*range(a.ndim),) else np.transpose(a, rest + axes)
    below, above = max(-k, 0), max(k, 0)
    count = call(min, a.shape[-2] - below, a.shape[-1] - above)
    places = call(np.arange, call(max, count, 0))
    return a[(*(slice(None),) * len(rest), places + below, places + above)]


def sum_of_diagonal(a: Any, k: int, axes: tuple[int, int]) -> Any:
    """`np.trace(a, k, *axes)`."""
    return np.sum(diagonal(a, k, axes), axis=-1)


def on_diagonal(v: Any, below: int, above: int) -> Any:
    """`np.diag(v, above - below)` of a vector."""
    n = len(v) + below + above
    out = np.zeros((n, n))
    for i in range(len(v)):
        out[i + below, i + above] = v[i]
    return out


def on_diagonal_flat(a: Any, k: int) -> Any:
    """`np.diagflat(a, k)`."""
    return np.diag(np.ravel(a) if a.ndim else np.reshape(a, (1,)), k)


# Which form a call has ---------------------------------------------------------------------------


def _diagonal(form: Callable[..., Any], **more: Any) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, offset=0, axis1=0, axis2=1, **more)
        if found is None or any(x is not None for x in found[3:]):
            return None
        return _at_axes(form, op, found[0], found[1:3], rank(op.args[0]))

    return choose


def _at_axes(
    form: Callable[..., Any], op: Op, k: Any, axes: tuple[Any, ...], n: int
) -> Chosen | None:
    if type(k) is not int or any(type(axis) is not int for axis in axes):
        return None
    is_fit = is_any(op.args[0], KINDS, 2, 3, 4) and not (n == 2 and k == 0 and axes == (0, 1))
    pair = tuple(axis % n for axis in axes) if is_fit else ()
    return (Formula(form), (op.args[0], k, pair)) if len({*pair}) == 2 else None


def _diagonal_of_last(form: Callable[..., Any]) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, offset=0)
        return None if found is None else _at_axes(form, op, found[0], (-2, -1), rank(op.args[0]))

    return choose


def _diag(op: Op) -> Chosen | None:
    found = options(op, 1, k=0)
    if found is None or type(found[0]) is not int:
        return None
    k = found[0]
    if is_array(op.args[0], FLOAT, 1):
        return (on_diagonal, (op.args[0], max(-k, 0), max(k, 0))) if k else None
    return _at_axes(diagonal, op, k, (0, 1), 2)


def _diagflat(op: Op) -> Chosen | None:
    found = options(op, 1, k=0)
    is_fit = found is not None and type(found[0]) is int and is_array(op.args[0], FLOAT, 0, 1, 2, 3)
    return (Formula(on_diagonal_flat), (op.args[0], *(found or ()))) if is_fit else None


DIAGONALS: Final[dict[Any, Choice]] = {
    np.diagonal: _diagonal(diagonal), np.trace: _diagonal(sum_of_diagonal, dtype=None, out=None),
    np.linalg.diagonal: _diagonal_of_last(diagonal),
    np.linalg.trace: _diagonal_of_last(sum_of_diagonal),
    np.diag: _diag, np.diagflat: _diagflat,
}  # fmt: skip
