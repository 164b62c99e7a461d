"""Undoing broadcasting, at compile time wherever the types tell how.

Rule bodies call `unbroadcast(g, x)`: on arrays it computes; on staged values it emits nothing where
the shapes are known to agree, one sum where the broadcast axes are known, and the run-time helper
`srcad.runtime.unbroadcast(g, shape)` only where an extent may or may not be 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Shape, dtype_of, is_inexact, shape_of
from srcad.rules.core.staged import (
    call,
    find_builder,
    is_complex,
    is_number,
    shape_of_value,
    type_of,
)
from srcad.rules.core.zero import ZERO


def unbroadcast(g: Any, x: Any) -> Any:
    """`g` summed down to the shape of `x`, which was broadcast, and in the dtype of `x`.

    Args:
        g: of a shape that that of `x` broadcasts to.
        x: the array, or its staged value.

    Returns:
        An array of the shape and dtype of `x`.
    """
    if g is ZERO:
        return ZERO
    return cast_like(_sum_down(g, x), x)


def _sum_down(g: Any, x: Any) -> Any:
    if find_builder((g, x)) is None:
        return runtime.unbroadcast(g, shape_of_value(x))
    g_shape, x_shape = shape_of(type_of(g)), shape_of(type_of(x))
    if x_shape == ():
        return g if g_shape == () else np.sum(g)
    if g_shape is None or x_shape is None or any(map(_unclear, *_aligned(g_shape, x_shape))):
        return call(runtime.unbroadcast, g, shape_of_value(x))
    return _sum_known(g, g_shape, x_shape)


def cast_like(g: Any, x: Any) -> Any:
    """The (co)tangent `g` in the dtype of `x`; of a complex `g` for a real `x` the real part."""
    x_type = type_of(x)
    if g is not ZERO and isinstance(x_type, NumberType):
        return _number_like(g, x_type.kind)
    if g is ZERO or not isinstance(x_type, ArrayType) or x_type.dtype.kind not in "fc":
        return g
    if x_type.dtype.kind == "f" and is_complex(g):
        g = np.real(g)
    if is_number(g):
        return call(x_type.dtype.type, g)
    return g if dtype_of(type_of(g)) == x_type.dtype else g.astype(x_type.dtype)


def promoted(x: Any, y: Any, *, as_ints: bool = False) -> Any:
    """An operand of `y` as NumPy computes with it: ints and truth values as floats.

    In their own dtype the products and differences of small ints overflow, and a logarithm is in
    half precision. `as_ints`: it counts something, an order say, and stays whole.
    """
    own, whole = dtype_of(type_of(x)), dtype_of(type_of(y))
    if isinstance(type_of(x), NumberType) or own is None or own.kind not in "iub":
        return x
    if whole is None or whole.kind not in "fc":
        return x
    wide = np.dtype(np.int64) if as_ints else np.empty(0, whole).real.dtype
    return x if own == wide else x.astype(wide)


def as_floats(x: Any) -> Any:
    """An array of floats or complex numbers; ints and truth values as float64."""
    return x if is_inexact(type_of(x)) else x.astype(np.float64)


def divisible(g: Any, n: Any, y: Any) -> Any:
    """The cotangent `g` of `y`, to be divided by the number `n`.

    Of what NumPy made it is NumPy's too: a seed of 1.0 over no entries is infinite, as there.
    """
    is_safe = isinstance(n, int | float) and n != 0
    if is_safe or not (is_number(g) and is_number(n)) or not isinstance(type_of(y), ArrayType):
        return g
    return call(np.complex128 if is_complex(g) else np.float64, g)


def _number_like(g: Any, kind: type) -> Any:
    """The (co)tangent of a Python number: real for a float, complex for a complex one."""
    if kind is float and is_complex(g):
        return np.real(g)
    return call(complex, g) if kind is complex and not is_complex(g) else g


def _aligned(g_shape: Shape, x_shape: Shape) -> tuple[Shape, Shape]:
    return g_shape[len(g_shape) - len(x_shape) :], x_shape


def _unclear(g_extent: Extent, x_extent: Extent) -> bool:
    """Whether a broadcast along this axis can be neither excluded nor concluded."""
    return g_extent != x_extent and isinstance(x_extent, Dim) and not x_extent.never_one


def _sum_known(g: Any, g_shape: Shape, x_shape: Shape) -> Any:
    """One sum: over the leading axes that `x` lacks, and over those where its extent is 1."""
    lead = len(g_shape) - len(x_shape)
    ones = tuple(
        i for i, (ge, xe) in enumerate(zip(g_shape[lead:], x_shape, strict=True)) if xe == 1 != ge
    )
    axes = (*range(lead), *(i + lead for i in ones))
    if not axes:
        return g
    total = np.sum(g, axis=axes if len(axes) > 1 else axes[0], keepdims=not lead)
    if not (lead and ones):
        return total
    return total[tuple(None if i in ones else slice(None) for i in range(len(x_shape)))]


__all__ = ["as_floats", "cast_like", "divisible", "promoted", "unbroadcast"]
