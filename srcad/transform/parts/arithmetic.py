"""Arithmetic with sums over the samples, with their number, and with each of them.

sum * same          sum                 same / n            same, power -1
sum + sum           sum                 sum / n             sum, power -1: a mean
mean + same         sum, power -1       sum * sum           refused
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.ir.types import dtype_of, is_inexact
from srcad.rules.core.staged import type_of
from srcad.runtime import relu, stop_gradient
from srcad.transform.parts.facts import SAME, Fact, Mixed, same, sum_power, total
from srcad.transform.parts.forms import (
    NONLINEAR,
    WITH_EACH,
    Facts,
    Form,
    aligned,
    as_array,
    name_of,
    pointwise,
)


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
    return replace(aligned(facts, op, *op.args), power=power)


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
    return replace(aligned(facts, op, *op.args), power=power)


def _add(facts: Facts, op: Op) -> Fact:
    a, b = (facts.of(x) for x in op.args)
    if "running" in (a.kind, b.kind):
        return _accumulated(op, a, b)
    if "each" in (a.kind, b.kind):
        if "sum" in (a.kind, b.kind):
            raise Mixed(WITH_EACH)
        powers = {fact.power for fact in (a, b) if fact.kind != "zero"}
        if len(powers) != 1 and {a.kind, b.kind} == {"each"}:
            raise Mixed("samples are added to samples divided by their number")
        if len(powers) != 1:
            raise Mixed("the number of samples is added to each sample")
        return replace(aligned(facts, op, *op.args), power=powers.pop())
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
    raise Mixed(NONLINEAR.format(name_of(op)))


def _cast(facts: Facts, op: Op) -> Fact:
    """`float(x)`, `x.astype(int)`: of a sum only where nothing is cut off."""
    fact = as_array(facts.of(op.args[0]))
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


FORMS: dict[Any, Form] = {
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
    **dict.fromkeys((operator.not_, relu), pointwise),
    stop_gradient: _kept,
}

__all__ = ["FORMS"]
