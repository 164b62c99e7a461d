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
