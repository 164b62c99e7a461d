"""Cotangents with entries that are zero because the program left something out.

    y = np.where(c, x / t, 0)        t_bar: zero where c is false, whatever x / t is there
    z = y[mask]                      y_bar: zero beside the mask
    if v == v: s += v                v_bar: zero where the branch was not taken

What was left out may be infinite or NaN, and so may its partials: 0 * inf would be NaN. How a value
left something out is read off the operation that made it, or noted in `Builder.marks` where a
region, a loop or a tape stands between.

Where the program looks for NaN, they are missing:

    y = np.nansum(A @ w)             y_bar: zero for the rows of A that have a NaN

Other entries are zero because they are idle. They hold numbers of the program, but an infinite
partial of these has no part in the result:

    y = np.maximum(x, 0)             y_bar * share: zero where x < 0
    y = np.concatenate([[0.0], x])   y_dot: zero beside x_dot
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Block, Op, Value
from srcad.ir.types import rank_of
from srcad.ir.walk import statements, values_in
from srcad.rules.arrays.distinct import are_distinct, is_mask, names_once
from srcad.rules.core.regularity import is_regular, looks_for_nan
from srcad.rules.core.staged import Builder, Staged, call


@dataclass(frozen=True, slots=True)
class Mask:
    """How a value left something out: `put(kept)` is the value.

    `at` gives the entries of an array of the same shape that stand where those of `kept` stand.
    `broadcasts`: an array that is broadcast to the shape may be masked in the same way.
    `overwrites`: zeros were written over some entries.
    """

    kept: Any
    put: Callable[[Any], Any]
    at: Callable[[Any], Any] = lambda x: x
    broadcasts: bool = True
    overwrites: bool = False


def mask_of(g: Any) -> Mask | None:
    """The mask under which a value stands, by the operation that made it."""
    made = maker(g)
    if made is None:
        return None
    args = g.builder.wrap(made.args)
    if made.fn is np.where and len(args) == 3:
        condition, a, b = args
        if is_zero(b):
            return Mask(a, lambda kept: np.where(condition, kept, 0))
        if is_zero(a):
            return Mask(b, lambda kept: np.where(condition, 0, kept))
    if made.fn is np.select:
        conditions, choices, default = args
        if is_zero(default) and all(map(is_zero, choices[:-1])):
            put = lambda kept: np.select(conditions, [*choices[:-1], kept], 0)  # noqa: E731 -- one of three
            return Mask(choices[-1], put)
        if all(map(is_zero, choices)) and isinstance(default, Staged):
            return Mask(default, lambda kept: np.select(conditions, choices, kept))
    if made.fn is runtime.index_update and is_zero(args[2]):
        a, index, zero = args
        put = lambda kept: call(runtime.index_update, kept, index, zero)  # noqa: E731 -- one of three
        return Mask(a, put, broadcasts=False, overwrites=True)
    if made.fn is runtime.scatter and names_once(made.args[2], g.builder.makers):
        values, shape, index = args
        put = lambda kept: call(runtime.scatter, kept, shape, index)  # noqa: E731 -- one of three
        return Mask(values, put, lambda x: x[index], broadcasts=False)
    return None


def add_masked(a: Any, b: Any) -> Any:
    """`a + b`; the sum of two choices by the same condition is one choice:

    np.where(c, a, 0) + np.where(c, b, 0)    np.where(c, a + b, 0)
    np.where(c, a, 0) + np.where(c, 0, b)    np.where(c, a, b)
    """
    first, second = maker(a), maker(b)
    is_choice = all(made is not None and made.fn is np.where for made in (first, second))
    if not is_choice or first is None or second is None or first.args[0] is not second.args[0]:
        return a + b
    condition, *mine = a.builder.wrap(first.args)
    others = b.builder.wrap(second.args[1:])
    return found_as(np.where(condition, *map(_sum, mine, others)), a, b)


def _sum(a: Any, b: Any) -> Any:
    return b if is_zero(a) else a if is_zero(b) else add_masked(a, b)


def holds_masked_zeros(g: Any) -> bool:
    """Whether entries of a cotangent may be zero for having been left out."""
    if not isinstance(g, Staged):
        return False
    marks = g.builder.marks
    is_masked = _holds(
        g, marks.masked, marks.unmasked, _leaves_out, mixes=lambda op: op.fn in _PRODUCTS
    )
    return is_masked or holds_missing(g)


def holds_missing(g: Any) -> bool:
    """Whether entries of a cotangent may be zero because the program left out what is NaN."""
    if not isinstance(g, Staged):
        return False
    marks = g.builder.marks
    return _holds(g, marks.missing, marks.found, _leaves_out_missing)


def missing(g: Any) -> Any:
    """`g`, noted to be zero where the program left out what is NaN."""
    if isinstance(g, Staged) and isinstance(g.value, Value):
        note(g.builder, g.value, Notes(masked=True, missing=True))
    return g


def found_as(x: Any, *given: Any) -> Any:
    """`x`, noted to be missing where the `given` are that it is made of, not where none is: that
    a condition looks for NaN there is an adjoint's doing, not the program's.
    """
    if not isinstance(x, Staged) or not isinstance(x.value, Value):
        return x
    lacking = sum(map(holds_missing, given))
    if not lacking:
        x.builder.marks.found.add(x.value)
    return missing(x) if lacking == len(given) else x


def holds_idle_zeros(g: Any) -> bool:
    """Whether entries of a cotangent or tangent may be zero for having no part in the result."""
    if not isinstance(g, Staged):
        return False
    marks = g.builder.marks
    return _holds(g, marks.idle, marks.busy, _is_partly_idle)


def holds_unit_zeros(g: Any) -> bool:
    """Whether entries of a cotangent or tangent may be zero because a unit direction is there."""
    if not isinstance(g, Staged):
        return False
    marks = g.builder.marks
    return _holds(g, marks.units, marks.others, lambda op, builder: False, mixes=_sums_up)


def _holds(
    g: Staged,
    those: set[Value],
    others: set[Value],
    is_one: Callable[[Op, Builder], bool],
    mixes: Callable[[Op], bool] = lambda op: False,
) -> bool:
    """Whether a value is made of some of `those`, or by an operation of that kind; it is noted.

    Args:
        mixes: tells operations of whose arguments it does not count.
    """
    builder, todo, seen = g.builder, [g.value], set[Value]()
    while todo:  # back to what is known
        value = todo.pop()
        if not isinstance(value, Value) or value in seen or value in others:
            continue
        seen.add(value)
        made = builder.made.get(value)
        if value in those or (made is not None and is_one(made, builder)):
            those.add(g.value)
            return True
        if made is not None and not mixes(made):
            todo += values_in(made.args)
    others |= seen
    return False


@dataclass(frozen=True, slots=True)
class Notes:
    """What `Builder.marks` note of one value, for the functions that pass it on."""

    masked: bool = False
    missing: bool = False
    idle: bool = False
    unit: bool = False
    singular: bool = False


def notes_of(builder: Builder, value: Any) -> Notes:
    """What is known of a value."""
    x = Staged(value, builder)
    return Notes(
        holds_masked_zeros(x), holds_missing(x), holds_idle_zeros(x), holds_unit_zeros(x),
        not is_regular(x),
    )  # fmt: skip


def note(builder: Builder, value: Value, notes: Notes) -> None:
    """Note of a value what is known of it."""
    if notes.masked:
        builder.marks.masked.add(value)
    if notes.missing:
        builder.marks.missing.add(value)
    if notes.idle:
        builder.marks.idle.add(value)
    if notes.unit:
        builder.marks.units.add(value)
    if notes.singular:
        builder.marks.singular.add(value)


# What is known of the values that are given to a function at these places.
Noted = tuple[tuple[int, Notes], ...]


def noted(builder: Builder, given: Iterable[tuple[int, Any]]) -> Noted:
    """What is known of values, by their places."""
    return tuple((k, notes_of(builder, value)) for k, value in given)


def places_of(given: Noted) -> frozenset[int]:
    """The places alone."""
    return frozenset(k for k, _ in given)


def hand_on(builder: Builder, given: Any, taken: Value) -> None:
    """Note of `taken` what is known of `given`: a loop, a branch or a tape hands it on."""
    note(builder, taken, notes_of(builder, given))


def has_choice(block: Block) -> bool:
    """Whether ops in `block` choose between values."""
    ops = (stmt for stmt in statements(block) if isinstance(stmt, Op))
    return any(op.fn in (np.where, np.select, np.choose, np.compress) for op in ops)


def is_zero(a: Any) -> bool:
    """Whether an atom is the constant zero."""
    return type(a) in (int, float) and a == 0


def maker(x: Any) -> Op | None:
    """The operation that makes a staged value."""
    is_made = isinstance(x, Staged) and isinstance(x.value, Value)
    return x.builder.made.get(x.value) if is_made else None


def _leaves_out(op: Op, builder: Builder) -> bool:
    """Whether an op chooses between zero and a value, writes zeros over some entries, or puts
    values at the places of a mask.
    """
    if op.fn is np.where:
        return any(map(is_zero, op.args[1:]))
    if op.fn is np.select:
        return True
    if op.fn is runtime.index_update:
        return is_zero(op.args[2])
    if op.fn in _SCATTERING:
        index = op.args[_SCATTERING[op.fn]]
        is_of_mask = any(_is_of_mask(v, builder) for v in values_in(index))
        return is_of_mask or looks_for_nan(index, builder)
    return False


# Where the indices stand of those that put values at some places.
_SCATTERING = {runtime.scatter: 2, runtime.scatter_along_axis: 2, runtime.index_add: 1}


def _leaves_out_missing(op: Op, builder: Builder) -> bool:
    """Whether an op does so by a condition that looks for NaN."""
    if op.fn in _SCATTERING:
        return looks_for_nan(op.args[_SCATTERING[op.fn]], builder)
    if not _leaves_out(op, builder):
        return False
    return looks_for_nan(op.args[1 if op.fn is runtime.index_update else 0], builder)


# Of matrices. A product mixes entries: where what was left out is not finite, so are the sums that
# other derivatives make of it. Behind one, zeros are only idle.
_PRODUCTS = (operator.matmul, np.matmul, np.dot, np.tensordot, np.einsum)
_TOTALS = (np.sum, np.mean, np.vdot, np.inner, *_PRODUCTS)
_JOINING = (
    np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack, np.array,
    np.asarray,
)  # fmt: skip
_ADDING = (np.append, np.insert)
_ZEROS = (np.zeros, np.zeros_like)
_ZERO_BESIDE = (np.pad, np.diag, np.diagflat, np.tril, np.triu)


def _sums_up(op: Op) -> bool:
    """Whether an op makes one number of all entries: where it is 0, they may have a part in it."""
    return op.fn in _TOTALS and rank_of(op.out.type) == 0


def _is_partly_idle(op: Op, builder: Builder) -> bool:
    """Whether an op puts zeros beside other entries, or sums products of what was left out."""
    if op.fn in _PRODUCTS:
        return any(holds_masked_zeros(Staged(x, builder)) for x in values_in(op.args))
    if op.fn in _JOINING and isinstance(op.args[0], list | tuple):
        return any(_is_of_zeros(x, builder) for x in op.args[0])
    if op.fn in _ADDING:
        return any(_is_of_zeros(x, builder) for x in op.args)
    if op.fn in (runtime.index_update, runtime.index_add):
        return _is_of_zeros(op.args[0], builder)
    return op.fn in _ZERO_BESIDE or op.fn is runtime.scatter


def _is_of_zeros(x: Any, builder: Builder) -> bool:
    if isinstance(x, list | tuple):
        return any(_is_of_zeros(item, builder) for item in x)
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc" and not x.any()
    made = builder.made.get(x) if isinstance(x, Value) else None
    return is_zero(x) or (made is not None and made.fn in _ZEROS)


def _is_of_mask(index: Value, builder: Builder) -> bool:
    """Whether an index is a mask, or picks entries as one does."""
    made = builder.makers
    op = made.get(index)
    is_place = isinstance(op, Op) and op.fn is np.nonzero
    return is_mask(index) or is_place or are_distinct(index, made)


__all__ = [
    "Mask", "Noted", "Notes", "add_masked", "found_as", "hand_on", "has_choice", "holds_idle_zeros",
    "holds_masked_zeros", "holds_missing", "holds_unit_zeros", "mask_of", "missing", "note",
    "noted", "notes_of", "places_of",
]  # fmt: skip
