"""The products of elementwise rules: a cotangent or tangent times a partial, cheapest form first.

times(g, 1)           g                       nothing is emitted for a factor one
times(g, -1)          -g
times(g, over(x))     g / x                   one division instead of `g * (1 / x)`
times(np.where(c, g, 0), p)   np.where(c, g * p, 0)      a branch not taken gives 0, never 0 * inf
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.broadcast import cast_like
from srcad.rules.staged import Staged, call, shape_of_value, type_of
from srcad.rules.zero import ZERO


@dataclass(frozen=True, slots=True)
class Over:
    """The partial `top / bottom`, kept apart so that its product with `g` is `g * top / bottom`."""

    top: Any
    bottom: Any

    def value(self) -> Any:
        """The quotient itself."""
        return self.top / self.bottom


def over(bottom: Any, top: Any = 1) -> Over:
    """The partial `top / bottom`."""
    return Over(top, bottom)


def times(g: Any, partial: Any) -> Any:
    """`g * partial`, cheapest form first."""
    if g is ZERO or partial is ZERO:
        return ZERO
    if isinstance(partial, Over):
        return _under_mask(g, lambda g: _product(g, partial.top) / partial.bottom)
    return _under_mask(g, lambda g: _product(g, partial))


def _product(g: Any, factor: Any) -> Any:
    if type(factor) is int and factor in (-1, 1):
        return g if factor == 1 else -g
    if type(factor) in (int, float):
        return factor * g
    return g * factor


def _under_mask(g: Any, multiply: Any) -> Any:
    """`multiply(g)`; where `g` is `np.where(c, h, 0)`, `np.where(c, multiply(h), 0)`.

    The entries masked out may have an infinite partial (`np.where(x > 0, np.sqrt(x), 0)` at x = 0).
    """
    mask = _mask_of(g)
    if mask is None:
        return multiply(g)
    condition, kept, first = mask
    product = multiply(kept)
    if product is ZERO:
        return ZERO
    return np.where(condition, product, 0) if first else np.where(condition, 0, product)


def _mask_of(g: Any) -> tuple[Any, Any, bool] | None:
    if not isinstance(g, Staged):
        return None
    made = g.builder.made.get(g.value)
    if made is None or made.fn is not np.where or len(made.args) != 3:
        return None
    condition, a, b = g.builder.wrap(made.args)
    if _is_zero(b) and isinstance(a, Staged):
        return condition, a, True
    if _is_zero(a) and isinstance(b, Staged):
        return condition, b, False
    return None


def _is_zero(a: Any) -> bool:
    return type(a) in (int, float) and a == 0


def spread(t: Any, y: Any) -> Any:
    """The tangent `t` in the shape and dtype of `y`, whose operands were broadcast."""
    t = cast_like(t, y)
    y_type = type_of(y)
    if t is ZERO or not isinstance(y_type, ArrayType) or _same_shape(type_of(t), y_type):
        return t
    return call(np.broadcast_to, t, shape_of_value(y))


def _same_shape(t: Type, y: Type) -> bool:
    t_shape, y_shape = shape_of(t), shape_of(y)
    return t_shape is not None and t_shape == y_shape
