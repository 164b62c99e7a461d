"""Functions of NumPy that are another function for other arguments.

np.where(c)              np.nonzero(c)
np.atleast_1d(x, y)      (np.atleast_1d(x), np.atleast_1d(y))
np.any(np.iscomplex(x))  False, of real x
np.copy(x)               np.array(x), in the order of x; the method `x.copy()` makes rows
np.choose(k, x)          np.choose(k, [x[0], x[1]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.expressions.array_methods import in_rows
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.python_types import array_classes, is_plain
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.staged import type_of

_CASTING = ("no", "equiv", "safe", "same_kind", "unsafe")


def _where(frame: Frame, condition: Abstract, *choices: Abstract, **options: Abstract) -> Abstract:
    if choices or options:
        return frame.session.emit(np.where, (condition, *choices), options)
    return frame.session.emit(np.nonzero, (condition,))


def _at_least(fn: Any) -> Callable[..., Abstract]:
    def handler(frame: Frame, *arys: Abstract, **options: Abstract) -> Abstract:
        if options or len(arys) == 1:
            return frame.session.emit(fn, arys, options)
        return tuple(frame.session.emit(fn, (ary,)) for ary in arys)

    return handler


def _copy(frame: Frame, a: Abstract, order: Abstract = "K", subok: Abstract = False) -> Abstract:
    if (
        frame.session.static(subok, "`subok`")
        and array_classes(frame, a)
        and not is_plain(frame, a)
    ):
        raise error("E203", None, what="`np.copy`", notes=("`subok=` is not covered",))
    known = frame.session.static(order, "`order`")
    if known == "K":
        return frame.session.emit(np.array, (a,))
    if known == "F":
        made = frame.session.emit(np.array, (a,))
        if rank_of(type_of(made)) == 0:  # to which `np.asfortranarray` gives an axis
            return made
        return frame.session.emit(np.asfortranarray, (made,))
    return (
        in_rows(frame, a) if known == "C" else frame.session.emit(np.copy, (a,), {"order": known})
    )


def _over_all(fn: Any, test: Any, answer: np.bool_) -> Callable[..., Abstract]:
    """`fn` of what `test` says of entries of a dtype that has one answer: a constant."""

    def handler(frame: Frame, a: Abstract, *args: Abstract, **options: Abstract) -> Abstract:
        op = frame.session.memory.producers.get(a) if isinstance(a, Value) else None
        is_test = op is not None and op.fn is test and not (args or options)
        if is_test and op is not None and _is_real(frame, op.args[0]):
            return answer
        return frame.session.emit(fn, (a, *args), options)

    return handler


def _is_real(frame: Frame, x: Abstract) -> bool:
    dtype = dtype_of(x.type) if isinstance(x, Value) else None
    return dtype is not None and dtype.kind in "biuf" and frame.session.is_certain(x)


def _cross(
    frame: Frame,
    a: Abstract,
    b: Abstract,
    axisa: Abstract = -1,
    axisb: Abstract = -1,
    axisc: Abstract = -1,
    axis: Abstract = None,
) -> Abstract:
    given = {"axisa": axisa, "axisb": axisb, "axisc": axisc, "axis": axis}
    known = {name: frame.session.static(x, f"`{name}`") for name, x in given.items()}
    options = {name: x for name, x in known.items() if x not in (-1, None)}
    if known["axis"] is not None:
        options = {"axis": known["axis"]}
    return frame.session.emit(np.cross, (a, b), options)


def _choose(
    frame: Frame, a: Abstract, choices: Abstract, *more: Abstract, **options: Abstract
) -> Abstract:
    if isinstance(choices, Value):
        choices = tuple(items_of(frame, choices, "the choices"))
    return frame.session.emit(np.choose, (a, choices, *more), options)


def _clip(frame: Frame, *args: Abstract, casting: Abstract = None, **options: Abstract) -> Abstract:
    """Any `casting` lets arrays of one dtype pass."""
    given = [x for x in (*args, *options.values()) if x is not None]
    is_one = all(isinstance(x, Value | float) for x in given)
    dtypes = {dtype_of(x.type) for x in given if isinstance(x, Value)} - {None}
    known = frame.session.static(casting, "`casting`")
    if known is not None and not (known in _CASTING and is_one and len(dtypes) == 1):
        raise error("E203", None, what="`np.clip`", notes=("`casting=` of several dtypes",))
    return frame.session.emit(np.clip, args, options)


def _broadcast_arrays(frame: Frame, *args: Abstract, subok: Abstract = False) -> Abstract:
    is_asked = frame.session.static(subok, "`subok`")
    if is_asked and not all(is_plain(frame, x) for x in args if array_classes(frame, x)):
        what = "`np.broadcast_arrays`"
        raise error("E203", None, what=what, notes=("`subok=` is not covered",))
    return frame.session.emit(np.broadcast_arrays, args)


BUILTINS[np.any] = _over_all(np.any, np.iscomplex, np.False_)
BUILTINS[np.all] = _over_all(np.all, np.isreal, np.True_)
BUILTINS[np.broadcast_arrays] = _broadcast_arrays
BUILTINS[np.choose] = _choose
BUILTINS[np.clip] = _clip
BUILTINS[np.copy] = _copy
BUILTINS[np.cross] = _cross
BUILTINS[np.where] = _where
BUILTINS.update({fn: _at_least(fn) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d)})
