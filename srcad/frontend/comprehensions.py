"""Comprehensions and generator expressions: loops in a scope of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.frame import Frame
from srcad.frontend.objects import Abstract, DictObj, Generator, ListObj


def _scope(frame: Frame) -> Frame:
    inner = Frame(frame.session, frame.file, frame.name, outer=frame, callers=frame.callers)
    inner.loop_depth = 1
    return inner


def run(
    frame: Frame, generators: list[Any], body: Callable[[Frame], None], what: str
) -> None:
    """Call `body` for each turn of nested comprehension clauses whose lengths are known."""
    _clauses(_scope(frame), generators, body, what)


def _clauses(inner: Frame, generators: list[Any], body: Callable[[Frame], None], what: str) -> None:
    from srcad.frontend.assign import assign_target
    from srcad.frontend.expressions import expression, test_value
    from srcad.ir.nodes import Value

    if not generators:
        body(inner)
        return
    clause, *rest = generators
    for item in known_items(inner, expression(inner, clause.iter), what, clause.iter):
        assign_target(inner, clause.target, item)
        conditions = [test_value(inner, test) for test in clause.ifs]
        if any(isinstance(c, Value) for c in conditions):
            raise error("E123", inner.at(clause.ifs[0]), what=f"the condition of {what}")
        if all(conditions):
            _clauses(inner, rest, body, what)


def known_items(frame: Frame, x: Abstract, what: str, node: Any) -> list[Abstract]:
    """The items of an iterable; specialises to int inputs that fix its length."""
    from srcad.frontend.loops import counted, static_items

    if isinstance(x, Generator):
        return collect(x)
    items = static_items(frame, x)
    if items is not None:
        return items
    with frame.errors_at(node):
        trip = counted(frame, x)
        bounds = [frame.session.static(b, f"the length of {what}") for b in (trip.start, trip.stop, trip.step)]
        indices = range(*bounds)
        return [trip.item(i) for i in (reversed(indices) if trip.reverse else indices)]  # type: ignore[arg-type]


def list_comp(frame: Frame, node: gast.ListComp) -> Abstract:
    from srcad.frontend.expressions import expression

    items: list[Abstract] = []
    run(
        frame,
        node.generators,
        lambda inner: items.append(expression(inner, node.elt)),
        "a comprehension",
    )
    return ListObj(items)


def dict_comp(frame: Frame, node: gast.DictComp) -> Abstract:
    from srcad.frontend.expressions import expression

    items: dict[Any, Abstract] = {}

    def body(inner: Frame) -> None:
        key = frame.session.static(expression(inner, node.key), "a key of a dict")
        items[key] = expression(inner, node.value)

    run(frame, node.generators, body, "a comprehension")
    return DictObj(items)


def generator(frame: Frame, node: gast.GeneratorExp) -> Abstract:
    return Generator(node, frame)


def collect(x: Generator) -> list[Abstract]:
    """All items of a generator expression."""
    from srcad.frontend.expressions import expression

    items: list[Abstract] = []
    run(
        x.frame,
        x.node.generators,
        lambda inner: items.append(expression(inner, x.node.elt)),
        "a generator expression",
    )
    return items


def accumulate(x: Generator, start: Abstract, add: Callable[[Abstract, Abstract], Abstract]) -> Abstract:
    """Fold the items of a generator with one clause and no condition, in a loop: `sum(f(i) for i in range(n))`."""
    from srcad.frontend.assign import assign_target
    from srcad.frontend.expressions import expression, test_value
    from srcad.frontend.loops import for_each
    from srcad.ir.nodes import Value

    (clause,) = x.node.generators
    inner = _scope(x.frame)
    total = ".total"  # no Python name: the user's cannot clash with it
    inner.env[total] = start

    def body(item: Abstract) -> None:
        assign_target(inner, clause.target, item)
        for test in clause.ifs:
            if isinstance(test_value(inner, test), Value):
                raise error("E123", inner.at(test), what="the condition of a generator expression")
        inner.env[total] = add(inner.env[total], expression(inner, x.node.elt))

    name = clause.target.id if isinstance(clause.target, gast.Name) else "i"
    for_each(inner, expression(inner, clause.iter), body, name=name)
    return inner.env[total]
