"""The products of elementwise rules: a cotangent or tangent times a partial, cheapest form first.

times(g, 1)           g                       nothing is emitted for a factor one
times(g, -1)          -g
times(g, over(x))     g / x                   one division instead of `g * (1 / x)`
times(np.where(c, g, 0), p)   np.where(c, g * p, 0)      a branch not taken gives 0, never 0 * inf

Where such zeros came by another way (a sum of several masked terms, a broadcast, a gather, branches
that had no use for the value), what they make of a partial that is infinite or NaN is masked:

times(g, over(x))     y = g / x; np.where((g == 0) & np.isnan(y), 0, y)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Block, For, If, Op, Stmt, Value, While
from srcad.ir.types import (
    ArrayType,
    NumberType,
    Type,
    dtype_of,
    is_inexact,
    shape_of,
    zero_number,
)
from srcad.ir.walk import statements, values_in
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.staged import Builder, Staged, call, shape_of_value, type_of
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO


@dataclass(frozen=True, slots=True)
class Over:
    """The partial `top / bottom`, kept apart so that its product with `g` is `g * top / bottom`.

    It is taken to have poles, also `over(1, y * y)` of a `y` that is a quotient.
    """

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
    return _under_mask(g, lambda g: _product(g, partial))


def _product(g: Any, partial: Any) -> Any:
    made = _bare_product(g, partial)
    if made is g or not holds_masked_zeros(g):
        return made
    if not _may_be_infinite(partial, with_data=holds_unused(g)):
        return made
    return _masked_product(g, made)


def _masked_product(g: Staged, made: Any) -> Any:
    """The product `made` of a `g` that may be zero for having been left out.

    A zero that nothing left out has derivatives again, those of the product: it stays.
    """
    builder, t = made.builder, type_of(made)
    is_number = all(isinstance(x, NumberType) or shape_of(x) == () for x in (t, type_of(g)))
    if not is_number:
        return np.where((g == 0) & np.isnan(made), 0, made)
    left_out = (made != made) & (g == 0)
    out = Value("", t)
    blocks = Block([], [], [zero_number(t)]), Block([], [], [made.value])
    builder.body.append(If(left_out.value, *blocks, (out,), builder.loc))
    hand_mask(builder, g.value, out)
    return Staged(out, builder)


def _bare_product(g: Any, factor: Any) -> Any:
    if isinstance(factor, Over):
        top, bottom = _bare_product(g, factor.top), factor.bottom
        return top if type(bottom) is int and bottom == 1 else top / bottom
    if type(factor) is int and factor in (-1, 1):
        return g if factor == 1 else -g
    if type(factor) in (int, float):
        return factor * g
    return g * factor


# What makes infinity or NaN of numbers that are finite and of common size.
_SINGULAR = frozenset(
    {
        operator.truediv, operator.pow, np.reciprocal, np.sqrt, np.log, np.log2, np.log10,
        np.log1p, np.arcsin, np.arccos, np.arccosh, np.arctanh,
    }
)  # fmt: skip
# What overflows.
_GROWING = frozenset({np.exp, np.exp2, np.expm1, np.sinh, np.cosh})
# What makes infinity or NaN of arguments that are so already.
_PASSING = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.matmul,
        operator.getitem, np.square, np.absolute, np.where, np.sum, np.reshape, np.transpose,
        np.broadcast_to, np.squeeze, np.expand_dims, np.copy, np.array, np.asarray, np.stack,
        np.concatenate, np.full,
    }
)  # fmt: skip
_FAR = 30  # operations that are followed back from a partial


def _may_be_infinite(partial: Any, with_data: bool) -> bool:
    """Whether a partial may have poles, or be NaN: it is made of a quotient, a root, `np.nan`.

    Args:
        with_data: arguments and the entries of tapes may be so, too. A program that looks at a
            number before it makes use of it knows why.
    """
    if isinstance(partial, Over):
        return any(isinstance(part, Staged) for part in (partial.top, partial.bottom))
    if not isinstance(partial, Staged):
        return False
    todo, seen = [partial.value], set[Value]()
    while todo and len(seen) < _FAR:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        own = partial.builder.made.get(value)
        made = own or partial.builder.primal.get(value)
        if isinstance(made, Op) and _has_poles(made):
            return True
        if own is not None and own.fn in _GROWING:
            return True
        sources = _sources(made, value)
        if any(isinstance(x, float) and not math.isfinite(x) for x in sources):
            return True
        if with_data and not sources and is_inexact(value.type):
            return True
        todo += values_in(sources)
    return bool(todo)


def _has_poles(op: Op) -> bool:
    """Whether an operation has poles, or no value at some numbers."""
    if op.fn is operator.pow and isinstance(op.args[1], int | float):
        return op.args[1] < 0 or op.args[1] != int(op.args[1])
    return op.fn in _SINGULAR or _is_special(op.fn)


def _sources(made: Stmt | None, value: Value) -> Sequence[Any]:
    """What a value has its infinities and NaNs from."""
    match made:
        case Op() if made.fn in _PASSING:
            return made.args
        case If() if value in made.outs:
            k = made.outs.index(value)
            return made.then.results[k], made.orelse.results[k]
        case For() | While() if value in made.outs:
            k = made.outs.index(value)
            return made.init[k], made.turned[k]
    return ()


def _is_special(fn: Any) -> bool:
    """Whether a function is of `scipy.special`: most of these have poles somewhere."""
    return name_of(fn).startswith("scipy.special.")


def _under_mask(g: Any, multiply: Any) -> Any:
    """`multiply(g)`; where `g` is `np.where(c, h, 0)`, `np.where(c, multiply(h), 0)`.

    The entries masked out may have an infinite partial (`np.where(x > 0, np.sqrt(x), 0)` at x = 0).
    """
    mask = _mask_of(g)
    if mask is None:
        return multiply(g)
    kept, masked = mask
    product = _under_mask(kept, multiply)
    return product if product is ZERO else masked(product)


def _mask_of(g: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """What a masked value keeps, and how to mask another as it is masked."""
    made = _maker(g)
    if made is None:
        return None
    args = g.builder.wrap(made.args)
    if made.fn is np.where and len(args) == 3:
        condition, a, b = args
        if _is_zero(b):
            return a, lambda kept: np.where(condition, kept, 0)
        if _is_zero(a):
            return b, lambda kept: np.where(condition, 0, kept)
    if made.fn is np.select:
        conditions, choices, default = args
        if _is_zero(default) and all(map(_is_zero, choices[:-1])):
            return choices[-1], lambda kept: np.select(conditions, [*choices[:-1], kept], 0)
        if all(map(_is_zero, choices)) and isinstance(default, Staged):
            return default, lambda kept: np.select(conditions, choices, kept)
    return None


def add_masked(a: Any, b: Any) -> Any:
    """`a + b`; the sum of two values masked by the same condition is masked by it once."""
    mine, others = _maker(a), _maker(b)
    if mine is None or others is None or mine.fn is not np.where or others.fn is not np.where:
        return a + b
    first, second = _mask_of(a), _mask_of(b)
    if first is None or second is None or mine.args[0] is not others.args[0]:
        return a + b
    if _is_zero(mine.args[1]) != _is_zero(others.args[1]):
        return a + b
    return first[1](add_masked(first[0], second[0]))


def holds_masked_zeros(g: Any) -> bool:
    """Whether entries of a cotangent may be zero because a choice between values left them out, or
    because a branch had no use for them."""
    if not isinstance(g, Staged):
        return False
    builder = g.builder
    for value, made in _made_of(g):
        if value in builder.masked or value in builder.unused:
            return True
        if made is not None and _is_mask(made, builder):
            builder.masked.add(g.value)
            return True
    return False


def holds_unused(g: Any) -> bool:
    """Whether a cotangent may be zero because a branch had no use for the value."""
    return isinstance(g, Staged) and any(v in g.builder.unused for v, _ in _made_of(g))


def hand_mask(builder: Builder, given: Any, taken: Value) -> None:
    """Note that `taken` is zero where `given` is: a loop, a branch or a tape hands it on so."""
    if holds_unused(Staged(given, builder)):
        builder.unused.add(taken)
    elif holds_masked_zeros(Staged(given, builder)):
        builder.masked.add(taken)


def _made_of(g: Staged) -> Iterator[tuple[Value, Op | None]]:
    """What a value is made of, each with the operation that makes it."""
    todo, seen = [g.value], set()
    while todo:
        value = todo.pop()
        if isinstance(value, Value) and value not in seen:
            seen.add(value)
            made = g.builder.made.get(value)
            yield value, made
            if made is not None:
                todo += values_in(made.args)


def has_choice(block: Block) -> bool:
    """Whether ops in `block` choose between values."""
    ops = (stmt for stmt in statements(block) if isinstance(stmt, Op))
    return any(op.fn in (np.where, np.select, np.choose, np.compress) for op in ops)


def _is_mask(op: Op, builder: Builder) -> bool:
    """Whether an op chooses between zero and a value, or puts values at the places of a mask."""
    if op.fn is np.where:
        return any(map(_is_zero, op.args[1:]))
    if op.fn is np.select:
        return True
    if op.fn in (runtime.scatter, runtime.index_add):
        index = op.args[2 if op.fn is runtime.scatter else 1]
        return any(_is_of_mask(v, builder) for v in values_in(index))
    return False


def _is_of_mask(index: Value, builder: Builder) -> bool:
    """Whether an index is a mask, or made of one."""
    made = builder.made.get(index)
    is_mask = dtype_of(index.type) == np.dtype(bool)
    return is_mask or (made is not None and made.fn is np.flatnonzero)


def _maker(x: Any) -> Op | None:
    return x.builder.made.get(x.value) if isinstance(x, Staged) else None


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
