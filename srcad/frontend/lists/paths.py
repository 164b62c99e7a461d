"""A list of numbers to which one path of a branch appends: on each path an array of its items.

ys = [x]                          If(c): yield array([x, v])
if c: ys.append(v)         ->     else:  yield array([x])
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from srcad.frontend.abstract.containers.containers import Container, DictObj, Grown, ListObj, SetObj
from srcad.frontend.abstract.containers.contents import FORM, contents
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import Growth, refuse_growth
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import AS_TABLE
from srcad.frontend.abstract.state import State, restore
from srcad.frontend.lists.columns import grown_of
from srcad.frontend.lists.marks import common_form, in_form
from srcad.frontend.lists.templates import NoArrays, form_list, joined_templates, template_of
from srcad.ir.nodes import Stmt
from srcad.ir.types import dtype_of, rank_of


def form_sides(frame: Frame, growth: Growth, states: list[State], bodies: list[list[Stmt]]) -> None:
    """Give a list its items as arrays at the end of both paths of a branch.

    Raises:
        UnsupportedSyntax: E119, it has not the form of a list of numbers on both.
    """
    x = growth.obj
    if isinstance(x, DictObj | SetObj) and x.origin and not x.frozen:
        frame.session.tabled.add(AS_TABLE + x.origin)
    contents = [state.heap.get(x) for state in states]
    if not isinstance(x, ListObj) or x.cls is not list or x.maxlen is not None or None in contents:
        refuse()
    for k in (0, 1):
        _form_side(frame, x, states[k], bodies[k])
    for k, other in ((0, 1), (1, 0)):
        _form_empty(frame, x, states[k], states[other].heap[x].get(FORM), bodies[k])
    _mark_sides(frame, x, states, bodies)


def form_pair(
    frame: Frame, pair: tuple[ListObj, ListObj], states: list[State], bodies: list[list[Stmt]]
) -> bool:
    """Give two lists, one after each path, arrays of their items; whether there are such.

    if c: r = [a]                     If(c): yield array([a])
    else: r = [a, b]           ->     else:  yield array([a, b])
    """
    sides = list(zip(pair, states, bodies, strict=True))
    try:
        held = [state.heap.get(x) or contents(x) for x, state, _ in sides]
        template = joined_templates(frame, [template_of(frame, each) for each in held if each])
        for x, state, body in sides:
            restore(state)
            with frame.session.builder.into(body):
                form_list(frame, x, template)
            state.heap[x] = contents(x)
    except (Mismatch, NoArrays):
        return False
    return True


def _form_side(frame: Frame, x: Container, state: State, body: list[Stmt]) -> None:
    """The form of the items, if there are any."""
    items = state.heap[x]
    if FORM in items or not items:
        return
    memory = frame.session.memory
    memory.contents = dict(state.arrays)
    with frame.session.builder.into(body):
        _put(state, x, grown_of(frame, list(items.values()), refuse))


def _form_empty(
    frame: Frame, x: Container, state: State, other: Abstract, body: list[Stmt]
) -> None:
    """The form of no items, like those of the other path."""
    if FORM in state.heap[x]:
        return
    if not isinstance(other, Grown):
        refuse()
    with frame.session.builder.into(body):
        zeros = [(np.zeros, (0, dtype_of(column.type))) for column in other.columns]
        columns = tuple(frame.session.emit(fn, args) for fn, args in zeros)
    _put(state, x, other.of_columns(columns))


def _mark_sides(frame: Frame, x: Container, states: list[State], bodies: list[list[Stmt]]) -> None:
    """The same marks on both paths."""
    form = common_form([(each.item, each.kinds) for each in (s.heap[x][FORM] for s in states)])
    if form is None:
        refuse()
    for state, body in zip(states, bodies, strict=True):
        with frame.session.builder.into(body):
            _put(state, x, in_form(frame, state.heap[x][FORM], form))


def _put(state: State, x: Container, form: Any) -> None:
    if not isinstance(form, Grown) or any(rank_of(column.type) != 1 for column in form.columns):
        refuse()
    state.heap[x] = {FORM: form}


def refuse() -> NoReturn:
    """Refuse a container whose length depends on the path."""
    raise refuse_growth("a container of another length in each branch")


__all__ = ["form_pair", "form_sides", "refuse"]
