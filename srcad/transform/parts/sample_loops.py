"""What a loop over the samples carries: numbers it adds to, arrays it fills, or the last sample's.

for i in range(len(x)):
    s = s + x[i] @ w                    running: a sum of a term of each sample
    y[i] = x[i] @ w                     filling: an entry of each sample
    z = x[i]                            that of the last sample: mixed
"""

from __future__ import annotations

from srcad.ir.nodes import UNDEFINED, Atom, For, Value
from srcad.ir.types import is_inexact
from srcad.transform.parts.facts import Fact, each, first_mixed, mixed_at, sum_power, total
from srcad.transform.parts.forms import Facts


def first_state(facts: Facts, k: int, atom: Atom, stmt: For) -> Fact:
    """What a carried value is held for at first: unchanged, or filled."""
    if atom is UNDEFINED:
        return _last(stmt)
    fact = facts.of(atom)
    if fact.kind == "each" and fact.axis == 0 and fact.power == 0:
        return Fact("filling", of=k)
    if fact.kind == "each":
        return mixed_at(stmt, "all samples are carried from one to the next")
    return fact


def next_state(facts: Facts, state: Fact, k: int, param: Value, atom: Atom, stmt: For) -> Fact:
    """What a carried value is held for after an iteration."""
    found = facts.of(atom)
    if atom is param or state.kind == "mixed":
        return state
    if state.kind in ("zero", "same", "sum") and is_inexact(param.type):
        return Fact("running", None, of=k)  # until now it was held for unchanged
    if first_mixed((found,)) is not None:
        return found
    if state.kind == "filling":
        return state if found == state else _last(stmt)
    if state.kind != "running":
        return _last(stmt)
    return found if found.kind == "running" and found.of == k else _last(stmt)


def end_state(facts: Facts, state: Fact, k: int, stmt: For, can_share: bool) -> Fact:
    """What a carried value is after the loop."""
    if state.kind == "filling":
        return each(0)
    if state.kind != "running":
        return state
    start = facts.of(stmt.init[k])
    if state.power is None:
        return start
    if start.kind == "zero" or sum_power(start) == state.power:
        return total(state.power)
    return total(state.power) if can_share else mixed_at(stmt, "a sum and another number")


def _last(stmt: For) -> Fact:
    return mixed_at(stmt, "what one sample leaves is read by the next, or after the loop")


__all__ = ["end_state", "first_state", "next_state"]
