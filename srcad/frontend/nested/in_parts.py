"""Gradients in parts (`srcad.parallel`) inside a compiled step: kept as the calls they are.

The parts run on an engine, which is no part of a program. What the call gives has the types of the
same gradient computed here in one part, which is lowered for them and thrown away:

    value, w_bar = step(w, x, y)    value, w_bar = picked(step, ((0,), (1,)), w, x, y)
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from srcad.frontend.abstract.call_leaves import rebuilt
from srcad.frontend.abstract.containers.containers import CONTAINERS, DictObj, ListObj
from srcad.frontend.abstract.containers.contents import known_contents
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Ref, is_leaf
from srcad.frontend.abstract.state import restore, snapshot
from srcad.frontend.calls.opaque_calls import very_object
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.nested.transforms import derive_inside, in_parts_refused
from srcad.ir.nodes import Op, Value
from srcad.rules.core.sequences import OnlyItem
from srcad.runtime.effects import picked


def call_in_parts(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of a gradient in parts (`request` is that of one part): a call of the very object.

    Raises:
        UnsupportedSyntax: E100, the program around it is to be differentiated.
    """
    session = frame.session
    if not session.writes or not callee.path:
        raise in_parts_refused()
    found = _in_one_part(frame, request, callee, args, kwargs)
    paths = tuple(path for path, _ in _leaves(found))
    outs = tuple(Value("", type_of_leaf(leaf)) for _, leaf in _leaves(found))
    step = session.inputs.whole(callee.path)
    given, options = session.atom(_passed(frame, args)), session.atom(_passed(frame, kwargs))
    fn = OnlyItem(picked) if len(outs) == 1 else picked
    loc = session.builder.loc
    session.add(Op(fn, (step, paths, *given), options, outs, loc, effect=True))
    left = iter(outs)
    return rebuilt(found, lambda _: next(left), frozen=False)


def _in_one_part(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """What the gradient gives if it is computed here; nothing of that stays in the program."""
    session = frame.session
    before = snapshot(frame)
    attributes, written = set(session.attributes_read), dict(session.memory.written)
    known = {name: copy.copy(content) for name, content in vars(session.inputs).items()}
    try:
        with session.trial():
            return derive_inside(frame, request, callee, args, kwargs)
    finally:
        restore(before)
        session.memory.written = written
        session.attributes_read = attributes
        vars(session.inputs).update(known)


def _passed(frame: Frame, x: Any) -> Any:
    """An argument with what containers hold now: the call reads them, and keeps none."""
    if isinstance(x, tuple):
        return tuple(_passed(frame, item) for item in x)
    if isinstance(x, ListObj):
        return [_passed(frame, item) for item in x.items]
    if isinstance(x, dict | DictObj):
        items = x.items if isinstance(x, DictObj) else x
        return {key: _passed(frame, item) for key, item in items.items()}
    return very_object(frame, x)


def _leaves(x: Abstract, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Abstract]]:
    """The numbers and arrays of a result, each with its keys from outside in."""
    if is_leaf(x):
        yield path, x
    elif isinstance(x, tuple):
        for k, item in enumerate(x):
            yield from _leaves(item, (*path, k))
    elif isinstance(x, CONTAINERS):
        for key, item in known_contents(x).items():
            yield from _leaves(item, (*path, key))


__all__ = ["call_in_parts"]
