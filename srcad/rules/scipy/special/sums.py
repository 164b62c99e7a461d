"""`scipy.special`: `logsumexp`, `softmax`, `log_softmax`, along axes.

Of entries that are -inf the share is 0, also where all are; so are the shares of weights `b` then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import Type, have_same_shape, shape_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.axes import restore
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    broadcast_shapes,
    float_type,
    promote,
    real_only,
    reduced_shape,
)
from srcad.rules.core.product import times, without_missing
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.scipy.special.functions import special


def _arguments(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Arguments:
    """`axis` by name; with weights both it and they by position, so that they may be varied."""
    options = {"keepdims": keepdims, "return_sign": return_sign}
    if b is not None:
        return (a, axis, b), options
    return (a,), {"axis": axis, **options}


def _logsumexp_type(
    a: object, *more: object, axis: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    types = [as_type(a), *(as_type(b) for b in more[1:])]
    axis = more[0] if more else axis
    dtype = np.result_type(promote(*types), np.float32)
    if promote(*types).kind != "f":
        dtype = np.dtype(float)
    whole = broadcast_shapes(*map(shape_of, types))
    shape = reduced_shape((1,) if whole == () else whole, axis, keepdims)  # a number has one entry
    found = array_or_scalar(dtype, shape)
    return (found, found) if return_sign else found


def _widest(a: Any, more: Any) -> Any:
    """Of the entries and their weights the one with more axes."""
    both = [a, *more[1:]]
    return max(both, key=lambda x: rank_or_none(x) or 0)


def _share(y: Any, a: Any, more: Any, axis: Any, keepdims: Any) -> Any:
    """exp(a - y), negative where the sum is; its product with the weights is the partial by `a`."""
    y, sign = y if isinstance(y, tuple) else (y, None)
    like = _widest(a, more)
    share = np.exp(a - restore(np.where(np.isfinite(y), y, 0), axis, keepdims, like))
    return share if sign is None else share * restore(sign, axis, keepdims, like)


def _in_shape_of(g: Any, b: Any) -> Any:
    """`g` broadcast against `b`, which may have more axes than the entries that it weighs."""
    return g if have_same_shape(type_of(g), type_of(b)) else g * np.ones_like(b)


def _flat(y: Any) -> Any:
    """Results of a number, which may have the one axis of `keepdims`, as numbers."""
    return tuple(map(np.sum, y)) if isinstance(y, tuple) else np.sum(y)


def _logsumexp_jvp(
    ts: Any, y: Any, a: Any, *more: Any, axis: Any = None, keepdims: Any = False,
    return_sign: Any = False,
) -> Any:  # fmt: skip
    axis = more[0] if more else axis
    moved = ts[0] * more[1] + ts[2] if more else ts[0]
    if rank_or_none(_widest(a, more)) == 0:
        total = moved * _share(_flat(y), a, more, None, False)
        total = np.reshape(total, (1,)) if keepdims else total
    else:
        total = np.sum(moved * _share(y, a, more, axis, keepdims), axis=axis, keepdims=keepdims)
    return (cast_like(total, y[0]), ZERO) if return_sign else cast_like(total, y)


def _logsumexp_vjp(
    g: Any, y: Any, a: Any, *more: Any, axis: Any = None, keepdims: Any = False,
    return_sign: Any = False, at: int = -1,
) -> Any:  # fmt: skip
    axis = more[0] if more else axis
    g = g[0] if return_sign else g
    if g is ZERO:
        return ZERO
    if rank_or_none(_widest(a, more)) == 0:
        g, y, axis, keepdims = _flat(g), _flat(y), None, False
    g = restore(g, axis, keepdims, _widest(a, more))
    g = times(g, _share(y, a, more, axis, keepdims))
    if at == 1:
        return unbroadcast(_in_shape_of(g, more[1]), more[1])
    return unbroadcast(g * more[1] if more else g, a)


rule(
    special.logsumexp,
    jvp=_logsumexp_jvp,
    a=_logsumexp_vjp,
    more=_logsumexp_vjp,
    type_of=real_only(_logsumexp_type),
    normalize=_arguments,
    domain=(0.5, 2.0),
    cases=(
        Case((3, 4)),
        Case((3, 4), axis=0),
        Case((3, 4), axis=1, keepdims=True),
        Case((2, 3, 4), axis=(0, 2)),
        Case(()),
        Case((), axis=0, keepdims=True),
        Case((3, 4), axis=-1, return_sign=True),
        Case((3, 4), None, lambda rng: rng.uniform(0.5, 2, (3, 4))),
        Case((3, 4), 0, lambda rng: rng.uniform(0.5, 2, 4), keepdims=True),
        Case((4,), 0, (3, 4)),
        Case((4,), None, (3, 4)),
        Case((3, 1), 1, (1, 4)),
        Case((4,), 1, lambda rng: rng.uniform(0.5, 2, (3, 4))),
        Case((3, 4), 1, lambda rng: rng.uniform(-2, -1, (3, 4)), return_sign=True),
    ),
    note="shares of -inf are 0, even if all entries are -inf",
)


# Softmax, and its logarithm: y = x - logsumexp(x)
def _softmax_jvp(ts: Any, y: Any, x: Any, axis: Any = None) -> Any:
    moved = y * ts[0]
    return moved - y * np.sum(moved, axis=axis, keepdims=True)


@without_missing
def _softmax_vjp(g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return cast_like(_softmax_jvp((g,), y, x, axis), x)  # it is symmetric


def _log_softmax_jvp(ts: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return ts[0] - np.sum(np.exp(y) * ts[0], axis=axis, keepdims=True)


@without_missing
def _log_softmax_vjp(g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return cast_like(g - np.exp(y) * np.sum(g, axis=axis, keepdims=True), x)


_cases = (
    Case((3, 4)),
    Case((3, 4), axis=0),
    Case((3, 4), axis=-1),
    Case((2, 3, 4), axis=(0, 2)),
    Case((4,)),
)


def _softmax_type(x: object, axis: object = None) -> Type:
    return float_type(x)


rule(
    special.softmax,
    jvp=_softmax_jvp,
    x=_softmax_vjp,
    type_of=real_only(_softmax_type),
    cases=_cases,
)
rule(
    special.log_softmax,
    jvp=_log_softmax_jvp,
    x=_log_softmax_vjp,
    type_of=real_only(_softmax_type),
    cases=_cases,
)
