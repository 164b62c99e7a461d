"""Errors that name the place, the reason and the way out.

Each refusal has a code and a row in one table (`kinds/*.toml`), from which its message,
`docs/errors.md`, `srcad explain E103` and its test are made. Raising one is one line::

    raise errors.error("E103", Location.of(node, file, "step"))

and prints as::

    model.py:14:5: error[E103]: a `try` block cannot be differentiated
       14 |     try:
          |     ^^^
    fix: move the `try` outside the differentiated function    (srcad explain E103)
"""

from srcad.errors.classes import (
    ArgumentTypeError,
    ArgumentValueError,
    CacheError,
    CallMismatch,
    IndexShapeError,
    InternalError,
    MissingRule,
    NotDifferentiable,
    NotFinite,
    RuleError,
    ShapeError,
    SrcadError,
    UndefinedName,
    UnsupportedSyntax,
)
from srcad.errors.location import Location
from srcad.errors.table import ErrorKind, all_kinds, error, kind

__all__ = [
    "ArgumentTypeError",
    "ArgumentValueError",
    "CacheError",
    "CallMismatch",
    "ErrorKind",
    "IndexShapeError",
    "InternalError",
    "Location",
    "MissingRule",
    "NotDifferentiable",
    "NotFinite",
    "RuleError",
    "ShapeError",
    "SrcadError",
    "UndefinedName",
    "UnsupportedSyntax",
    "all_kinds",
    "error",
    "kind",
]
