"""Calls with options that a rule leaves out: read from what stands for them
(`srcad.frontend.written`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, AbstractObject, Ref
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.written import choices, options
from srcad.ir.nodes import Value
from srcad.ops.raising import is_text

_MOMENTS = ("correction", "mean", "where", "dtype")
_JOINED = ("dtype", "casting")
_PRODUCT = ("dtype", "casting", "order", "subok")

# The function that stands for each of NumPy's where it is given one of these options.
_TABLE: dict[Any, tuple[tuple[str, ...], Callable[..., Any]]] = {
    np.concatenate: (_JOINED, options.concatenate),
    np.stack: (_JOINED, options.stack),
    np.hstack: (_JOINED, options.hstack),
    np.vstack: (_JOINED, options.vstack),
    np.matmul: (_PRODUCT, options.matmul),
    np.vecdot: (_PRODUCT, options.vecdot),
    np.trace: (("dtype",), options.trace),
    np.linalg.trace: (("dtype",), options.linalg_trace),
    np.var: (_MOMENTS, options.var),
    np.std: (_MOMENTS, options.std),
    np.nanvar: (_MOMENTS, options.nanvar),
    np.nanstd: (_MOMENTS, options.nanstd),
    np.nansum: (("initial", "where"), options.nansum),
    np.nanprod: (("initial", "where"), options.nanprod),
    np.nanmean: (("where",), options.nanmean),
    np.nanmax: (("initial", "where"), options.nanmax),
    np.nanmin: (("initial", "where"), options.nanmin),
    np.average: (("returned",), options.average),
    np.take: (("mode",), choices.take),
    np.nan_to_num: (("copy",), choices.nan_to_num),
    np.astype: (("device",), choices.astype),
    np.fft.fftfreq: (("device",), choices.fftfreq),
    np.fft.rfftfreq: (("device",), choices.rfftfreq),
    np.linspace: (("retstep", "axis"), choices.linspace),
    np.interp: (("period",), choices.interp),
    np.searchsorted: (("sorter",), choices.searchsorted),
    np.sort: (("stable",), choices.sort),
    np.intersect1d: (("return_indices",), choices.intersect1d),
    np.eye: (("order",), choices.eye),
    np.full_like: (("order", "subok"), choices.full_like),
    np.asarray_chkfinite: (("order",), choices.asarray_chkfinite),
    np.mask_indices: (("n",), choices.mask_indices),
}
# What a later NumPy has, or an earlier one has not.
for _name, _stands in (("matvec", options.matvec), ("vecmat", options.vecmat)):
    if hasattr(np, _name):
        _TABLE[getattr(np, _name)] = (_PRODUCT, _stands)
# Methods of ufuncs that compute in a dtype: that of their first argument.
_OF_DTYPE = ("reduce", "accumulate", "reduceat")


def read_by_options(
    frame: Frame, fn: Any, args: Args, kwargs: Kwargs, node: Any, call: Callable[..., Abstract]
) -> tuple[Abstract] | None:
    """What such a call gives; None for one that has a rule. `call(args, kwargs)` is that of the
    function itself.
    """
    if _is_of_dtype(fn, kwargs):
        dtype = kwargs["dtype"]
        cast = frame.session.emit(np.astype, (frame.session.emit(np.asarray, args[:1]), dtype))
        rest = {name: x for name, x in kwargs.items() if name != "dtype"}
        return (call((cast, *args[1:]), rest),)
    wanted, stands = _TABLE.get(fn, ((), None))
    if stands is None:
        return None
    given = _named(fn, args, kwargs)
    if given is None or (wanted is _MOMENTS and not _is_converted(given)):
        return None
    if not any(map(given.__contains__, wanted)):
        rest = {name: x for name, x in kwargs.items() if name in given or name not in wanted}
        return (call(args, rest),) if len(rest) < len(kwargs) else None
    if not any(map(_is_function, given.values())):
        frame.session.call_refused(fn, frame.session.atom(args), frame.session.atom(dict(kwargs)))
    return (call_python(frame, Ref(stands, ""), args_of(stands, fn, given), given, node),)


def _is_function(x: Abstract) -> bool:
    if isinstance(x, Ref):
        return callable(x.obj) and not isinstance(x.obj, type)
    return isinstance(x, AbstractObject) and x.is_function


def _is_of_dtype(fn: Any, kwargs: Kwargs) -> bool:
    owner, name = getattr(fn, "__self__", None), getattr(fn, "__name__", "")
    if not isinstance(owner, np.ufunc) or name not in _OF_DTYPE or kwargs.get("dtype") is None:
        return False
    dtype = kwargs["dtype"].obj if isinstance(kwargs["dtype"], Ref) else kwargs["dtype"]
    keeps = owner not in (np.add, np.multiply) or np.dtype(dtype).kind in "fc"
    return keeps and (name == "reduceat" or owner not in (np.add, np.multiply))


def _is_converted(given: Kwargs) -> bool:
    """Whether moments are those of the array converted to the dtype in which they are computed;
    NumPy converts no text.
    """
    dtype = given.get("dtype")
    dtype = dtype.obj if isinstance(dtype, Ref) else dtype
    if dtype is None:
        return True
    is_real = isinstance(dtype, type | str | np.dtype) and np.dtype(dtype).kind == "f"
    return is_real and not is_text(given.get("a"))


def args_of(stands: Any, fn: Any, given: Kwargs) -> Args:
    """The arguments that have no other name than their place; they leave `given`."""
    names = list(inspect.signature(stands).parameters)
    theirs = list(inspect.signature(fn).parameters.values())
    placed = [p.name for p in theirs if p.kind is p.POSITIONAL_ONLY]
    return tuple(given.pop(name) for name, _ in zip(placed, names, strict=False) if name in given)


def _named(fn: Any, args: Args, kwargs: Kwargs) -> Kwargs | None:
    """What is given that is not the default, by name."""
    try:
        signature = inspect.signature(fn)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    given: Kwargs = {}
    for name, x in bound.arguments.items():
        default = signature.parameters[name].default
        is_same = x is default or (
            not isinstance(x, Value) and type(x) is type(default) and bool(x == default)
        )
        if not is_same:
            given[name] = x
    return given


__all__ = ["read_by_options"]
