"""Types of IR values: dtype, rank, and what is known of each extent.

An extent is an `int` where the number is known, else a `Dim`: a named unknown, perhaps shortened by
slicing.

    x: f64[x0, x1]        x[1:-1]: f64[x0-2, x1]        x[None]: f64[1, x0, x1]

Two equal `Dim`s are the same number at run time, so `x[2:] - x[:-2]` needs no broadcasting. A `Dim`
that comes from the signature is never 1 (the signature says which extents are), so `w[n, k] + b[k]`
is known to broadcast along the first axis and nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import numpy as np

_LONGEST: Final = 500  # characters of a name
_NAME: Final = re.compile(r"[\w?]+")
UNKNOWN: Final = re.compile(r"\?\d+")


@dataclass(frozen=True, slots=True)
class Dim:
    """The extent `max(0, symbol - minus)`; `never_one` where it is known to differ from 1.

    `minus` is negative for an axis made longer (padding), so that `np.pad(x, 1)[1:-1]` is as long
    as x. `symbol - minus` is known to be at least `least`, and at least -minus. `parts` are the
    extents that are broadcast together in it, if it is such a one.
    """

    symbol: str
    minus: int = 0
    never_one: bool = field(default=False, compare=False)
    least: int | None = field(default=None, compare=False)
    parts: tuple[Dim, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        # Extents made of extents would grow with each step of a recurrence, two coupled ones to
        # any length: what is long is as good a name as its digest.
        if len(self.symbol) > _LONGEST:
            digest = sha256(self.symbol.encode()).hexdigest()[:16]
            object.__setattr__(self, "symbol", f"({digest})")

    def __hash__(self) -> int:  # shapes are keys of tables; the text keeps its hash
        return hash(self.symbol)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it but that it is one number."""
        return self.minus == 0 and UNKNOWN.fullmatch(self.symbol) is not None

    @property
    def floor(self) -> int:
        """What `symbol - minus` is at least; where that is negative, it may be cut off at 0."""
        return -self.minus if self.least is None else max(self.least, -self.minus)

    def shortened(self, by: int) -> Dim:
        """The extent after `by >= 0` entries were sliced off."""
        return self if by == 0 else self._moved(-by)

    def lengthened(self, by: int) -> Dim:
        """The extent after `by >= 0` entries were added."""
        if by == 0:
            return self
        if self.floor < 0:  # it may have been cut off at 0
            return Dim(f"max(0,{self})", -by, by >= 2)
        return self._moved(by)

    def _moved(self, by: int) -> Dim:
        floor = self.floor + by
        least = floor if floor > by - self.minus else None
        return Dim(self.symbol, self.minus - by, floor >= 2, least)

    def __str__(self) -> str:
        return f"{self.symbol}{-self.minus:+d}" if self.minus else self.symbol


Extent = int | Dim
Shape = tuple[Extent, ...]


def is_never_one(extent: Extent) -> bool:
    """Whether an extent is known to differ from 1."""
    return extent != 1 if isinstance(extent, int) else extent.never_one


def operand(extent: Extent) -> str:
    """The text of an extent as a part of a longer one. What is no plain name has parentheses, so
    that extents of two sizes never have one name: `(a+b)*c`, `a+(b*c)`.
    """
    text = str(extent)
    return text if _NAME.fullmatch(text) else f"({text})"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An ndarray, or (`scalar=True`, rank 0) a NumPy scalar. `shape` is None where the rank is
    unknown.
    """

    dtype: np.dtype
    shape: Shape | None
    scalar: bool = False

    @property
    def rank(self) -> int | None:
        """The number of axes; None where unknown."""
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        name = f"{self.dtype.kind}{self.dtype.itemsize * 8}" if self.dtype.kind != "b" else "bool"
        if self.scalar:
            return name
        return name + ("[...]" if self.shape is None else f"[{', '.join(map(str, self.shape))}]")


# Of Python, each of which holds those before it.
NUMBER_KINDS = (bool, int, float, complex)


@dataclass(frozen=True, slots=True)
class NumberType:
    """A Python `bool`, `int`, `float` or `complex`; an int that is an array's extent says which."""

    kind: type
    extent: Extent | None = None

    def __str__(self) -> str:
        return self.kind.__name__ + ("" if self.extent is None else f"={self.extent}")


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple of known length, such as `x.shape`."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class SeqType:
    """A sequence with one element per iteration of a loop: the tape, a comprehension's list."""

    elem: Type

    def __str__(self) -> str:
        return f"seq[{self.elem}]"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """Any other run-time object (a string, a random generator): inactive, passed along."""

    name: str = "object"

    def __str__(self) -> str:
        return self.name


# The values that a called function saves for its reverse form, and their (co)tangents.
SAVED = ObjectType("saved")
# What a handler caught. Its class is known when the program runs: a subclass of one that is named.
EXCEPTION = ObjectType("exception")

Type = ArrayType | NumberType | TupleType | SeqType | ObjectType


def zero_number(t: Type) -> Any:
    """The zero of a rank-0 type."""
    if isinstance(t, NumberType):
        return t.kind(0)
    dtype = dtype_of(t)
    assert dtype is not None, t
    return dtype.type(0)


def is_inexact(t: Type) -> bool:
    """Whether values of this type can carry a derivative: real or complex numbers, or sequences of
    them.
    """
    match t:
        case ArrayType():
            return t.dtype.kind in "fc"
        case NumberType():
            return t.kind in (float, complex)
        case SeqType():
            return is_inexact(t.elem)
        case ObjectType():
            return t == SAVED
        case _:
            return False


def rank_of(t: Type) -> int | None:
    """The number of axes; 0 for a number, None where unknown or meaningless."""
    if isinstance(t, ArrayType):
        return None if t.shape is None else len(t.shape)
    return 0 if isinstance(t, NumberType) else None


def shape_of(t: Type) -> Shape | None:
    """The extents; `()` for a number, None where unknown or meaningless."""
    if isinstance(t, ArrayType):
        return t.shape
    return () if isinstance(t, NumberType) else None


def have_same_shape(a: Type, b: Type) -> bool:
    """Whether the extents of both are known to be equal. Two unknown shapes may differ."""
    shape = shape_of(a)
    return shape is not None and shape == shape_of(b)


def dtype_of(t: Type) -> np.dtype | None:
    """The dtype of an array or NumPy scalar; the default dtype of a Python number; else None."""
    if isinstance(t, ArrayType):
        return t.dtype
    return np.dtype(t.kind) if isinstance(t, NumberType) else None
