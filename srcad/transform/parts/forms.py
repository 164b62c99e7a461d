"""What an operation makes of samples: for each function a form, which gives its result's fact.

mul(same n, each)           each               sum(each: f64[n, k])            sum
mul(each, each)             each               sum(each: f64[n, k], axis=1)    each
mul(sum, sum)               refused            matmul(transpose(each), each)   sum

A form says something only of what it knows to hold in any part: other functions are refused, and so
is each option that it does not know.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.ir.nodes import Op, Value
from srcad.ir.types import Extent, dtype_of, is_inexact, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.rules.core.staged import type_of
from srcad.runtime import relu
from srcad.transform.parts.facts import (
    OWN,
    SAME,
    ZERO,
    Fact,
    Mixed,
    each,
    first_mixed,
    same,
    sum_power,
    total,
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


def fact_of(facts: Facts, op: Op) -> Fact:
    """The fact of all results of an operation that has no effect.

    Raises:
        Mixed: none is known.
    """
    given = [facts.known[value] for value in values_in((op.args, op.kwargs))]
    if (lost := first_mixed(given)) is not None:
        return lost
    form = None if op.key is None else _form_of(op.key)
    if all(fact.is_same for fact in given):
        return _constant(op)
    if all(fact.is_own for fact in given):
        return OWN
    if form is None:
        raise Mixed(f"it is not known that {name_of(op)} treats each sample alike")
    return form(facts, op)


def name_of(op: Op) -> str:
    """A function in a message."""
    row = row_of(op.fn)
    if row.syntax is not None and row.is_operator:
        return f"`{row.syntax[1]}`"
    module = (getattr(op.fn, "__module__", None) or "").split(".")[0]
    name = row.name or getattr(op.fn, "__name__", "this")
    return f"`np.{name}`" if module == "numpy" else f"`{name}`"


def _constant(op: Op) -> Fact:
    made_zero = op.fn in (np.zeros, np.zeros_like) and "dtype" not in op.kwargs
    return ZERO if made_zero else SAME


def _form_of(fn: Any) -> Form | None:
    if not _FORMS:
        _fill()
    if fn in _FORMS:
        return _FORMS[fn]
    row = row_of(fn)
    return pointwise if row.elementwise or row.entries == "each" else None


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
_NONLINEAR = "{} is not linear in a sum over all samples"
_WITH_EACH = "a sum over all samples is used with each sample"


def aligned(facts: Facts, op: Op, *atoms: Any) -> int | None:
    """The axis of the samples in what these are broadcast to; None within a loop over samples.

    Raises:
        Mixed: they have it at different places.
    """
    found = [(facts.of(x), x) for x in atoms]
    of_samples = [(fact, x) for fact, x in found if fact.kind == "each"]
    if any(fact.kind not in ("each", "same", "zero") for fact, _ in found):
        kinds = {fact.kind for fact, _ in found}
        raise Mixed(_WITH_EACH if "sum" in kinds else f"{name_of(op)} of places of samples")
    if all(fact.axis is None for fact, _ in of_samples):
        return None
    if any(fact.axis is None for fact, _ in of_samples):
        raise Mixed("one sample is used with all others")
    # Counted from the last axis, as broadcasting does.
    places = {rank(x) - (fact.axis or 0) for fact, x in of_samples}
    if len(places) != 1:
        raise Mixed(_PAIRS)
    place = places.pop()
    for fact, x in found:
        if fact.kind != "each" and not has_one(x, rank(x) - place):
            raise Mixed(_UNSPLIT)
    return max(rank(x) for x in atoms) - place


def pointwise(facts: Facts, op: Op) -> Fact:
    """An operation entry by entry: what it makes of samples is one entry for each."""
    facts.require_same(op.kwargs)
    given = [facts.of(x) for x in op.args]
    if any(fact.kind in ("sum", "running") for fact in given):
        each_too = any(fact.kind == "each" for fact in given)
        raise Mixed(_WITH_EACH if each_too else _NONLINEAR.format(name_of(op)))
    if any(fact.power != 0 for fact in given):
        raise Mixed(f"{name_of(op)} of the number of samples")
    axis = aligned(facts, op, *op.args)
    if axis is not None and rank(op.out) != max(map(rank, op.args)):
        raise Mixed(f"{name_of(op)} over all samples")
    return each(axis)


def _compare(facts: Facts, op: Op) -> Fact:
    """`len(x) == len(y)` is true for all parts alike."""
    if all(facts.of(x).is_count for x in op.args):
        return SAME
    return pointwise(facts, op)


def _plain(form: Form) -> Form:
    """A form for two arguments and no options; with these, entry by entry."""
    return lambda facts, op: (pointwise if op.kwargs or len(op.args) != 2 else form)(facts, op)


def _mul(facts: Facts, op: Op) -> Fact:
    a, b = (facts.of(x) for x in op.args)
    power = (a.power or 0) + (b.power or 0)
    kinds = {a.kind, b.kind}
    if kinds <= {"same", "zero"}:
        return same(power)
    if kinds <= {"sum", "same", "zero"} and (a.kind, b.kind) != ("sum", "sum"):
        return total(power)
    if kinds == {"sum"}:
        raise Mixed("two sums over all samples are multiplied")
    if "running" in kinds:
        raise Mixed("what is carried from sample to sample is multiplied")
    return each(aligned(facts, op, *op.args), power)


def _truediv(facts: Facts, op: Op) -> Fact:
    a, b = (facts.of(x) for x in op.args)
    power = (a.power or 0) - (b.power or 0)
    if b.kind == "sum":
        raise Mixed("a sum over all samples divides")
    if a.kind == "sum" and b.kind in ("same", "zero"):
        return total(power)
    if {a.kind, b.kind} <= {"same", "zero"}:
        return same(power)
    if "running" in (a.kind, b.kind):
        raise Mixed("what is carried from sample to sample is divided")
    return each(aligned(facts, op, *op.args), power)


def _add(facts: Facts, op: Op) -> Fact:
    a, b = (facts.of(x) for x in op.args)
    if "running" in (a.kind, b.kind):
        return _accumulated(op, a, b)
    if "each" in (a.kind, b.kind):
        if "sum" in (a.kind, b.kind):
            raise Mixed(_WITH_EACH)
        powers = {fact.power for fact in (a, b) if fact.kind != "zero"}
        if len(powers) != 1 and {a.kind, b.kind} == {"each"}:
            raise Mixed("samples are added to samples divided by their number")
        if len(powers) != 1:
            raise Mixed("the number of samples is added to each sample")
        return each(aligned(facts, op, *op.args), powers.pop() or 0)
    if not {a.kind, b.kind} <= {"zero", "same", "sum"}:
        raise Mixed(f"{name_of(op)} of places of samples")
    if a.kind == "zero" or b.kind == "zero":
        found = b if a.kind == "zero" else a
        return same(found.power or 0) if found.kind == "same" else found
    if a.kind == b.kind == "same" and a.power == b.power:
        return same(a.power or 0)
    powers = {sum_power(a), sum_power(b)}
    if len(powers) == 1:
        return total(powers.pop() or 0)
    if not is_inexact(op.out.type):
        raise Mixed("an integer is added to the number of samples")
    return total(0)


def _accumulated(op: Op, a: Fact, b: Fact) -> Fact:
    """`carried + term`, in a loop over the samples."""
    carried, term = (a, b) if a.kind == "running" else (b, a)
    if a.kind == b.kind or (carried is b and op.fn in (operator.sub, np.subtract)):
        raise Mixed("what is carried from sample to sample is no sum of a term for each")
    if term.kind == "zero":
        return carried
    if term.is_own:
        power = 0
    elif term.kind == "each" and term.axis is None:
        power = term.power or 0
    else:
        raise Mixed("what is carried from sample to sample is no sum of a term for each")
    if carried.power not in (None, power):
        raise Mixed("samples are added to samples divided by their number")
    return Fact("running", power, of=carried.of)


def _pow(facts: Facts, op: Op) -> Fact:
    a, b = op.args
    if facts.of(a).kind == "same" and type(b) is int and b > 0:
        return same((facts.of(a).power or 0) * b)
    return pointwise(facts, op)


def _linear(facts: Facts, op: Op) -> Fact:
    """A linear function entry by entry: a sign, a real part."""
    facts.require_same(op.args[1:], op.kwargs)
    fact = facts.of(op.args[0])
    if fact.kind in ("same", "zero"):
        return same(fact.power or 0)
    if fact.kind in ("each", "sum"):
        return fact
    raise Mixed(f"{name_of(op)} of places of samples, or of what is carried from one to the next")


def _kept(facts: Facts, op: Op) -> Fact:
    """What gives its argument: a copy, a mark."""
    facts.require_same(op.args[1:], op.kwargs)
    fact = facts.of(op.args[0])
    if fact.kind in ("same", "zero"):
        return same(fact.power or 0)
    if fact.kind in ("each", "sum", "running", "place", "list"):
        return fact
    raise Mixed(_NONLINEAR.format(name_of(op)))


def _cast(facts: Facts, op: Op) -> Fact:
    """`float(x)`, `x.astype(int)`: of a sum only where nothing is cut off."""
    fact = facts.of(op.args[0]) if op.args else SAME
    if fact.kind == "each" and fact.power == 0:
        facts.require_same(op.args[1:], op.kwargs)
        return fact
    before, after = dtype_of(type_of(op.args[0])), dtype_of(op.out.type)
    if before is None or after is None or after.kind not in "fc":
        raise Mixed("what is not of one sample becomes an integer")
    return _kept(facts, op)


def _all(facts: Facts, op: Op) -> Fact:
    """`a and b` of what holds for all samples."""
    kinds = {facts.of(x).kind for x in op.args if not facts.is_same(x)}
    if kinds == {"all"}:
        return Fact("all")
    return pointwise(facts, op)


_FORMS: dict[Any, Form] = {}


def _fill() -> None:
    from srcad.transform.parts import places, products, reductions, shapes

    _FORMS.update(
        {
            **dict.fromkeys((operator.mul, np.multiply), _plain(_mul)),
            **dict.fromkeys((operator.truediv, np.divide, np.true_divide), _plain(_truediv)),
            **dict.fromkeys((operator.add, operator.sub, np.add, np.subtract), _plain(_add)),
            **dict.fromkeys((operator.pow, np.power), _plain(_pow)),
            **dict.fromkeys((operator.eq, operator.ne, operator.ge, operator.le), _compare),
            **dict.fromkeys((operator.neg, np.negative, np.real, np.imag, np.conj), _linear),
            **dict.fromkeys((operator.pos, np.positive, np.copy, np.ascontiguousarray), _kept),
            **dict.fromkeys((float, complex, int, bool, np.astype, np.asarray), _cast),
            **dict.fromkeys((np.float64, np.float32, np.int64, np.int32, np.bool_), _cast),
            **dict.fromkeys((operator.and_, np.logical_and), _all),
            operator.not_: pointwise,
            relu: pointwise,
            **reductions.FORMS,
            **products.FORMS,
            **shapes.FORMS,
            **places.FORMS,
        }
    )
    from srcad.runtime import stop_gradient

    _FORMS[stop_gradient] = _kept


__all__ = ["Facts", "Form", "aligned", "fact_of", "has_one", "name_of", "pointwise", "rank"]
