"""Reductions with a mask or a start: `np.sum(x, where=mask)`, `np.max(x, initial=0.0)`.

np.sum(x, axis=0, where=mask)        np.sum(np.where(mask, x, 0), axis=0)
np.prod(x, initial=2.0)              np.prod(x) * 2.0
np.mean(x, where=mask)               np.sum(np.where(mask, x, 0)) / np.sum(mask)
np.cumsum(x, dtype="f8")             np.cumsum(x.astype("f8"))

They are put together as the methods of ufuncs are, `np.add.reduce(x, where=mask)`. Reductions
without options have rules of their own (`reductions`), and are not seen here.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from srcad.rules.core.compose import composed_type, known
from srcad.rules.core.staged import as_array, call, shape_of_value
from srcad.rules.core.table import FORMS, Rule
from srcad.rules.pointwise.ufunc_reductions import narrowed, reduce
from srcad.rules.reductions.reductions import total

_UFUNCS = {
    np.sum: np.add,
    np.prod: np.multiply,
    np.max: np.maximum,
    np.amax: np.maximum,
    np.min: np.minimum,
    np.amin: np.minimum,
    np.all: np.logical_and,
    np.any: np.logical_or,
}
_RUNNING: dict[Any, np.ufunc] = {np.cumsum: np.add, np.cumprod: np.multiply}
_OPTIONS: dict[Any, tuple[str, ...]] = {
    **dict.fromkeys((*_UFUNCS, np.mean), ("where", "initial")),
    np.prod: ("where", "initial", "dtype"),
    **dict.fromkeys((np.all, np.any), ("where",)),
    **dict.fromkeys(_RUNNING, ("dtype",)),
}


def masked_form(fn: Any, options: Any) -> Rule | None:
    """What a reduction with these options is made of; None for other calls."""
    if type(fn).__hash__ is None or fn not in _OPTIONS:
        return None
    return _form(fn) if any(name in options for name in _OPTIONS[fn]) else None


@functools.cache
def _form(fn: Any) -> Rule:
    if fn in _RUNNING:
        body: Any = functools.partial(_run, fn)
    else:
        body = _mean if fn is np.mean else functools.partial(_reduced, _UFUNCS[fn])
    signature = inspect.signature(body)
    return Rule(fn, "composed", signature, None, {}, composed_type(body), body=body)


def _reduced(
    ufunc: np.ufunc, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False,
    initial: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    a, options = as_array(a), {"keepdims": keepdims, "initial": initial, "where": where}
    return reduce(ufunc, a, axis, dtype, **options)


def _mean(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True
) -> Any:
    a, axis, keepdims = as_array(a), known(axis), known(keepdims)
    if where is True:
        return np.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    added = np.add.reduce(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    mask = call(np.broadcast_to, where, shape_of_value(a))
    return added / total(mask, axis, keepdims, added)


def _run(fn: Any, a: Any, axis: Any = None, dtype: Any = None) -> Any:
    a = as_array(a)
    y = fn(a if dtype is None else a.astype(known(dtype)), axis=known(axis))
    return narrowed(_RUNNING[fn], y, dtype)


FORMS.append(masked_form)

__all__ = ["masked_form"]
