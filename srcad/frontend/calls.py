"""Calls: of functions with a rule, of the user's functions (read in place), of classes and methods."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.builtin_calls import BUILTINS
from srcad.frontend.capture import is_trusted
from srcad.frontend.classes import construct
from srcad.frontend.dispatch import (
    Args,
    Kwargs,
    block,
    call,
    expression,
    handles_call,
    handles_expression,
)
from srcad.frontend.expressions import elements
from srcad.frontend.frame import Frame
from srcad.frontend.kept_calls import call_kept, has_effects
from srcad.frontend.nested import INSIDE, derive_inside
from srcad.frontend.objects import (
    Abstract,
    Bound,
    Closed,
    DictObj,
    FunctionObj,
    Partial,
    Ref,
)
from srcad.frontend.recursion import check_repetition, run_call
from srcad.frontend.signals import Raising
from srcad.frontend.signature import request_of
from srcad.frontend.source import get_source
from srcad.rules import RULES

MAX_DEPTH = 60
MAX_RECURSIVE_CALLS = 400
Default = Callable[[], Abstract]


@handles_expression(gast.Call)
def _call_node(frame: Frame, node: gast.Call) -> Abstract:
    """The result of a call expression."""
    if isinstance(node.func, gast.Name) and node.func.id == "super" and not node.args:
        raise error("E120", frame.at(node), what="`super()`")
    callee = expression(frame, node.func)
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
            if key in kwargs:
                raise error(
                    "E131", None, what=f"`{gast.unparse(node.func)}` (two values for `{key}`)"
                )
            kwargs[key] = each
    return call(frame, callee, args, kwargs, node)


@handles_call(Bound)
def _call_bound(frame: Frame, callee: Bound, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    return call(frame, callee.fn, (callee.receiver, *args), kwargs, node)


@handles_call(Partial)
def _call_partial(frame: Frame, callee: Partial, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    return call(frame, callee.fn, (*callee.args, *args), {**callee.kwargs, **kwargs}, node)


@handles_call(Closed)
def _call_closed(frame: Frame, callee: Closed, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    return callee.call(frame, *args, **kwargs)


@handles_call(Ref)
def _call_object(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    fn = callee.obj
    if _is_hashable(fn):
        if fn in BUILTINS:
            return _call_builtin(frame, fn, args, kwargs)
        if fn in RULES and has_effects(RULES[fn]):
            read = functools.partial(_call_python, frame, callee, args, kwargs, node)
            return call_kept(frame, callee, args, kwargs, read)
        if fn in RULES:
            return frame.session.emit(fn, args, kwargs)
    if _module(fn).startswith("srcad.api.") and _name(fn) in INSIDE:
        return INSIDE[_name(fn)](frame, *args, **kwargs)
    request = request_of(fn)
    if request is not None:
        return derive_inside(frame, request, callee, args, kwargs)
    if isinstance(fn, type):
        return construct(frame, callee, args, kwargs)
    if isinstance(fn, types.MethodType):
        receiver = frame.session.inputs.lift(fn.__self__, f"{callee.path}.__self__", "self")
        return call(
            frame, Ref(fn.__func__, f"{callee.path}.__func__"), (receiver, *args), kwargs, node
        )
    if isinstance(fn, functools._lru_cache_wrapper):
        return call(frame, Ref(fn.__wrapped__, f"{callee.path}.__wrapped__"), args, kwargs, node)
    if isinstance(fn, types.FunctionType) and not is_library(fn):
        return _call_python(frame, callee, args, kwargs, node)
    if is_library(fn):
        return _call_library(frame, callee, args, kwargs)
    method = inspect.getattr_static(type(fn), "__call__", None)
    if callee.path and isinstance(method, types.FunctionType):
        target = Ref(method, f"type({callee.path}).__call__")
        frame.session.inputs.guard(target.path, "is", method)
        return call(frame, target, (callee, *args), kwargs, node)
    raise error("E120", None, what=f"`{_name(fn)}`")


def _name(fn: Any) -> str:
    return str(getattr(fn, "__name__", type(fn).__name__))


def _module(fn: Any) -> str:
    return str(getattr(fn, "__module__", None) or "")


def _call_builtin(frame: Frame, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    handler = BUILTINS[fn]
    try:
        inspect.signature(handler).bind(frame, *args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{_name(fn)}` ({reason})") from None
    return handler(frame, *args, **kwargs)


# Functions of NumPy that change their argument.
_IMPURE = ("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "at")


def _call_library(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    fn = callee.obj
    module = _module(fn) or type(getattr(fn, "__self__", None)).__module__
    name = _name(fn)
    if module.startswith("numpy.random"):
        fix = "draw random numbers outside and pass them as an argument"
        raise error("E120", None, what=f"`{name}`, which draws random numbers,", fix=fix)
    if name in _IMPURE:
        raise error("E116", None, what=f"`{name}(...)`")
    return frame.session.emit(fn, args, kwargs)


def _is_hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def is_library(fn: Any) -> bool:
    """Whether `fn` belongs to NumPy, SciPy or the standard library: never looked into."""
    if isinstance(fn, types.FunctionType) and fn.__module__ == "builtins":
        return False  # made by `exec`
    bound = getattr(fn, "__self__", None)
    owner = type(bound) if isinstance(fn, types.BuiltinMethodType) and bound is not None else fn
    if isinstance(bound, types.ModuleType):
        owner = bound
    name = getattr(owner, "__module__", None) or getattr(owner, "__name__", "")
    if owner is fn and not isinstance(fn, type | types.FunctionType | types.BuiltinFunctionType):
        name = getattr(fn, "__module__", None) or type(fn).__module__
    root = name.split(".")[0]
    return root != "srcad" and is_trusted(sys.modules.get(root))


# Python functions --------------------------------------------------------------------------------


def _call_python(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """Read a user's function in place, with its own globals and closure."""
    fn = callee.obj
    source = get_source(fn)
    if not isinstance(source.node, gast.FunctionDef | gast.Lambda):
        raise error("E110", source.at(source.node))
    if callee.path:
        frame.session.inputs.guard(callee.path, "code", (fn, fn.__code__))
    inner = Frame(
        frame.session, source.file, fn.__name__, fn=fn, path=callee.path,
        callers=_callers(frame, node),
    )  # fmt: skip
    # Read only where the call leaves the parameter out: an unused default is no input.
    lift = frame.session.inputs.lift
    defaults: list[Default] = [
        partial(lift, d, f"{callee.path}.__defaults__[{i}]", "default")
        for i, d in enumerate(fn.__defaults__ or ())
    ]
    kw_defaults: dict[str, Default] = {
        name: partial(lift, d, f"{callee.path}.__kwdefaults__[{name!r}]", name)
        for name, d in (fn.__kwdefaults__ or {}).items()
    }
    inner.env.update(bind(fn.__name__, source.node.args, args, kwargs, defaults, kw_defaults))
    return _run_body(inner, source.node, fn.__code__)


@handles_call(FunctionObj)
def _call_nested(
    frame: Frame, callee: FunctionObj, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    """Run a function defined inside the program, in a frame whose outer frame is where it was defined."""
    home = callee.frame
    inner = Frame(frame.session, home.file, callee.name, outer=home, callers=_callers(frame, node))
    names = [a.id for a in callee.node.args.kwonlyargs]
    given = zip(names, callee.kw_defaults, strict=True)
    kw_defaults: dict[str, Default] = {n: partial(_same, d) for n, d in given if d is not None}
    defaults: list[Default] = [partial(_same, d) for d in callee.defaults]
    inner.env.update(bind(callee.name, callee.node.args, args, kwargs, defaults, kw_defaults))
    return _run_body(inner, callee.node, callee.node)


def _same(x: Abstract) -> Abstract:
    return x


def _callers(frame: Frame, node: Any) -> Any:
    return (frame.at(node), *frame.callers) if node is not None else frame.callers


def _run_body(inner: Frame, node: Any, identity: Any) -> Abstract:
    """Lower a function's body in its frame; its returned value."""
    place = (inner.file, inner.name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return run_call(inner, place, lambda: _read_body(inner, node, identity))


def _read_body(inner: Frame, node: Any, identity: Any) -> Abstract:
    session = inner.session
    _check_recursion(inner, identity)
    loc = session.builder.loc
    session.active_calls.append(identity)
    session.frames.append(inner)
    try:
        if isinstance(node, gast.Lambda):
            session.builder.loc = inner.at(node.body)
            return expression(inner, node.body)
        inner.local_names = local_names(node)
        for found in _yields(node):
            raise error("E111", inner.at(found), called_from=inner.callers)
        outcome = block(inner, node.body)
    finally:
        session.active_calls.pop()
        session.frames.pop()
        session.builder.loc = loc
    if outcome is not None and outcome.kind == "raise":
        raise Raising
    return None if outcome is None else outcome.value


def _check_recursion(frame: Frame, identity: Any) -> None:
    """A recursive call under a run-time condition: specialise to the ints it depends on; not without end."""
    session = frame.session
    if identity not in session.active_calls:
        return
    what = f"`{frame.name}`"
    first = session.active_calls.index(identity)
    for depth, cond in session.conditions:
        if depth > first and session.can_be_static(cond):
            session.static(cond, f"the condition that ends the recursion of {what}")
    conditional = any(depth > first for depth, _ in session.conditions)
    session.recursive_calls += conditional
    if conditional:
        check_repetition(session, exact=True)
    if len(session.active_calls) > MAX_DEPTH or session.recursive_calls > MAX_RECURSIVE_CALLS:
        check_repetition(session, exact=False)
        raise error("E126", None, what=what)


def local_names(node: gast.FunctionDef) -> frozenset[str]:
    """The names that a function binds anywhere in its own scope: Python looks for these nowhere else."""
    known = _local_names.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    found: set[str] = set()
    outer: set[str] = set()
    _collect_names(node.body, found, outer, False)
    names = frozenset(found - outer)
    _local_names[id(node)] = (node, names)
    return names


_local_names: dict[int, tuple[Any, frozenset[str]]] = {}
_SCOPES = (gast.ListComp, gast.DictComp, gast.SetComp, gast.GeneratorExp)


def _collect_names(nodes: list[Any], found: set[str], outer: set[str], inside: bool) -> None:
    """`inside` a comprehension only `:=` binds a name of the function."""
    for node in nodes:
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store) and not inside:
            found.add(node.id)
        elif isinstance(node, gast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, gast.Global | gast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, gast.FunctionDef | gast.ClassDef):
            found.add(node.name)
            continue
        elif isinstance(node, gast.Lambda):
            continue
        children = list(gast.iter_child_nodes(node))
        _collect_names(children, found, outer, inside or isinstance(node, _SCOPES))


def _yields(node: gast.FunctionDef) -> Iterator[Any]:
    waiting: list[Any] = list(node.body)
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, gast.Yield | gast.YieldFrom):
            yield each
        if not isinstance(each, gast.FunctionDef | gast.Lambda):
            waiting.extend(gast.iter_child_nodes(each))


def bind(
    name: str,
    spec: gast.arguments,
    args: Args,
    kwargs: Kwargs,
    defaults: list[Default],
    kw_defaults: dict[str, Default],
) -> Kwargs:
    """The parameters' values by Python's rules for calls."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    only_positional = {a.id for a in spec.posonlyargs}
    bound: Kwargs = dict(zip(positional, args, strict=False))
    if spec.vararg is not None:
        bound[spec.vararg.id] = tuple(args[len(positional) :])
    elif len(args) > len(positional):
        raise error("E131", None, what=f"`{name}` ({len(args)} positional arguments)")
    extra: Kwargs = {}
    names = {*positional, *(a.id for a in spec.kwonlyargs)} - only_positional
    for key, x in kwargs.items():
        if key in bound and key in names:
            raise error("E131", None, what=f"`{name}` (two values for `{key}`)")
        if key in names:
            bound[key] = x
        elif spec.kwarg is None:
            raise error("E131", None, what=f"`{name}` (no parameter `{key}`)")
        else:
            extra[key] = x
    if spec.kwarg is not None:
        bound[spec.kwarg.id] = DictObj(extra)
    with_default = positional[len(positional) - len(defaults) :]
    for key, default in (*zip(with_default, defaults, strict=True), *kw_defaults.items()):
        if key not in bound:
            bound[key] = default()
    missing = [key for key in (*positional, *(a.id for a in spec.kwonlyargs)) if key not in bound]
    if missing:
        raise error("E131", None, what=f"`{name}` (no value for `{missing[0]}`)")
    return bound


__all__ = ["bind", "is_library", "local_names"]
