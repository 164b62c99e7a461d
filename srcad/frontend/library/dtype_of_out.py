"""Sums with `out=`: NumPy computes them in a dtype that holds what is added and `out` too.

np.sum(x, out=y)                np.sum(x, dtype=float64): x is of float32, y of float64
np.cumsum(k, out=y)             np.cumsum(k, dtype=float64): of integers as well
np.maximum.reduce(x, out=y)     as it is: one of the entries, cast
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.dispatch import Args, Kwargs
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of
from srcad.rules.core.staged import type_of

# Functions that compute in such a dtype; it is their third parameter, of `np.trace` the fifth.
_MEANS = (np.mean, np.nanmean)
_SUMS = (
    *(np.sum, np.prod, np.cumsum, np.cumprod, *_MEANS),
    *(np.nansum, np.nanprod, np.nancumsum, np.nancumprod),
)  # fmt: skip
_METHODS = {"reduce": 2, "accumulate": 2, "reduceat": 3}
# Those that give one of the entries, or a truth.
_CHOOSE = (np.maximum, np.minimum, np.fmax, np.fmin, np.logical_and, np.logical_or, np.logical_xor)
# Only the last step of these is computed in it.
_LAST_STEP = (
    *(np.var, np.std, np.nanvar, np.nanstd, np.median, np.nanmedian, np.round, np.around),
)  # fmt: skip
# What these give is a position, whose dtype has to hold that of `out`.
POSITIONS = (np.argmax, np.argmin, np.nanargmax, np.nanargmin)


def in_dtype_of(out: Value, fn: Any, args: Args, options: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments of a call with the dtype in which NumPy computes."""
    place = _place_of(fn)
    if place is None or not args or options.get("dtype") is not None:
        return args, options
    if len(args) > place and args[place] is not None:
        return args, options
    own, into = dtype_of(type_of(args[0])), dtype_of(out.type)
    if own is None or into is None or into.kind not in "biufc":
        return args, options
    wanted = np.promote_types(own, into)
    if wanted == own or (wanted.kind in "biu") or (fn in _MEANS and own.kind in "biu"):
        return args, options
    if fn in _MEANS and own == np.float16:
        wanted = np.dtype(np.float32)
    if len(args) > place:
        return (*args[:place], wanted, *args[place + 1 :]), options
    return args, {**options, "dtype": wanted}


def casting_into(fn: Any, args: Args) -> str:
    """How results of a function are cast to the dtype of `out`; not at all where NumPy would
    compute something else.
    """
    own = dtype_of(type_of(args[0])) if args and isinstance(args[0], Value) else None
    is_of_floats = own is not None and own.kind in "fc"
    if fn in _MEANS or (fn in _LAST_STEP and is_of_floats):
        return "equiv"
    return _CASTING.get(fn, "same_kind")


# How results are cast to the dtype of `out`, where it is not as NumPy does it elsewhere.
_CASTING = {np.dot: "equiv", np.einsum: "equiv"}


def _place_of(fn: Any) -> int | None:
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return None if owner in _CHOOSE else _METHODS.get(getattr(fn, "__name__", ""))
    if fn is np.trace:
        return 4
    return 2 if fn in _SUMS else None


__all__ = ["POSITIONS", "casting_into", "in_dtype_of"]
