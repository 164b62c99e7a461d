"""What a name can stand for while a function is lowered.

Lowering interprets the function once, with these in place of run-time objects:

- an IR `Value`: a number or an array that is known at run time only;
- a Python constant (number, string, None, dtype, slice...): known while compiling;
- a tuple of these, and other containers (`containers`);
- a `Ref`: a function, module, class or other object of the user's, with the path that reaches it
  at run time; an `Instance` is one whose attributes may be changed;
- methods of arrays and containers (`Method`), and others below;
- iterators (`iterators`), and functions defined inside (`closures`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.nodes import Value

Abstract = Any


class AbstractObject:
    """An object of lowering's own, in place of one at run time; `noun`: what messages call it;
    `is_function`: data may choose one among several.
    """

    __slots__ = ()
    noun: ClassVar[str] = ""
    is_function: ClassVar[bool] = False

    def described(self) -> str:
        """What messages call it."""
        return self.noun


class _Unbound(AbstractObject):
    """The content of a name on a path where it was not bound."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()


class _Filler(AbstractObject):
    """What stands for the other kinds in an `Either` that has another one."""

    def __repr__(self) -> str:
        return "FILLER"


FILLER = _Filler()


def is_nothing(x: Abstract) -> bool:
    """Whether `x` stands where a path has nothing."""
    return x is UNBOUND or x is FILLER


# The name under which an environment has the exception being handled.
CAUGHT = "<caught>"


@dataclass(frozen=True, slots=True)
class Conflict(AbstractObject):
    """A location whose meaning differs between paths; an error as soon as it is read.

    `divides`: what to ask for where a `try` may be lowered in parts instead. `asks`: the object of
    which all is to be known before.
    """

    code: str
    what: str
    divides: str | None = None
    asks: Callable[[], None] | None = None

    def refusal(self) -> Exception:
        """What reading the location raises."""
        if self.divides is not None:
            return NeedStatic(frozenset({self.divides}))
        if self.asks is not None:
            self.asks()
        return error(self.code, None, what=self.what)


@dataclass(frozen=True, eq=False, slots=True)
class Either(AbstractObject):
    """What is of one of several kinds by data: the number `code` says which (`Codes`); `cases`:
    what it is then.
    """

    noun: ClassVar[str] = "what has another type on each path"
    code: Abstract
    cases: dict[Any, Abstract]


_BOUND = ("bound",)  # the only case of an `Either` whose code is a flag


def perhaps(flag: Abstract, x: Abstract) -> Abstract:
    """What is `x` where `flag` is bound."""
    return Either(flag, {_BOUND: x}) if flag is not True else x


def is_perhaps(x: Abstract) -> bool:
    """Whether `x` is what a flag stands beside."""
    return isinstance(x, Either) and _BOUND in x.cases


def is_partial(x: Abstract) -> bool:
    """Whether `x` is bound on some paths only."""
    return x is UNBOUND or is_perhaps(x) or (isinstance(x, Value) and x.partial)


def flagged(x: Abstract) -> tuple[Abstract, Abstract]:
    """The flag that tells whether a name is bound, and what it stands for then."""
    if isinstance(x, Either) and _BOUND in x.cases:
        return x.code, x.cases[_BOUND]
    return (UNBOUND if x is UNBOUND else True), x


@dataclass(frozen=True, eq=False, slots=True)
class Flags(AbstractObject):
    """`x.flags`."""

    noun: ClassVar[str] = "the flags of an array"
    array: Value


@dataclass(frozen=True, slots=True)
class Range(AbstractObject):
    """A `range` with bounds known at run time only."""

    start: Abstract
    stop: Abstract
    step: Abstract


@dataclass(eq=False, slots=True)
class Ref(AbstractObject):
    """An object outside the program: function, module, class, instance. `fields`: what was read of
    it.
    """

    obj: Any
    path: str
    fields: dict[str, Abstract] = field(default_factory=dict)

    def described(self) -> str:
        """What messages call it."""
        return f"`{getattr(self.obj, '__name__', type(self.obj).__name__)}`"


@dataclass(eq=False, slots=True)
class Instance(Ref):
    """An object from outside with attributes of its own. `fields`: those that the program has set.

    The others are read through `path` when they are asked for; `original` gives what they are, or
    `UNBOUND`.
    """

    original: Callable[[str], Abstract] = lambda name: UNBOUND
    frozen: bool = False
    uneven: bool = False


@dataclass(eq=False, slots=True)
class Method(AbstractObject):
    """`receiver.name`, about to be called."""

    receiver: Abstract
    name: str


@dataclass(eq=False, slots=True)
class Super(AbstractObject):
    """`super()` in a method of the class `home`: what the classes after it give `receiver`."""

    home: type
    receiver: Abstract


@dataclass(eq=False, slots=True)
class Partial(AbstractObject):
    """`functools.partial(fn, *args, **kwargs)`; or another object that holds arguments.

    `named`: the keyword arguments, of a partial the dict (`DictObj`) that is its `keywords`.
    `opens`: a partial of it is one of `fn` itself.
    """

    fn: Abstract
    args: tuple[Abstract, ...]
    named: Any
    opens: bool = True

    @property
    def kwargs(self) -> dict[str, Abstract]:
        """The keyword arguments that it holds now."""
        found: dict[str, Abstract] = self.named if type(self.named) is dict else self.named.items
        return found


@dataclass(frozen=True, slots=True)
class Raised(AbstractObject):
    """An exception that was made and is about to be raised."""

    cls: type
    args: tuple[Abstract, ...]


@dataclass(frozen=True, eq=False, slots=True)
class CaughtClass(AbstractObject):
    """The class of an exception that was caught, which is known when the program runs: what
    `__exit__` of a context manager is given.
    """

    noun: ClassVar[str] = "the class of an exception that was caught"
    error: Value


class Traceback(AbstractObject):
    """A traceback: it is there, and nothing reads it."""

    __slots__ = ()
    noun = "a traceback"


@dataclass(eq=False, slots=True)
class Closed(AbstractObject):
    """A callable made while compiling, such as what `srcad.grad(f)` returns: `call(frame, *args,
    **kwargs)`.

    `parts` is what it refers to, `parameters` its signature where that is known.
    """

    call: Callable[..., Abstract]
    name: str
    parts: tuple[Abstract, ...] = ()
    parameters: list[inspect.Parameter] | None = None


class ShapeTuple(tuple[Abstract, ...]):
    """`x.shape`: a tuple of extents that still knows whose shape it is."""

    owner: Value

    def __new__(cls, extents: tuple[Abstract, ...], owner: Value) -> ShapeTuple:
        """The shape of `owner`."""
        made = super().__new__(cls, extents)
        made.owner = owner
        return made


_LOCAL_CLASS = "__srcad_local__"


def is_local_class(cls: type) -> bool:
    """Whether a class is made inside the program: its attributes are abstract values."""
    return _LOCAL_CLASS in vars(cls)


_LEAVES = (Value, bool, int, float, complex, np.generic)


def is_leaf(x: Abstract) -> bool:
    """Whether `x` can be a run-time value: one already, or a number."""
    return isinstance(x, _LEAVES)


def is_static(x: Abstract) -> bool:
    """Whether `x` is a plain constant, without run-time values and lowering's own objects."""
    if isinstance(x, tuple):
        return all(map(is_static, x))
    if isinstance(x, slice):
        return is_static((x.start, x.stop, x.step))
    return not isinstance(x, Value | AbstractObject)


def is_nan(x: Abstract) -> bool:
    """Whether `x` is a constant that is NaN, which is not equal to itself."""
    return isinstance(x, float | complex | np.inexact) and bool(x != x)


def describe(x: Abstract) -> str:
    """What `x` is, in the words of an error message."""
    if isinstance(x, Value):
        return f"a value of type {x.type}"
    if isinstance(x, AbstractObject) and (noun := x.described()):
        return noun
    kind = type(x).__name__.lower()
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
