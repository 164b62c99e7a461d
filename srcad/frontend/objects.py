"""What a name can stand for while a function is lowered.

Lowering interprets the function once, with these in place of run-time objects:

- an IR `Value`: a number or an array that is known at run time only;
- a Python constant (number, string, None, dtype, slice...): known while compiling;
- a tuple of these; a `ListObj`, `DictObj` or `RecordObj`: containers are known while compiling, so indexing,
  unpacking and looping over them leave nothing in the program;
- a `Ref`: a function, module, class or other object of the user's, with the path that reaches it at run time;
- functions defined inside (`FunctionObj`), methods of arrays and containers (`Method`), and lazy iterables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gast

from srcad.ir import Value

if TYPE_CHECKING:
    from srcad.frontend.frame import Frame

Abstract = Any


class _Unbound:
    """The content of a name on a path where it was not bound."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()


@dataclass(eq=False, slots=True)
class ListObj:
    """A list; `path` is set where it belongs to the caller or to a captured object."""

    items: list[Abstract]
    path: str = ""


@dataclass(eq=False, slots=True)
class DictObj:
    """A dict with keys known while compiling."""

    items: dict[Any, Abstract]
    path: str = ""


@dataclass(eq=False, slots=True)
class RecordObj:
    """A namedtuple or dataclass instance."""

    cls: type
    fields: dict[str, Abstract]
    path: str = ""


@dataclass(eq=False, slots=True)
class Ref:
    """An object outside the program: function, module, class, instance. `fields`: what was read of it."""

    obj: Any
    path: str
    fields: dict[str, Abstract] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class FunctionObj:
    """A `def` or lambda inside the function, with the frame in which it was defined."""

    node: gast.FunctionDef | gast.Lambda
    frame: Frame
    defaults: list[Abstract]
    kw_defaults: list[Abstract]

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")


@dataclass(eq=False, slots=True)
class Method:
    """`receiver.name`, about to be called."""

    receiver: Abstract
    name: str


@dataclass(eq=False, slots=True)
class Bound:
    """A Python function bound to its object: called with the object first."""

    fn: Ref
    receiver: Abstract


@dataclass(eq=False, slots=True)
class Partial:
    """`functools.partial(fn, *args, **kwargs)`."""

    fn: Abstract
    args: tuple[Abstract, ...]
    kwargs: dict[str, Abstract]


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that was made and is about to be raised."""

    cls: type
    args: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Closed:
    """A callable made while compiling, such as the pullback that `srcad.vjp` returns."""

    call: Callable[..., Abstract]
    name: str


@dataclass(frozen=True, slots=True)
class Range:
    """A `range` with bounds known at run time only."""

    start: Abstract
    stop: Abstract
    step: Abstract


@dataclass(frozen=True, slots=True)
class Enumerate:
    inner: Abstract
    start: Abstract


@dataclass(frozen=True, slots=True)
class Zip:
    parts: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True)
class Reversed:
    inner: Abstract


@dataclass(frozen=True, slots=True)
class Map:
    fn: Abstract
    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Generator:
    """A generator expression, run when something iterates over it."""

    node: gast.GeneratorExp
    frame: Frame


class ShapeTuple(tuple[Abstract, ...]):
    """`x.shape`: a tuple of extents that still knows whose shape it is."""

    owner: Value

    def __new__(cls, extents: tuple[Abstract, ...], owner: Value) -> ShapeTuple:
        made = super().__new__(cls, extents)
        made.owner = owner
        return made


MUTABLE = (ListObj, DictObj, RecordObj)


def contents(obj: ListObj | DictObj | RecordObj) -> dict[Any, Abstract]:
    """The items of a mutable object by position, key or field."""
    if isinstance(obj, ListObj):
        return dict(enumerate(obj.items))
    return dict(obj.items if isinstance(obj, DictObj) else obj.fields)


def set_contents(obj: ListObj | DictObj | RecordObj, items: dict[Any, Abstract]) -> None:
    """Replace the items of a mutable object."""
    if isinstance(obj, ListObj):
        obj.items[:] = items.values()
    elif isinstance(obj, DictObj):
        obj.items.clear()
        obj.items.update(items)
    else:
        obj.fields.clear()
        obj.fields.update(items)


def values_of(x: Abstract) -> list[Value]:
    """The run-time values inside an abstract value."""
    if isinstance(x, Value):
        return [x]
    if isinstance(x, tuple):
        return [v for item in x for v in values_of(item)]
    if isinstance(x, slice):
        return values_of((x.start, x.stop, x.step))
    if isinstance(x, MUTABLE):
        return [v for item in contents(x).values() for v in values_of(item)]
    if isinstance(x, Range):
        return values_of((x.start, x.stop, x.step))
    return []


def is_static(x: Abstract) -> bool:
    """Whether `x` is a plain constant: no run-time value, and no object of lowering's own inside."""
    if isinstance(x, tuple):
        return all(map(is_static, x))
    if isinstance(x, slice):
        return is_static((x.start, x.stop, x.step))
    return not isinstance(x, (Value, *MUTABLE, *_OWN))


_OWN = (Ref, FunctionObj, Method, Bound, Partial, Closed, Range, Enumerate, Zip, Reversed, Map, Generator, Raised)


def describe(x: Abstract) -> str:
    """What `x` is, in the words of an error message."""
    if isinstance(x, Value):
        return f"a value of type {x.type}"
    if isinstance(x, Ref):
        return f"`{getattr(x.obj, '__name__', type(x.obj).__name__)}`"
    names = {ListObj: "a list", DictObj: "a dict", FunctionObj: "a function", Generator: "a generator"}
    return names.get(type(x), f"a {type(x).__name__}")
