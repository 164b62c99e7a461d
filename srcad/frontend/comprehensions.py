"""Comprehensions and generator expressions: loops in a scope of their own."""

from __future__ import annotations

from typing import Any

import gast

from srcad.frontend.dispatch import expression, handles_expression
from srcad.frontend.frame import Frame
from srcad.frontend.iterables import Generator
from srcad.frontend.iteration import turns
from srcad.frontend.objects import Abstract, DictObj, ListObj


@handles_expression(gast.ListComp)
def _list_comp(frame: Frame, node: gast.ListComp) -> Abstract:
    scopes = turns(frame, node.generators, "a comprehension")
    return ListObj([expression(inner, node.elt) for inner in scopes])


@handles_expression(gast.DictComp)
def _dict_comp(frame: Frame, node: gast.DictComp) -> Abstract:
    items: dict[Any, Abstract] = {}
    for inner in turns(frame, node.generators, "a comprehension"):
        key = frame.session.static(expression(inner, node.key), "a key of a dict")
        items[key] = expression(inner, node.value)
    return DictObj(items)


@handles_expression(gast.GeneratorExp)
def _generator(frame: Frame, node: gast.GeneratorExp) -> Abstract:
    """Its first iterable is evaluated now, the rest when it is iterated over, as in Python."""
    return Generator(node, frame, expression(frame, node.generators[0].iter))
