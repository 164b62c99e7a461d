"""What moves entries, makes arrays, or asks for shapes: where the axis of the samples goes.

np.transpose(x)                 each, axis 0       each, axis 1
np.reshape(x, (n, -1))          each               n stays the first extent
np.zeros((len(x), 3))           each               one row per sample
np.arange(len(x))               place              0 ... n-1
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.nodes import Op, Value
from srcad.ir.types import shape_of
from srcad.ir.walk import values_in
from srcad.rules.core.staged import type_of
from srcad.transform.parts.facts import (
    COUNT,
    PLACES,
    SAME,
    Fact,
    Mixed,
    each,
    same,
)
from srcad.transform.parts.forms import Facts, Form, aligned, name_of, pointwise, rank


def _linear(fact: Fact) -> Fact | None:
    """What a linear function makes of a sum, or of what is the same."""
    if fact.kind in ("sum", "zero", "same"):
        return same(fact.power or 0) if fact.kind != "sum" else fact
    if fact.kind != "each" or fact.axis is None:
        raise Mixed("places of samples are moved")
    return None


def _moved(facts: Facts, op: Op) -> Fact:
    """Axes in another order, or more of them: what the function does to an array of ones shows."""
    x, *rest = op.args
    facts.require_same(rest, op.kwargs)
    fact = facts.of(x)
    if (found := _linear(fact)) is not None:
        return found
    is_open = op.fn is np.squeeze and not (rest or "axis" in op.kwargs)
    if is_open or values_in((rest, op.kwargs)):
        raise Mixed("the axes are not known")
    shape = [1] * rank(x)
    shape[fact.axis or 0] = 2
    try:
        made = np.shape(op.key(np.empty(shape), *rest, **op.kwargs))
    except ValueError:
        raise Mixed(f"{name_of(op)} of this form") from None
    return replace(fact, axis=made.index(2))


def _rearranged(facts: Facts, op: Op) -> Fact:
    """A linear function of a sum that moves entries; of samples it is not known which."""
    facts.require_same(op.args[1:], op.kwargs)
    found = _linear(facts.of(op.args[0]))
    if found is None:
        raise Mixed(f"{name_of(op)} moves samples")
    return found


def _reshape(facts: Facts, op: Op) -> Fact:
    """`x.reshape(n, -1)`, `np.ravel(x)` of a vector: the samples stay the first axis."""
    x = op.args[0]
    fact = facts.of(x)
    if fact.kind == "sum" or fact.kind == "same":
        facts.require_same(op.args[1:], op.kwargs)
    if (found := _linear(fact)) is not None:
        return found
    old, new = shape_of(type_of(x)), shape_of(op.out.type)
    if op.kwargs or fact.axis != 0 or not old or not new or _is_shifted(facts, op):
        raise Mixed(f"{name_of(op)} mixes the samples with other axes")
    if new[0] in facts.extents and fact.group in ("", "several"):
        return replace(fact, group="")
    is_whole = any(new[1:] == old[k:] for k in range(1, len(old) + 1))  # rows of one sample
    if fact.group not in ("", "several") or not _is_left_open(op) or not is_whole:
        raise Mixed(f"{name_of(op)} mixes the samples with other axes")
    return replace(fact, group="several")


def _is_left_open(op: Op) -> bool:
    """Whether the first extent is what is left by the others: `x.reshape(-1, 3)`, `x.ravel()`."""
    shape = op.args[1] if len(op.args) == 2 else -1
    return (shape[0] if isinstance(shape, tuple | list) else shape) == -1


def _is_shifted(facts: Facts, op: Op) -> bool:
    """Whether one of the later extents depends on the samples, or is chosen by them."""
    if len(op.args) == 1:
        return False
    shape = op.args[1]
    items = shape if isinstance(shape, tuple | list) else [shape]
    if isinstance(shape, Value) and not facts.is_same(shape):
        items = facts.of(shape).items or [shape]
        return any(not item.is_same for item in items[1:])
    return not facts.is_same(tuple(items[1:]))


def _extents(facts: Facts, shape: Any) -> Fact:
    """What an array of this shape has for each sample.

    Raises:
        Mixed: the number of samples is no extent of it, or more than one.
    """
    fact = facts.of(shape)
    items = fact.items if fact.kind == "tuple" else (fact,)
    counts = [k for k, item in enumerate(items) if not item.is_same]
    if not counts:
        return SAME
    if len(counts) != 1 or not items[counts[0]].is_count:
        raise Mixed("an extent is computed from the number of samples")
    return each(counts[0], 0, items[counts[0]].group)


def _filled(facts: Facts, op: Op) -> Fact:
    """`np.zeros((n, k))`, `np.full(n, v)`."""
    shape, *rest = op.args
    facts.require_same(rest, {k: v for k, v in op.kwargs.items() if k != "shape"})
    return _extents(facts, shape)


def _filled_like(facts: Facts, op: Op) -> Fact:
    x, *rest = op.args
    facts.require_same(rest, op.kwargs)
    fact = facts.of(x)
    if fact.kind == "each" and fact.axis is not None and "shape" not in op.kwargs:
        return replace(fact, power=0)
    if fact.kind in ("sum", "same"):  # whose shape is the same in any part
        return SAME
    raise Mixed(f"{name_of(op)} of places of samples")


def _broadcast_to(facts: Facts, op: Op) -> Fact:
    x, shape = op.args
    fact, goal = facts.of(x), _extents(facts, shape)
    if fact.kind != "each" and goal is SAME:
        return _rearranged(facts, op)
    if fact.kind not in ("each", "same", "zero") or goal is SAME:
        raise Mixed("a sum over all samples is used with each sample")
    power, place = fact.power or 0, rank(op.out) - (goal.axis or 0)
    if fact.kind == "each":
        if fact.axis is None or rank(x) - fact.axis != place or fact.group != goal.group:
            raise Mixed("the axes of the samples are not the same in what is combined")
        return replace(goal, power=power)
    extents = shape_of(type_of(x)) or ()
    if len(extents) >= place and extents[len(extents) - place] != 1:
        raise Mixed("an array that is not split has an entry for each sample")
    return replace(goal, power=power)


def _arange(facts: Facts, op: Op) -> Fact:
    if len(op.args) != 1 or op.kwargs or not facts.of(op.args[0]).is_count:
        raise Mixed("numbers are made from the number of samples")
    return replace(PLACES, group=facts.of(op.args[0]).group)


def _shape(facts: Facts, op: Op) -> Fact:
    fact, n = facts.of(op.args[0]), rank(op.args[0])
    if len(op.args) != 1 or op.kwargs:
        raise Mixed("an option of `np.shape`")
    if fact.kind in ("sum", "same", "running"):  # the shape is the same in any part
        return Fact("tuple", items=(SAME,) * n)
    if fact.axis is None and fact.kind == "each":
        return Fact("tuple", items=(Fact("each", axis=None),) * n)
    if fact.kind not in ("each", "place"):
        raise Mixed("the shape of what has places of samples")
    if fact.group not in ("", "several"):
        raise Mixed("how many of the samples a mask has left is a matter of the part")
    count = replace(COUNT, group=fact.group)
    return Fact("tuple", items=tuple(count if k == fact.axis else SAME for k in range(n)))


def _len(facts: Facts, op: Op) -> Fact:
    if facts.of(op.args[0]).kind == "list":
        return COUNT
    return _shape(facts, op).items[0]


def _size(facts: Facts, op: Op) -> Fact:
    found = _shape(facts, op).items
    if len(found) == 1:
        return found[0]
    return same(sum(item.is_count for item in found))


def _first(facts: Facts, op: Op) -> Fact:
    """Layers whose first argument has its samples first, and whose others have none."""
    x, *rest = op.args
    facts.require_same(rest, op.kwargs)
    fact = facts.of(x)
    if fact.kind != "each" or fact.axis != 0 or fact.power != 0 or rank(x) != 4:
        raise Mixed(f"{name_of(op)} over other axes than the first")
    return fact


def _embedding(facts: Facts, op: Op) -> Fact:
    table, ids = op.args
    fact = facts.of(ids)
    is_fit = fact.kind == "each" and fact.axis is not None and fact.power == 0
    if op.kwargs or not facts.is_same(table) or not is_fit:
        raise Mixed(f"{name_of(op)} of this form")
    return fact


def _by_rows(facts: Facts, op: Op) -> Fact:
    """`np.cross`: of the vectors along the last axis; `np.vander` of a vector."""
    if op.fn is np.vander:
        facts.require_same(op.args[1:], op.kwargs)
        fact = facts.of(op.args[0])
        is_fit = fact.kind == "each" and fact.axis == 0 and fact.power == 0
    else:
        fact = aligned(facts, op, *op.args)
        is_plain = all(facts.of(x).power == 0 for x in op.args) and not op.kwargs
        is_fit = is_plain and fact.axis is not None and fact.axis < max(map(rank, op.args)) - 1
    if not is_fit or rank(op.out) < 2:
        raise Mixed(f"{name_of(op)} of this form")
    return fact


def _polyval(facts: Facts, op: Op) -> Fact:
    """`np.polyval(p, x)`, with the same polynomial for all samples."""
    facts.require_same(op.args[0], op.kwargs)
    return pointwise(facts, Op(op.fn, op.args[1:], {}, op.outs, op.loc))


def _take_along_axis(facts: Facts, op: Op) -> Fact:
    """`np.take_along_axis(x, places, axis=1)`: of each sample."""
    axis = op.kwargs.get("axis", op.args[2] if len(op.args) == 3 else None)
    fact = aligned(facts, op, *op.args[:2])
    ranks = {rank(x) for x in op.args[:2]}
    if type(axis) is not int or len(ranks) != 1 or any(facts.of(x).power for x in op.args[:2]):
        raise Mixed(f"{name_of(op)} of this form")
    if fact.axis is None or axis % rank(op.out) == fact.axis:
        raise Mixed("samples are read by their place")
    return fact


_MOVES = (
    np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.matrix_transpose,
    np.atleast_1d, np.atleast_2d, np.atleast_3d, np.rollaxis,
)  # fmt: skip
_LINEAR = (np.trace, np.diag, np.diagonal, np.tril, np.triu, np.fliplr, np.flipud, np.tile)

FORMS: dict[Any, Form] = {
    **dict.fromkeys(_MOVES, _moved),
    **dict.fromkeys(_LINEAR, _rearranged),
    **dict.fromkeys((np.reshape, np.ravel), _reshape),
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.full), _filled),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like, np.full_like), _filled_like),
    np.broadcast_to: _broadcast_to,
    np.arange: _arange,
    **dict.fromkeys((np.cross, np.vander), _by_rows),
    np.polyval: _polyval,
    np.take_along_axis: _take_along_axis,
    np.shape: _shape,
    len: _len,
    np.size: _size,
    **dict.fromkeys((kernels.conv2d, kernels.max_pool2d, kernels.avg_pool2d), _first),
    kernels.embedding: _embedding,
}

__all__ = ["FORMS"]
