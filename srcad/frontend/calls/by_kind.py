"""Calls with arguments that are None, a number or a text by data.

limit(best)             read in place: `best` is passed on as it is
np.sqrt(best)           for each kind: of None the exception that NumPy raises
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Either, Method, Partial, Ref
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.calls.origins import is_library
from srcad.frontend.dispatch import Args, Kwargs, call, call_with, handles_call
from srcad.frontend.expressions.by_case import Plain, by_case, of_each_kind
from srcad.frontend.loops.iteration import iterated
from srcad.frontend.objects.attributes import attribute
from srcad.rules import RULES


@handles_call(Either)
def _call_by_kind(
    frame: Frame, callee: Abstract, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    if isinstance(callee, Method) and isinstance(callee.receiver, Either):
        name = callee.name

        def of_kind(owner: Abstract) -> Abstract:
            return call(frame, attribute(frame, owner, name), args, kwargs, node)

        if name in ("items", "keys", "values") and not args and not kwargs:  # views of dicts
            return of_each_kind(frame, callee.receiver, of_kind)
        return by_case(frame, (callee.receiver,), of_kind, lambda x: getattr(x, name))
    if isinstance(callee, Either):
        return by_case(frame, (callee,), lambda fn: call(frame, fn, args, kwargs, node), _called)
    if isinstance(callee, Ref) and callee.obj in (enumerate, reversed, zip):
        made = _iterator(frame, callee, args, kwargs, node)
        if made is not None:
            return made
    if _passes_on(callee):
        return call_with(frame, callee, args, kwargs, node)
    names = list(kwargs)

    def act(*given: Abstract) -> Abstract:
        named = dict(zip(names, given[len(args) :], strict=True))
        return call(frame, callee, given[: len(args)], named, node)

    return by_case(frame, (*args, *kwargs.values()), act, _plain(callee, len(args), names))


def _iterator(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract | None:
    """`zip(xs, ys)`, which takes nothing of them yet: one of each kind; None where two of them are
    of several.
    """
    args = tuple(iterated(frame, x) if isinstance(x, Either) else x for x in args)
    at = [k for k, x in enumerate(args) if isinstance(x, Either)]
    if len(at) > 1 or any(isinstance(x, Either) for x in kwargs.values()):
        return None
    if not at:
        return call(frame, callee, args, kwargs, node)
    before, several, after = args[: at[0]], args[at[0]], args[at[0] + 1 :]
    return of_each_kind(
        frame, several, lambda x: call(frame, callee, (*before, x, *after), kwargs, node)
    )


def _passes_on(callee: Abstract) -> bool:
    """Whether what is called is read in place, or keeps what it gets."""
    if isinstance(callee, Method):
        return isinstance(callee.receiver, ListObj | DictObj)
    if not isinstance(callee, Ref):
        return isinstance(callee, FunctionObj | Bound | Partial | Closed)
    is_read = isinstance(callee.obj, types.FunctionType | types.MethodType | type)
    return is_read and not _is_known(callee.obj) and not is_library(callee.obj)


def _is_known(fn: Any) -> bool:
    return fn in RULES or fn in BUILTINS


def _called(fn: Any) -> None:
    fn()


def _plain(callee: Abstract, n: int, names: list[str]) -> Plain:
    """The call of Python's own objects, where it has no effect."""
    if not isinstance(callee, Ref) or not (
        isinstance(callee.obj, np.ufunc) or _is_known(callee.obj)
    ):
        return None
    if callee.obj in (print, input, open):
        return None

    def plain(*given: Any) -> Any:
        return callee.obj(*given[:n], **dict(zip(names, given[n:], strict=True)))

    return plain
