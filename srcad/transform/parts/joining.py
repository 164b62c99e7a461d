"""Arrays made of several: numbers and arrays side by side, and lists of one per sample.

np.stack([each, each], axis=1)          each        np.array([sum, sum])             sum
np.concatenate([each, each], axis=1)    each        np.concatenate([each, each])     refused
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir.nodes import Op, Value
from srcad.transform.parts.facts import Fact, Mixed, each, same, total
from srcad.transform.parts.forms import Facts, Form, as_array, name_of, rank


def _array(facts: Facts, op: Op) -> Fact:
    """`np.array([a, b])` of numbers and arrays, `np.array(rows)` of a list with one per sample."""
    x, *rest = op.args
    facts.require_same(rest, op.kwargs)
    fact = as_array(facts.of(x))
    if fact.kind == "tuple" and not isinstance(x, Value):
        return _stacked(facts, x, 0, rank(op.out))
    if fact.kind in ("each", "sum", "same", "zero"):
        return same(fact.power or 0) if fact.kind in ("same", "zero") else fact
    raise Mixed("an array of places of samples")


def _stacked(facts: Facts, items: Any, axis: int, out_rank: int) -> Fact:
    found = [facts.of(x) for x in items]
    others = [fact for fact in found if fact.kind != "zero"]
    powers = {fact.power for fact in others}
    kinds = {fact.kind for fact in others}
    if len(powers) != 1 or not (kinds == {"sum"} or kinds == {"same"} or kinds == {"each"}):
        raise Mixed("sums over all samples and other numbers stand in one array")
    power = powers.pop() or 0
    if kinds != {"each"}:
        return total(power) if kinds == {"sum"} else same(power)
    axes = {(fact.axis, fact.group) for fact in others}
    at, group = axes.pop()
    if len(others) != len(found) or axes or at is None:
        raise Mixed("samples and other numbers stand in one array")
    return each(at + (axis % out_rank <= at), power, group)


def _stack(facts: Facts, op: Op) -> Fact:
    axis = op.kwargs.get("axis", 0)
    if len(op.args) != 1 or set(op.kwargs) - {"axis"} or type(axis) is not int:
        raise Mixed(f"an option of {name_of(op)}")
    fact = facts.of(op.args[0])
    if fact.kind == "list":
        return each(axis % rank(op.out), fact.power)
    if fact.kind == "items":
        return _stacked_items(fact.items[0], axis % rank(op.out))
    if isinstance(op.args[0], Value):
        raise Mixed("a list of samples")
    return _stacked(facts, op.args[0], axis, rank(op.out))


def _stacked_items(item: Fact, axis: int) -> Fact:
    """An array of the elements of a list, along a new axis."""
    if item.kind == "each" and item.axis is not None:
        return replace(item, axis=item.axis + (axis <= item.axis))
    return item


def _concatenate(facts: Facts, op: Op) -> Fact:
    """Joined along another axis than that of the samples."""
    items, axis = op.args[0], op.kwargs.get("axis", int(op.fn in _SIDE_BY_SIDE))
    if len(op.args) != 1 or set(op.kwargs) - {"axis"} or isinstance(items, Value):
        raise Mixed(f"an option of {name_of(op)}")
    found = [facts.of(x) for x in items]
    if op.fn is np.hstack and {rank(x) for x in items} == {1}:
        axis = 0
    if all(fact.kind in ("sum", "zero") for fact in found):
        powers = {fact.power for fact in found if fact.kind == "sum"}
        if len(powers) == 1:
            return total(powers.pop() or 0)
    axes, powers = {(fact.axis, fact.group) for fact in found}, {fact.power for fact in found}
    ranks = {rank(x) for x in items}
    if any(fact.kind != "each" for fact in found) or len(axes) != 1 or len(powers) != 1:
        raise Mixed("samples and other numbers are joined")
    (at, group), power = axes.pop(), powers.pop()
    if op.fn is np.column_stack and at == 0 and ranks <= {1, 2}:
        return each(0, power, group)
    if op.fn is np.vstack and ranks == {1}:
        return each(1, power, group)
    if at is None or len(ranks) != 1 or type(axis) is not int or axis % rank(items[0]) == at:
        raise Mixed(f"{name_of(op)} joins samples to samples")
    return each(at, power, group)


_SIDE_BY_SIDE = (np.column_stack, np.hstack)

FORMS: dict[Any, Form] = {
    np.array: _array,
    np.stack: _stack,
    **dict.fromkeys((np.concatenate, np.column_stack, np.hstack, np.vstack), _concatenate),
}

__all__ = ["FORMS"]
