"""All the rules that come with srcad: importing this module fills the table."""

from srcad.rules import (
    arithmetic,
    contractions,
    creation,
    cumulative,
    indexing,
    products,
    python_math,
    reductions,
    arranging,
    joining,
    linalg,
    splitting,
    ranges,
    registry,
    selection,
    shaping,
    statistics,
    ufuncs,
)
from srcad.rules.table import RULES

registry.shipped.update(RULES)

__all__ = [
    "RULES",
    "ranges",
    "splitting",
    "linalg",
    "joining",
    "arranging",
    "arithmetic",
    "creation",
    "cumulative",
    "indexing",
    "products",
    "python_math",
    "reductions",
    "selection",
    "shaping",
    "statistics",
    "ufuncs",
]
