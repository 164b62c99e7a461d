"""What an atom is, by its type: an integer, an array; and of what parts an index consists.

x[i, 1:]        index_parts((i, 1:)): i and 1:        x[i]        index_parts(i): i alone
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from srcad.ir.nodes import Value
from srcad.ir.types import (
    ArrayType,
    Extent,
    NumberType,
    ObjectType,
    TupleType,
    Type,
    dtype_of,
    rank_of,
)


def index_parts(index: Any) -> tuple[Any, ...]:
    """What stands between the commas of a subscript."""
    return index if isinstance(index, tuple) else (index,)


def is_python_int(atom: Any) -> bool:
    """Whether an atom is an `int` of Python; a bool is none."""
    if isinstance(atom, Value):
        return isinstance(atom.type, NumberType) and atom.type.kind is int
    return type(atom) is int


def is_integer(x: Any) -> TypeGuard[int | np.integer]:
    """Whether a constant is an integer of Python's or NumPy's, or a bool of Python's; a
    `timedelta64`, which is an integer to NumPy, is none.
    """
    return isinstance(x, int | np.integer) and not isinstance(x, np.timedelta64)


def is_int_scalar(atom: Any) -> bool:
    """Whether an atom is one integer, of Python or NumPy; a bool is none."""
    return holds_ints(atom) and (not isinstance(atom, Value) or rank_of(atom.type) == 0)


def dtype_of_atom(atom: Any) -> np.dtype | None:
    """The dtype of a value's entries, or of a constant's; None for what is no array or number."""
    return dtype_of(atom.type) if isinstance(atom, Value) else np.result_type(atom)


def extent_of_atom(atom: Any) -> Extent | None:
    """The extent that an integer is; None where it is none."""
    if isinstance(atom, Value):
        return atom.type.extent if isinstance(atom.type, NumberType) else None
    return atom if type(atom) is int else None


def holds_ints(atom: Any) -> bool:
    """Whether an atom is an integer or an array of integers; bools are none."""
    if isinstance(atom, Value):
        dtype = dtype_of(atom.type)
        return dtype is not None and dtype.kind in "iu"
    return is_integer(atom) and not isinstance(atom, bool)


def holds_truths(atom: Any) -> bool:
    """Whether an atom is a value that is a bool or an array of bools."""
    return isinstance(atom, Value) and dtype_of(atom.type) == np.bool_


def is_array(atom: Any) -> bool:
    """Whether an atom is a value with memory that can be written: no number, no NumPy scalar."""
    return isinstance(atom, Value) and isinstance(atom.type, ArrayType) and not atom.type.scalar


def has_axes(atom: Any) -> bool:
    """Whether an atom is a value that is an array with axes."""
    return isinstance(atom, Value) and isinstance(atom.type, ArrayType) and atom.type.shape != ()


def has_storage(t: Type) -> bool:
    """Whether a value of this type may share memory; numbers and NumPy scalars cannot."""
    if isinstance(t, ArrayType):
        return not t.scalar
    match t:
        case NumberType():
            return False
        case TupleType():
            return any(map(has_storage, t.items))
        case ObjectType(name="shape"):
            return False
        case _:
            return True


__all__ = [
    "has_storage",
    "holds_ints",
    "index_parts",
    "is_array",
    "is_int_scalar",
    "is_python_int",
]
