"""The intermediate representation: typed, structured SSA (design: one `Op` class, `If`, `For`, `While`).

Everything here is *purely functional*: an operation never changes its arguments. What is in place in the
emitted text (`x_bar[i] += g`) is decided last, from the last uses of values (`srcad.optimize`).
"""

from srcad.ir.interface import Interface, Param, Record, Slot, Static
from srcad.ir.nodes import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.printer import show
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    SeqType,
    TupleType,
    Type,
)
from srcad.ir.verifier import verify

__all__ = [
    "UNDEFINED",
    "ArrayType",
    "Block",
    "Closure",
    "Dim",
    "Extent",
    "For",
    "Function",
    "If",
    "Interface",
    "NumberType",
    "ObjectType",
    "Op",
    "Param",
    "Record",
    "SeqType",
    "Slot",
    "Static",
    "Stmt",
    "TupleType",
    "Type",
    "Value",
    "While",
    "show",
    "verify",
]
