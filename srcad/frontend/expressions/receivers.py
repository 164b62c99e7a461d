"""Receivers by data: a method of one of several containers is called in a branch for each.

(hi if v > 0.0 else lo).append(v)       If(gt(v, 0.0)): hi gets `v`; else: lo does
cells[k].append(i)                      If(eq(k, 0)): cells[0] gets `i`; else: If(eq(k, 1)): ...
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from srcad.frontend.abstract.containers.containers import MUTABLE, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import expression
from srcad.frontend.expressions.expressions import item
from srcad.frontend.expressions.missing import raise_unless
from srcad.frontend.lists.by_data import is_by_data
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.conditions import condition
from srcad.ir.nodes import Value

_MOST = 64  # containers among which an index chooses


@dataclass(frozen=True, slots=True)
class Chosen:
    """`then` where `cond` holds, which is known at run time only, else `orelse`."""

    cond: Value
    then: Abstract
    orelse: Abstract


def receiver(frame: Frame, node: Any) -> Abstract:
    """What an expression before `.name(...)` is, or the containers of which it is one."""
    if isinstance(node, gast.IfExp):
        return _of_condition(frame, node)
    if isinstance(node, gast.Subscript):
        return _of_index(frame, expression(frame, node.value), expression(frame, node.slice))
    return expression(frame, node)


def _of_condition(frame: Frame, node: gast.IfExp) -> Abstract:
    cond = condition(frame, node.test)
    if not isinstance(cond, Value):
        return expression(frame, node.body if cond else node.orelse)
    if isinstance(node.body, gast.Name) and isinstance(node.orelse, gast.Name):
        ends = [expression(frame, end) for end in (node.body, node.orelse)]
        if all(isinstance(end, MUTABLE) for end in ends):
            return Chosen(cond, *ends)
    return choose(
        frame, cond, lambda: expression(frame, node.body), lambda: expression(frame, node.orelse)
    )


def _of_index(frame: Frame, owner: Abstract, index: Abstract) -> Abstract:
    items = owner if isinstance(owner, tuple) else ()
    if isinstance(owner, ListObj) and owner.form is None and owner.cls is list:
        items = tuple(owner.items)
    are_containers = items and all(isinstance(each, MUTABLE) for each in items)
    if not are_containers or len(items) > _MOST or not is_by_data(frame.session, index):
        return item(frame, owner, index)
    emit, n = frame.session.emit, len(items)
    fits = emit(operator.and_, (emit(operator.ge, (index, -n)), emit(operator.lt, (index, n))))
    noun = "tuple" if isinstance(owner, tuple) else "list"
    raise_unless(frame, fits, IndexError, f"{noun} index out of range")
    place = emit(operator.mod, (index, n))
    found = items[-1]
    for k in reversed(range(n - 1)):
        found = Chosen(emit(operator.eq, (place, k)), items[k], found)
    return found


def of_each(frame: Frame, x: Abstract, act: Callable[[Abstract], Abstract]) -> Abstract:
    """`act` of whichever container is chosen."""
    if not isinstance(x, Chosen):
        return act(x)
    return choose(
        frame, x.cond, lambda: of_each(frame, x.then, act), lambda: of_each(frame, x.orelse, act)
    )


__all__ = ["Chosen", "of_each", "receiver"]
