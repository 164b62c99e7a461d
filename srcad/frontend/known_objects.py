"""Objects that never change and whose methods only compute: made and asked while compiling.

int(Decimal("2.5").quantize(Decimal("1")))       2
re.match("[A-Z][a-z]?", "Na2O").group()          "Na"
"""

from __future__ import annotations

import re
import types
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.expressions.missing import fails

_INFO: Any = getattr(np, "__array_namespace_info__", Fraction)  # NumPy 2.0 brings it
_MADE = (Decimal, Fraction, _INFO)
_GIVEN = (re.Pattern, re.Match)
_FUNCTIONS = (
    re.compile, re.escape, re.findall, re.fullmatch, re.match, re.search, re.split, re.subn,
)  # fmt: skip


def is_known(x: Abstract) -> bool:
    """Whether it is such an object."""
    return isinstance(x, Ref) and type(x.obj) in (*_MADE, *_GIVEN)


def gives_known(fn: Any) -> bool:
    """Whether a function makes such an object, or is a method of one."""
    if isinstance(fn, types.MethodType | types.BuiltinMethodType):
        return type(fn.__self__) in (*_MADE, *_GIVEN)
    return fn in _MADE or fn in _FUNCTIONS


def call_known(
    frame: Frame, callee: Ref, args: tuple[Abstract, ...], kwargs: dict[str, Abstract]
) -> Abstract:
    """The result of a call, for which all arguments must be known while compiling."""
    session, fn = frame.session, callee.obj
    if callee.path:
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


__all__ = ["call_known", "gives_known", "is_known", "known_item", "known_object"]
