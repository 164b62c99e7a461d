"""Subscripts: what they read of each sample, and what they write into it.

x[:, 0], x[..., None]           each           the axis of the samples is taken whole
logp[np.arange(n), labels]      each           an entry of each sample's own row
table[ids]                      each           a row for each sample
x[0], x[1:], x[mask]            refused        samples by their place, or some of them
x[:, 0] = v                     each           v has an entry per sample, or is the same for all
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Op, Value
from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of
from srcad.runtime import index_add, index_update
from srcad.transform.parts.facts import (
    Fact,
    Kind,
    Mixed,
    each,
    same,
    total,
)
from srcad.transform.parts.forms import Facts, Form, has_one, rank

_WHOLE = slice(None)


def _getitem(facts: Facts, op: Op) -> Fact:
    x, index = op.args
    fact = facts.of(x)
    if fact.kind == "tuple":
        return _item(fact, index)
    if _is_own_place(facts, index) and _has_samples_first(fact):
        return each(None, fact.power or 0)
    if fact.kind == "place" and fact.axis is not None:
        return _read(facts, fact, x, index, "place")
    if fact.kind == "items" and facts.is_same(index):
        return fact.items[0]
    if fact.kind in ("list", "items", "filling"):
        raise Mixed("a sample is read by its place")
    if fact.kind in ("sum", "same", "zero"):
        if facts.is_same(index):
            return same(fact.power or 0) if fact.kind != "sum" else fact
        if fact.kind == "sum":
            raise Mixed("a sum over all samples is used with each sample")
    if fact.kind not in ("each", "same", "zero"):
        raise Mixed("an entry of what is carried from sample to sample")
    if fact.kind == "each" and _is_own_mask(facts, fact, index):
        if fact.axis != 0:
            raise Mixed("a mask chooses along another axis than the first")
        return each(0, fact.power, index)
    return _read(facts, fact, x, index)


def _is_own_place(facts: Facts, index: Any) -> bool:
    """Whether a subscript begins with the number of the sample that a loop is at."""
    first, *rest = index_parts(index)
    if not isinstance(first, Value):
        return False
    fact = facts.of(first)
    return fact.kind == "place" and fact.axis is None and all(facts.of(x).is_own for x in rest)


def _has_samples_first(fact: Fact) -> bool:
    return fact.kind in ("list", "filling") or (fact.kind == "each" and fact.axis == 0)


def _item(fact: Fact, index: Any) -> Fact:
    """An item of a tuple, `x.shape[0]`."""
    if type(index) is int and -len(fact.items) <= index < len(fact.items):
        return fact.items[index]
    if isinstance(index, slice) and not any(
        isinstance(k, Value) for k in (index.start, index.stop, index.step)
    ):
        return Fact("tuple", items=fact.items[index])
    raise Mixed("an item of a shape that is not known")


def _read(facts: Facts, fact: Fact, x: Any, index: Any, kind: Kind = "each") -> Fact:
    """What a subscript reads of an array, with samples in the array or in the subscript."""
    if fact.kind == "each" and fact.axis is None:
        facts.require_same(index)
        return fact
    parts = _expanded(index, rank(x))
    axes = [k for k, part in enumerate(parts) if part is not None]
    own = axes[fact.axis or 0] if fact.kind == kind else -1  # the part for the samples
    arrays = [k for k, part in enumerate(parts) if _is_array(part)]
    if own >= 0 and not _is_whole(parts[own]) and not (own in arrays and len(arrays) > 1):
        raise Mixed("samples are read by their place, or some of them")
    facts.require_same([part for k, part in enumerate(parts) if k not in arrays])
    if not arrays:
        return replace(fact, axis=sum(_leaves_axis(part) for part in parts[:own]))
    for k in arrays:
        _require_integers(parts[k])
    is_apart = arrays != list(range(arrays[0], arrays[-1] + 1))
    if is_apart or not all(k in arrays or _leaves_axis(part) for k, part in enumerate(parts)):
        raise Mixed("arrays stand apart in one subscript, or numbers beside them")
    if kind == "place":
        raise Mixed("samples are read by their place")
    return replace(_gathered(facts, fact, parts, own, arrays), power=fact.power)


def _gathered(facts: Facts, fact: Fact, parts: list[Any], own: int, arrays: list[int]) -> Fact:
    """Where the samples are in what arrays in a subscript pick."""
    chosen = [parts[k] for k in arrays]
    if facts.is_same(tuple(chosen)):
        if len(arrays) > 1 or own in arrays:
            raise Mixed("samples are read by their place")
        return replace(fact, axis=own if own < arrays[0] else own + rank(chosen[0]) - 1)
    if own >= 0 and own not in arrays:
        raise Mixed("each sample is read at the places of all others")
    found = [facts.of(x) for x in chosen]
    if any((f.kind == "place") != (k == own) for k, f in zip(arrays, found, strict=True)):
        raise Mixed("samples are read at the places of others")
    of_samples = [(f, x) for f, x in zip(found, chosen, strict=True) if not f.is_same]
    if any(f.kind not in ("each", "place") or f.axis is None or f.power for f, _ in of_samples):
        raise Mixed("samples are read by their place")
    groups = {f.group for f, _ in of_samples} | ({fact.group} if own >= 0 else set())
    places = {rank(x) - (f.axis or 0) for f, x in of_samples}
    if len(places) != 1 or len(groups) != 1:
        raise Mixed("samples are read at the places of others")
    place = places.pop()
    for f, x in zip(found, chosen, strict=True):
        if f.is_same and not has_one(x, rank(x) - place):
            raise Mixed("an array that is not split has an entry for each sample")
    return each(arrays[0] + max(map(rank, chosen)) - place, 0, groups.pop())


def _is_array(part: Any) -> bool:
    return isinstance(part, Value) and rank(part) > 0


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == _WHOLE


def _leaves_axis(part: Any) -> bool:
    return part is None or isinstance(part, slice)


def _require_integers(atom: Any) -> None:
    dtype = dtype_of(type_of(atom))
    if dtype is None or dtype.kind not in "iu":
        raise Mixed("a mask chooses some of the samples")


def _expanded(index: Any, of_rank: int) -> list[Any]:
    """The parts of a subscript, one for each axis, and None for each new one."""
    parts = list(index_parts(index))
    n = sum(part is not None and part is not Ellipsis for part in parts)
    if any(type(part) is bool for part in parts) or n > of_rank:
        raise Mixed("a subscript of this form")
    whole = [_WHOLE] * (of_rank - n)
    if Ellipsis in [part for part in parts if part is Ellipsis]:
        k = next(k for k, part in enumerate(parts) if part is Ellipsis)
        return [*parts[:k], *whole, *parts[k + 1 :]]
    return [*parts, *whole]


def _update(facts: Facts, op: Op) -> Fact:
    """`x[index] = v`, `x[index] += v`."""
    x, index, values = op.args
    fact, given = facts.of(x), facts.of(values)
    if {fact.kind, given.kind} <= {"sum", "zero"}:
        powers = {each.power for each in (fact, given) if each.kind == "sum"}
        facts.require_same(index)
        if len(powers) == 1:
            return total(powers.pop() or 0)
    if fact.kind == "filling" and _is_own_place(facts, index) and given.is_own:
        return fact
    if fact.kind != "each" or fact.axis is None:
        raise Mixed("samples are written into what has no entry for each")
    if _is_own_mask(facts, fact, index) and given.is_same and rank(values) == 0:
        return fact
    view = _read(facts, fact, x, index)
    if not given.is_same and (given.kind != "each" or given.axis is None):
        raise Mixed("what is not of one sample is written into each")
    if fact.power != 0 or given.power != 0:
        raise Mixed("the number of samples is written into each")
    region = infer(operator.getitem, (x, index), {})
    shape, own = (
        (None if isinstance(region, tuple) else shape_of(region)),
        shape_of(type_of(values)),
    )
    if shape is None or own is None or len(own) > len(shape):
        raise Mixed("the shape of what is written is not known")
    place = len(shape) - (view.axis or 0)
    if given.kind == "each":
        if len(own) - (given.axis or 0) != place or given.group != view.group:
            raise Mixed("the axes of the samples are not the same in what is combined")
    elif len(own) >= place and own[len(own) - place] != 1:
        raise Mixed("an array that is not split has an entry for each sample")
    return fact


def _is_own_mask(facts: Facts, fact: Fact, index: Any) -> bool:
    """Whether a subscript is one mask, with the samples where the array has them."""
    if not isinstance(index, Value):
        return False
    dtype, mask = dtype_of(index.type), facts.of(index)
    is_mask = dtype is not None and dtype.kind == "b"
    is_fit = mask.kind == "each" and (mask.axis, mask.group) == (fact.axis, fact.group)
    return is_mask and is_fit and fact.axis is not None


FORMS: dict[Any, Form] = {
    operator.getitem: _getitem,
    index_update: _update,
    index_add: _update,
}

__all__ = ["FORMS"]
