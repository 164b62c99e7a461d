"""All the rules that come with srcad: importing this module fills the table."""

from srcad.rules import (
    arithmetic,
    arranging,
    creation,
    cumulative,
    diagonals,
    indexing,
    joining,
    linalg,
    products,
    python_math,
    ranges,
    reductions,
    registry,
    selection,
    shaping,
    sorting,
    splitting,
    statistics,
    ufuncs,
)
from srcad.rules.table import RULES

registry.shipped.update(RULES)

__all__ = [
    "RULES",
    "arithmetic",
    "arranging",
    "creation",
    "cumulative",
    "diagonals",
    "indexing",
    "joining",
    "linalg",
    "products",
    "python_math",
    "ranges",
    "reductions",
    "selection",
    "shaping",
    "sorting",
    "splitting",
    "statistics",
    "ufuncs",
]
