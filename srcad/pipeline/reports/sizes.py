"""How many entries go in and come out: what `jacobian` chooses its mode by.

f(x: f64[n], A: f64[m, n]) -> f64[m]      with n = 3, m = 5:  more rows than columns

The program is lowered for this, not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from srcad.ir import Slot, Static
from srcad.ir.interface import Interface, Outside, Tree, slots
from srcad.ir.types import Dim, Type, rank_of, shape_of
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics
from srcad.rules.core.staged import type_of
from srcad.runtime.outside import values_of
from srcad.transform.boundary import find_params, is_complex
from srcad.transform.forward.tangent import has_tangent

Sizes = dict[str, int]


def needs_fewer_rows(request: Request, args: Sequence[Any]) -> bool | None:
    """Whether the Jacobian has fewer rows than columns; None where only the result tells.

    Of complex results of real arguments, forward mode alone makes it; where a rule states the
    adjoint alone, reverse mode.
    """
    lowered, _ = lower_with_statics(request, args, frozenset())
    function = lowered.function
    if not has_tangent(function):
        return True
    interface = function.interface
    assert interface is not None
    known: Sizes = {}
    for param, arg in zip(interface.params, args, strict=True):
        for slot, leaf in _leaves(param.tree, arg):
            _learn(function.params[slot].type, np.shape(leaf), known)
    given = [
        function.params[slot].type
        for param in find_params(interface, request.argnums)
        for slot in slots(param.tree)
    ]
    made = [type_of(function.body.results[slot]) for slot in slots(_result(interface, request))]
    if not request.holomorphic and any(map(is_complex, (*given, *made))):
        return any(map(is_complex, given))  # what the modes do with complex numbers differs
    columns, rows = _total(given, known), _total(made, known)
    return None if rows is None or columns is None else rows < columns


def _result(interface: Interface, request: Request) -> Tree:
    tree = interface.result
    return tree[0] if request.has_aux and isinstance(tree, tuple | list) and tree else tree


def _leaves(tree: Tree, arg: Any) -> list[tuple[int, Any]]:
    """The slots of a tree with what sits there in the argument."""
    if isinstance(tree, Slot):
        return [(tree.index, arg)]
    if isinstance(tree, Static):
        return []
    if isinstance(tree, tuple | list):
        pairs: Iterable[tuple[Tree, Any]] = zip(tree, arg, strict=True)
    elif isinstance(tree, dict):
        pairs = ((item, arg[key]) for key, item in tree.items())
    elif isinstance(tree, Outside):
        values = tree.own_values()
        pairs = [] if values is None else [(values, values_of(arg))]
    else:
        pairs = ((item, getattr(arg, key)) for key, item in tree.fields.items())
    return [found for item, part in pairs for found in _leaves(item, part)]


def _learn(t: Type, shape: Sequence[int], known: Sizes) -> None:
    for extent, n in zip(shape_of(t) or (), shape, strict=False):
        if isinstance(extent, Dim):
            known.setdefault(extent.symbol, n + extent.minus)


def _total(types: Sequence[Type], known: Sizes) -> int | None:
    total = 0
    for t in types:
        shape = shape_of(t)
        if shape is None and rank_of(t) != 0:
            return None
        n = 1
        for extent in shape or ():
            if isinstance(extent, Dim) and extent.symbol not in known:
                return None
            n *= extent if isinstance(extent, int) else max(0, known[extent.symbol] - extent.minus)
        total += n
    return total
