"""The products of elementwise rules: a cotangent or tangent times a partial, cheapest form first.

times(g, 1)           g                       nothing is emitted for a factor one
times(g, -1)          -g
times(g, over(x))     g / x                   one division instead of `g * (1 / x)`

What the program left out gives 0, never 0 * inf (`srcad.rules.core.masks`):

times(np.where(c, g, 0), p)      np.where(c, g * p, 0)
times(scatter(g, shape, i), p)   scatter(g * p[i], shape, i)
times(index_update(g, i, 0), p)  index_update(g * p, i, 0)

Where such zeros came by another way (a sum of several masked terms, a broadcast, branches that had
no use for the value), what they make of a partial that is infinite or NaN is masked:

times(g, over(x))     y = g / x; np.where((g == 0) & np.isnan(y), 0, y)

Transposes of products that are summed (`without_missing`) make the sum again where the program left
out NaN, without what is not finite:

y_bar = np.where(np.isnan(y), 0, g)     w_bar = A.T @ y_bar
                                        kept = np.where(np.isfinite(A), A, 0).T @ y_bar
                                        w_bar = np.where(np.isnan(w_bar), kept, w_bar)
"""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir.nodes import Block, If, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of, is_inexact, shape_of, zero_number
from srcad.ir.walk import values_in
from srcad.rules.arrays.parts import part_of
from srcad.rules.core.broadcast import cast_like, divisible
from srcad.rules.core.masks import (
    found_as,
    hand_on,
    holds_idle_zeros,
    holds_masked_zeros,
    holds_missing,
    holds_unit_zeros,
    mask_of,
    missing,
)
from srcad.rules.core.regularity import is_finite, is_nonzero, is_regular
from srcad.rules.core.staged import Builder, Staged, call, shape_of_value, type_of, unwrap
from srcad.rules.core.zero import ZERO


@dataclass(frozen=True, slots=True)
class Over:
    """The partial `top / bottom`, kept apart so that its product with `g` is `g * top / bottom`."""

    top: Any
    bottom: Any

    def value(self) -> Any:
        """The quotient itself."""
        return self.top / self.bottom


def over(bottom: Any, top: Any = 1) -> Over:
    """The partial `top / bottom`.

    Args:
        bottom: what is divided by.
        top: what is divided.

    Returns:
        The partial, by which a cotangent is divided rather than multiplied.
    """
    return Over(top, bottom)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The partial `share` where an entry is chosen, 0 elsewhere, even if the cotangent is NaN.

    `factor` is the partial everywhere, if it is cheaper to multiply with where nothing is infinite.
    `leaves_nan`: what is not chosen may be NaN.
    """

    chosen: Any
    share: Any = 1
    factor: Any = None
    leaves_nan: bool = False


def times(g: Any, partial: Any) -> Any:
    """`g * partial`, cheapest form first."""
    if g is ZERO or partial is ZERO:
        return ZERO
    if _is_truth(partial):  # a factor in the program
        partial = Chosen(partial, factor=partial)
    if not isinstance(partial, Chosen):
        return _kept_masked(g, partial)
    if partial.factor is None or not is_regular(g):
        product = _where(partial.chosen, times(g, partial.share))
        return missing(product) if partial.leaves_nan else product
    return _noted_idle(_kept_masked(g, partial.factor))


def _kept_masked(g: Any, partial: Any) -> Any:
    """The product, zero where `g` is masked."""
    mask = mask_of(g)
    if mask is None or not (mask.broadcasts or _fits(partial, g)):
        return _in_part(g, partial)
    if _is_masked_often(g):
        return _product(g, partial)
    if mask.overwrites and _is_finite(partial):
        return _bare_product(g, partial)
    product = times(mask.kept, _at(mask.at, partial))
    return product if product is ZERO else found_as(mask.put(product), g)


_OFTEN = 4


def _is_masked_often(g: Any) -> bool:
    """Whether a value stands under so many masks that to make them all again costs too much."""
    for _ in range(_OFTEN):
        mask = mask_of(g)
        if mask is None:
            return False
        g = mask.kept
    return mask_of(g) is not None


def shared(g: Any, n: Any, y: Any) -> Any:
    """The cotangent `g` of `y` over a number that may be 0, where `g` is not masked."""
    mask = None if g is ZERO else mask_of(g)
    if mask is None:
        return divisible(g, n, y) / n
    return found_as(mask.put(shared(mask.kept, n, y)), g)


def _in_part(g: Any, partial: Any) -> Any:
    """The product, of a cotangent that stands in a part of its array there alone."""
    parts = (partial.top, partial.bottom) if isinstance(partial, Over) else (partial,)
    arrays = [x for x in parts if isinstance(x, Staged) and not _is_number(x)]
    part = part_of(g) if arrays else None
    if part is None or not all(map(part.fits, arrays)) or not _are_alike(arrays):
        return _product(g, partial)
    product = times(part.kept, _at(part.at, partial))
    return product if product is ZERO else found_as(part.put(product, arrays[0]), g)


def _are_alike(arrays: list[Staged]) -> bool:
    return all(_same_shape(x.type, arrays[0].type) for x in arrays)


def _fits(partial: Any, g: Any) -> bool:
    """Whether the arrays that a partial is made of have the shape of the cotangent."""
    parts = (partial.top, partial.bottom) if isinstance(partial, Over) else (partial,)
    return all(_is_number(x) or _same_shape(type_of(x), type_of(g)) for x in parts)


def _at(place: Any, partial: Any) -> Any:
    """The entries of a partial at a place."""
    if isinstance(partial, Over):
        return Over(_at(place, partial.top), _at(place, partial.bottom))
    return partial if _is_number(partial) else place(partial)


def _is_number(x: Any) -> bool:
    return isinstance(type_of(x), NumberType) or shape_of(type_of(x)) == ()


def _product(g: Any, partial: Any) -> Any:
    made = _bare_product(g, partial)
    if made is g or _is_finite(partial):
        return made
    is_masked = holds_masked_zeros(g)
    if not is_masked and not _has_no_pole(partial):
        is_masked = holds_idle_zeros(g) or _may_be_beside(g, partial, made)
    return _masked_product(g, partial, made) if is_masked else made


def _may_be_beside(g: Any, partial: Any, made: Any) -> bool:
    """Whether entries of `g` may be 0 for a unit direction, where the partial of other entries is
    infinite. Where Python divides its own numbers it raises along one of the directions anyway.
    """
    parts = (partial.top, partial.bottom) if isinstance(partial, Over) else (partial,)
    is_scaled = not _is_number(g) and all(map(_is_number, parts))
    return not (is_scaled or isinstance(type_of(made), NumberType)) and holds_unit_zeros(g)


def _masked_product(g: Staged, partial: Any, made: Any) -> Any:
    """The product `made` of a `g` that may be zero for having been left out.

    A zero that nothing left out has derivatives again, those of the product: it stays. Where Python
    divides its own numbers, 0 / 0 is no NaN: it raises.
    """
    if not (_is_number(g) and _is_number(made)):
        return found_as(np.where((g == 0) & np.isnan(made), 0, made), g)
    is_pythons = isinstance(partial, Over) and isinstance(type_of(made), NumberType)
    is_none = partial.bottom == 0 if is_pythons else made != made
    out = _either(made.builder, is_none & (g == 0), zero_number(type_of(made)), made.value)
    hand_on(made.builder, g.value, out.value)
    return out


def without_missing(transpose: Any) -> Any:
    """The transpose of a product, of whose sums that is no part which the program left out."""

    @functools.wraps(transpose)
    def vjp(g: Any, y: Any, *inputs: Any, **options: Any) -> Any:
        x_bar = transpose(g, y, *inputs, **options)
        if x_bar is ZERO or not holds_missing(g):
            return x_bar
        kept = transpose(g, _finite(y), *map(_finite, inputs), **options)
        return _choice(np.isnan(x_bar), kept, x_bar)

    return vjp


def _finite(x: Any) -> Any:
    """An array with zeros where it is infinite or NaN."""
    is_array = isinstance(x, Staged) and not _is_number(x) and is_inexact(type_of(x))
    return np.where(np.isfinite(x), x, 0) if is_array else x


def _is_truth(partial: Any) -> bool:
    return isinstance(partial, Staged) and dtype_of(type_of(partial)) == np.dtype(bool)


def _where(chosen: Any, product: Any) -> Any:
    """The product where an entry is chosen, 0 elsewhere."""
    if not (isinstance(chosen, Staged) and _is_number(chosen) and _is_number(product)):
        return np.where(chosen, product, 0)
    out = _either(chosen.builder, chosen, unwrap(product), zero_number(type_of(product)))
    chosen.builder.marks.masked.add(out.value)
    return out


def _choice(condition: Staged, a: Any, b: Any) -> Any:
    """`a` where a condition holds, `b` elsewhere."""
    if not all(map(_is_number, (condition, a, b))):
        return np.where(condition, a, b)
    return _either(condition.builder, condition, unwrap(a), unwrap(b))


def _either(builder: Builder, condition: Staged, then: Any, orelse: Any) -> Staged:
    """One of two numbers."""
    out = Value("", type_of(then))
    blocks = Block([], [], [then]), Block([], [], [orelse])
    builder.body.append(If(condition.value, *blocks, (out,), builder.loc))
    if not all(is_regular(Staged(x, builder)) for x in (then, orelse)):
        builder.marks.singular.add(out)
    return Staged(out, builder)


def _noted_idle(product: Any) -> Any:
    if isinstance(product, Staged) and isinstance(product.value, Value):
        product.builder.marks.idle.add(product.value)
    return product


def _has_no_pole(partial: Any) -> bool:
    if isinstance(partial, Over):
        return is_nonzero(partial.bottom) and is_regular(partial.top)
    return is_regular(partial)


def _bare_product(g: Any, factor: Any) -> Any:
    if isinstance(factor, Over):
        top, bottom = _bare_product(g, factor.top), factor.bottom
        return top if type(bottom) is int and bottom == 1 else top / bottom
    if type(factor) is int and factor in (-1, 1):
        return g if factor == 1 else -g
    if type(factor) in (int, float):
        return factor * g
    return g * factor


# Gives no infinity and no NaN where its arguments are none, apart from overflow.
_PASSING = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.getitem,
        np.square, np.absolute, np.sign, np.where, np.reshape, np.transpose, np.broadcast_to,
        np.squeeze, np.expand_dims, np.copy, np.array, np.asarray, np.astype, np.stack,
        np.concatenate, np.full, np.zeros, np.ones, np.zeros_like, np.ones_like,
    }
)  # fmt: skip


_FAR = 30  # operations that are followed back from a partial


def _is_finite(partial: Any) -> bool:
    """Whether no entry of a partial is infinite or NaN: it is made of constants, ints and bools."""
    if isinstance(partial, Over):
        return not any(isinstance(part, Staged) for part in (partial.top, partial.bottom))
    if not isinstance(partial, Staged):
        return is_finite(partial)
    todo, seen = [partial.value], set[Value]()
    while todo:
        if len(seen) > _FAR:
            return False
        value = todo.pop()
        if value in seen or not is_inexact(value.type):
            continue
        seen.add(value)
        made = partial.builder.made.get(value) or partial.builder.primal.get(value)
        if not isinstance(made, Op) or made.fn not in _PASSING:
            return False
        if any(isinstance(x, float) and not math.isfinite(x) for x in made.args):
            return False
        todo += values_in(made.args)
    return True


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
