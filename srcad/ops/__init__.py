"""Operations: all that passes know of a function besides its rule and its type, in one table."""

from srcad.ops import arrays, numpy, python, scipy, traits
from srcad.ops.table import Row, row_of

__all__ = ["Row", "arrays", "numpy", "python", "row_of", "scipy", "traits"]
