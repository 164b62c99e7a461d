"""Objects that never change and whose methods only compute: made and asked while compiling.

(date(2020, 3, 1) - date(2020, 1, 1)).days       60
int(Decimal("2.5").quantize(Decimal("1")))       2
re.match("[A-Z][a-z]?", "Na2O").group()          "Na"
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.objects import Abstract, Ref, is_static
from srcad.frontend.expressions.missing import fails
from srcad.frontend.kinds import is_of_class

_INFO: Any = getattr(np, "__array_namespace_info__", Fraction)  # NumPy 2.0 brings it
_MADE = (Decimal, Fraction, date, datetime, time, timedelta, _INFO)
_GIVEN = (re.Pattern, re.Match)
_FUNCTIONS = (
    date.fromisoformat, datetime.fromisoformat, datetime.strptime, datetime.combine,
    re.compile, re.escape, re.findall, re.fullmatch, re.match, re.search, re.split, re.subn,
)  # fmt: skip


def is_known(x: Abstract) -> bool:
    """Whether it is such an object."""
    return isinstance(x, Ref) and type(x.obj) in (*_MADE, *_GIVEN)


def gives_known(fn: Any) -> bool:
    """Whether a function makes such an object, or is a method of one."""
    is_method = isinstance(fn, types.MethodType | types.BuiltinMethodType)
    if is_method and type(fn.__self__) in (*_MADE, *_GIVEN):
        return True
    return fn in _MADE or fn in _FUNCTIONS


def call_known(
    frame: Frame, callee: Ref, args: tuple[Abstract, ...], kwargs: dict[str, Abstract]
) -> Abstract:
    """The result of a call, for which all arguments must be known while compiling."""
    session, fn = frame.session, callee.obj
    if callee.path and not is_of_class(fn):
        session.inputs.guard(callee.path, "is", fn)
    what = f"what `{fn.__name__}` is called with"
    given = [session.static(x, what) for x in args]
    options = {name: session.static(x, what) for name, x in kwargs.items()}
    try:
        return _told(fn(*given, **options))
    except (ArithmeticError, ValueError, TypeError, LookupError, re.error) as problem:
        raise fails(frame, problem) from None


def known_item(frame: Frame, dtype: np.dtype[Any], index: Abstract) -> Abstract:
    """`dtype["a"]`: the dtype of a field."""
    known = frame.session.static(index, "this index")
    try:
        return fixed(dtype[known])
    except (TypeError, LookupError) as problem:
        raise fails(frame, problem) from None


def operated(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract | None:
    """An operator on such objects and constants; None where something else is among them."""
    if not any(map(is_known, args)) or not all(is_known(x) or is_static(x) for x in args):
        return None
    try:
        return _told(fn(*map(known_object, args)))
    except (ArithmeticError, ValueError, TypeError) as problem:
        raise fails(frame, problem) from None


def known_object(x: Abstract) -> Abstract:
    """The object itself, where it is one that is known."""
    return x.obj if isinstance(x, Ref) and is_known(x) else x


def _told(x: Any) -> Abstract:
    """What is abstract of a result."""
    if type(x) is list:
        return ListObj([_told(item) for item in x])
    if type(x) is dict:
        return DictObj({key: _told(item) for key, item in x.items()})
    if type(x) is tuple:
        return tuple(map(_told, x))
    return fixed(x)


__all__ = ["call_known", "gives_known", "is_known", "known_item", "known_object", "operated"]
