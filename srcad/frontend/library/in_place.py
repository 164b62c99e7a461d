"""Calls that write into an argument: `np.copyto(x, y)`, `np.add.at(x, i, v)`, `out=x`, `x.sort()`.

What NumPy writes by a function of its own is read from `srcad.frontend.written.stores`.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.library.dtype_of_out import POSITIONS, casting_into, in_dtype_of
from srcad.frontend.statements.stores import check_cast, overwrite, refuse_overlap, store
from srcad.frontend.statements.stores_by_dtype import by_dtype, has_dtypes
from srcad.frontend.written import stores as written
from srcad.ir.kinds import index_parts, is_array
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, have_same_shape, rank_of
from srcad.rules.arrays.distinct import is_basic_index
from srcad.rules.core.staged import type_of

# The function of `written` with the meaning of each of NumPy's.
WRITTEN: dict[Any, Callable[..., None]] = {
    np.copyto: written.copyto,
    np.put: written.put,
    np.place: written.place,
    np.putmask: written.putmask,
    np.fill_diagonal: written.fill_diagonal,
    np.put_along_axis: written.put_along_axis,
}
_RULES = ("no", "equiv", "safe", "same_kind", "unsafe")
# These may leave their argument's entries in any order.
_SPENDING = (
    np.median, np.nanmedian, np.quantile, np.nanquantile, np.percentile, np.nanpercentile,
)  # fmt: skip
# These may compute in the dtype of the result, in a copy of `out`.
_BUFFERED = (np.take, np.compress)


def writes(fn: Any, args: Args, kwargs: Kwargs) -> bool:
    """Whether a call of a library's function writes into an argument."""
    return (
        fn in WRITTEN
        or _ufunc_of_at(fn) is not None
        or kwargs.get("out") is not None
        or (kwargs.get("overwrite_input") is True and fn in _SPENDING)
        or (isinstance(fn, np.ufunc) and len(args) > fn.nin)
    )


def call_in_place(
    frame: Frame, fn: Any, args: Args, kwargs: Kwargs, node: Any, call: Callable[..., Abstract]
) -> Abstract:
    """Such a call; `call(args, kwargs)` is that of the function without what it writes."""
    ufunc = _ufunc_of_at(fn)
    if ufunc is not None:
        return _at(frame, ufunc, args, kwargs, node)
    if fn in (np.place, np.fill_diagonal) and isinstance(args[0], Value):
        refuse_overlap(frame, args[0], args[1:], f"`np.{fn.__name__}(...)`")
    if fn in WRITTEN:
        given = _bound(WRITTEN[fn], args, kwargs)
        _check_values(frame, fn, given)
        helper = WRITTEN[fn]
        if fn is np.copyto:
            given = (given[0], _copied(frame, *given[:2]), *given[2:])
        if fn is np.copyto and given[3] is not True:
            helper, given = written.copyto_where, (*given[:2], as_array(frame, given[3]))
        return call_python(frame, Ref(helper, ""), given, {}, node)
    if fn in _SPENDING and kwargs.get("overwrite_input") is True:
        rest = {name: x for name, x in kwargs.items() if name != "overwrite_input"}
        result = call(args, rest)
        if isinstance(args[0], Value) and is_array(args[0]):
            frame.session.memory.spend(args[0], f"`overwrite_input=True` of `np.{fn.__name__}`")
        return result
    if isinstance(fn, np.ufunc):
        args, kwargs = args[: fn.nin], {"out": args[fn.nin :] or None, **kwargs}
    return into(frame, fn, args, kwargs, call)


def into(
    frame: Frame, fn: Any, args: Args, kwargs: Kwargs, call: Callable[..., Abstract]
) -> Abstract:
    """`fn(*args, out=x, where=mask)`: its result goes into `x`, which is returned."""
    options = dict(kwargs)
    out, where = options.pop("out"), True
    what = f"`out=` of `{fn.__name__}`"
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if isinstance(fn, np.ufunc) and isinstance(out, tuple) and len(out) == fn.nout:
        where = options.pop("where", True)
        results = call(args, options)
        pairs = zip(results, out, strict=True)
        return tuple(_placed(frame, fn, y, x, where, what) for y, x in pairs)
    if not isinstance(out, Value) or not isinstance(out.type, ArrayType):
        raise error("E132", None, what=f"{what}, {describe(out)},")
    if has_dtypes(frame, out, what):

        def write(array: Value) -> None:
            into(frame, fn, args, {**kwargs, "out": array}, call)

        by_dtype(frame, out, write)
        return out
    if isinstance(fn, np.ufunc):
        where = options.pop("where", True)
    elif fn in (np.concatenate, np.stack):
        refuse_overlap(frame, out, args, what)
    else:
        args, options = in_dtype_of(out, fn, args, options)
    result = call(args, options)
    casting = casting_into(fn, args)
    made = _placed(frame, fn, result, out, where, what, casting)
    is_number = fn is np.dot and rank_of(out.type) == 0
    return frame.session.emit(operator.getitem, (made, ())) if is_number else made


def _placed(
    frame: Frame, fn: Any, result: Abstract, out: Value, where: Abstract, what: str,
    casting: str = "same_kind",
) -> Abstract:  # fmt: skip
    """`out`, into which the result was written."""
    if where is not True:
        result = frame.session.emit(np.where, (where, result, out))
    if isinstance(fn, np.ufunc) and not have_same_shape(type_of(result), out.type):
        check_cast(result, out, what)
        axes, room = rank_of(type_of(result)), rank_of(out.type)
        if axes is not None and room is not None and axes > room:
            raise error("E401", None, what=f"in {what}, which has too few axes,")
        store(frame, out, Ellipsis, result, what)
    else:
        if (fn in _BUFFERED and _copies_out()) or fn in POSITIONS:
            check_cast(out, result, what, "safe")
        overwrite(frame, out, result, what, "unsafe" if fn in POSITIONS else casting)
    return out


@functools.cache
def _copies_out() -> bool:
    """Whether `np.take` computes in a copy of `out`, which its results' dtype must hold: NumPy does
    before 2.5.
    """
    try:
        np.take(np.zeros(1, "f4"), [0], out=np.zeros(1))
    except TypeError:
        return True
    return False


def _check_values(frame: Frame, fn: Any, given: Args) -> None:
    """Refuse values that NumPy does not cast to the dtype of the array."""
    if not is_array(given[0]):
        return
    what, x = f"`np.{fn.__name__}(...)`", given[0]
    if fn is np.copyto:
        if given[2] not in _RULES:
            raise error("E131", None, what=f"`np.copyto` (`casting` is one of {', '.join(_RULES)})")
        check_cast(as_array(frame, given[1]), x, what, given[2])
    elif fn in (np.place, np.putmask) and (is_array(given[2]) or isinstance(given[2], np.ndarray)):
        check_cast(given[2], x, what, "safe")  # scalars and lists are converted


def _bound(fn: Callable[..., None], args: Args, kwargs: Kwargs) -> Args:
    """The arguments in the order of the parameters."""
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{fn.__name__}` ({reason})") from None
    bound.apply_defaults()
    return bound.args


# ufunc.at ----------------------------------------------------------------------------------------


def _ufunc_of_at(fn: Any) -> np.ufunc | None:
    owner = getattr(fn, "__self__", None)
    is_at = isinstance(owner, np.ufunc) and getattr(fn, "__name__", "") == "at"
    return owner if is_at else None


def _at(frame: Frame, ufunc: np.ufunc, args: Args, kwargs: Kwargs, node: Any) -> None:
    """`ufunc.at(a, indices, b)`: of an entry named twice, every change counts."""
    what = f"`np.{ufunc.__name__}.at(...)`"
    if len(args) != 1 + ufunc.nin or kwargs or not isinstance(args[0], Value):
        raise error("E131", None, what=what)
    x, index, *values = args
    session = frame.session
    if ufunc in (np.add, np.subtract):
        added = as_array(frame, values[0])
        old = session.emit(operator.getitem, (x, index))
        check_cast(session.emit(ufunc, (old, added)), x, what)
        if ufunc is np.subtract:
            added = session.emit(operator.neg, (added,))
        session.memory.write(x, session.emit(runtime.index_add, (x, index, added)), what)
    elif is_basic_index(session.atom(index)):
        old = session.emit(operator.getitem, (x, index))
        store(frame, x, index, session.emit(ufunc, (old, *values)), what)
    else:
        parts = index_parts(index)
        arrays = tuple(as_array(frame, part) for part in parts)
        index = arrays if isinstance(index, tuple) else arrays[0]
        _repeated_at(frame, ufunc, x, index, values, what, node)


def _repeated_at(
    frame: Frame, ufunc: np.ufunc, x: Value, index: Any, values: Any, what: str, node: Any
) -> None:
    """One entry after the other."""
    parts = index_parts(index)
    kinds = {_index_kind(part) for part in parts}
    if kinds == {"b"} and len(parts) == 1:  # names each entry once
        old = frame.session.emit(operator.getitem, (x, index))
        store(frame, x, index, frame.session.emit(ufunc, (old, *values)), what)
        return
    ranks = {rank_of(type_of(part)) for part in parts}
    if not kinds <= {"i", "u"} or (len(parts) > 1 and ranks != {1}):
        raise error("E116", None, what=f"{what} with such an index")
    if isinstance(index, tuple):
        helper = written.binary_at_places if values else written.unary_at_places
    else:
        helper = written.binary_at if values else written.unary_at
    given = (Ref(ufunc, ""), x, index, *(as_array(frame, v) for v in values))
    call_python(frame, Ref(helper, ""), given, {}, node)


def _index_kind(x: Abstract) -> str:
    dtype = dtype_of(type_of(x)) if isinstance(x, Value) and rank_of(x.type) else None
    return dtype.kind if dtype is not None else ""


def as_array(frame: Frame, x: Abstract) -> Any:
    """Lists of numbers as arrays."""
    if isinstance(x, Value | bool | int | float | complex | np.generic):
        return x
    return frame.session.emit(np.array, (x,))


def _copied(frame: Frame, x: Abstract, values: Abstract) -> Abstract:
    """What `np.copyto` copies: an array, of which numbers wrap around, or an int of Python's."""
    values = as_array(frame, values)
    dtype, t = dtype_of(x.type) if isinstance(x, Value) else None, type_of(values)
    is_int = isinstance(t, NumberType) and t.kind is int
    if dtype is None or dtype.kind not in "iu" or is_int:
        return values
    return frame.session.emit(np.asarray, (values,))


# Methods -----------------------------------------------------------------------------------------


def call_method(frame: Frame, x: Value, name: str, args: Args, kwargs: Kwargs) -> None:
    """A method that writes into its array."""
    what = f"`{x.name or 'array'}.{name}(...)`"
    if has_dtypes(frame, x, what):
        return by_dtype(frame, x, lambda each: call_method(frame, each, name, args, kwargs))
    match name:
        case "fill" if len(args) == 1 and is_number(args[0]):
            store(frame, x, Ellipsis, args[0], what)
        case "__setitem__" if len(args) == 2:
            store(frame, x, args[0], args[1], what)
        case "sort" | "partition" if None not in (*args[:1], kwargs.get("axis", -1)):
            fn = np.sort if name == "sort" else np.partition
            overwrite(frame, x, frame.session.emit(fn, (x, *args), kwargs), what)
        case "put":
            if not _are_ints(frame, args[:1]):
                raise error("E132", None, what=f"{what} at what are no ints")
            given = _bound(written.put, (x, *args), kwargs)
            call_python(frame, Ref(written.put, ""), given, {}, None)
        case _:
            raise error("E116", None, what=what)


def _are_ints(frame: Frame, x: Abstract) -> bool:
    """Whether all that a container holds are ints that NumPy takes for positions, not bools."""
    if isinstance(x, tuple | ListObj):
        return all(_are_ints(frame, item) for item in (x if isinstance(x, tuple) else x.items))
    dtype = dtype_of(type_of(x)) if isinstance(x, Value | np.ndarray | np.generic) else None
    is_int = dtype is not None and dtype.kind in "iu" and np.can_cast(dtype, np.intp)
    return is_int or type(x) is int


def is_number(x: Abstract) -> bool:
    """Whether a value is one number, as which every entry of an array can be filled."""
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | NumberType) and rank_of(x.type) == 0
    return isinstance(x, bool | int | float | complex | np.generic)


__all__ = ["call_in_place", "call_method", "into", "writes"]
