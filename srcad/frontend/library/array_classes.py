"""NumPy's functions of objects of classes with `np.ndarray` behind them."""

from __future__ import annotations

import numpy as np

from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.origins import module_of
from srcad.frontend.objects.array_classes import applied, holds_arrays


def of_array_class(c: Call) -> Abstract:
    """A function of NumPy's, SciPy's or `math` of such an object."""
    is_numerical = isinstance(c.fn, np.ufunc) or module_of(c.fn).partition(".")[0] in (
        "numpy", "scipy", "math"
    )  # fmt: skip
    if not is_numerical or isinstance(c.fn, type) or not holds_arrays(c.args, c.kwargs):
        return OTHER
    return applied(c.frame, c.fn, c.args, c.kwargs, lambda *args, **kw: c.again(args, kw))


__all__ = ["of_array_class"]
