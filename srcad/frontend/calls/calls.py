"""Calls: of functions with a rule, of library functions, of the user's functions and objects."""

from __future__ import annotations

import inspect
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound
from srcad.frontend.abstract.containers.containers import DictObj, as_dict
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.objects import Abstract, Closed, Instance, Partial, Ref
from srcad.frontend.abstract.session import Session
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.calls.callees import KINDS, OTHER, Call, Kind, solution
from srcad.frontend.calls.known_functions import KNOWN, of_imported
from srcad.frontend.calls.origins import is_library, module_of, own_name
from srcad.frontend.dispatch import (
    Args,
    Kwargs,
    call,
    expression,
    handles_call,
    handles_expression,
)
from srcad.frontend.expressions.expressions import elements
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.receivers import Chosen, of_each, receiver
from srcad.frontend.kinds import is_hashable
from srcad.frontend.library.array_classes import of_array_class
from srcad.frontend.library.labelled import of_labelled
from srcad.frontend.library.masked import of_masked
from srcad.frontend.library.progress import of_progress
from srcad.frontend.library.structured import of_structured
from srcad.frontend.lists.tables import taken
from srcad.frontend.objects.attributes import attribute
from srcad.rules import RULES

# What stands for objects of other packages, and of NumPy beside its arrays.
OF_OWN_CLASSES = (of_labelled, of_masked, of_structured, of_array_class, of_progress)


@handles_expression(gast.Call)
def _call_node(frame: Frame, node: gast.Call) -> Abstract:
    """The result of a call expression."""
    callee, several = _callee(frame, node.func)
    args = tuple(elements(frame, node.args))
    kwargs: Kwargs = {}
    for keyword in node.keywords:
        x = expression(frame, keyword.value)
        x = as_dict(x) if keyword.arg is None else x
        given = (
            {keyword.arg: x}
            if keyword.arg is not None
            else x.items
            if isinstance(x, DictObj)
            else None
        )
        if given is None:
            raise error("E125", frame.at(keyword.value), what=f"`**{gast.unparse(keyword.value)}`")
        for key, each in given.items():
            if not isinstance(key, str):
                raise fails(frame, TypeError("keywords must be strings"))
            if key in kwargs:
                raise error(
                    "E131", None, what=f"`{gast.unparse(node.func)}` (two values for `{key}`)"
                )
            kwargs[key] = each
    if several is not None:
        name = node.func.attr
        return of_each(
            frame, several, lambda x: call(frame, attribute(frame, x, name), args, kwargs, node)
        )
    return call(frame, callee, args, kwargs, node)


def _callee(frame: Frame, node: Any) -> tuple[Abstract, Chosen | None]:
    """What is called; or the containers of one of which it is a method, as data says."""
    is_method = isinstance(node, gast.Attribute)
    if not is_method or not isinstance(node.value, gast.IfExp | gast.Subscript):
        return expression(frame, node), None
    with errors_at(frame, node):
        owner = receiver(frame, node.value)
        if isinstance(owner, Chosen):
            return None, owner
        return attribute(frame, owner, node.attr), None


@handles_call(Bound)
def _call_bound(frame: Frame, callee: Bound, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    return call(frame, callee.fn, (callee.receiver, *args), kwargs, node)


@handles_call(Partial)
def _call_partial(frame: Frame, callee: Partial, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    return call(frame, callee.fn, (*callee.args, *args), {**callee.kwargs, **kwargs}, node)


@handles_call(Closed)
def _call_closed(frame: Frame, callee: Closed, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    try:
        inspect.signature(callee.call).bind(frame, *args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{callee.name}` ({reason})") from None
    return callee.call(frame, *args, **kwargs)


def _without_settings(session: Session, fn: Any, kwargs: Kwargs) -> Kwargs:
    """The options of one of SciPy's functions that has a rule, but for the namespace by which its
    callers have it compute, which is NumPy's, and what SciPy itself allows to be overwritten.
    """
    if not module_of(fn).startswith("scipy."):
        return kwargs
    xp = kwargs.get("xp")
    name = getattr(xp.obj, "__name__", "") if isinstance(xp, Ref) else ""
    left_out = {"overwrite_x"} if session.reads_scipy else set()
    is_numpys = name == "numpy" or name.endswith(".array_api_compat.numpy")
    if "xp" in kwargs and (xp is None or is_numpys):
        left_out |= {"xp"} if kwargs.get("device") else {"xp", "device"}
    return {name: x for name, x in kwargs.items() if name not in left_out}


@handles_call(Ref, Instance)
def _call_object(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    fn = callee.obj
    known: tuple[Kind, ...] = ()
    if is_hashable(fn):
        if fn in BUILTINS or is_library(fn):
            args, kwargs = taken(frame, fn, args, kwargs)
        if fn in RULES:
            kwargs = _without_settings(frame.session, fn, kwargs)
        known = KNOWN
    asked = Call(frame, callee, args, kwargs, node)
    for kind in (*OF_OWN_CLASSES, of_imported, solution, *known, *KINDS):
        found = kind(asked)
        if found is not OTHER:
            return found
    raise error("E120", None, what=f"`{own_name(fn)}`")
