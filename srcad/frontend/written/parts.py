"""NumPy's functions that take an array apart, as slices: read in place of NumPy's where the program
writes into an array of which there are parts.

a, b = np.split(x, 2)      a, b = x[0 : n // 2], x[n // 2 : n]
"""

from __future__ import annotations

from typing import Any


def _part(ary: Any, axis: int, start: Any, stop: Any) -> Any:
    return ary[(*[slice(None)] * axis, slice(start, stop))]


def _is_count(sections: Any) -> bool:
    return isinstance(sections, int)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`np.split`."""
    if _is_count(indices_or_sections) and ary.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`np.array_split`."""
    n, at = ary.shape[axis], axis % ary.ndim
    if _is_count(indices_or_sections):
        count = indices_or_sections
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, more = n // count, n % count
        ends = [k * size + min(k, more) for k in range(count + 1)]
    else:
        ends = [0, *indices_or_sections, None]
    return [_part(ary, at, ends[k], ends[k + 1]) for k in range(len(ends) - 1)]


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`np.hsplit`."""
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`np.vsplit`."""
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`np.dsplit`."""
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]
