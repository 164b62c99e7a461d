"""Reductions: over the samples to a sum, over other axes to something of each sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.transform.parts.facts import ALL, Fact, Mixed, each, same, total
from srcad.transform.parts.forms import Facts, Form, name_of, rank


def _axes(op: Op, of_rank: int) -> tuple[int, ...]:
    """The axes that are reduced, all of them where none is given."""
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) == 2 else None)
    if axis is None:
        return tuple(range(of_rank))
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    if not all(type(a) is int for a in axes):
        raise Mixed("the axis is not known")
    return tuple(a % of_rank for a in axes)


def _within(op: Op, fact: Fact, axes: tuple[int, ...]) -> Fact:
    """What is left of each sample."""
    assert fact.axis is not None
    gone = 0 if op.kwargs.get("keepdims", False) else sum(a < fact.axis for a in axes)
    return each(fact.axis - gone, fact.power or 0)


def _sum(facts: Facts, op: Op) -> Fact:
    """`np.sum`, `np.mean`."""
    fact = _reduced(facts, op, ("axis", "keepdims"))
    if fact.kind in ("sum", "same"):
        return fact if fact.kind == "sum" else same(fact.power or 0)
    axes = _axes(op, _rank(facts, op))
    if fact.axis is None or fact.axis not in axes:
        return _within(op, fact, axes)
    return total((fact.power or 0) - (op.fn is np.mean))


def _reduced(facts: Facts, op: Op, known: tuple[str, ...]) -> Fact:
    """The fact of what is reduced; that of an array, for a list of the samples."""
    x, *rest = op.args
    if set(op.kwargs) - set(known) or len(rest) > 1:
        raise Mixed(f"an option of {name_of(op)}")
    facts.require_same(rest, op.kwargs)
    fact = facts.of(x)
    if fact.kind == "list":
        return each(0, fact.power or 0)
    if fact.kind not in ("each", "sum", "same") or (fact.kind == "each" and fact.axis is None):
        raise Mixed(f"{name_of(op)} of what is not of each sample")
    return fact


def _rank(facts: Facts, op: Op) -> int:
    x = op.args[0]
    return rank(x) if facts.of(x).kind != "list" else 1 + rank(op.out)


def _over_others(facts: Facts, op: Op) -> Fact:
    """`np.max(x, axis=1)`: of each sample; over the samples it is no sum."""
    fact = _reduced(facts, op, ("axis", "keepdims", "ddof"))
    if facts.of(op.args[0]).kind == "list" or fact.kind != "each" or fact.power != 0:
        raise Mixed(f"{name_of(op)} over all samples")
    axes = _axes(op, rank(op.args[0]))
    if fact.axis in axes:
        if op.fn is np.all:
            return ALL
        raise Mixed(f"{name_of(op)} over all samples")
    return _within(op, fact, axes)


def _along_others(facts: Facts, op: Op) -> Fact:
    """`np.cumsum(x, axis=1)`, `np.sort(x)`: within each sample."""
    x, *rest = op.args
    facts.require_same(rest, op.kwargs)
    fact, n = facts.of(x), rank(x)
    axis = op.kwargs.get("axis", _LAST.get(op.fn))
    if axis is None and n == 1:
        axis = 0
    if rest and op.fn not in (np.roll, np.diff):
        raise Mixed(f"an option of {name_of(op)}")
    if fact.kind != "each" or fact.axis is None or fact.power != 0 or type(axis) is not int:
        raise Mixed(f"{name_of(op)} over all samples")
    if axis % n == fact.axis:
        raise Mixed(f"{name_of(op)} along the samples")
    return fact


_LAST: dict[Any, int] = {np.sort: -1, np.argsort: -1, np.diff: -1}
_OTHERS = (
    np.max, np.min, np.amax, np.amin, np.prod, np.any, np.all, np.std, np.var, np.ptp, np.argmax,
    np.argmin, np.median, np.count_nonzero, np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanstd,
    np.nanvar, np.nanprod,
)  # fmt: skip

FORMS: dict[Any, Form] = {
    np.sum: _sum,
    np.mean: _sum,
    **dict.fromkeys(_OTHERS, _over_others),
    **dict.fromkeys((np.cumsum, np.cumprod, np.sort, np.argsort, np.diff), _along_others),
    **dict.fromkeys((np.roll, np.flip), _along_others),
}

__all__ = ["FORMS"]
