"""Arrays of real numbers, as which functions of SciPy's take what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond


def as_reals(x: Any) -> Any:
    """`x` in double precision; complex numbers and truth values, with which SciPy does this and
    that, are refused.
    """
    found = np.asarray(x)
    if found.dtype.kind not in "iuf":
        beyond("complex numbers or truth values in place of real numbers")
    return np.asarray(found, dtype=float)


__all__ = ["as_reals"]
