"""What an operation makes of samples: for each function a form, which gives its result's fact.

mul(same n, each)           each               sum(each: f64[n, k])            sum
mul(each, each)             each               sum(each: f64[n, k], axis=1)    each
mul(sum, sum)               refused            matmul(transpose(each), each)   sum

A form says something only of what it knows to hold in any part: other functions are refused, and so
is each option that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from srcad.ir.nodes import Op, Value
from srcad.ir.types import Extent, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.rules.core.staged import type_of
from srcad.transform.parts.facts import (
    OWN,
    SAME,
    ZERO,
    Fact,
    Mixed,
    each,
)

Form = Callable[["Facts", Op], Fact]


class Facts:
    """What is known of the values so far; `extents` are those that are the number of samples."""

    def __init__(self, extents: frozenset[Extent]) -> None:
        self.extents = extents
        self.known: dict[Value, Fact] = {}

    def of(self, tree: Any) -> Fact:
        """The fact of an atom, or of a tuple, list, dict or slice of atoms."""
        if isinstance(tree, Value):
            return self.known[tree]
        if isinstance(tree, slice):
            tree = (tree.start, tree.stop, tree.step)
        if isinstance(tree, Mapping):
            tree = tuple(tree.values())
        if isinstance(tree, tuple | list):
            return Fact("tuple", items=tuple(map(self.of, tree)))
        is_zero = type(tree) in (int, float, complex) and tree == 0
        return ZERO if is_zero else SAME

    def is_same(self, tree: Any) -> bool:
        """Whether nothing in it depends on the samples, not even on their number."""
        return all(self.known[value].is_same for value in values_in(tree))

    def require_same(self, *trees: Any) -> None:
        """Refuse what depends on the samples where nothing may."""
        if not all(map(self.is_same, trees)):
            raise Mixed("the samples, or their number, choose what is computed")


def name_of(op: Op) -> str:
    """A function in a message."""
    row = row_of(op.fn)
    if row.syntax is not None and row.is_operator:
        return f"`{row.syntax[1]}`"
    module = (getattr(op.fn, "__module__", None) or "").split(".")[0]
    name = row.name or getattr(op.fn, "__name__", "this")
    return f"`np.{name}`" if module == "numpy" else f"`{name}`"


def rank(atom: Any) -> int:
    """The number of axes.

    Raises:
        Mixed: it is not known.
    """
    found = rank_of(type_of(atom))
    if found is None:
        raise Mixed("its number of axes is not known")
    return found


def has_one(atom: Any, axis: int) -> bool:
    """Whether an array has one entry along an axis; also where it has no such axis (below 0)."""
    shape = shape_of(type_of(atom))
    return shape is not None and (axis < 0 or shape[axis] == 1)


_PAIRS = "the axes of the samples are not the same in what is combined"
_UNSPLIT = "an array that is not split has an entry for each sample"
NONLINEAR = "{} is not linear in a sum over all samples"
WITH_EACH = "a sum over all samples is used with each sample"


def as_array(fact: Fact) -> Fact:
    """The fact of an array of the elements of a list."""
    if fact.kind == "list":
        return each(0, fact.power)
    if fact.kind != "items":
        return fact
    (item,) = fact.items
    if item.kind == "each" and item.axis is not None:
        return replace(item, axis=item.axis + 1)
    return item


def aligned(facts: Facts, op: Op, *atoms: Any) -> Fact:
    """Where what these are broadcast to has its samples.

    Raises:
        Mixed: they have it at different places.
    """
    found = [(facts.of(x), x) for x in atoms]
    of_samples = [(fact, x) for fact, x in found if fact.kind == "each"]
    if any(fact.kind not in ("each", "same", "zero") for fact, _ in found):
        kinds = {fact.kind for fact, _ in found}
        raise Mixed(WITH_EACH if "sum" in kinds else f"{name_of(op)} of places of samples")
    if all(fact.axis is None for fact, _ in of_samples):
        return OWN
    if any(fact.axis is None for fact, _ in of_samples):
        raise Mixed("one sample is used with all others")
    # Counted from the last axis, as broadcasting does.
    places = {(rank(x) - (fact.axis or 0), fact.group) for fact, x in of_samples}
    if len(places) != 1:
        raise Mixed(_PAIRS)
    place, group = places.pop()
    for fact, x in found:
        if fact.kind != "each" and not has_one(x, rank(x) - place):
            raise Mixed(_UNSPLIT)
    return each(max(rank(x) for x in atoms) - place, 0, group)


def pointwise(facts: Facts, op: Op) -> Fact:
    """An operation entry by entry: what it makes of samples is one entry for each."""
    facts.require_same(op.kwargs)
    given = [facts.of(x) for x in op.args]
    if any(fact.kind in ("sum", "running") for fact in given):
        each_too = any(fact.kind == "each" for fact in given)
        raise Mixed(WITH_EACH if each_too else NONLINEAR.format(name_of(op)))
    if any(fact.power != 0 for fact in given):
        raise Mixed(f"{name_of(op)} of the number of samples")
    found = aligned(facts, op, *op.args)
    if found.axis is not None and rank(op.out) != max(map(rank, op.args)):
        raise Mixed(f"{name_of(op)} over all samples")
    return found


__all__ = [
    "NONLINEAR", "WITH_EACH", "Facts", "Form", "aligned", "as_array", "has_one",
    "name_of", "pointwise", "rank",
]  # fmt: skip
