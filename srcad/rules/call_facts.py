"""What the front end is told of calls besides rules; the modules with the rules add to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.nodes import Value
from srcad.ir.types import Extent, rank_of

# Functions whose first argument is square in every sensible call, or has a simpler derivative then.
SQUARE: set[Any] = set()
# Functions of which the dtype of the result depends on the numbers, and what is called instead.
INSTEAD: dict[Any, Any] = {}
# Functions that do other things for other extents: which ones, from the arguments. Programs are
# specialised to these where they are extents of inputs.
SPECIAL_EXTENTS: dict[Any, Callable[..., list[Extent]]] = {}
# Functions that return their argument itself where there is nothing to do: where, from the
# arguments. An FFT over no axes is no copy.
NOTHING_TO_DO: dict[Any, Callable[..., bool]] = {}
# Functions that take several arrays as one argument: `linalg.cho_solve((c, lower), b)`.
TAKE_TUPLES: set[Any] = set()


def has_no_axes(x: Any, *rest: Any, axes: Any = None, s: Any = None, **options: Any) -> bool:
    """Whether a transform over several axes has none: of a 0-d array, or with `axes=()`."""
    rank = rank_of(x.type) if isinstance(x, Value) else np.ndim(x)
    return rank == 0 or axes in ((), []) or s in ((), [])


def returns_argument(fn: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call has nothing to do, and returns its argument itself."""
    return fn in NOTHING_TO_DO and NOTHING_TO_DO[fn](*args, **kwargs)
