"""Gradients in parts (`srcad.parallel`) inside a compiled step: kept as the calls they are.

The parts run on an engine, which is no part of a program. What the call gives has the types of the
same gradient computed here in one part, which is lowered for them and thrown away:

    value, w_bar = step(w, x, y)    value, w_bar = picked(step, ((0,), (1,)), w, x, y)
"""

from __future__ import annotations

from typing import Any

from srcad.frontend.abstract.call_leaves import leaves_of, placed_leaves, rebuilt
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.state import unkept
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
    paths = tuple(path for path, _ in placed_leaves(found))
    outs = tuple(Value("", type_of_leaf(leaf)) for leaf in leaves_of(found))
    step = session.inputs.whole(callee.path)
    given, options = session.atom(_passed(frame, args)), session.atom(_passed(frame, kwargs))
    fn = OnlyItem(picked) if len(outs) == 1 else picked
    loc = session.builder.loc
    session.add(Op(fn, (step, paths, *given), options, outs, loc, effect=True))
    left = iter(outs)
    return rebuilt(found, lambda _: next(left), frozen=False)


def _in_one_part(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """What the gradient gives if it is computed here; nothing of that stays in the program."""
    with unkept(frame), frame.session.trial():
        return derive_inside(frame, request, callee, args, kwargs)


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


__all__ = ["call_in_parts"]
