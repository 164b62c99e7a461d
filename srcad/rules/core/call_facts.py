"""What the front end is told of calls besides rules; the modules with the rules add to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, dtype_of, rank_of
from srcad.rules.core.table import name_of

# Functions whose first argument is square in every sensible call, or has a simpler derivative then.
SQUARE: set[Any] = set()
# Functions of which the dtype of the result depends on the numbers, and what is called instead.
INSTEAD: dict[Any, Any] = {}
# Those that are complex there, where NumPy gives real results for numbers that allow it.
MAY_BE_REAL: set[Any] = set()
# Functions that do other things for other extents: which ones, from the arguments. Programs are
# specialised to these where they are extents of inputs.
SPECIAL_EXTENTS: dict[Any, Callable[..., list[Extent]]] = {}
# Functions that return their argument itself where there is nothing to do: where, from the
# arguments. An FFT over no axes is no copy.
NOTHING_TO_DO: dict[Any, Callable[..., bool]] = {}
# Functions that take several arrays as one argument: `linalg.cho_solve((c, lower), b)`.
TAKE_TUPLES: set[Any] = set()


# Functions of numbers alone.
_OF_NUMBERS = (np.arange, np.tri, np.eye, np.identity)
# Functions that read attributes of an array of these arguments, or take them for numbers: a list
# there is an error of NumPy's, or stays a list.
NO_LISTS: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys((np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit), (0,)),
    **dict.fromkeys((np.rollaxis, np.astype), (0,)),
    **dict.fromkeys((np.tril_indices_from, np.triu_indices_from, np.diag_indices_from), (0,)),
    **dict.fromkeys((np.trim_zeros, np.fft.fftfreq, np.fft.rfftfreq), (0, 1)),
    **dict.fromkeys(_OF_NUMBERS, (0, 1, 2)),
    np.take_along_axis: (0, 1),
    **({np.unstack: (0,)} if hasattr(np, "unstack") else {}),  # since NumPy 2.1
}
# Functions that cast a list of floats to indices, where they refuse an array of these.
INDEX_LISTS: dict[Any, int] = {np.repeat: 1, np.bincount: 0, np.add.reduceat: 1}
# Functions for which an empty list is no array of floats.
EMPTY_LISTS = frozenset((np.dot, np.inner, np.vdot, np.bincount, np.repeat))


def check_lists(fn: Any, args: Any, kwargs: Any) -> None:
    """Refuse lists where they are no arrays to a function (E132)."""
    named = kwargs.values() if fn in _OF_NUMBERS else ()
    for at, x in enumerate((*args, *named)):
        if not isinstance(x, list | tuple):
            continue
        is_list = at in NO_LISTS.get(fn, ()) or (at == 0 and returns_argument(fn, args, kwargs))
        floats = at == INDEX_LISTS.get(fn) and any(map(_is_no_index, x))
        if is_list or floats or (not x and fn in EMPTY_LISTS):
            fix = "make an array of it with `np.array`"
            what = f"a {type(x).__name__} as argument of `{name_of(fn)}`"
            raise error("E132", None, what=what, fix=fix)


def _is_no_index(x: Any) -> bool:
    dtype = dtype_of(x.type) if isinstance(x, Value) else np.asarray(x).dtype
    return dtype is None or dtype.kind not in "biu"


def has_no_axes(x: Any, *rest: Any, axes: Any = None, s: Any = None, **options: Any) -> bool:
    """Whether a transform over several axes has none: of a 0-d array, or with `axes=()`."""
    rank = rank_of(x.type) if isinstance(x, Value) else np.ndim(x)
    return rank == 0 or axes in ((), []) or s in ((), [])


def returns_argument(fn: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call has nothing to do, and returns its argument itself."""
    return fn in NOTHING_TO_DO and NOTHING_TO_DO[fn](*args, **kwargs)
