"""Classes made inside the program: real classes, whose attributes are abstract values.

class Point:                    type("Point", (), {"scale": 2.0, "norm": <function>})
    scale = 2.0
    def norm(self): ...         with the decorators that make properties and dataclasses
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Closed, Ref, Super, is_local_class
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.dispatch import block, call, expression, handles_statement
from srcad.frontend.objects.class_functions import definer
from srcad.frontend.objects.members import method_of
from srcad.frontend.reading.binding import declared, local_names
from srcad.frontend.reading.declarations import is_fixed


@handles_statement(gast.ClassDef)
def _class(frame: Frame, node: gast.ClassDef, rest: list[Any]) -> None:
    if node.keywords:
        raise error("E109", frame.at(node), what=f"the class `{node.name}` with a metaclass")
    decorators = [expression(frame, each) for each in node.decorator_list]
    bases = [expression(frame, base) for base in node.bases]
    made: Abstract = _made(frame, node, bases)
    for decorator in reversed(decorators):
        made = call(frame, decorator, (made,))
    frame.bind(node.name, made)


def _made(frame: Frame, node: gast.ClassDef, bases: list[Abstract]) -> Ref:
    body = Frame(
        frame.session, frame.file, frame.name, outer=frame, callers=frame.callers, is_class=True,
        local_names=local_names(node), global_names=declared(node, gast.Global),
        nonlocal_names=declared(node, gast.Nonlocal),
    )  # fmt: skip
    frame.session.frames.append(body)
    try:
        outcome = block(body, node.body)
    finally:
        frame.session.frames.pop()
    if outcome is not None:
        raise error("E109", frame.at(node), what=f"the class `{node.name}`, which is not finished,")
    attributes = {name: x for name, x in body.env.items() if x is not UNBOUND}
    attributes |= {"__srcad_local__": True, "__module__": getattr(frame.fn, "__module__", "srcad")}
    attributes["__annotations__"] = {
        each.target.id: gast.unparse(each.annotation)
        for each in node.body
        if isinstance(each, gast.AnnAssign) and isinstance(each.target, gast.Name)
    }
    cls = _new_class(frame, node, bases, attributes)
    for x in attributes.values():
        for fn in _functions_of(x):
            fn.home = fn.home or cls
    made = Ref(cls, "")
    for name, x in attributes.items():
        tell = method_of(frame, x, "__set_name__")
        if tell is not None:
            call(frame, tell, (made, name))
    return made


def _new_class(
    frame: Frame, node: gast.ClassDef, bases: list[Abstract], attributes: dict[str, Any]
) -> type:
    name = getattr(node, "written", node.name)
    classes = tuple(base.obj if isinstance(base, Ref) else None for base in bases)
    if typing.NamedTuple in classes:
        return _named_tuple(name, attributes)
    unusual = [c for c in classes if not isinstance(c, type) or issubclass(c, BaseException)]
    if unusual or any(
        type(c) is not type for c in classes if not hasattr(c, "__abstractmethods__")
    ):
        raise error("E109", frame.at(node), what=f"the class `{node.name}` with these bases")
    refused = {"__getattr__", "__getattribute__", "__setattr__", "__new__", "__slots__"}
    if refused & set(attributes):
        found = min(refused & set(attributes))
        raise error("E109", frame.at(node), what=f"the class `{name}` with `{found}`")
    for c in (each for each in classes if isinstance(each, type)):
        home = definer(c, "__init_subclass__") or object
        if not is_local_class(home) and not is_fixed(home.__module__):  # it would run now, once
            what = f"the class `{name}`, whose base has `__init_subclass__`,"
            raise error("E109", frame.at(node), what=what)
    for base in bases:
        if base.path:
            frame.session.inputs.class_paths.setdefault(base.obj, base.path)
    try:
        return types.new_class(name, classes, {}, lambda space: space.update(attributes))
    except TypeError as reason:
        raise error("E109", frame.at(node), what=f"the class `{node.name}` ({reason})") from None


# mypy asks for literal names in a call of `namedtuple` itself.
_make_namedtuple: Any = collections.namedtuple


def _named_tuple(name: str, attributes: dict[str, Any]) -> type:
    fields = list(attributes["__annotations__"])
    defaults = [attributes[field] for field in fields if field in attributes]
    made: type = _make_namedtuple(name, fields, defaults=defaults)
    for key, x in attributes.items():
        if key not in fields:
            setattr(made, key, x)
    return made


def _functions_of(x: Any) -> list[FunctionObj]:
    """The functions behind what a class's body binds."""
    found: list[Any]
    if isinstance(x, staticmethod | classmethod):
        found = [x.__func__]
    elif isinstance(x, property):
        found = [x.fget, x.fset]
    else:
        found = [x.func if isinstance(x, functools.cached_property) else x]
    return [fn for fn in found if isinstance(fn, FunctionObj)]


# What class bodies call --------------------------------------------------------------------------


def _property(frame: Frame, *functions: Abstract) -> Abstract:
    return property(*functions)


def _wrapper(kind: Callable[[Any], Any]) -> Callable[..., Abstract]:
    def handler(frame: Frame, fn: Abstract) -> Abstract:
        return kind(fn)

    return handler


def _dataclass(frame: Frame, cls: Abstract = None, /, **options: Abstract) -> Abstract:
    known = {key: frame.session.static(x, "an option of `dataclass`") for key, x in options.items()}
    if cls is None:
        return Closed(lambda inner, c: _dataclass(inner, c, **known), "dataclass")
    if not isinstance(cls, Ref) or known.get("slots"):
        raise error("E109", None, what="`dataclass` with `slots`")
    return Ref(dataclasses.dataclass(**known)(cls.obj), cls.path)


def _field(frame: Frame, **options: Abstract) -> Abstract:
    if "default_factory" in options and isinstance(options["default_factory"], Ref):
        options["default_factory"] = _plain(options["default_factory"])
    return dataclasses.field(**options)


def _plain(x: Ref) -> Any:
    return x.obj if x.obj in (list, dict) else x


def _namedtuple(
    frame: Frame, name: Abstract, fields: Abstract, *, defaults: Abstract = ()
) -> Abstract:
    names = frame.session.static(fields, "the fields of a namedtuple")
    values = defaults.items if isinstance(defaults, ListObj) else defaults
    made = _make_namedtuple(name, names, defaults=values)
    made.__srcad_local__ = True
    return Ref(made, "")


# super -------------------------------------------------------------------------------------------


def super_of(frame: Frame, args: tuple[Abstract, ...]) -> Abstract:
    """`super()` in a method, or `super(cls, self)`."""
    if len(args) == 2:
        home, receiver = args
    else:
        home, receiver = frame.lookup("__class__"), frame.lookup(frame.receiver)
    if not isinstance(home, Ref) or not isinstance(receiver, RecordObj | Ref):
        raise error("E120", None, what="`super()` here")
    return Super(home.obj, receiver)


def _super(frame: Frame, /, *args: Abstract) -> Abstract:
    return super_of(frame, args)


BUILTINS.update(
    {
        property: _property,
        staticmethod: _wrapper(staticmethod),
        classmethod: _wrapper(classmethod),
        functools.cached_property: _wrapper(functools.cached_property),
        dataclasses.dataclass: _dataclass,
        dataclasses.field: _field,
        collections.namedtuple: _namedtuple,
        super: _super,
    }
)

__all__ = ["super_of"]
