"""NumPy's functions of Series and tables of other packages.

np.exp(s)             a Series of the ufunc of its values
np.sum(s)             s.sum()
np.dot(s, x)          the function of the arrays: np.dot(s.values, x)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import own_name
from srcad.frontend.dispatch import call
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.reading.outside import (
    OUTSIDE,
    ask_function,
    is_labelled,
)
from srcad.frontend.reading.pure_functions import BY_METHOD, OF_ARRAYS
from srcad.frontend.written import data_array_functions, labelled
from srcad.frontend.written.named_axes import NamedAxes


def of_labelled(c: Call) -> Abstract:
    """A function of NumPy's, of SciPy's or of its package of a Series or a table."""
    if str(getattr(c.fn, "__module__", None)).partition(".")[0] in OUTSIDE:
        written = _written(c.fn)
        if written is not None:
            found = call_python(c.frame, Ref(written, ""), c.args, c.kwargs, c.node)
        else:
            found = ask_function(c.frame.session.inputs, c.fn, c.args, c.kwargs)
        if found is not None and c.callee.path:
            c.frame.session.inputs.guard(c.callee.path, "is", c.fn)
        if found is None and _labelled_in(c):
            fix = "compute it before the call, or from arrays: `x.to_numpy()`"
            what = f"`{own_name(c.fn)}` of {describe(_labelled_in(c)[0])}"
            raise error("E120", None, what=what, fix=fix)
        return OTHER if found is None else found
    given = sorted(_labelled_in(c), key=lambda x: not _is_table(x))
    first = given[0] if given else None
    if first is None or not _is_numerical(c.fn):
        return OTHER
    if isinstance(c.fn, np.ufunc) and not c.kwargs and c.fn.nout == 1 and c.fn.signature is None:
        fn: Any = labelled.entrywise
        return call_python(c.frame, Ref(fn, ""), (c.callee, first, *c.args), {}, c.node)
    asked = BY_METHOD.get(_numpy_name(c.fn))
    if asked is not None and c.args and is_labelled(c.args[0]) and "out" not in c.kwargs:
        name = asked[0]
        usual: dict[str, Any] = asked[1]
        if _is_table(first) and len(c.args) == 1 and "axis" not in c.kwargs:
            _check_over_all(c.fn)
            usual = {**usual, "axis": None}
        rest = c.args[1:]
        if issubclass(first.cls, NamedAxes) and name != "clip" and rest:
            usual, rest = {**usual, "axis": rest[0]}, rest[1:]
        return call(c.frame, attribute(c.frame, first, name), rest, {**usual, **c.kwargs}, c.node)
    if _numpy_name(c.fn) in OF_ARRAYS or _is_density(c.fn):
        args = tuple(as_arrays(c.frame, x) for x in c.args)
        return c.again(args, {key: as_arrays(c.frame, x) for key, x in c.kwargs.items()})
    fix = "pass the array that it holds: `x.to_numpy()`"
    raise error("E120", None, what=f"`{own_name(c.fn)}` of {describe(first)}", fix=fix)


def _written(fn: Any) -> Any:
    """What is written in the place of a function of xarray's; None for others."""
    name = getattr(fn, "__name__", "")
    is_own = getattr(sys.modules.get("xarray"), name, None) is fn
    return data_array_functions.FUNCTIONS.get(name) if is_own else None


def _numpy_name(fn: Any) -> str:
    """The name that a function has in NumPy's namespace, without `numpy.`; "" for others."""
    module, _, inner = str(getattr(fn, "__module__", None) or "").partition(".")
    if module != "numpy":
        return ""
    return f"linalg.{own_name(fn)}" if inner.startswith("linalg") else own_name(fn)


def _check_over_all(fn: Any) -> None:
    """Refuse a reduction without an axis of a table of pandas before 3, which is one by columns."""
    if int(sys.modules["pandas"].__version__.partition(".")[0]) < 3:
        fix = "reduce its array: `np.sum(df.to_numpy())`"
        raise error("E120", None, what=f"`{own_name(fn)}` of a DataFrame", fix=fix)


def _is_density(fn: Any) -> bool:
    """Whether a function is a method of a distribution of SciPy's, or one of these sums of it."""
    module, name = str(getattr(fn, "__module__", None) or ""), own_name(fn)
    if module.startswith("scipy.special"):
        return name in ("logsumexp", "softmax", "log_softmax")
    return module.startswith("scipy.stats") and name in (
        "pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "pmf", "logpmf", "ppf"
    )  # fmt: skip


def _is_numerical(fn: Any) -> bool:
    if isinstance(fn, np.ufunc):
        return True
    module = str(getattr(fn, "__module__", None) or "").partition(".")[0]
    return module in ("numpy", "scipy", "math") and not isinstance(fn, type)


def _labelled_in(c: Call) -> list[Abstract]:
    given = [x for arg in (*c.args, *c.kwargs.values()) for x in _items(arg)]
    return [x for x in given if is_labelled(x)]


def _is_table(x: RecordObj) -> bool:
    return issubclass(x.cls, labelled.Table)


def _items(x: Abstract) -> list[Abstract]:
    """An argument, or what a list holds that is one."""
    if isinstance(x, ListObj) and x.form is None:
        return [item for each in x.items for item in _items(each)]
    return [item for each in x for item in _items(each)] if isinstance(x, tuple) else [x]


def as_arrays(frame: Frame, x: Abstract) -> Abstract:
    """The array of what has labels, also in a list or tuple; anything else as it is."""
    if is_labelled(x):
        return call(frame, attribute(frame, x, "__array__"), ())
    if isinstance(x, tuple) and any(map(is_labelled, x)):
        return tuple(as_arrays(frame, item) for item in x)
    if isinstance(x, ListObj) and x.form is None and any(map(is_labelled, x.items)):
        return ListObj([as_arrays(frame, item) for item in x.items])
    return x


__all__ = ["as_arrays", "of_labelled"]
