"""Windows that slide over an array, as a copy: nothing writes into them.

sliding_window_view(v, w)             v[i + k] at [i, k]
sliding_window_view(a, (h, w))        a[i + k, j + l] at [i, j, k, l]
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from srcad import runtime
from srcad.ir import Op
from srcad.ir.kinds import is_python_int
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    Choice,
    Chosen,
    Form,
    is_array,
    options,
    rank,
)


def windows(v: Any, w: Any) -> Any:
    """`sliding_window_view(v, w)` of a vector."""
    count = len(v) - w + 1
    if w < 0 or count < 1:
        raise ValueError("a window that is longer")
    out = np.empty((count, w))
    for i in range(count):
        for k in range(w):
            out[i, k] = v[i + k]
    return out


def windows_along(a: Any, w: Any, is_down: bool) -> Any:
    """`sliding_window_view(a, w, axis)` of a matrix, down its columns or along its rows."""
    n = a.shape[0] - w + 1 if is_down else a.shape[0]
    m = a.shape[1] if is_down else a.shape[1] - w + 1
    if w < 0 or (n if is_down else m) < 1:
        raise ValueError("a window that is longer")
    out = np.empty((n, m, w))
    for i in range(n):
        for j in range(m):
            for k in range(w):
                out[i, j, k] = a[i + k, j] if is_down else a[i, j + k]
    return out


def patches(a: Any, h: Any, w: Any) -> Any:
    """`sliding_window_view(a, (h, w))` of a matrix."""
    rows, columns = a.shape[0] - h + 1, a.shape[1] - w + 1
    if h < 0 or w < 0 or rows < 1 or columns < 1:
        raise ValueError("a window that is longer")
    out = np.empty((rows, columns, h, w))
    for i in range(rows):
        for j in range(columns):
            for k in range(h):
                for m in range(w):
                    out[i, j, k, m] = a[i + k, j + m]
    return out


def overlapped(g: Any, n: Any) -> Any:
    """`runtime.overlapped` of windows of a vector."""
    out = np.zeros(n)
    for i in range(g.shape[0]):
        for k in range(g.shape[1]):
            out[i + k] += g[i, k]
    return out


def overlapped_along(g: Any, n: Any, m: Any, is_down: bool) -> Any:
    """`runtime.overlapped` of windows along an axis of a matrix."""
    out = np.zeros((n, m))
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            for k in range(g.shape[2]):
                if is_down:
                    out[i + k, j] += g[i, j, k]
                else:
                    out[i, j + k] += g[i, j, k]
    return out


def overlapped_patches(g: Any, n: Any, m: Any) -> Any:
    """`runtime.overlapped` of windows of a matrix."""
    out = np.zeros((n, m))
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            for k in range(g.shape[2]):
                for c in range(g.shape[3]):
                    out[i + k, j + c] += g[i, j, k, c]
    return out


# Which form a call has ---------------------------------------------------------------------------

_ALONG: Final[dict[str, tuple[Form, Form, tuple[bool, ...]]]] = {
    "vector": (windows, overlapped, ()), "matrix": (patches, overlapped_patches, ()),
    "rows": (windows_along, overlapped_along, (False,)),
    "columns": (windows_along, overlapped_along, (True,)),
}  # fmt: skip


def _along(n: int, lengths: int, axis: Any) -> str | None:
    """What the windows slide over, of an array of so many axes."""
    if n == 1 and lengths == 1:
        return "vector" if axis in (None, 0, -1, (0,)) else None
    if n == 2 and lengths == 2:
        return "matrix" if axis in (None, (0, 1)) else None
    is_one = n == 2 and lengths == 1 and type(axis) is int
    return ("columns" if axis % 2 == 0 else "rows") if is_one else None


def _windows(op: Op) -> Chosen | None:
    found = options(op, 2, axis=None)
    if found is None or not is_array(op.args[0], FLOAT, 1, 2):
        return None
    lengths = _items(op.args[1])
    along = _along(rank(op.args[0]), len(lengths), found[0])
    if along is None or not all(map(is_python_int, lengths)):
        return None
    form, _, more = _ALONG[along]
    return form, (op.args[0], *lengths, *more)


def _overlapped(op: Op) -> Chosen | None:
    found, n = options(op, 3, axis=None), rank(op.out)
    if found is None or not is_array(op.out, FLOAT, 1, 2) or rank(op.args[0]) > 4:
        return None
    along = _along(n, len(_items(op.args[2])), found[0])
    if along is None:
        return None
    _, form, more = _ALONG[along]
    return form, (op.args[0], *_items(op.args[1]), *more)


def _items(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


WINDOWS: Final[dict[Any, Choice]] = {
    sliding_window_view: _windows,
    runtime.overlapped: _overlapped,
}
