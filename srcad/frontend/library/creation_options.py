"""Options of the functions that make arrays: those that say how the memory lies, or nothing.

np.array(x, ndmin=2)          np.array(x)[None, :], of a vector
np.asarray(x, order="C")      np.ascontiguousarray(np.asarray(x)), where x has axes
np.zeros(n, float, "F")       np.zeros(n, float, order="F")
np.linspace(0, 1, device="cpu")    np.linspace(0, 1)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, ShapeTuple
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.library.structured import converted, dtype_with_fields, filled, is_structured
from srcad.frontend.lists.grown_lists import JOINING, joined
from srcad.frontend.objects.members import method_of
from srcad.frontend.python_types import array_classes, is_plain
from srcad.frontend.written.choices import REFUSES_COPIES
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.staged import type_of
from srcad.rules.core.table import name_of

Handler = Callable[..., Abstract]


def _array(
    frame: Frame, object: Abstract, dtype: Abstract = None, *, copy: Abstract = True,
    order: Abstract = "K", subok: Abstract = False, ndmin: Abstract = 0, like: Abstract = None,
) -> Abstract:  # fmt: skip
    _check_plain(frame, np.array, object, subok, like)
    copy = _whether_to_copy(frame, copy)
    is_itself = copy is None and _is_itself(frame, object, dtype, copy)
    made = object if is_itself else _made(frame, np.array, object, dtype, copy, True)
    if is_structured(made):
        return made
    made = _laid_out(frame, np.array, made, order, copy)
    axes, rank = frame.session.static(ndmin, "`ndmin`"), rank_of(type_of(made))
    if rank is None and axes:
        raise error("E123", None, what="the number of axes")
    if axes > (rank or 0):
        first = (None,) * (axes - (rank or 0))
        made = frame.session.emit(operator.getitem, (made, (*first, Ellipsis)))
    return made


def _whether_to_copy(frame: Frame, copy: Abstract) -> Abstract:
    """An option `copy` in NumPy's three words: True, False, or None where it must be."""
    modes = getattr(np, "_CopyMode", None)
    if modes is None or not isinstance(copy, Ref) or not isinstance(copy.obj, modes):
        return copy
    mode = frame.session.raw(copy)
    return {modes.ALWAYS: True, modes.NEVER: False, modes.IF_NEEDED: None}[mode]


def _converted(fn: Any) -> Handler:
    """`np.asarray` and `np.asanyarray`."""

    def handler(
        frame: Frame, a: Abstract, dtype: Abstract = None, order: Abstract = None, *,
        device: Abstract = None, copy: Abstract = None, like: Abstract = None,
    ) -> Abstract:  # fmt: skip
        _check_plain(frame, fn, a, False, like)
        _check_device(frame, fn, device)
        copy = _whether_to_copy(frame, copy)
        made = a if _is_itself(frame, a, dtype, copy) else _made(frame, fn, a, dtype, copy, None)
        return _laid_out(frame, fn, made, order, copy)

    return handler


def _is_itself(frame: Frame, a: Abstract, dtype: Abstract, copy: Abstract) -> bool:
    """Whether `np.asarray(a)` is this very array."""
    is_one = is_array(a) and frame.session.is_certain(a) and not copy
    wanted = dtype.obj if isinstance(dtype, Ref) else dtype
    if not is_one or not isinstance(wanted, np.dtype | type | str | None):
        return False
    is_kept = wanted is None or np.dtype(wanted) == dtype_of(a.type)
    return is_kept and is_plain(frame, a)


def _contiguous(fn: Any) -> Handler:
    """`np.ascontiguousarray` and its like for columns."""

    def handler(
        frame: Frame, a: Abstract, dtype: Abstract = None, *, like: Abstract = None
    ) -> Abstract:
        _check_plain(frame, fn, a, False, like)
        if dtype is not None:
            a = _made(frame, np.asarray, a, dtype, None, None)
        return _plain(frame, fn, (a,), {})

    return handler


def _made(
    frame: Frame, fn: Any, a: Abstract, dtype: Abstract, copy: Abstract, usual: Abstract
) -> Abstract:
    method = method_of(frame, a, "__array__")
    if method is not None:
        a = call(frame, method, ())
    fields = dtype_with_fields(frame, dtype)
    if fields is not None:
        return converted(frame, fn, a, fields)
    if _holds_objects(a):
        fix = "keep the items in a list, or use NaN for what is missing"
        raise error("E309", None, what="an array with `None`", fix=fix)
    options = {} if dtype is None else {"dtype": dtype}
    if copy is not usual:
        options["copy"] = copy
        if copy is False and REFUSES_COPIES and _needs_copy(a, dtype):
            raise _refused_copy(frame, fn)
    return _plain(frame, fn, (tuple(a) if isinstance(a, ShapeTuple) else a,), options)


def _needs_copy(a: Abstract, dtype: Abstract) -> bool:
    """Whether an array of this dtype is another one than `a`."""
    wanted = dtype.obj if isinstance(dtype, Ref) else dtype
    if not is_array(a) or not isinstance(wanted, np.dtype | type | str | None):
        return not is_array(a)
    return wanted is not None and np.dtype(wanted) != dtype_of(a.type)


def _refused_copy(frame: Frame, fn: Any) -> Exception:
    """What NumPy raises where it would have to copy."""
    try:
        fn([0.0], copy=False)
    except ValueError as problem:
        return fails(frame, problem)
    return error("E132", None, what=f"`np.{fn.__name__}` without a copy")


def _holds_objects(a: Abstract) -> bool:
    """Whether NumPy makes an array of Python objects of it."""
    if isinstance(a, ListObj) and a.form is not None:
        return False
    items = a.items if isinstance(a, ListObj) else a
    return a is None or (isinstance(items, list | tuple) and any(map(_holds_objects, items)))


def _plain(frame: Frame, fn: Any, args: tuple[Abstract, ...], options: Any) -> Abstract:
    if isinstance(form_of(args[0]), Grown) and fn in JOINING:
        found = joined(frame, fn, form_of(args[0]), args[1:], options)
        if found is not None:
            return found
    return frame.session.emit(fn, args, options)


def _laid_out(
    frame: Frame, fn: Any, made: Abstract, order: Abstract, copy: Abstract = None
) -> Abstract:
    known = frame.session.static(order, "`order`")
    if known in (None, "K") or (is_order(known) and rank_of(type_of(made)) == 0):
        return made
    if known not in ("C", "F"):
        raise _uncovered(fn, f"`order={known!r}` is not covered")
    if copy is False and REFUSES_COPIES:
        raise _uncovered(fn, f"`order={known!r}` with `copy=False` is not covered")
    return frame.session.emit(np.ascontiguousarray if known == "C" else np.asfortranarray, (made,))


def is_order(x: Any, names: tuple[str | None, ...] = (None, "C", "F", "A", "K")) -> bool:
    """Whether NumPy takes `x` for an order in memory."""
    return (x.upper() if isinstance(x, str) else x) in names


def _check_plain(frame: Frame, fn: Any, a: Abstract, subok: Abstract, like: Abstract) -> None:
    """Refuse what would make an array of another class."""
    if like is not None and not _is_plain(frame, like):
        raise _uncovered(fn, "`like=` of what is no plain array is not covered")
    if frame.session.static(subok, "`subok`") and not all(
        is_plain(frame, v) for v in values_of(a) if array_classes(frame, v)
    ):
        raise _uncovered(fn, "`subok=` of an array in a file is not covered")


def _is_plain(frame: Frame, like: Abstract) -> bool:
    return isinstance(like, Value) and is_plain(frame, like)


def _check_device(frame: Frame, fn: Any, device: Abstract) -> None:
    if frame.session.static(device, "`device`") not in (None, "cpu"):
        raise _uncovered(fn, "NumPy has the device 'cpu' alone")


def _uncovered(fn: Any, note: str) -> Exception:
    return error("E203", None, what=f"`{name_of(fn)}`", notes=(note,))


# Of a shape, or like another array ---------------------------------------------------------------


def _of_shape(fn: Any) -> Handler:
    def handler(
        frame: Frame, shape: Abstract, dtype: Abstract = None, order: Abstract = "C", *,
        device: Abstract = None, like: Abstract = None,
    ) -> Abstract:  # fmt: skip
        _check_plain(frame, fn, None, False, like)
        _check_device(frame, fn, device)
        _check_order(frame, fn, order)
        fields = dtype_with_fields(frame, dtype)
        if fields is not None:
            return filled(frame, fn, shape, fields)
        return frame.session.emit(fn, (shape,), _filled(dtype, order, "C"))

    return handler


def _full(
    frame: Frame, shape: Abstract, fill_value: Abstract, dtype: Abstract = None,
    order: Abstract = "C", *, device: Abstract = None, like: Abstract = None,
) -> Abstract:  # fmt: skip
    _check_plain(frame, np.full, None, False, like)
    _check_device(frame, np.full, device)
    _check_order(frame, np.full, order)
    made = frame.session.emit(np.full, (shape, fill_value), _filled(dtype, "C", "C"))
    return made if order == "C" else _laid_out(frame, np.full, made, order)


def _check_order(frame: Frame, fn: Any, order: Abstract) -> None:
    """Refuse an order that is none of a new array's: NumPy raises."""
    known = frame.session.static(order, "`order`")
    if not is_order(known, (None, "C", "F")):
        raise _uncovered(fn, f"`order={known!r}` is not covered")


def _filled(dtype: Abstract, order: Abstract, usual: str) -> dict[str, Abstract]:
    options = {} if dtype is None else {"dtype": dtype}
    return options if order == usual else {**options, "order": order}


def _without_device(fn: Any) -> Handler:
    def handler(
        frame: Frame, *args: Abstract, device: Abstract = None, like: Abstract = None,
        **options: Abstract,
    ) -> Abstract:  # fmt: skip
        _check_plain(frame, fn, None, False, like)
        _check_device(frame, fn, device)
        return frame.session.emit(fn, args, options)

    return handler


def _arange(
    frame: Frame, *args: Abstract, device: Abstract = None, like: Abstract = None,
    **options: Abstract,
) -> Abstract:  # fmt: skip
    _check_plain(frame, np.arange, None, False, like)
    _check_device(frame, np.arange, device)
    step = options.pop("step", None)
    if options.get("stop") is not None:
        args = (*args, options.pop("stop"))
    if step is not None:
        args = (*args, step) if len(args) == 2 else (0, *args, step)
    return frame.session.emit(np.arange, tuple(_dates(options.get("dtype"), args)), options)


def _dates(dtype: Abstract, bounds: tuple[Abstract, ...]) -> Iterator[Abstract]:
    """The bounds of a range of dates, which may be texts."""
    is_one = isinstance(dtype, str | np.dtype) and np.dtype(dtype).kind == "M"
    for x in bounds:
        yield np.datetime64(x) if is_one and isinstance(x, str) else x


_LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)

OPTIONS: dict[Any, Handler] = {
    np.array: _array,
    np.full: _full,
    np.arange: _arange,
    **{fn: _converted(fn) for fn in (np.asarray, np.asanyarray)},
    **{fn: _contiguous(fn) for fn in (np.ascontiguousarray, np.asfortranarray)},
    **{fn: _of_shape(fn) for fn in (np.zeros, np.ones, np.empty)},
    **{fn: _without_device(fn) for fn in (np.linspace, np.tri, np.eye, np.identity, *_LIKE)},
}
BUILTINS.update(OPTIONS)
