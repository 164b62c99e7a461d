"""Comparisons, one by one and in chains.

a < b              lt(a, b)
a < b < c          if lt(a, b): lt(b, c), else False: `b` is evaluated once
(x, 1) < (y, 2)    if eq(x, y): True, else lt(x, y)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Either
from srcad.frontend.comparisons.beside_arrays import as_array, as_sequence
from srcad.frontend.comparisons.equality import equality, is_or_equals, known_comparison, plain
from srcad.frontend.comparisons.identity import identical
from srcad.frontend.comparisons.membership import contains, contains_any
from srcad.frontend.comparisons.user_comparisons import ordered_fields
from srcad.frontend.dispatch import expression, handles_expression
from srcad.frontend.expressions.by_case import asked, by_case
from srcad.frontend.expressions.operators import arithmetic, negation
from srcad.frontend.known_objects import operated
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.truth import as_bool, truth
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType

COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}


@handles_expression(gast.Compare)
def _compare(frame: Frame, node: gast.Compare) -> Abstract:
    return _chain(frame, expression(frame, node.left), list(node.ops), list(node.comparators))


def _chain(frame: Frame, left: Abstract, ops: list[Any], nodes: list[Any]) -> Abstract:
    """`a < b < c` is `a < b and b < c` with `b` evaluated once."""
    if isinstance(ops[0], gast.In | gast.NotIn) and isinstance(nodes[0], gast.Set):
        right = tuple(expression(frame, each) for each in nodes[0].elts)
        found = contains_any(frame, left, right)
        first = found if isinstance(ops[0], gast.In) else negation(frame, found)
    else:
        right = expression(frame, nodes[0])
        first = compare(frame, ops[0], left, right)
    if len(ops) == 1:
        return first
    known = truth(frame, first)

    def go_on() -> Abstract:
        return _chain(frame, right, ops[1:], nodes[1:])

    if not isinstance(known, Value):
        return go_on() if known else first
    return choose(frame, known, go_on, lambda: first)


def compare(frame: Frame, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """One comparison."""
    if isinstance(op, gast.Is | gast.IsNot):
        same = identical(frame, a, b)
        return same if isinstance(op, gast.Is) else negation(frame, same)
    if isinstance(a, Either) or isinstance(b, Either):
        fn = COMPARE.get(type(op), _in)
        return asked(frame, (a, b), partial(compare, frame, op), fn)
    if isinstance(op, gast.In | gast.NotIn):
        found = contains(frame, a, b)
        return found if isinstance(op, gast.In) else negation(frame, found)
    fn = COMPARE[type(op)]
    if (known := operated(frame, fn, a, b)) is not None:
        return known
    if fn in (operator.eq, operator.ne):
        return equality(frame, fn, a, b)
    return _order(frame, fn, *(plain(frame, x) for x in (a, b)))


def _in(item: Any, container: Any) -> bool:
    return item in container


def _order(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a < b` and the like."""
    if isinstance(a, Either) or isinstance(b, Either):
        return by_case(frame, (a, b), partial(_order, frame, fn), fn)
    answer = known_comparison(frame, fn, a, b)
    if answer is not None:
        return answer
    if (pair := ordered_fields(fn, a, b)) is not None:
        return _order_of_items(frame, fn, *pair)
    if _are_lists(a, b):
        first, second = (x.items if isinstance(x, ListObj) else x for x in (a, b))
        order = _order_of_items(frame, fn, list(first), list(second))
        is_list = isinstance(a, tuple) or (isinstance(a, ListObj) and a.cls is list)
        return order if is_list else as_bool(frame, order)  # a deque tells the truth
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Value) and isinstance(x.type, ArrayType):
            if isinstance(other, str | bytes) and frame.session.is_certain(x):
                return frame.session.emit(fn, (a, b))
            sequence = as_sequence(other)
            if sequence is not None and not frame.session.is_certain(x):
                break  # one of Python's numbers has no order with a sequence
            if sequence is not None:
                array = as_array(frame, sequence)
                return frame.session.emit(fn, (a, array) if x is a else (array, b))
    return arithmetic(frame, fn, a, b)


def _are_lists(a: Abstract, b: Abstract) -> bool:
    if isinstance(a, ListObj) and isinstance(b, ListObj):
        return a.cls is b.cls
    return isinstance(a, tuple) and isinstance(b, tuple)


def _order_of_items(
    frame: Frame, fn: Callable[..., Any], xs: list[Abstract], ys: list[Abstract]
) -> Abstract:
    """The order of two sequences: that of the first items which are not the same."""
    if not xs or not ys:
        return fn(len(xs), len(ys))
    same = is_or_equals(frame, xs[0], ys[0])

    def go_on() -> Abstract:
        return _order_of_items(frame, fn, xs[1:], ys[1:])

    def decide() -> Abstract:
        return _order(frame, fn, *(plain(frame, x[0]) for x in (xs, ys)))

    if not isinstance(same, Value):
        return go_on() if same else decide()
    return choose(frame, same, go_on, decide)


__all__ = ["COMPARE", "compare"]
