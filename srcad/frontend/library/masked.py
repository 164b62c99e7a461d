"""NumPy's functions of masked arrays, and those of `np.ma`.

np.ma.masked_where(x < 0, x)     what is written in the place of it
np.sum(m), np.ma.sum(m)          m.sum()
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import RecordObj
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import own_name
from srcad.frontend.dispatch import call
from srcad.frontend.library.beyond import OF_MASKED
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.written.masked.arrays import Masked
from srcad.frontend.written.masked.functions import FUNCTIONS, UFUNCS

_METHODS = ("sum", "mean", "prod", "max", "min", "std", "var", "ravel", "reshape", "copy")


def of_masked(c: Call) -> Abstract:
    """A function of `np.ma`, or one of a masked array."""
    package = sys.modules.get("numpy.ma")  # which NumPy reads when it is asked for
    if package is None or c.fn is package.isMaskedArray:
        return OTHER
    name = "" if _name_in(np, c.fn) else _name_in(package, c.fn)  # some are NumPy's own
    is_given = any(isinstance(x, RecordObj) and issubclass(x.cls, Masked) for x in c.args)
    if name in FUNCTIONS:
        return call_python(c.frame, Ref(FUNCTIONS[name], ""), c.args, c.kwargs, c.node)
    method = name or _name_in(np, c.fn)
    if is_given and method in UFUNCS:
        return call_python(c.frame, Ref(UFUNCS[method], ""), c.args, c.kwargs, c.node)
    if is_given and method in _METHODS:
        return call(c.frame, attribute(c.frame, c.args[0], method), c.args[1:], c.kwargs, c.node)
    if name or (is_given and _is_numpys(c.fn)):
        what = f"`{'np.ma.' if name else ''}{own_name(c.fn)}` of a masked array"
        raise error("E120", None, what=what, fix=OF_MASKED)
    return OTHER


def _name_in(module: Any, fn: Any) -> str:
    """The name of a function in NumPy or `np.ma`; "" for others."""
    name = str(getattr(fn, "__name__", ""))
    name = "masked_array" if name == "MaskedArray" and isinstance(fn, type) else name
    return name if name in module.__all__ and getattr(module, name) is fn else ""


def _is_numpys(fn: Any) -> bool:
    return isinstance(fn, np.ufunc) or str(getattr(fn, "__module__", "")).startswith("numpy")


__all__ = ["of_masked"]
