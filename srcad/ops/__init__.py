"""Operations: all that passes know of a function besides its rule and its type, in one table."""

from srcad.ops import (
    arrays,
    entries,
    fitting,
    numbers,
    numpy,
    python,
    raising,
    scipy,
    syntax,
    traits,
)
from srcad.ops.table import Row, row_of

__all__ = [
    "Row", "arrays", "entries", "fitting", "numbers", "numpy", "python", "raising", "row_of",
    "scipy", "syntax", "traits",
]  # fmt: skip
