"""The linear recurrence to which derivatives of cumulative products lead."""

from __future__ import annotations

from typing import Any

import numpy as np


def recurrence(a: Any, b: Any, axis: int = -1) -> Any:
    """`r` with `r[k] = a[k] * r[k - 1] + b[k]` along `axis`, and `r[0] = b[0]`."""
    if np.ndim(b) == 1:  # Python numbers are faster than entries of arrays
        entries = b.tolist()
        for k, factor in enumerate(a[1:].tolist()):
            entries[k + 1] += factor * entries[k]
        return np.array(entries, np.result_type(a, b))
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    r = np.array(b, np.result_type(a, b))
    for k in range(1, len(r)):
        r[k] += a[k] * r[k - 1]
    return np.moveaxis(r, 0, axis)
