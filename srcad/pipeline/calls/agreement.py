"""Whether two results are the same but for rounding.

(1.0, array([1e-17, 2.0]))   (1.0, array([0.0, 2.0]))      agree: small beside what else is there
(1.0, array([0.5, 2.0]))     (1.0, array([0.6, 2.0]))      differ
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad.kernels import SparseRows
from srcad.runtime.records import parts


def difference(a: Any, b: Any) -> str:
    """How the results `a` and `b` differ; "" if they agree."""
    ours, others = list(_leaves(a, {})), list(_leaves(b, {}))
    if len(ours) != len(others):
        return f"{len(ours)} arrays instead of {len(others)}"
    scale = max(map(_largest, ours), default=0.0)
    for x, y in zip(ours, others, strict=True):
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"{y.dtype}{list(y.shape)} instead of {x.dtype}{list(x.shape)}"
        if x.dtype.kind in "fc":
            eps = float(np.finfo(x.dtype).eps)
            close = np.isclose(x, y, rtol=0, atol=eps**0.4 * scale + 1e3 * eps, equal_nan=True)
        else:
            close = x == y
        if not np.all(close):
            at = np.unravel_index(int(np.argmin(close)), x.shape)
            return f"{y[at]} instead of {x[at]}"
    return ""


def _leaves(x: Any, seen: dict[int, Any]) -> Iterator[np.ndarray]:
    """The numbers and arrays in a result, of each object once; functions are passed over.

    Args:
        seen: objects by their `id`: these may lead back to themselves.
    """
    x = np.asarray(x) if isinstance(x, SparseRows) else x
    if isinstance(x, np.ndarray | np.generic | bool | int | float | complex):
        array = np.asarray(x)
        if array.dtype.kind in "biufc":
            yield array
    elif id(x) not in seen:
        seen[id(x)] = x
        for item in parts(x):
            yield from _leaves(item, seen)


def _largest(x: np.ndarray) -> float:
    """The largest finite magnitude."""
    if x.dtype.kind not in "fc" or x.size == 0:
        return 0.0
    magnitudes = np.abs(x)
    return float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))
