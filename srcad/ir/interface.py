"""How the flat inputs and results of a program sit in the containers of its signature.

    def loss(params: {"w": f64[a0], "b": f64}, x: f64[x0]) -> (f64, {"norm": f64})

    params   Param("params", {"w": Slot(0), "b": Slot(1)}), Param("x", Slot(2))
    result   (Slot(0), {"norm": Slot(1)})

A tree is built from tuple, list, dict (`Table`, `Fields`, `Queue`) and `Record`; its leaves are
`Slot`s (positions in `body.params` or `body.results`) and `Static` values, which are known while
compiling and are no inputs. Of several trees data may choose one (`Chosen`).
"""

from __future__ import annotations

import inspect
from array import array
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from srcad.runtime.outside import VIEW, way_to_values

Tree = Any  # Slot | Static | Given | Chosen | tuple | list | dict | Record


@dataclass(frozen=True, slots=True)
class Slot:
    """The leaf at this position of the program's flat parameters or results."""

    index: int


@dataclass(frozen=True, slots=True)
class Static:
    """A leaf known while compiling: a string, None, a flag, a function."""

    value: object


_OF_NUMBERS = (
    float, complex, Fraction, Decimal, np.ndarray, np.number, array, memoryview,
    list, tuple, dict, deque, MappingProxyType,
)  # fmt: skip


def holds_numbers(x: object) -> bool:
    """Whether what is a constant to the program, or is not looked into, is or may hold numbers: no
    derivative is one by it.
    """
    if isinstance(x, set | frozenset):
        return any(isinstance(item, int) or holds_numbers(item) for item in x)
    return isinstance(x, _OF_NUMBERS)


@dataclass(frozen=True, slots=True)
class Record:
    """A namedtuple, a dataclass, or another object read by its attributes.

    Of a plain object, of which `fields` are those that were read, `like` is its path from the
    arguments: what is made has the attributes of that one in their order, and is `whole` if it has
    zeros in the place of the others.
    """

    cls: type
    fields: dict[str, Tree]
    like: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Outside(Record):
    """Data of another package, a Series of pandas, or an array of a class of the user's: `fields`
    are what is read of it, by their paths.

    `like` is its own path from the arguments. Of an array whose attributes share memory with its
    entries, it `is_joint`.
    """

    is_joint: bool = False

    @property
    def way(self) -> str:
        """The path of its values."""
        return f"{self.like}{way_to_values(self.cls)}"

    def own_values(self) -> Tree:
        """The leaf of its values, where a derivative is one by these; None for anything else."""
        return self.fields.get(self.way)


@dataclass(frozen=True, slots=True)
class Given:
    """A container that the caller has passed, itself: in results and writes of compiled functions.

    `path` reaches it from the arguments: `A[0]['layers']`.
    """

    path: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tree whose number the leaf `code` is when the program has run; the last one otherwise."""

    code: Slot
    cases: dict[int, Tree]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A number in a form that no program returns, of which a derivative may be taken: an array of
    xarray without axes.

    `problem` is raised where its value would be returned.
    """

    number: Tree
    problem: Exception


class Table(dict[Any, Tree]):
    """A dict of another class, whose derivative is one: `made_by(*given, items)`."""

    def __init__(
        self, made_by: Callable[..., Any], given: tuple[Any, ...], items: dict[Any, Tree]
    ) -> None:
        super().__init__(items)
        self.made_by = made_by
        self.given = given


class Fields(dict[str, Tree]):
    """The fields of an array that has some, whose derivative is one of this dtype."""

    def __init__(self, dtype: Any, is_record: bool, items: dict[str, Tree]) -> None:
        super().__init__(items)
        self.dtype = dtype
        self.is_record = is_record

    @property
    def flags(self) -> tuple[bool, ...]:
        """Whether it is a record array, or else a plain one of records."""
        is_of_records = self.dtype.type is np.record and not self.is_record
        return (False, True) if is_of_records else (self.is_record,)

    @property
    def is_array(self) -> bool:
        """Whether each field holds what its dtype says: not so in second derivatives."""
        inside = {key: item for key, item in self.items() if isinstance(item, Fields)}
        return all(self.dtype[k].names is not None and x.is_array for k, x in inside.items())


class Queue(list[Tree]):
    """A deque, whose derivative is one."""

    def __init__(self, items: Iterable[Tree], maxlen: int | None) -> None:
        super().__init__(items)
        self.maxlen = maxlen


Kind = Literal["array", "item", "attribute", "items", "keys"]


@dataclass(frozen=True, slots=True)
class Write:
    """What a compiled function leaves changed when it returns.

    kind "array": the entries of the array at `path` become those of the result `tree`, a `Slot`;
    `param` is its position in `body.params`, and `dense` says that it lies in C's order, aligned.
    "item", "attribute": `path[key] = tree`, `path.key = tree`. "items": `path[:] = tree`, a list.
    "keys": a dict is emptied and filled again, by `tree`.
    """

    kind: Kind
    path: str
    tree: Tree
    key: Any = None
    param: int = -1
    dense: bool = False


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of the signature; `captured` says where a captured value comes from."""

    name: str
    tree: Tree
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    default: Any = inspect.Parameter.empty
    captured: str = ""


@dataclass(frozen=True, slots=True)
class Interface:
    """The signature of a program: parameters, captured values (passed after), and the result.

    A function that is run as it is, no derivative, `is_primal`. It `writes` what its arguments
    hold; `shared` are the results that are arrays of the caller's, items of lists that leave, or
    views of these; `views` are objects of their own; `joint` are those that may be one array, or
    share memory.
    """

    params: tuple[Param, ...]
    captures: tuple[Param, ...] = ()
    result: Tree = field(default=())
    writes: tuple[Write, ...] = ()
    shared: frozenset[int] = frozenset()
    views: frozenset[int] = frozenset()
    joint: frozenset[int] = frozenset()
    is_primal: bool = False

    @property
    def inputs(self) -> tuple[Param, ...]:
        """Everything that is passed, in order."""
        return (*self.params, *self.captures)


def rebuilt(tree: Tree, each: Callable[[Tree], Tree]) -> Tree:
    """`tree` with `each` applied to its items; a leaf as it is."""
    if isinstance(tree, Hidden):
        raise tree.problem
    if type(tree) in (tuple, list):
        return type(tree)(map(each, tree))
    if isinstance(tree, Queue):
        return Queue(map(each, tree), tree.maxlen)
    if isinstance(tree, dict):
        items = {key: each(item) for key, item in tree.items()}
        if isinstance(tree, Fields):
            return Fields(tree.dtype, tree.is_record, items)
        return Table(tree.made_by, tree.given, items) if isinstance(tree, Table) else items
    if isinstance(tree, Chosen):
        return Chosen(each(tree.code), {key: each(item) for key, item in tree.cases.items()})
    if isinstance(tree, Record):
        return replace(tree, fields={key: each(item) for key, item in tree.fields.items()})
    return tree


def revealed(interface: Interface, *, returns_value: bool) -> Interface:
    """The interface with the number that its result hides; with `has_aux`, the first of two.

    Raises:
        SrcadError: the value is to be returned.
    """
    match interface.result:
        case Hidden() as hidden:
            result: Tree = hidden.number
        case (Hidden() as hidden, aux):
            result = (hidden.number, aux)
        case _:
            return interface
    if returns_value:
        raise hidden.problem
    return replace(interface, result=result)


def map_slots(fn: Callable[[Slot], Any], tree: Tree) -> Tree:
    """`tree` with `fn` applied to each slot; containers, records and static leaves are kept."""
    if isinstance(tree, Slot):
        return fn(tree)
    return rebuilt(tree, lambda item: map_slots(fn, item))


def map_records(fn: Callable[[Record], Record], tree: Tree) -> Tree:
    """`tree` with `fn` applied to each record, those inside first."""
    made = rebuilt(tree, lambda item: map_records(fn, item))
    return fn(made) if isinstance(made, Record) else made


def map_statics(fn: Callable[[Static], Tree], tree: Tree) -> Tree:
    """`tree` with `fn` applied to each leaf that is known while compiling."""
    if isinstance(tree, Static):
        return fn(tree)
    return rebuilt(tree, lambda item: map_statics(fn, item))


def slots(tree: Tree) -> list[int]:
    """The positions of the slots of `tree`, left to right."""
    found: list[int] = []
    map_slots(lambda slot: found.append(slot.index), tree)
    return found


def paths(tree: Tree, prefix: str = "") -> dict[int, str]:
    """Where each slot sits, as the user would write it: `{0: 'params["w"]', 1: 'params["b"]'}`."""
    if isinstance(tree, Slot):
        return {tree.index: prefix}
    if isinstance(tree, tuple | list):
        items = [(f"{prefix}[{i}]", item) for i, item in enumerate(tree)]
    elif isinstance(tree, dict):
        items = [
            (f'{prefix}["{k}"]' if isinstance(k, str) else f"{prefix}[{k!r}]", v)
            for k, v in tree.items()
        ]
    elif isinstance(tree, Chosen):
        items = [(prefix, item) for item in tree.cases.values()]
    elif isinstance(tree, Outside):
        ways = ((k.removeprefix(tree.like).removesuffix(VIEW), v) for k, v in tree.fields.items())
        items = [(prefix + way, v) for way, v in ways]
    elif isinstance(tree, Record):
        items = [(f"{prefix}.{k}", v) for k, v in tree.fields.items()]
    else:
        items = []
    return {index: path for name, item in items for index, path in paths(item, name).items()}
