"""Real numbers and arrays of them, as functions of SciPy's take and give them."""

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


def of_its_kind(x: Any, is_numpy: Any) -> Any:
    """A float of NumPy's as this or as Python's own."""
    return x if is_numpy else float(x)


__all__ = ["as_reals", "of_its_kind"]
