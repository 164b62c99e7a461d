"""What SciPy computes with shapes before it computes: by tuples, in place of arrays of ints.

_broadcast_shapes([(3, 1), (3, 4)])             (3, 4)
_broadcast_shapes([(3, 5), (3, 4)], (-1,))      [(3, 5), (3, 4)]: the axes that are left out stay
"""

from __future__ import annotations

from typing import Any

import numpy as np


def broadcast_shapes(shapes: Any, axis: Any = None) -> Any:
    """`scipy.stats._axis_nan_policy._broadcast_shapes`."""
    if not shapes:
        return shapes
    n = max([len(shape) for shape in shapes])
    wide = [(1,) * (n - len(shape)) + tuple(shape) for shape in shapes]
    if axis is None:
        return _common(wide)
    places = axis if isinstance(axis, tuple) else (axis,)
    for k in places:
        if k < -n or k >= n:
            raise np.exceptions.AxisError(f"`axis` is out of bounds for array of dimension {n}")
    left_out = sorted([k + n if k < 0 else k for k in places])
    if len(set(left_out)) != len(left_out):
        raise np.exceptions.AxisError("`axis` must contain only distinct elements")
    common = _common([tuple([s[k] for k in range(n) if k not in left_out]) for s in wide])
    found = []
    for shape in wide:
        rest = list(common)
        for k in left_out:
            rest.insert(k, shape[k])
        found.append(tuple(rest))
    return found


def _common(shapes: Any) -> Any:
    """The shape to which arrays of these shapes are broadcast, which have as many axes."""
    found = []
    for extents in zip(*shapes, strict=True):
        size = 1
        for extent in extents:
            if extent != 1:
                if size not in (1, extent):
                    raise ValueError("Array shapes are incompatible for broadcasting.")
                size = extent
        found.append(size)
    return tuple(found)


__all__ = ["broadcast_shapes"]
