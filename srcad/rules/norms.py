"""`np.linalg.norm`: of vectors with any order from 1 to infinity, of matrices the Frobenius norm.

At zero, where a norm has no derivative, it is 0. In the maximum norm tied entries share evenly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Type, shape_of
from srcad.rules.facts import array_or_scalar, as_type, promote, reduced_shape
from srcad.rules.registry import rule
from srcad.rules.shaping import rank_of
from srcad.rules.staged import type_of
from srcad.rules.table import Case


def _is_complex(x: Any) -> bool:
    return promote(as_type(type_of(x))).kind == "c"


def _norm_type(x: object, ord: object = None, axis: Any = None, keepdims: Any = False) -> Type:
    t = as_type(x)
    dtype = promote(t)
    dtype = np.zeros((), dtype).real.dtype if dtype.kind in "fc" else np.dtype(float)
    return array_or_scalar(dtype, reduced_shape(shape_of(t), axis, keepdims))


def _order(x: Any, ord: Any, axis: Any) -> float:
    """The order p of the norm, over the entries of the axes; refused where it is another norm."""
    axes = rank_of(x) if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if ord is None or (ord == "fro" and axes == 2):
        return 2.0
    usual = isinstance(ord, int | float | np.number) and ord in (1, 2, np.inf, -np.inf)
    if axes == 1 and (usual or (isinstance(ord, int | float) and ord > 1)):
        return float(ord)
    raise error("E203", None, what=f"`np.linalg.norm(..., ord={ord!r})` over {axes} axes")


def _spread(g: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """`g` with the axes that were summed over, of extent 1."""
    return g if keepdims or axis is None else np.expand_dims(g, axis)


def _unit(y: Any, x: Any, p: float, axis: Any) -> Any:
    """The gradient of the norm `y` (with all its axes) in `x`."""
    x_conj = np.conj(x) if _is_complex(x) else x
    if p == 1:
        return np.sign(x_conj)
    if p == 2:
        return x_conj / np.where(y == 0, 1, y)
    if np.isinf(p):
        tied = np.abs(x) == y
        return np.sign(x_conj) * tied / np.sum(tied, axis=axis, keepdims=True, dtype=y.dtype)
    return np.sign(x_conj) * (np.abs(x) / np.where(y == 0, 1, y)) ** (p - 1)


def _norm_vjp(
    g: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    p = _order(x, ord, axis)
    norm = _spread(y, x, axis, keepdims)
    if p == 2 and not _is_complex(x):
        return x * (_spread(g, x, axis, keepdims) / np.where(norm == 0, 1, norm))
    return _spread(g, x, axis, keepdims) * _unit(norm, x, p, axis)


def _norm_jvp(
    ts: Any, y: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    unit = _unit(_spread(y, x, axis, keepdims), x, _order(x, ord, axis), axis)
    moved = np.real(unit * ts[0]) if _is_complex(x) else unit * ts[0]
    return np.sum(moved, axis=axis, keepdims=keepdims)


rule(
    np.linalg.norm,
    jvp=_norm_jvp,
    x=_norm_vjp,
    type_of=_norm_type,
    cases=[
        Case((4,)),
        Case((3, 4)),
        Case((2, 3, 4)),
        Case((3, 4), axis=1),
        Case((3, 4), axis=0, keepdims=True),
        Case((2, 3, 4), axis=(0, 2)),
        Case((3, 4), ord="fro"),
        Case((2, 3, 4), ord="fro", axis=(1, 2), keepdims=True),
        Case((4,), ord=1),
        Case((3, 4), ord=1, axis=-1),
        Case((4,), ord=2),
        Case((4,), ord=3),
        Case((3, 4), ord=2.5, axis=0),
        Case((4,), ord=np.inf),
        Case((3, 4), ord=np.inf, axis=1),
        Case((3, 4), ord=-np.inf, axis=0, keepdims=True),
        Case((4,), keepdims=True),
    ],
    note="0 at zero; ties in the maximum norm share evenly",
)
