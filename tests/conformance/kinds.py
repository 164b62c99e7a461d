"""Kinds of values: what a program may be given or have written into it.

A kind has a name and makers of values: every call of a maker gives a new one. The first is what a
function is compiled for; with the second, of the same kind, it is called again, so that what was
taken for a constant shows. `literal` is a text of the first value for a function that has it as a
constant.
"""

from __future__ import annotations

import dataclasses
import decimal
import enum
import fractions
import tempfile
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Kind:
    """Values of one kind; `core` are those that meet every other one of these."""

    name: str
    first: Callable[[], Any]
    second: Callable[[], Any]
    literal: str | None = None
    core: bool = False

    def make(self, variant: int = 0) -> Any:
        """A new value."""
        return (self.first, self.second)[variant]()


class Plain:
    """An object with attributes and without any operator."""

    def __init__(self, w: Any) -> None:
        self.w = w


class Sized:
    """An object whose truth is its length."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


class Vector:
    """An object with operators of its own."""

    __array_ufunc__ = None

    def __init__(self, w: float) -> None:
        self.w = w

    def __add__(self, other: Any) -> Any:
        return self.w + other

    def __radd__(self, other: Any) -> Any:
        return other - self.w

    def __mul__(self, other: Any) -> Any:
        return NotImplemented

    def __neg__(self) -> Any:
        return -self.w

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self.w == other.w

    def __lt__(self, other: Any) -> bool:
        return self.w < (other.w if isinstance(other, Vector) else other)

    def __contains__(self, x: Any) -> bool:
        return x == self.w

    def __bool__(self) -> bool:
        return self.w > 1


@dataclasses.dataclass
class Point:
    """A dataclass, with the equality that it makes."""

    x: float
    y: float = 1.0


@dataclasses.dataclass(order=True, frozen=True)
class Ordered:
    """A dataclass with the order that it makes."""

    x: float
    y: float = 1.0


Pair = namedtuple("Pair", "x y")


class Colour(enum.Enum):
    """Names for values."""

    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    """Names for ints."""

    LOW = 1
    HIGH = 2


def double(x: Any) -> Any:
    """A function of the user's."""
    return x * 2


def triple(x: Any) -> Any:
    """Another one."""
    return x * 3


KINDS: dict[str, Kind] = {}


def kind(
    name: str,
    first: Callable[[], Any],
    second: Callable[[], Any] | None = None,
    literal: str | None = None,
    core: bool = False,
) -> None:
    """Add a kind."""
    assert name not in KINDS, name
    KINDS[name] = Kind(name, first, second or first, literal, core)


def constant(name: str, first: str, second: str, core: bool = False) -> None:
    """Add a kind whose values are written as expressions."""
    made = [eval(f"lambda: {text}") for text in (first, second)]
    kind(name, made[0], made[1], first, core)


constant("int", "3", "0", core=True)
constant("int_zero", "0", "1", core=True)
constant("int_one", "1", "2")
constant("int_negative", "-3", "2", core=True)
constant("int_big", "2**70", "2**40", core=True)
constant("bool", "True", "False", core=True)
constant("bool_false", "False", "True")
constant("float", "2.5", "-0.0", core=True)
constant("float_zero", "-0.0", "0.0")
kind("float_nan", lambda: float("nan"), lambda: 1.5, "float('nan')", core=True)
kind("float_inf", lambda: float("-inf"), lambda: 0.0, "float('-inf')")
constant("float_whole", "1.0", "3.0")
constant("complex", "1.5-2j", "0j", core=True)
constant("str", "'a'", "'b'", core=True)
constant("str_empty", "''", "'ab'")
constant("str_format", "'%s, %s'", "'%s'")
constant("bytes", "b'a'", "b'b'", core=True)
constant("none", "None", "None", core=True)
constant("ellipsis", "...", "...")

constant("list", "[1.0, 2.5]", "[3.0, 2.0, 1.0]", core=True)
constant("list_int", "[0, 1]", "[0, 1, 1]", core=True)
constant("list_bool", "[True, False]", "[False, False, True]")
constant("list_one", "[1.5]", "[2.0]")
constant("list_empty", "[]", "[]", core=True)
constant("list_nested", "[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0, 5.0]]", core=True)
constant("list_ragged", "[1.0, [2.0, 3.0]]", "[1.0, [2.0]]")
constant("list_str", "['a', 'b']", "['a', 'c', 'd']")
constant("list_none", "[None, 1.0]", "[None, None]")
kind("list_arrays", lambda: [np.array([1.0, 2.0]), np.array([1.0, 3.0])])
constant("tuple", "(1.0, 2.5)", "(3.0, 2.0, 1.0)", core=True)
constant("tuple_int", "(0, 1)", "(0, 1, 1)")
constant("tuple_one", "(1.5,)", "(2.0,)")
constant("tuple_empty", "()", "()", core=True)
constant("tuple_nested", "((1.0, 2.0), [3.0, 4.0])", "((1.0, 2.0), [3.0, 5.0])")
constant("tuple_str", "('a', 'b')", "('a', 'c')")
kind("tuple_arrays", lambda: (np.array([1.0, 2.0]), 1.0), lambda: (np.array([2.0, 2.0]), 3.0))
constant("range", "range(2)", "range(3)", core=True)
constant("range_empty", "range(0)", "range(5, 2)")  # equal, with other bounds
constant("dict", "{'a': 1.0, 'b': 2.0}", "{'a': 3.0, 'b': 2.0}", core=True)
constant("dict_int", "{0: 1.0, 1: 2.0}", "{False: 1.0, True: 3.0}")  # of equal keys
constant("dict_empty", "{}", "{}")
kind("dict_arrays", lambda: {"a": np.ones(2)}, lambda: {"a": np.zeros(2)})
kind("ordered_dict", lambda: OrderedDict(a=1.0, b=2.0), lambda: OrderedDict(b=2.0, a=1.0))
kind("default_dict", lambda: defaultdict(float, a=1.0))
kind("counter", lambda: Counter("aab"))
kind("deque", lambda: deque([1.0, 2.0]), lambda: deque([2.0, 2.0]))
constant("set", "{0, 1}", "{0, 1, 2}", core=True)
constant("set_str", "{'a', 'b'}", "{'a'}")
constant("set_empty", "set()", "set()")
constant("frozenset", "frozenset({0, 1})", "frozenset({0, True})")  # equal
constant("slice", "slice(0, 1)", "slice(1, 2)", core=True)


def array(
    name: str,
    dtype: Any,
    first: Any,
    second: Any,
    core: bool = False,
    change: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> None:
    """Add a kind of arrays."""
    kind(
        name,
        lambda: change(np.array(first, dtype)),
        lambda: change(np.array(second, dtype)),
        core=core,
    )


array("array", "f8", [1.0, 2.5], [3.0, -0.0, np.nan], core=True)
array("array_zeros", "f8", [-0.0, 0.0], [0.0, 1.0, -0.0])
array("array_0d", "f8", 2.5, 1.0, core=True)
array("array_one", "f8", [1.5], [0.0], core=True)
array("array_empty", "f8", [], [], core=True)
array("array_2d", "f8", [[1.0, 2.0], [3.0, 4.0]], np.arange(9.0).reshape(3, 3), core=True)
array("array_1x2", "f8", [[1.0, 2.0]], [[1.0, 0.0, 2.0]])
array("array_2x0", "f8", np.ones((2, 0)), np.ones((3, 0)))
array("array_1x1", "f8", [[2.0]], [[0.0]])
array("array_3d", "f8", np.arange(8.0).reshape(2, 2, 2), np.ones((3, 3, 3)))
array(
    "array_fortran", "f8", [[1.0, 2.0], [3.0, 4.0]], np.eye(3), core=True, change=np.asfortranarray
)
array("array_strided", "f8", np.arange(4.0), np.arange(6.0), change=lambda x: x[::2])
array("array_reversed", "f8", [1.0, 2.0], [1.0, 2.0, 3.0], change=lambda x: x[::-1])
array("array_big_endian", ">f8", [1.0, 2.5], [3.0, -0.0, np.nan])
for _name, _core in {
    "bool": True, "int8": True, "int16": False, "int32": False, "int64": True, "uint8": True,
    "uint16": False, "uint32": False, "uint64": True, "float16": False, "float32": True,
    "complex64": False, "complex128": True,
}.items():  # fmt: skip
    array(f"array_{_name}", _name, [1, 0], [2, 1, 0], core=_core)
array("array_bool_2d", bool, [[True, False], [False, True]], np.eye(3))
array("array_int_0d", "i8", 3, 0)
array("array_bool_0d", bool, True, False)
array("array_complex_0d", complex, 1 - 2j, 0)
array("array_int_2d", "i8", [[0, 1], [2, 3]], np.arange(9).reshape(3, 3))
array("array_int_empty", "i8", [], [])
array("array_str", "U1", ["a", "b"], ["c", "a", "b"], core=True)
array("array_str_0d", "U1", "a", "b")
array("array_str_empty", "U1", [], [])
array("array_bytes", "S1", [b"a", b"b"], [b"c", b"a", b"b"])
array("array_object", object, [1.0, None], [None, "a", 2])
array("array_datetime", "M8[D]", ["2020-01-01", "2021-01-01"], ["2020-01-02"] * 3)
array("array_timedelta", "m8[D]", [1, 2], [1, 2, 3])
array("array_void", [("x", "f8"), ("y", "i8")], [(1.0, 2), (3.0, 4)], [(1.0, 2)] * 3)


def mapped(*entries: float) -> Any:
    """An array in a file."""
    made = np.memmap(tempfile.TemporaryFile(), "f8", "w+", shape=(len(entries),))
    made[:] = entries
    return made


kind("memmap", lambda: mapped(1.0, 2.5), lambda: mapped(3.0, 2.0, 1.0))
kind("matrix", lambda: np.asmatrix(np.eye(2)), lambda: np.asmatrix(np.ones((3, 3))))
kind("masked", lambda: np.ma.array([1.0, 2.0], mask=[True, False]))

for _name, _core in {
    "bool_": True, "int8": True, "int32": False, "int64": True, "uint8": True, "uint64": False,
    "float16": False, "float32": True, "float64": True, "complex64": False, "complex128": True,
}.items():  # fmt: skip
    _dtype = getattr(np, _name)
    kind(
        f"np_{_name}",
        lambda make=_dtype: make(1),
        lambda make=_dtype: make(0),
        f"np.{_name}(1)",
        _core,
    )
kind("np_nan", lambda: np.float64("nan"), lambda: np.float64(1.0), "np.float64('nan')")
kind("np_str", lambda: np.str_("a"), lambda: np.str_("b"), "np.str_('a')")
kind("np_bytes", lambda: np.bytes_(b"a"), lambda: np.bytes_(b"b"), "np.bytes_(b'a')")
kind("np_datetime", lambda: np.datetime64("2020-01-01"), lambda: np.datetime64("2021-01-01"))
kind("np_timedelta", lambda: np.timedelta64(1, "D"), lambda: np.timedelta64(2, "D"))
kind("dtype", lambda: np.dtype("f8"), lambda: np.dtype("f4"), "np.dtype('f8')")

kind("function", lambda: double, lambda: triple, core=True)
kind("lambda", lambda: lambda x: x, None, "(lambda x: x)")
kind("builtin", lambda: len, lambda: abs, "len")
kind("ufunc", lambda: np.sin, lambda: np.cos, "np.sin")
kind("class", lambda: float, lambda: int, "float")
kind("own_class", lambda: Plain, lambda: Point, core=True)
kind("module", lambda: np, lambda: np.linalg, "np")
kind("object", object, core=True)
kind("plain", lambda: Plain(1.0), lambda: Plain(2.0), core=True)
kind("sized", lambda: Sized(0), lambda: Sized(2))
kind("vector", lambda: Vector(2.0), lambda: Vector(1.0), core=True)
kind("dataclass", lambda: Point(1.0, 2.0), lambda: Point(3.0, 2.0), core=True)
kind("dataclass_ordered", lambda: Ordered(1.0, 2.0), lambda: Ordered(3.0, 2.0))
kind("namedtuple", lambda: Pair(1.0, 2.5), lambda: Pair(1.0, 3.0), core=True)
kind("enum", lambda: Colour.RED, lambda: Colour.BLUE, core=True)
kind("int_enum", lambda: Level.LOW, lambda: Level.HIGH)
kind("fraction", lambda: fractions.Fraction(1, 2), lambda: fractions.Fraction(3))
kind("decimal", lambda: decimal.Decimal("1.5"), lambda: decimal.Decimal(0))
kind("exception", lambda: ValueError("a"), lambda: ValueError("b"))
kind("generator", lambda: np.random.default_rng(0), lambda: np.random.default_rng(1))

CORE = [each for each in KINDS.values() if each.core]
NUMBERS = [
    each
    for each in KINDS.values()
    if isinstance(each.make(), bool | int | float | complex | np.number | np.bool_)
    and not isinstance(each.make(), enum.Enum)
]
ARRAYS = [each for each in KINDS.values() if isinstance(each.make(), np.ndarray)]

# What functions under test may call by name.
NAMES = {"np": np, "Plain": Plain, "Point": Point, "Pair": Pair, "Colour": Colour, "double": double}
