"""Results that are arrays of classes of the user's: their entries vary, their attributes stay.

    return Info(y, info=3.0)       the value      Info(y, info=3.0)
                                   the tangent    Info(y_dot, info=3.0)
                                   a Jacobian     a plain array

An attribute that depends on the arguments would need a derivative of its own: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from srcad.errors import error
from srcad.ir.interface import Interface, Outside, Table, Tree, map_slots, rebuilt, slots
from srcad.ir.nodes import Atom, Function
from srcad.ir.types import is_inexact
from srcad.rules.core.staged import Builder, type_of
from srcad.runtime.fields import array_of
from srcad.transform.activity import CallActivity, find_varied, is_in
from srcad.transform.boundary import Results, or_zero, varying_slots
from srcad.transform.reverse.scope import Cotangent


class Tangent(Protocol):
    """What a function and its tangent give."""

    @property
    def results(self) -> list[Atom]:
        """The results of the function."""

    @property
    def tangents(self) -> list[Cotangent]:
        """Their tangents."""


def entries(tree: Tree) -> Tree:
    """A result with plain arrays in the place of those of classes."""
    if is_of_class(tree):
        return next(iter(tree.values()))
    return rebuilt(tree, entries)


def of_entries(fn: Function, interface: Interface, has_aux: bool) -> Interface:
    """The interface with plain arrays in the place of those of classes, as Jacobians are made.

    Raises:
        ArgumentTypeError: E306, an attribute of one may vary.
    """
    is_pair = has_aux and isinstance(interface.result, tuple | list) and len(interface.result) == 2
    tree = interface.result[0] if is_pair else interface.result
    attribute_slots(fn, tree, varying_slots(interface))
    result = (entries(tree), interface.result[1]) if is_pair else entries(tree)
    return replace(interface, result=result)


def tangent_tree(
    fn: Function, tree: Tree, found: Tangent, dots: Iterable[int], end: Builder, results: Results
) -> Tree:
    """The tangent of the result `tree`; appends its leaves to `results`.

    Args:
        found: the tangents of all results, and these themselves.
        dots: the positions of the parameters that have a tangent.
        end: where operations are added.
    """
    stay = attribute_slots(fn, tree, list(dots))
    made = {
        slot: found.results[slot]
        if slot in stay
        else or_zero(end, found.tangents[slot], found.results[slot])
        for slot in slots(tree)
    }
    leaves = {slot: results.add(atom) for slot, atom in made.items()}
    return map_slots(lambda slot: leaves[slot.index], tree)


def is_of_class(tree: Tree) -> bool:
    """Whether a result is an array of a class of the user's."""
    return isinstance(tree, Table) and tree.made_by is array_of


def as_cotangent(tree: Tree) -> Tree:
    """What a cotangent of such a result is read by: its entries, or it is a plain array."""
    if is_of_class(tree):
        (cls,) = tree.given
        return Outside(cls, {Outside(cls, {}).way: entries(tree)})
    return rebuilt(tree, as_cotangent)


def attribute_slots(fn: Function, tree: Tree, wrt: Sequence[int]) -> frozenset[int]:
    """The positions of the attributes of arrays of classes in the result `tree`.

    Raises:
        ArgumentTypeError: E306, one of them depends on the parameters `wrt`.
    """
    found: set[int] = set()

    def walk(tree: Tree) -> Tree:
        if is_of_class(tree):
            own = set(slots(tree)) - set(slots(entries(tree)))
            if any(_varies(fn, slot, wrt) for slot in own):
                what = f"the result, a {tree.given[0].__name__} with an attribute that varies,"
                fix = "return the attribute beside the array: `np.asarray(x), x.rate`"
                raise error("E306", None, what=what, fix=fix)
            found.update(own)
        return rebuilt(tree, walk)

    walk(tree)
    return frozenset(found)


def _varies(fn: Function, slot: int, wrt: Sequence[int]) -> bool:
    result = fn.body.results[slot]
    if not is_inexact(type_of(result)):
        return False
    varied = find_varied(fn, [fn.params[k] for k in wrt], CallActivity())
    return is_in(result, varied)


__all__ = ["as_cotangent", "attribute_slots", "entries", "of_entries", "tangent_tree"]
