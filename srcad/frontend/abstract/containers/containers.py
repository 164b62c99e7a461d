"""Containers: known while compiling, so indexing, unpacking and looping over them leave nothing in
the program.

    xs = [x, 2.0]               ListObj([x, 2.0])
    p = {"w": w}                DictObj({"w": w})
    for v in x: xs.append(v)    ListObj(form=Grown(...)): its items are stacked in arrays
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from srcad.errors import error
from srcad.frontend.abstract.containers.laid import Laid, LaidRow, read_form
from srcad.frontend.abstract.objects import Abstract, AbstractObject, Conflict, Instance, Ref
from srcad.ir.nodes import Value
from srcad.ir.types import Type


@dataclass(eq=False, slots=True)
class ListObj(AbstractObject):
    """A list; or a deque, which `cls` says.

    `path` is set where it belongs to the caller or to a captured object; `frozen` where branches
    disagree on which of several lists it is. Neither may be changed. `form`: what stands for its
    items where they are not known one by one, as of a list that a loop appends to. `moves`: how
    often a deque has got an item, lost one or moved them. `item_of`: the column and the index of
    what it is an item of. `origins`: where it and its rows are made, if it may stand in an array
    from there on.
    """

    noun: ClassVar[str] = "a list"
    _items: list[Abstract]
    path: str = ""
    frozen: bool = False
    cls: type = list
    maxlen: int | None = None
    form: Abstract = None
    moves: int = 0
    item_of: tuple[Abstract, ...] = ()
    origins: tuple[str, ...] = ()

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
    `__dict__` of an object. `origin`: where it is made.
    """

    noun: ClassVar[str] = "a dict"
    items: dict[Any, Abstract]
    path: str = ""
    frozen: bool = False
    cls: type = dict
    factory: Abstract = None  # what makes the items of missing keys
    hidden: frozenset[str] = frozenset()  # names that are read of a class, whatever is stored here
    origin: str = ""


@dataclass(eq=False, slots=True)
class SetObj(AbstractObject):
    """A set of items known while compiling: they are the keys of `items`, and hold nothing.
    `origin`: where it is made.
    """

    noun: ClassVar[str] = "a set"
    items: dict[Any, None]
    path: str = ""
    frozen: bool = False
    cls: type = set
    origin: str = ""


@dataclass(eq=False, slots=True)
class View(AbstractObject):
    """`d.keys()`, `d.values()` or `d.items()`: shows what `d` holds when it is read."""

    owner: DictObj
    kind: str

    @property
    def items(self) -> list[Abstract]:
        """What it shows now."""
        return list(getattr(self.owner.items, self.kind)())


# The attributes of an object of a class with `dict` behind it: its items, and whether they are its
# `__dict__`, too.
ITEMS, IS_NAMESPACE = "_srcad_items", "_srcad_is_namespace"


def is_dict_record(x: Abstract) -> bool:
    """Whether `x` is an object of a class of the user's with `dict` behind it."""
    return isinstance(x, RecordObj) and ITEMS in x.fields


# The attribute of an object of a class with `np.ndarray` behind it that stands for its array.
ARRAY = "_srcad_array"


def is_array_record(x: Abstract) -> bool:
    """Whether `x` is an object of a class of the user's with `np.ndarray` behind it."""
    return isinstance(x, RecordObj) and ARRAY in x.fields


def as_dict(x: Abstract) -> Abstract:
    """What Python merges of such an object where its class has no `__iter__`: its items."""
    is_plain = is_dict_record(x) and x.cls.__iter__ is dict.__iter__
    return x.fields[ITEMS] if is_plain else x


def holds_itself(x: Abstract) -> bool:
    """Whether its items are its attributes: `self.__dict__ = self`."""
    return is_dict_record(x) and IS_NAMESPACE in x.fields


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
        """Whether it is a namedtuple, or one of SciPy's, which has attributes beside its items."""
        return issubclass(self.cls, tuple)

    @property
    def items(self) -> tuple[Abstract, ...]:
        """What a namedtuple holds as a tuple."""
        return tuple(self.fields[name] for name in self.cls._fields)  # type: ignore[attr-defined]

    @property
    def is_result(self) -> bool:
        """Whether it is a result of a solver of SciPy's, a dict that some is known of."""
        return self.uneven and issubclass(self.cls, dict) and ITEMS not in self.fields

    def described(self) -> str:
        """What messages call it."""
        outside = self.fields.get("_outside")
        if isinstance(outside, Ref):
            return f"a {type(outside.obj).__name__}"
        noun: str = getattr(self.cls, "noun", "")
        return noun or f"a {getattr(self.cls, 'stands_for', self.cls).__name__}"


@dataclass(eq=False, slots=True)
class Initialiser(AbstractObject):
    """`super().__init__` where `dataclass` made it, for the class `home`: takes the fields."""

    noun: ClassVar[str] = "the `__init__` of a dataclass"
    receiver: RecordObj
    home: type
    made: Any


@dataclass(frozen=True, slots=True)
class Marked(AbstractObject):
    """A float of an item beside the mark that says whether it is NumPy's; or their columns."""

    number: Abstract
    mark: Abstract


@dataclass(frozen=True, eq=False, slots=True)
class Grown(AbstractObject):
    """A list that a loop appended to: what its items are made of, stacked in arrays.

    `item` is an item with the number of a column in place of each array or number, of two columns
    for a float that may be Python's or NumPy's (`Marked`); a list of numbers is a row of one
    (`RowLeaf`). `kinds` are their types, or their kinds in Python where these depend on the item,
    None where they are not known. `last`: items from the end that are known, the last one first.
    `seqs`: the sequences that the columns were made of, if all were. It has items where
    the first of `bounds`, ints, is less than the second. `origin`: where a comprehension made it.
    """

    noun: ClassVar[str] = "a list that a loop appended to"
    item: Abstract
    columns: tuple[Value, ...]
    kinds: tuple[Type | frozenset[Any] | None, ...]
    last: tuple[Abstract, ...] = ()
    seqs: tuple[Value, ...] = ()
    bounds: tuple[Abstract, Abstract] | None = None
    origin: str = ""

    def of_columns(self, columns: tuple[Value, ...]) -> Grown:
        """A list like this one, of other items."""
        return Grown(self.item, columns, self.kinds)

    def decline(self) -> NoReturn:
        """Refuse what needs the items one by one; it is lowered again, with the loop unrolled."""
        fix = "make an array of it first: `np.array(items)`"
        raise error("E119", None, what="this use of a list that a loop appended to", fix=fix)


CONTAINERS = (ListObj, DictObj, SetObj, RecordObj)
MUTABLE = (*CONTAINERS, Instance)
Container = ListObj | DictObj | SetObj | RecordObj | Instance


def form_of(x: Abstract) -> Abstract:
    """What stands for the items of a list, if they are not known one by one; other things as they
    are.
    """
    if not isinstance(x, ListObj) or x.form is None:
        return x
    if isinstance(x.form, Conflict):
        raise x.form.refusal()
    return read_form(x.form) if isinstance(x.form, Laid | LaidRow) else x.form


def formed(form: Abstract) -> ListObj:
    """A new list with this `form`."""
    return ListObj([], form=form)
