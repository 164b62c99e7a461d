"""NumPy's functions of objects of classes with `np.ndarray` behind them.

np.sqrt(x)      NumPy is asked of which class the result is
np.sum(x)       NumPy's own source is followed if the class has a `sum`, which it calls
"""

from __future__ import annotations

from types import FunctionType

import numpy as np

from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import module_of
from srcad.frontend.objects.array_classes import applied, holds_arrays
from srcad.frontend.objects.array_ufuncs import call_override, outs_of, overrides


def of_array_class(c: Call) -> Abstract:
    """A function of NumPy's, SciPy's or `math` of such an object."""
    is_numerical = isinstance(c.fn, np.ufunc) or module_of(c.fn).partition(".")[0] in (
        "numpy", "scipy", "math"
    )  # fmt: skip
    if not is_numerical or isinstance(c.fn, type) or not holds_arrays(c.args, c.kwargs):
        return OTHER
    if isinstance(c.fn, np.ufunc):
        kwargs = dict(c.kwargs)
        inputs, outs = c.args[: c.fn.nin], c.args[c.fn.nin :]
        if outs:
            kwargs["out"] = outs
        if any(map(overrides, (*inputs, *outs_of(kwargs)))):
            return call_override(c.frame, c.fn, inputs, kwargs)
    written = getattr(c.fn, "_implementation", c.fn)

    def by_source() -> Abstract:
        is_own = written is c.fn
        source = c.callee if is_own else Ref(written, c.frame.session.inputs.keep(written))
        return call_python(c.frame, source, *c.given)

    return applied(
        c.frame,
        c.fn,
        c.args,
        c.kwargs,
        lambda *args, **kw: c.again(args, kw),
        own_way=by_source if isinstance(written, FunctionType) else None,
    )


__all__ = ["of_array_class"]
