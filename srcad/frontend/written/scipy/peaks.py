"""What `scipy.signal.find_peaks` counts in C: places in a signal, which have no derivative.

_local_maxima_1d([0.0, 2.0, 2.0, 1.0])       middles [1], left edges [1], right edges [2]
"""

from __future__ import annotations

from typing import Any

import numpy as np


def local_maxima(x: Any) -> Any:
    """`_local_maxima_1d`: runs of equal entries that are higher than those on both sides."""
    ends = np.flatnonzero(x[1:] != x[:-1])
    if len(ends) < 2:
        none = np.zeros(0, np.intp)
        return none, none.copy(), none.copy()
    left, right = ends[:-1] + 1, ends[1:]
    kept = (x[left - 1] < x[left]) & (x[right + 1] < x[right])
    left, right = left[kept], right[kept]
    return (left + right) // 2, left, right


def far_apart(peaks: Any, priority: Any, distance: Any) -> Any:
    """`_select_by_peak_distance`: the highest are kept, and what is near them is not."""
    n, distance = len(peaks), np.ceil(distance)
    keep = np.ones(n, dtype=bool)
    order = np.argsort(priority)
    for i in range(n - 1, -1, -1):
        at = order[i]
        if keep[at]:
            near = np.abs(peaks - peaks[at]) < distance
            near[at] = False
            keep = keep & ~near
    return keep


__all__ = ["far_apart", "local_maxima"]
