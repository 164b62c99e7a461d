"""Functions of NumPy that are another function for other arguments.

np.where(c)              np.nonzero(c)
np.atleast_1d(x, y)      (np.atleast_1d(x), np.atleast_1d(y))
np.copy(x)               np.array(x), in the order of x; the method `x.copy()` makes rows
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.calls.builtin_calls import BUILTINS
from srcad.frontend.expressions.array_methods import in_rows


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
    if frame.session.static(subok, "`subok`"):
        raise error("E203", None, what="`np.copy`", notes=("`subok=` is not covered",))
    known = frame.session.static(order, "`order`")
    if known == "K":
        return frame.session.emit(np.array, (a,))
    return (
        in_rows(frame, a) if known == "C" else frame.session.emit(np.copy, (a,), {"order": known})
    )


BUILTINS[np.copy] = _copy
BUILTINS[np.where] = _where
BUILTINS.update({fn: _at_least(fn) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d)})
