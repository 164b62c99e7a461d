"""The intermediate representation: typed, structured SSA (one `Op` class, `If`, `For`, `While`).

Everything here is *purely functional*: an operation never changes its arguments. What is in place
in the emitted text (`x_bar[i] += g`) is decided last, from the last uses of values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    # A program from the cache needs `srcad.ir.guards` alone: the rest is imported when it is named.
    from importlib import import_module

    if name in __all__:
        for home in ("types", "nodes", "interface", "printer", "verifier"):
            found = vars(import_module(f"srcad.ir.{home}"))
            if name in found:
                return globals().setdefault(name, found[name])
    raise AttributeError(f"module 'srcad.ir' has no attribute {name!r}")
