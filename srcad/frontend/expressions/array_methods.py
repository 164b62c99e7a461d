"""Methods of arrays and NumPy scalars, as the functions they are.

x.sum(axis=0)        np.sum(x, axis=0)
x.reshape(2, -1)     np.reshape(x, (2, -1))
x.__add__(y)         x + y
x.sort()             x[...] = np.sort(x)
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.expressions.expressions import item
from srcad.frontend.expressions.number_methods import (
    OPERATORS,
    TEXT_METHODS,
    is_integer,
    number_method,
)
from srcad.frontend.expressions.sharing import by_layout
from srcad.frontend.expressions.texts import is_string, text_of
from srcad.frontend.library.creation_options import is_order
from srcad.frontend.library.in_place import call_method, into
from srcad.frontend.lists.by_data import items_of_array
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.objects.array_classes import new_array
from srcad.ir.kinds import is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of, rank_of
from srcad.runtime.outside import is_array_class

# Methods whose first argument is the array and whose others are the function's.
_AS_FUNCTION = (
    "sum", "prod", "mean", "std", "var", "max", "min", "argmax", "argmin", "argsort",
    "argpartition", "cumsum", "cumprod", "round", "squeeze", "repeat", "take",
    "diagonal", "trace", "conj", "conjugate", "all", "any", "nonzero", "copy", "searchsorted",
    "ravel", "dot",
)  # fmt: skip
_WRITING = ("fill", "sort", "partition", "put", "__setitem__")


def array_method(
    frame: Frame, x: Value, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """`x.name(*args, **kwargs)`; `out=` is written."""
    if kwargs.get("out") is not None:
        fn = getattr(np, name)

        def call(xs: tuple[Abstract, ...], ks: dict[str, Any]) -> Abstract:
            return array_method(frame, x, name, xs[1:], ks)

        return into(frame, fn, (x, *args), kwargs, call)
    assert isinstance(x.type, ArrayType)
    method = ARRAY_METHODS.get(name)
    if method is None and x.type.scalar and name == "is_integer":
        method = is_integer
    if method is None and is_string(x) and name in TEXT_METHODS:
        return number_method(frame, text_of(frame, x), name, args, kwargs)
    if method is None:
        kind = "a number" if x.type.scalar else "an array"
        raise error("E121", None, what=f"method `{name}` of {kind}")
    try:
        inspect.signature(method).bind(frame, x, *args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"the method `{name}` ({reason})") from None
    return method(frame, x, *args, **kwargs)


def _function(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    def method(frame: Frame, x: Value, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return frame.session.emit(fn, (x, *args), kwargs)

    return method


def _conjugate(frame: Frame, x: Value, *args: Abstract, **kwargs: Abstract) -> Abstract:
    kind = x.type.dtype.kind if isinstance(x.type, ArrayType) else ""
    if args or kwargs or kind not in "biufc":
        raise error("E132", None, what="`conj` with these arguments")
    return frame.session.emit(np.conjugate, (x,)) if kind == "c" else x


def _nonzero(frame: Frame, x: Value) -> Abstract:
    if isinstance(x.type, ArrayType) and not x.type.shape:
        raise error("E132", None, what="`nonzero` of an array whose axes are none or not known")
    return frame.session.emit(np.nonzero, (x,))


def _search(frame: Frame, x: Value, v: Abstract, *args: Abstract, **options: Abstract) -> Abstract:
    if isinstance(v, str):
        raise error("E132", None, what="`searchsorted` of a string")
    return frame.session.emit(np.searchsorted, (x, v, *args), options)


def _copy(frame: Frame, x: Value, order: Abstract = "C") -> Abstract:
    if order not in ("C", "F", "A", "K"):
        raise error("E132", None, what=f"`copy` in the order {order!r}")
    if isinstance(x.type, ArrayType) and x.type.scalar:
        return x
    if order == "C":
        return in_rows(frame, x)
    # `np.copy` keeps the order if nothing else is said.
    return frame.session.emit(np.copy, (x,), {} if order == "K" else {"order": order})


def in_rows(frame: Frame, x: Abstract) -> Abstract:
    """A copy in C's order, whatever that of `x` is, where a function is run as it is."""
    if frame.session.keeps_calls and isinstance(x, Value) and rank_of(x.type) not in (0, 1):
        x = frame.session.emit(np.ascontiguousarray, (x,))
    return frame.session.emit(np.copy, (x,))


def _formed(fn: Callable[..., Any], *keywords: str) -> Callable[..., Abstract]:
    """`reshape` and `transpose`, which take the extents or axes one by one as well, and do not take
    them by name.
    """

    def method(frame: Frame, x: Value, *args: Abstract, **kwargs: Abstract) -> Abstract:
        for name in kwargs.keys() - set(keywords):
            raise error("E131", None, what=f"the method `{fn.__name__}` (no keyword `{name}`)")
        if not args:
            return frame.session.emit(fn, (x,), kwargs)
        return frame.session.emit(fn, (x, args[0] if len(args) == 1 else args), kwargs)

    return method


def _swapaxes(frame: Frame, x: Value, axis1: Abstract, axis2: Abstract, /) -> Abstract:
    return frame.session.emit(np.swapaxes, (x, axis1, axis2))


def _clip(
    frame: Frame, x: Value, min: Abstract = None, max: Abstract = None, *args: Abstract,
    **options: Abstract,
) -> Abstract:  # fmt: skip
    """`x.clip(0.0)`: here each bound may be left out; `np.clip` takes both or names them."""
    return frame.session.emit(np.clip, (x, min, max, *args), options)


def _choose(frame: Frame, x: Value, *choices: Abstract, **options: Abstract) -> Abstract:
    """`x.choose(choices)`, or with the choices one by one."""
    if len(choices) != 1 and "choices" not in options:
        choices = (choices,)
    return frame.session.emit(np.choose, (x, *choices), options)


def _compress(frame: Frame, x: Value, condition: Abstract, axis: Abstract = None) -> Abstract:
    return frame.session.emit(np.compress, (condition, x), {} if axis is None else {"axis": axis})


def _flatten(frame: Frame, x: Value, order: Abstract = "C") -> Abstract:
    emit = frame.session.emit
    if order not in ("C", "F", "A", "K"):
        raise error("E132", None, what=f"`flatten` in the order {order!r}")
    return emit(np.copy, (emit(np.ravel, (x,), {} if order == "C" else {"order": order}),))


def _astype(
    frame: Frame, x: Value, dtype: Abstract, order: Abstract = "K", casting: Abstract = "unsafe",
    subok: Abstract = True, copy: Abstract = True,
) -> Abstract:  # fmt: skip
    """A cast; how the result lies in memory (`order`) is left to the program."""
    known = frame.session.static(casting, "the option `casting`")
    assert isinstance(x.type, ArrayType)
    old = x.type.dtype
    if known != "unsafe" and not np.can_cast(old, frame.session.raw(dtype), known):
        raise error("E132", None, what=f"`astype` from {old} with casting={known!r}")
    if not is_order(how := frame.session.static(order, "the option `order`")):
        raise error("E132", None, what=f"`astype` in the order {how!r}")
    return frame.session.emit(np.astype, (x, dtype), {} if copy is True else {"copy": copy})


def _item(frame: Frame, x: Value, *args: Abstract) -> Abstract:
    """`x.item()`: a Python number."""
    if not all(
        map(is_int_scalar, args[0] if len(args) == 1 and isinstance(args[0], tuple) else args)
    ):
        raise error("E132", None, what="`item` at what are no ints")
    if args:
        index = args[0] if len(args) == 1 else args
        flat = len(args) == 1 and not isinstance(index, tuple)
        x = item(frame, frame.session.emit(np.ravel, (x,)) if flat else x, index)
    assert isinstance(x.type, ArrayType)
    if x.type.shape is None or any(e != 1 for e in x.type.shape):
        raise error("E123", None, what=f"that `{x.name or 'array'}.item()` has one entry")
    if x.type.shape:
        x = frame.session.emit(np.reshape, (x, ()))
    return _number(frame, x)


def _number(frame: Frame, x: Value) -> Abstract:
    dtype = dtype_of(x.type)
    assert dtype is not None
    if dtype.kind == "U":
        return text_of(frame, x)
    kind = {"f": float, "i": int, "u": int, "b": bool, "c": complex}.get(dtype.kind)
    if kind is None:
        raise error("E132", None, what=f"the item of an array of {dtype}")
    return frame.session.emit(kind, (x,))


def _to_list(frame: Frame, x: Value) -> Abstract:
    """`x.tolist()`: lists in lists of Python numbers."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape == ():
        return _number(frame, x)
    made = items_of_array(frame, x, are_pythons=True)
    if made is not None:
        return made
    rows = items_of(frame, x, f"`{x.name or 'array'}.tolist()`")
    return ListObj([_to_list(frame, row) for row in rows])


def _array(frame: Frame, x: Value, dtype: Abstract = None, copy: Abstract = None) -> Abstract:
    known = None if dtype is None else frame.session.static(dtype, "the dtype of `__array__`")
    if known is not None and np.dtype(known) != dtype_of(x.type):
        raise error("E132", None, what="`__array__` of another dtype")
    return frame.session.emit(np.array if copy is True else np.asarray, (x,))


def _to_device(frame: Frame, x: Value, device: Abstract, /, *, stream: Abstract = None) -> Value:
    if (device, stream) != ("cpu", None):
        raise error("E132", None, what=f"`to_device` of {device!r}")
    return x


def _set_flags(frame: Frame, x: Value, /, *, write: Abstract = None) -> None:
    """`x.setflags(write=False)` of an array made here: it is written no more."""
    memory = frame.session.memory
    if write is not False or memory.is_from_outside(x):
        notes = ("only `write=False` of an array that the program makes is followed",)
        fix = "set the flags outside of the function"
        raise error("E204", None, what="`ndarray.setflags`", notes=notes, fix=fix)
    memory.protected.add(memory.handle(x))


def _namespace(frame: Frame, x: Value, /, *, api_version: Abstract = None) -> Ref:
    """`x.__array_namespace__()`: NumPy itself."""
    version = frame.session.static(api_version, "`api_version`")
    return Ref(np.empty(0).__array_namespace__(api_version=version), "")


def _writing(name: str) -> Callable[..., None]:
    def method(frame: Frame, x: Value, *args: Abstract, **kwargs: Abstract) -> None:
        call_method(frame, x, name, args, kwargs)

    return method


def _view(frame: Frame, x: Value, *args: Abstract, **kwargs: Abstract) -> Abstract:
    """`x.view(cls)`: an object of a class of the user's."""
    cls = args[0].obj if len(args) == 1 and isinstance(args[0], Ref) else None
    if isinstance(cls, type) and (cls is np.ndarray or is_array_class(cls)):
        if isinstance(x.type, ArrayType) and x.type.scalar:
            return x  # NumPy makes a scalar again of what its array gives
        whole = frame.session.emit(operator.getitem, (x, Ellipsis))
        return whole if cls is np.ndarray else new_array(frame, cls, whole, x)
    fix = "use `x.astype(dtype)`, `x.reshape(...)`"
    raise by_layout("`ndarray.view`, but as a class of arrays,", fix)


ARRAY_METHODS: dict[str, Callable[..., Abstract]] = {
    **{name: _function(getattr(np, name)) for name in _AS_FUNCTION},
    **{name: _writing(name) for name in _WRITING},
    "view": _view,
    "conj": _conjugate,
    "conjugate": _conjugate,
    "nonzero": _nonzero,
    "searchsorted": _search,
    "copy": _copy,
    "__copy__": lambda frame, x: _copy(frame, x, "K"),
    "__deepcopy__": lambda frame, x, memo: _copy(frame, x, "K"),
    "clip": _clip,
    "choose": _choose,
    "swapaxes": _swapaxes,
    "reshape": _formed(np.reshape, "order", "copy"),
    "transpose": _formed(np.transpose),
    "compress": _compress,
    "flatten": _flatten,
    "astype": _astype,
    "item": _item,
    "tolist": _to_list,
    "to_device": _to_device,
    "__array__": _array,
    "__array_namespace__": _namespace,
    "setflags": _set_flags,
    "__getitem__": item,
}

ARRAY_METHODS.update(
    {name: OPERATORS[name] for name in dir(np.ndarray) if name in OPERATORS.keys() - ARRAY_METHODS}
)

__all__ = ["ARRAY_METHODS", "array_method"]
