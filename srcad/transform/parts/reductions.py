"""Reductions: over the samples to a sum, over other axes to something of each sample."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.ir.types import SeqType, rank_of
from srcad.rules.core.staged import type_of
from srcad.transform.parts.facts import ALL, Fact, Mixed, same, total
from srcad.transform.parts.forms import Facts, Form, as_array, name_of, rank


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
    return replace(fact, axis=fact.axis - gone)


def _sum(facts: Facts, op: Op) -> Fact:
    """`np.sum`, `np.mean`."""
    fact = _reduced(facts, op, ("axis", "keepdims"))
    if fact.kind in ("sum", "same"):
        return fact if fact.kind == "sum" else same(fact.power or 0)
    axes = _axes(op, _rank(facts, op))
    if fact.axis is None or fact.axis not in axes:
        return _within(op, fact, axes)
    is_mean = op.fn is not np.sum
    if is_mean and fact.group not in ("", "several"):
        raise Mixed(f"{name_of(op)} over some of the samples, whose number each part has its own")
    return total((fact.power or 0) - is_mean)


def _average(facts: Facts, op: Op) -> Fact:
    """`np.average(x, axis, weights)` without weights."""
    x, axis, *rest = [*op.args, None]
    if any(w is not None for w in rest) or op.kwargs.get("weights") is not None:
        raise Mixed("`np.average` by weights, whose sum is one over all samples")
    return _sum(facts, Op(np.mean, (x, axis), op.kwargs, op.outs, op.loc))


def _reduced(facts: Facts, op: Op, known: tuple[str, ...]) -> Fact:
    """The fact of what is reduced; that of an array, for a list of the samples."""
    x, *rest = op.args
    options = {key for key, x in op.kwargs.items() if x is not None and x is not False}
    if options - set(known) or len(rest) > 1:
        raise Mixed(f"an option of {name_of(op)}")
    facts.require_same(rest, op.kwargs)
    fact = as_array(facts.of(x))
    if fact.kind not in ("each", "sum", "same") or (fact.kind == "each" and fact.axis is None):
        raise Mixed(f"{name_of(op)} of what is not of each sample")
    return fact


def _rank(facts: Facts, op: Op) -> int:
    x = op.args[0]
    if facts.of(x).kind not in ("list", "items"):
        return rank(x)
    t = type_of(x)
    return 1 + (rank_of(t.elem) or 0 if isinstance(t, SeqType) else 0)


def _over_others(facts: Facts, op: Op) -> Fact:
    """`np.max(x, axis=1)`: of each sample; over the samples it is no sum."""
    fact = _reduced(facts, op, ("axis", "keepdims", "ddof", "ord"))
    if facts.of(op.args[0]).kind in ("list", "items") or fact.kind != "each" or fact.power != 0:
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
    fn: Any = op.fn
    axis = op.kwargs.get("axis", signature(fn).parameters["axis"].default)
    if axis is None and n == 1:
        axis = 0
    if rest and op.fn not in (np.roll, np.diff):
        raise Mixed(f"an option of {name_of(op)}")
    if axis is None or fact.kind != "each" or fact.axis is None or fact.power != 0:
        raise Mixed(f"{name_of(op)} over all samples")
    if type(axis) is not int or axis % n == fact.axis:
        raise Mixed(f"{name_of(op)} along the samples")
    return fact


_OTHERS = (
    np.max, np.min, np.amax, np.amin, np.prod, np.any, np.all, np.std, np.var, np.ptp, np.argmax,
    np.argmin, np.median, np.count_nonzero, np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanstd,
    np.nanvar, np.nanprod,
)  # fmt: skip

FORMS: dict[Any, Form] = {
    **dict.fromkeys((np.sum, np.mean), _sum),
    np.average: _average,
    np.linalg.norm: _over_others,
    **dict.fromkeys(_OTHERS, _over_others),
    **dict.fromkeys((np.cumsum, np.cumprod, np.sort, np.argsort, np.diff), _along_others),
    **dict.fromkeys((np.roll, np.flip), _along_others),
}

OF_SCIPY: dict[str, Form] = {
    "logsumexp": _over_others,
    **dict.fromkeys(("softmax", "log_softmax"), _along_others),
}

__all__ = ["FORMS", "OF_SCIPY"]
