"""Calls: of functions with a rule, of library functions, of the user's functions and objects."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound
from srcad.frontend.abstract.containers.containers import DictObj, Grown, form_of
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.objects import Abstract, Closed, Instance, Partial, Ref
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.builtins.object_calls import is_instance, kept_by_cache
from srcad.frontend.calls.by_options import read_by_options
from srcad.frontend.calls.checkpoints import call_checkpointed
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.opaque_calls import call_kept, has_effects
from srcad.frontend.dispatch import (
    Args,
    Kwargs,
    call,
    expression,
    handles_call,
    handles_expression,
)
from srcad.frontend.exceptions.managers import generator_behind, is_manager_function, managed
from srcad.frontend.expressions.expressions import elements
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.receivers import Chosen, of_each, receiver
from srcad.frontend.iterators.library_iterators import GETTERS
from srcad.frontend.iterators.pulled import made_here
from srcad.frontend.kinds import is_hashable, is_trusted
from srcad.frontend.known_objects import call_known, gives_known
from srcad.frontend.library.entrywise import call_captured
from srcad.frontend.library.in_place import call_in_place, writes
from srcad.frontend.library.sparse import stands_for
from srcad.frontend.lists.grown_lists import JOINING, joined
from srcad.frontend.lists.tables import taken
from srcad.frontend.nested.mapping import map_inside
from srcad.frontend.nested.public_calls import use_inside
from srcad.frontend.nested.transforms import derive_inside
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.objects.classes import construct
from srcad.frontend.reading.hidden_changes import refuse_trial
from srcad.frontend.solvers.implicit import call_implicit, implicit_behind
from srcad.frontend.solvers.table import solver_for
from srcad.ir.marks import checkpointed, checkpointing_of, request_of
from srcad.ir.nodes import Checkpointing
from srcad.rules import RULES
from srcad.rules.core.names import refusal
from srcad.rules.scipy import FROZEN


@handles_expression(gast.Call)
def _call_node(frame: Frame, node: gast.Call) -> Abstract:
    """The result of a call expression."""
    callee, several = _callee(frame, node.func)
    args = tuple(elements(frame, node.args))
    kwargs: Kwargs = {}
    for keyword in node.keywords:
        x = expression(frame, keyword.value)
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


@handles_call(Ref, Instance)
def _call_object(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    fn = callee.obj
    sparse = _sparse_classes(fn)
    if sparse and len(args) == 1:
        return is_instance(frame, args[0], sparse)
    behind = implicit_behind(fn)
    if behind is not None:
        path = f"{callee.path}.__srcad_implicit__" if callee.path else ""
        lift = frame.session.inputs.lift
        solver = lift(behind.solver, f"{path}.solver", "solver")
        residual = lift(behind.residual, f"{path}.residual", "residual")
        return call_implicit(frame, solver, residual, behind.like, args, kwargs)
    if is_hashable(fn) and (fn in BUILTINS or is_library(fn)):
        args = taken(frame, fn, args)
    if is_hashable(fn) and gives_known(fn):
        return call_known(frame, callee, args, kwargs)
    if is_hashable(fn):
        if is_library(fn) and writes(fn, args, kwargs):
            return call_in_place(
                frame, fn, args, kwargs, node, lambda xs, ks: call(frame, callee, xs, ks, node)
            )
        found = read_by_options(
            frame, fn, args, kwargs, node, lambda xs, ks: call(frame, callee, xs, ks, node)
        )
        if found is not None:
            return found[0]
        if fn in BUILTINS:
            made = _call_handler(functools.partial(BUILTINS[fn], frame), fn, args, kwargs)
            return made_here(frame.session, made)
        if fn in RULES and has_effects(RULES[fn]):
            plain = functools.partial(call_python, frame, callee, args, kwargs, node)
            return call_kept(frame, callee, args, kwargs, plain)
        if args and isinstance(form_of(args[0]), Grown) and fn in JOINING:
            grown = joined(frame, fn, form_of(args[0]), args[1:], kwargs)
            if grown is not None:
                return grown
        if fn in RULES:
            refuse_trial(fn)
            return frame.session.emit(fn, args, kwargs)
        solver = solver_for(fn)
        if solver is not None:
            return _call_handler(functools.partial(solver, frame), fn, args, kwargs)
        stands = stands_for(fn, args, kwargs)
        if stands is not None:
            return call_python(frame, Ref(stands, ""), args, kwargs, node)
        refused = refusal(fn)
        if refused is not None:
            raise refused
        if fn in FROZEN:
            if callee.path:
                frame.session.inputs.guard(callee.path, "is", fn)
            return Partial(callee, args, kwargs)
    if any(cls.__module__ == "_ctypes" for cls in type(fn).__mro__):
        fix = "define a Python function that calls it, and give that a rule (see Write a rule)"
        raise error("E120", None, what=f"`{_name(fn)}`, a function of `ctypes`,", fix=fix)
    if _module(fn).startswith("srcad.api.") and isinstance(fn, types.FunctionType):
        return use_inside(frame, _name(fn), args, kwargs)
    request = request_of(fn)
    if request is not None:
        if request.kind == "vmap":
            return map_inside(frame, request, callee, args, kwargs)
        return derive_inside(frame, request, callee, args, kwargs)
    if is_manager_function(fn):
        return managed(frame, generator_behind(frame, callee), args, kwargs, node)
    wrapped = checkpointed(fn)
    if wrapped is not None:
        primal = frame.session.inputs.lift(wrapped, f"{callee.path}.__wrapped__", "f")
        found = checkpointing_of(fn)
        how = None if found is None else Checkpointing(*found)
        return call_checkpointed(frame, primal, how, args, kwargs)
    if isinstance(fn, type):
        return construct(frame, callee, args, kwargs, node)
    if isinstance(fn, types.MethodType):
        receiver = frame.session.inputs.lift(fn.__self__, f"{callee.path}.__self__", "self")
        return call(
            frame, Ref(fn.__func__, f"{callee.path}.__func__"), (receiver, *args), kwargs, node
        )
    if isinstance(fn, np.vectorize):
        return call_captured(frame, callee, args, kwargs)
    if isinstance(fn, functools.partial):
        return _call_held(frame, callee, args, kwargs, node)
    if isinstance(fn, GETTERS):
        cls, arguments = tuple(fn.__reduce__())
        return call(frame, call(frame, Ref(cls, ""), arguments), args, kwargs, node)
    if isinstance(fn, functools._lru_cache_wrapper):
        wrapped_by = Ref(fn.__wrapped__, f"{callee.path}.__wrapped__")
        return kept_by_cache(frame, call(frame, wrapped_by, args, kwargs, node))
    if isinstance(fn, types.FunctionType) and not is_library(fn):
        return call_python(frame, callee, args, kwargs, node)
    if is_library(fn):
        return _call_library(frame, callee, args, kwargs)
    method = inspect.getattr_static(type(fn), "__call__", None)
    if callee.path and isinstance(method, types.FunctionType):
        target = Ref(method, f"type({callee.path}).__call__")
        frame.session.inputs.guard(target.path, "is", method)
        return call(frame, target, (callee, *args), kwargs, node)
    raise error("E120", None, what=f"`{_name(fn)}`")


def _sparse_classes(fn: Any) -> tuple[Ref, ...]:
    """The classes of which `scipy.sparse.issparse` and the like ask, known while compiling."""
    sparse: Any = sys.modules.get("scipy.sparse")
    if sparse is None or (fn is not sparse.issparse and fn is not sparse.isspmatrix):
        return ()
    classes = (sparse.spmatrix, sparse.sparray) if fn is sparse.issparse else (sparse.spmatrix,)
    return tuple(Ref(cls, "") for cls in classes)


def _name(fn: Any) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))


def _module(fn: Any) -> str:
    return str(getattr(fn, "__module__", None) or "")


def _call_held(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """Call what `functools.partial` holds, with the arguments it holds as captured values."""
    fn, inputs = callee.obj, frame.session.inputs
    target = inputs.lift(fn.func, f"{callee.path}.func", "func")
    held = inputs.lift(fn.args, f"{callee.path}.args", "args")
    named = inputs.lift(fn.keywords, f"{callee.path}.keywords", "keywords")
    return call(frame, target, (*held, *args), {**named.items, **kwargs}, node)


def _call_handler(
    handler: Callable[..., Abstract], fn: Any, args: Args, kwargs: Kwargs
) -> Abstract:
    try:
        inspect.signature(handler).bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{_name(fn)}` ({reason})") from None
    return handler(*args, **kwargs)


def _call_library(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    fn = callee.obj
    module = _module(fn) or type(getattr(fn, "__self__", None)).__module__
    name = _name(fn)
    if module.startswith("numpy.random"):
        fix = "draw from a generator, `rng = np.random.default_rng(seed)`, passed as an argument"
        raise error("E120", None, what=f"`{name}`, which draws random numbers,", fix=fix)
    if not is_hashable(fn):  # an object that NumPy makes a function: a polynomial
        raise error("E120", None, what=f"an object of class `{type(fn).__name__}`, called,")
    return frame.session.emit(fn, args, kwargs)


def is_library(fn: Any) -> bool:
    """Whether `fn` belongs to NumPy, SciPy or the standard library: never looked into."""
    if isinstance(fn, types.FunctionType):
        if fn.__module__ in ("builtins", None):
            return False  # made by `exec`
        # Not `__module__`, which a decorator may have copied from what it decorates.
        return _is_trusted_name(str(fn.__globals__.get("__name__", fn.__module__)))
    bound = getattr(fn, "__self__", None)
    owner = type(bound) if isinstance(fn, types.BuiltinMethodType) and bound is not None else fn
    if isinstance(bound, types.ModuleType):
        owner = bound
    name = _module(owner) or _name(owner)
    if owner is fn and not isinstance(fn, type | types.BuiltinFunctionType):
        name = _module(fn) or type(fn).__module__
    return _is_trusted_name(name)


def _is_trusted_name(module: str) -> bool:
    root = module.split(".")[0]
    return root != "srcad" and is_trusted(sys.modules.get(root))


__all__ = ["is_library"]
