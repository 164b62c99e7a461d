"""What a name can stand for while a function is lowered.

Lowering interprets the function once, with these in place of run-time objects:

- an IR `Value`: a number or an array that is known at run time only;
- a Python constant (number, string, None, dtype, slice...): known while compiling;
- a tuple of these; a `ListObj`, `DictObj`, `SetObj` or `RecordObj`: containers are known while
  compiling, so indexing, unpacking and looping over them leave nothing in the program;
- a `Ref`: a function, module, class or other object of the user's, with the path that reaches it
  at run time; an `Instance` is one whose attributes may be changed;
- methods of arrays and containers (`Method`), lists made by loops (`Grown`), and others below;
- iterators (`iterators`), and functions defined inside (`closures`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from srcad.errors import error
from srcad.ir.nodes import Value
from srcad.ir.types import Type

Abstract = Any


class AbstractObject:
    """An object of lowering's own, in place of one at run time; `noun`: what messages call it."""

    __slots__ = ()
    noun: ClassVar[str] = ""


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
    """A location whose meaning differs between paths; an error as soon as it is read."""

    code: str
    what: str


@dataclass(frozen=True, eq=False, slots=True)
class Either(AbstractObject):
    """What is of one of several kinds by data: the number `code` says which (`Codes`); `cases`:
    what it is then.
    """

    noun: ClassVar[str] = "what has another type on each path"
    code: Abstract
    cases: dict[Any, Abstract]


@dataclass(eq=False, slots=True)
class ListObj(AbstractObject):
    """A list; or a deque, which `cls` says.

    `path` is set where it belongs to the caller or to a captured object; `frozen` where branches
    disagree on which of several lists it is. Neither may be changed. `form`: what stands for its
    items where they are not known one by one, as of a list that a loop appends to.
    """

    noun: ClassVar[str] = "a list"
    _items: list[Abstract]
    path: str = ""
    frozen: bool = False
    cls: type = list
    maxlen: int | None = None
    form: Abstract = None

    @property
    def items(self) -> list[Abstract]:
        """Its items, one by one; lowers again without its `form` where it has one."""
        if self.form is not None:
            form_of(self).decline()
        return self._items


class Piece(list[Any]):
    """The `cls` of what stands for a list in an iteration with a loop inside that appends to it."""


@dataclass(eq=False, slots=True)
class DictObj(AbstractObject):
    """A dict with keys known while compiling; or one of `collections`, which `cls` says; or the
    `__dict__` of an object.
    """

    noun: ClassVar[str] = "a dict"
    items: dict[Any, Abstract]
    path: str = ""
    frozen: bool = False
    cls: type = dict
    factory: Abstract = None  # what makes the items of missing keys
    hidden: frozenset[str] = frozenset()  # names that are read of a class, whatever is stored here


@dataclass(eq=False, slots=True)
class SetObj(AbstractObject):
    """A set of items known while compiling: they are the keys of `items`, and hold nothing."""

    noun: ClassVar[str] = "a set"
    items: dict[Any, None]
    path: str = ""
    frozen: bool = False
    cls: type = set


@dataclass(eq=False, slots=True)
class View(AbstractObject):
    """`d.keys()`, `d.values()` or `d.items()`: shows what `d` holds when it is read."""

    owner: DictObj
    kind: str

    @property
    def items(self) -> list[Abstract]:
        """What it shows now."""
        return list(getattr(self.owner.items, self.kind)())


@dataclass(eq=False, slots=True)
class RecordObj(AbstractObject):
    """An instance of a namedtuple, of a dataclass, or of a class of the user's made here.

    It is `uneven` where paths disagree on which attributes it has, or on their order. `namespace`:
    its `__dict__`, once that was read.
    """

    cls: type
    fields: dict[str, Abstract]
    path: str = ""
    frozen: bool = False
    uneven: bool = False
    namespace: DictObj | None = None

    @property
    def is_tuple(self) -> bool:
        """Whether it is a namedtuple."""
        return issubclass(self.cls, tuple)


@dataclass(frozen=True, eq=False, slots=True)
class Grown(AbstractObject):
    """A list that a loop appended to: what its items are made of, stacked in arrays.

    `item` is an item with the number of a column in place of each array or number; `kinds` are
    their types, or their kinds in Python where these depend on the item, None where they are not
    known. `may_lack`: it may have no items at all. `last`: items from the end that are known, the
    last one first. `seqs`: the sequences of one loop that the columns were made of, if all were.
    """

    noun: ClassVar[str] = "a list that a loop appended to"
    item: Abstract
    columns: tuple[Value, ...]
    kinds: tuple[Type | frozenset[Any] | None, ...]
    may_lack: bool = False
    last: tuple[Abstract, ...] = ()
    seqs: tuple[Value, ...] = ()

    def of_columns(self, columns: tuple[Value, ...]) -> Grown:
        """A list like this one, of other items."""
        return Grown(self.item, columns, self.kinds, self.may_lack)

    def decline(self) -> NoReturn:
        """Refuse what needs the items one by one; it is lowered again, with the loop unrolled."""
        fix = "make an array of it first: `np.array(items)`"
        raise error("E119", None, what="this use of a list that a loop appended to", fix=fix)


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
    """`super()` in a method of the class `home`: what the classes behind it give `receiver`."""

    home: type
    receiver: Abstract


@dataclass(eq=False, slots=True)
class Initialiser(AbstractObject):
    """`super().__init__` where `dataclass` made it, for the class `home`: takes the fields."""

    noun: ClassVar[str] = "the `__init__` of a dataclass"
    receiver: RecordObj
    home: type
    made: Any


@dataclass(eq=False, slots=True)
class Partial(AbstractObject):
    """`functools.partial(fn, *args, **kwargs)`."""

    fn: Abstract
    args: tuple[Abstract, ...]
    kwargs: dict[str, Abstract]


@dataclass(frozen=True, slots=True)
class Raised(AbstractObject):
    """An exception that was made and is about to be raised."""

    cls: type
    args: tuple[Abstract, ...]


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


CONTAINERS = (ListObj, DictObj, SetObj, RecordObj)
MUTABLE = (*CONTAINERS, Instance)
Container = ListObj | DictObj | SetObj | RecordObj | Instance


class _Form:
    """The key of a list's `form` among its contents."""

    def __repr__(self) -> str:
        return "items"


FORM = _Form()


def form_of(x: Abstract) -> Abstract:
    """What stands for the items of a list, if they are not known one by one; other things as they
    are.
    """
    if not isinstance(x, ListObj) or x.form is None:
        return x
    if isinstance(x.form, Conflict):
        raise error(x.form.code, None, what=x.form.what)
    return x.form


def formed(form: Abstract) -> ListObj:
    """A new list with this `form`."""
    return ListObj([], form=form)


def contents(obj: Container, in_order: bool = True) -> dict[Any, Abstract]:
    """The items of a mutable object by position, key or field; the form of a list under `FORM`.

    Args:
        in_order: False where the order of a dict's keys does not matter.
    """
    if isinstance(obj, ListObj) and obj.form is not None:
        return {FORM: obj.form}
    if isinstance(obj, ListObj):
        return dict(enumerate(obj.items))
    if isinstance(obj, DictObj) and not in_order:
        return dict(dict.items(obj.items))
    return dict(obj.items if isinstance(obj, DictObj | SetObj) else obj.fields)


def known_contents(obj: Container) -> dict[Any, Abstract]:
    """The contents of what is known item by item; lowers again where a list is not."""
    if isinstance(obj, ListObj):
        return dict(enumerate(obj.items))
    return contents(obj)


def set_contents(obj: Container, items: dict[Any, Abstract]) -> None:
    """Replace the items of a mutable object."""
    if isinstance(obj, ListObj):
        obj.form = items.get(FORM)
        obj._items[:] = () if FORM in items else items.values()
    elif isinstance(obj, DictObj | SetObj):
        obj.items.clear()
        obj.items.update(items)
    else:
        obj.fields.clear()
        obj.fields.update(items)


def contained(found: Any) -> Abstract:
    """What a library's function gave, a tree of values in Python's containers, as lowering has it.

    Lists and sets are new ones that the program may change; a named tuple is a record of its class.
    """
    if type(found) is set:
        return SetObj(dict.fromkeys(found))
    if type(found) is list:
        return ListObj([contained(item) for item in found])
    if type(found) is tuple:
        return tuple(map(contained, found))
    if isinstance(found, tuple):
        fields: tuple[str, ...] = getattr(found, "_fields")  # noqa: B009 -- of a named tuple
        return RecordObj(type(found), dict(zip(fields, map(contained, found), strict=True)))
    return found


def like(x: Container, items: dict[Any, Abstract]) -> Container:
    """A new container of the kind of `x`."""
    if isinstance(x, ListObj):
        new = ListObj([], cls=x.cls, maxlen=x.maxlen)
        set_contents(new, items)
        return new
    if isinstance(x, DictObj):
        return DictObj(items, cls=x.cls, factory=x.factory)
    if isinstance(x, SetObj):
        return SetObj(items)
    assert isinstance(x, RecordObj)
    return RecordObj(x.cls, items)


_LOCAL_CLASS = "__srcad_local__"


def is_local_class(cls: type) -> bool:
    """Whether a class is made inside the program: its attributes are abstract values."""
    return _LOCAL_CLASS in vars(cls)


def plain_set(x: Abstract) -> Abstract:
    """A set as Python has it now, for what only reads it; anything else as it is."""
    return set(x.items) if isinstance(x, SetObj) else x


def values_of(x: Abstract) -> list[Value]:
    """The run-time values that an abstract value consists of."""
    if isinstance(x, Value):
        return [x]
    if isinstance(x, tuple):
        return [v for item in x for v in values_of(item)]
    if isinstance(x, slice | Range):
        return values_of((x.start, x.stop, x.step))
    if isinstance(x, Either):
        return values_of((x.code, *x.cases.values()))
    if isinstance(x, Grown):
        return list(x.columns)
    return values_of(tuple(contents(x).values())) if isinstance(x, CONTAINERS) else []


def is_static(x: Abstract) -> bool:
    """Whether `x` is a plain constant, without run-time values and lowering's own objects."""
    if isinstance(x, tuple):
        return all(map(is_static, x))
    if isinstance(x, slice):
        return is_static((x.start, x.stop, x.step))
    return not isinstance(x, Value | AbstractObject)


def describe(x: Abstract) -> str:
    """What `x` is, in the words of an error message."""
    if isinstance(x, Value):
        return f"a value of type {x.type}"
    if isinstance(x, Ref):
        return f"`{getattr(x.obj, '__name__', type(x.obj).__name__)}`"
    if isinstance(x, RecordObj):
        return f"a {x.cls.__name__}"
    if isinstance(x, AbstractObject) and x.noun:
        return x.noun
    kind = type(x).__name__.lower()
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
