"""Calls: of functions with a rule, of the user's functions (read in place), of classes and methods."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.builtin_calls import BUILTINS
from srcad.frontend.capture import is_trusted, record_fields
from srcad.frontend.expressions import elements, expression
from srcad.frontend.frame import MAX_DEPTH, Frame
from srcad.frontend.methods import call_method
from srcad.frontend.objects import (
    Abstract,
    Bound,
    Closed,
    DictObj,
    FunctionObj,
    Method,
    Partial,
    Raised,
    RecordObj,
    Ref,
    describe,
)
from srcad.frontend.source import get_source
from srcad.rules import RULES

Args = tuple[Abstract, ...]
Kwargs = dict[str, Abstract]
Default = Callable[[], Abstract]


def _same(x: Abstract) -> Abstract:
    return x



def call_node(frame: Frame, node: gast.Call) -> Abstract:
    """The result of a call expression."""
    callee = expression(frame, node.func)
    args = tuple(elements(frame, node.args))
    kwargs: Kwargs = {}
    for keyword in node.keywords:
        x = expression(frame, keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = x
        elif isinstance(x, DictObj):
            kwargs.update(x.items)
        else:
            raise error("E125", frame.at(keyword.value), what=f"`**{gast.unparse(keyword.value)}`")
    return call(frame, callee, args, kwargs, node)


def call(
    frame: Frame, callee: Abstract, args: Args, kwargs: Kwargs, node: Any = None
) -> Abstract:
    """`callee(*args, **kwargs)`."""
    match callee:
        case FunctionObj():
            return _call_nested(frame, callee, args, kwargs, node)
        case Method():
            return call_method(frame, callee.receiver, callee.name, args, kwargs)
        case Bound():
            return call(frame, callee.fn, (callee.receiver, *args), kwargs, node)
        case Partial():
            return call(frame, callee.fn, (*callee.args, *args), {**callee.kwargs, **kwargs}, node)
        case Closed():
            return callee.call(*args, **kwargs)
        case Ref():
            return _call_object(frame, callee, args, kwargs, node)
    raise error("E120", None, what=describe(callee))


def _call_object(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    fn = callee.obj
    if _is_hashable(fn):
        if fn in BUILTINS:
            return BUILTINS[fn](frame, *args, **kwargs)
        if fn in RULES:
            return frame.session.emit(fn, args, kwargs)
    request = getattr(fn, "__srcad_request__", None)
    if request is not None:
        return frame.session.derive(frame, request, callee, args, kwargs)
    if isinstance(fn, type):
        return _construct(frame, callee, args, kwargs, node)
    if isinstance(fn, types.MethodType):
        receiver = frame.session.inputs.lift(fn.__self__, f"{callee.path}.__self__", "self")
        return call(frame, Ref(fn.__func__, f"{callee.path}.__func__"), (receiver, *args), kwargs, node)
    if isinstance(fn, types.FunctionType) and not _is_library(fn):
        return _call_python(frame, callee, args, kwargs, node)
    if callable(fn) and not _is_library(fn) and hasattr(type(fn), "__call__") and callee.path:
        method = inspect.getattr_static(type(fn), "__call__", None)
        if isinstance(method, types.FunctionType):
            target = Ref(method, f"type({callee.path}).__call__")
            frame.session.inputs.guard(target.path, "is", method)
            return call(frame, target, (callee, *args), kwargs, node)
    if _is_library(fn):
        return frame.session.emit(fn, args, kwargs)
    raise error("E120", None, what=f"`{getattr(fn, '__name__', type(fn).__name__)}`")


def _is_hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def _is_library(fn: Any) -> bool:
    """Whether `fn` belongs to NumPy, SciPy or the standard library: never looked into."""
    import sys

    if isinstance(fn, types.FunctionType) and fn.__module__ == "builtins":
        return False  # made by `exec`
    name = getattr(fn, "__module__", None) or getattr(type(fn), "__module__", "") or ""
    module = sys.modules.get(name.split(".")[0])
    if isinstance(fn, types.BuiltinFunctionType) and name == "":
        return True
    return is_trusted(module) and name.split(".")[0] != "srcad"


# Python functions --------------------------------------------------------------------------------


def _call_python(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """Read a user's function in place, with its own globals and closure."""
    fn = callee.obj
    source = get_source(fn)
    if not isinstance(source.node, gast.FunctionDef | gast.Lambda):
        raise error("E110", source.at(source.node))
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
    inner.env.update(bind(fn.__name__, source.node.args, args, kwargs, defaults, kw_defaults, frame))
    return run_body(inner, source.node, fn.__code__)


def _call_nested(
    frame: Frame, callee: FunctionObj, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    """Run a function defined inside the program, in a frame whose outer frame is where it was defined."""
    home = callee.frame
    inner = Frame(
        frame.session, home.file, callee.name, outer=home, callers=_callers(frame, node)
    )
    names = [a.id for a in callee.node.args.kwonlyargs]
    given = zip(names, callee.kw_defaults, strict=True)
    kw_defaults: dict[str, Default] = {n: partial(_same, d) for n, d in given if d is not None}
    defaults: list[Default] = [partial(_same, d) for d in callee.defaults]
    inner.env.update(
        bind(callee.name, callee.node.args, args, kwargs, defaults, kw_defaults, frame)
    )
    return run_body(inner, callee.node, callee.node)


def _callers(frame: Frame, node: Any) -> Any:
    return (frame.at(node), *frame.callers) if node is not None else frame.callers


def run_body(inner: Frame, node: Any, identity: Any) -> Abstract:
    """Lower a function's body in its frame; its returned value."""
    from srcad.frontend.statements import block

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
        outcome = block(inner, node.body)
        return None if outcome is None else outcome.value
    finally:
        session.active_calls.pop()
        session.frames.pop()
        session.builder.loc = loc


def _check_recursion(frame: Frame, identity: Any) -> None:
    """A recursive call under a run-time condition: specialise to the ints it depends on, or refuse."""
    session = frame.session
    if identity not in session.active_calls:
        return
    first = session.active_calls.index(identity)
    what = f"`{frame.name}`"
    for depth, cond in session.conditions:
        if depth > first:
            session.static(cond, f"the condition that ends the recursion of {what}")
    if len(session.active_calls) > MAX_DEPTH:
        raise error("E126", None, what=what)


def local_names(node: gast.FunctionDef) -> frozenset[str]:
    """The names that a function binds anywhere in its own scope: Python looks for these nowhere else."""
    found: set[str] = set()
    outer: set[str] = set()

    def visit(each: Any) -> None:
        if isinstance(each, gast.Name) and isinstance(each.ctx, gast.Store):
            found.add(each.id)
        elif isinstance(each, gast.Global | gast.Nonlocal):
            outer.update(each.names)
        elif isinstance(each, gast.FunctionDef | gast.ClassDef):
            found.add(each.name)
            return
        elif isinstance(each, gast.Lambda | gast.ListComp | gast.DictComp | gast.GeneratorExp):
            return
        for child in gast.iter_child_nodes(each):
            visit(child)

    for stmt in node.body:
        visit(stmt)
    return frozenset(found - outer)


def bind(
    name: str,
    spec: gast.arguments,
    args: Args,
    kwargs: Kwargs,
    defaults: list[Default],
    kw_defaults: dict[str, Default],
    frame: Frame,
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
    for key, x in (*zip(with_default, defaults, strict=True), *kw_defaults.items()):
        if key not in bound:
            bound[key] = x()
    missing = [key for key in (*positional, *(a.id for a in spec.kwonlyargs)) if key not in bound]
    if missing:
        raise error("E131", None, what=f"`{name}` (no value for `{missing[0]}`)")
    return bound


# Classes -----------------------------------------------------------------------------------------


def _construct(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any) -> Abstract:
    """An instance of a namedtuple, dataclass or exception; casts by NumPy's scalar types."""
    cls = callee.obj
    if issubclass(cls, BaseException):
        return Raised(cls, args)
    if hasattr(cls, "_fields") or (dataclasses.is_dataclass(cls) and _plain_init(cls)):
        signature = inspect.signature(cls)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as reason:
            raise error("E131", None, what=f"`{cls.__name__}` ({reason})") from None
        fields = dict(bound.arguments)
        for name in record_fields(cls):
            if name not in fields:
                fields[name] = _field_default(frame, cls, signature, name)
        if callee.path:
            frame.session.inputs.guard(callee.path, "is", cls)
        return RecordObj(cls, {n: fields[n] for n in record_fields(cls)})
    raise error("E120", None, what=f"the class `{cls.__name__}`")


def _plain_init(cls: type) -> bool:
    return not hasattr(cls, "__post_init__") and "__init__" in cls.__dict__


def _field_default(frame: Frame, cls: type, signature: inspect.Signature, name: str) -> Abstract:
    default = signature.parameters[name].default
    path = frame.session.inputs.keep(default)
    return frame.session.inputs.lift(default, path, name)
