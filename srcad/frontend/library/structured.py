"""Arrays with fields: records of `srcad.frontend.written.structured`.

np.zeros(n, [("a", float), ("b", int)])     an array for each field
rfn.structured_to_unstructured(r)           np.stack of the fields
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import own_name
from srcad.frontend.expressions.missing import fails
from srcad.frontend.library.beyond import OF_FIELDS
from srcad.frontend.written.structured import arrays, functions


def is_structured(x: Abstract) -> bool:
    """Whether `x` stands for an array with fields, or an entry of one."""
    return isinstance(x, RecordObj) and issubclass(x.cls, arrays.Fields)


def dtype_with_fields(frame: Frame, dtype: Abstract) -> Any:
    """The dtype that an option means, if it has fields; None otherwise."""
    if isinstance(dtype, Ref):
        is_one = isinstance(dtype.obj, list | dict)
    else:
        is_one = isinstance(dtype, np.dtype | ListObj | str) and dtype is not None
    if not is_one:
        return None
    known = frame.session.static(dtype, "a dtype")
    try:
        found = np.dtype(known)
    except (TypeError, ValueError) as problem:
        if isinstance(known, str):
            return None
        raise fails(frame, problem) from None
    return found if found.names is not None else None


def filled(frame: Frame, fn: Any, shape: Abstract, dtype: np.dtype[Any]) -> Abstract:
    """`np.zeros`, `np.ones` or `np.empty` of a dtype with fields."""
    _check_fields(dtype, fn)
    return _read(frame, functions.filled, Ref(fn, ""), shape, dtype)


def converted(frame: Frame, fn: Any, x: Abstract, dtype: np.dtype[Any]) -> Abstract:
    """`np.array` of a list of tuples, with a dtype that has fields."""
    _check_fields(dtype, fn)
    rows = isinstance(x, ListObj) and x.form is None and x.items
    if not rows or not all(isinstance(row, tuple) for row in x.items):
        what = f"`np.{own_name(fn)}` of {describe(x)} with a dtype with fields"
        fix = 'make it by `np.zeros(n, dtype)`, and write its fields: `r["a"] = x`'
        raise error("E120", None, what=what, fix=fix)
    for row in x.items:
        if len(row) != len(dtype.names or ()):
            message = "could not assign tuple of another length to structure"
            raise fails(frame, ValueError(message))
    return _read(frame, functions.of_rows, x, dtype)


def _check_fields(dtype: np.dtype[Any], fn: Any) -> None:
    if dtype.hasobject:
        raise error("E309", None, what=f"`np.{own_name(fn)}` with fields of objects")
    offsets = [dtype.fields[name][1] for name in dtype.names or ()]  # type: ignore[index]
    sizes = [dtype[k].itemsize for k in range(len(offsets))]
    ends = sorted(zip(offsets, sizes, strict=True))
    if not ends or any(a + n > b for (a, n), (b, _) in pairwise(ends)):
        what = "a dtype without fields" if not ends else "a dtype with fields in one place"
        raise error("E120", None, what=what, fix="use an array for each field")


def of_structured(c: Call) -> Abstract:
    """A function of arrays with fields, and what makes them of others."""
    home, name = _home(c.fn)
    if not home.startswith("numpy"):
        return OTHER
    given = [x for x in (*c.args, *c.kwargs.values()) if is_structured(x)]
    stands = _MAKERS.get((home, name)) or (_OF_ONE.get(name) if given else None)
    if stands is not None and getattr(sys.modules.get(home), name, None) is c.fn:
        return call_python(c.frame, Ref(stands, ""), *c.given)
    if not given or isinstance(c.fn, type):
        return OTHER
    raise error("E120", None, what=f"`{own_name(c.fn)}` of an array with fields", fix=OF_FIELDS)


def _home(fn: Any) -> tuple[str, str]:
    name = getattr(fn, "__name__", "")
    return ("numpy" if isinstance(fn, np.ufunc) else str(getattr(fn, "__module__", ""))), name


_OF_ONE = {
    fn.__name__: fn
    for fn in (
        functions.copy, functions.empty_like, functions.ndim, functions.shape,
        functions.size, functions.sort, functions.argsort, functions.zeros_like,
        functions.asarray, functions.asanyarray, functions.array,
    )
}  # fmt: skip
_FUNCTIONS = "numpy.lib.recfunctions"
_MAKERS = {
    (_FUNCTIONS, "structured_to_unstructured"): functions.structured_to_unstructured,
    ("numpy.rec", "fromarrays"): functions.fromarrays,
}


def _read(frame: Frame, fn: Any, *args: Abstract) -> Abstract:
    return call_python(frame, Ref(fn, ""), args, {}, None)


__all__ = ["converted", "dtype_with_fields", "filled", "is_structured", "of_structured"]
