"""Cached properties: computed where they are read first, and kept in the object from then on.

    net.scale * x           net = {"k": k, "scale": scale}          `scale` is an attribute
    net.scale               scale

An object made here has the attribute, and an argument of a compiled function gets it. In a branch
or a loop it is not known whether the attribute is there: each read computes what the first one did,
where that is sure to be the same, and nothing can be changed in it. An object from outside gets it
when the program runs, there and where it is captured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    MUTABLE,
    DictObj,
    ListObj,
    RecordObj,
)
from srcad.frontend.abstract.containers.contents import contents, values_of
from srcad.frontend.abstract.containers.reachable import containers_in, reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, is_partial
from srcad.frontend.abstract.session import Session
from srcad.frontend.builtins.cached_calls import Place, is_there, note_lasting, place
from srcad.frontend.dispatch import call
from srcad.frontend.kinds import is_cached_property
from srcad.frontend.loops.acting import Watch
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Stmt, Value
from srcad.ir.walk import outputs, reads, statements
from srcad.runtime.effects import set_cached

_FIX = "read it once before the branch or loop, or make it a plain property or a method"
_CONSTANTS = (bool, int, float, complex, str, bytes, np.generic, type(None))


@dataclass(frozen=True, slots=True)
class Kept:
    """What a property gave, where it was computed, and from what."""

    result: Abstract
    place: Place
    parts: list[tuple[Any, Any]]


def cached(frame: Frame, x: Abstract, name: str, fn: Abstract) -> Abstract:
    """The cached property `name` of an object that has no attribute of this name; `fn` is its
    function.
    """
    session = frame.session
    known = session.properties.get((x, name))
    if known is not None:
        if is_there(session, known.place):
            return known.result
        if any(_content(frame, part) != old for part, old in known.parts):
            what = f"what the cached property `{name}` was computed from"
            raise error("E118", None, what=what, fix=_FIX)
    cls = x.cls if isinstance(x, RecordObj) else type(x.obj)
    if not cls.__dictoffset__:
        raise error("E118", None, what=f"the cached property `{name}` of an object without a dict")
    if _is_open(session, x):
        found = call(frame, fn, (x,))
        _set(session, x, name, found)
        return found
    return _computed(frame, x, name, lambda: call(frame, fn, (x,)))


def check_one(x: RecordObj | Instance, name: str, cls: type) -> None:
    """Refuse to read a cached property that some paths have computed."""
    if is_partial(x.fields[name]) and is_cached_property(cls, name):
        what = f"the cached property `{name}`, which is set on some paths only,"
        raise error("E129", None, what=what, fix=_FIX)


def _is_open(session: Session, x: Abstract) -> bool:
    """Whether an attribute may be set on an object here, for all that follows."""
    if not x.path:
        return isinstance(x, RecordObj) and _may_set(session, x)
    return session.writes and x.path.startswith("A[") and _may_set(session, x)


def _may_set(session: Session, x: Any) -> bool:
    """Whether nothing but the program sees that it is set: in no branch or loop but that in which
    the object is made.
    """
    is_inside = bool(session.around or session.open_functions)
    if is_inside and session.homes.get(x) is not session.builder.body:
        return False
    if getattr(x, "frozen", False) or x in session.shown:
        return False
    if isinstance(x, RecordObj) and (x.is_tuple or x.uneven):
        return False
    return not x.path or not session.inputs.is_shared(x.path)


def _set(session: Session, x: Any, name: str, found: Abstract) -> None:
    if x.path:
        session.inputs.change(x, f"the cached property `{name}`")
    x.fields[name] = found


def _computed(frame: Frame, x: Any, name: str, make: Callable[[], Abstract]) -> Abstract:
    """What the property gives, to be computed again where this place is not passed."""
    session = frame.session
    memory, clock, watch = session.memory, session.memory.clock, Watch(frame)
    found = make()
    if watch.changes(aside=(set_cached,), may_raise=True):
        if x.path.startswith("A[") and _may_set(session, x):  # of a derivative, which has a copy
            _set(session, x, name, found)
            return found
        what = f"the cached property `{name}`, which does more than give a value,"
        raise error("E118", None, what=what, fix=_FIX)
    _check_same(session, x, name, watch.made, found)
    arrays = [v for v in values_of(found) if is_array(v)]
    is_new = all(
        not memory.is_older(memory.root(v), clock) and not memory.is_from_outside(v) for v in arrays
    )
    # What is new may not be changed: another read makes another one.
    memory.unowned.update(
        root for root in map(memory.root, arrays) if not memory.is_older(root, clock)
    )
    for each in containers_in([found]):
        each.frozen = each.frozen or each not in watch.before.heap
    if x.path and session.writes:
        if not _can_be_kept(found) or not is_new:
            what = f"the cached property `{name}`, which makes an object that lasts,"
            raise error("E118", None, what=what, fix=_FIX)
        for value in values_of(found):
            session.kinds.check_kind(value, "which a cached property keeps,")
        note_lasting(session, found)
        _set_those_before(session, x)
        session.effect(set_cached, session.inputs.whole(x.path), name, _as_argument(found))
    lifted = [each for each in session.inputs.lifted if x.path and each.path.startswith(x.path)]
    parts = [part for part in reachable([x, *lifted]) if isinstance(part, (*MUTABLE, Value))]
    kept = [(part, _content(frame, part)) for part in parts]
    session.properties[x, name] = Kept(found, place(session), kept)
    return found


def _set_those_before(session: Session, x: Any) -> None:
    """Set the attributes that an argument has got until now, which the end of the call would set
    after what is set in a branch or loop: the order of the attributes is that of Python.
    """
    if not x.path.startswith("A["):
        return
    held = session.inputs.lifted[x] if isinstance(x, RecordObj) else vars(x.obj)
    for name, item in x.fields.items():
        if name in held:
            continue
        if not _can_be_kept(item):
            what = f"a cached property of an object that has got the attribute `{name}`"
            raise error("E118", None, what=what, fix=_FIX)
        session.effect(set_cached, session.inputs.whole(x.path), name, _as_argument(item))


def _can_be_kept(x: Abstract) -> bool:
    """Whether the program can store it in an object when it runs."""
    if isinstance(x, tuple):
        return type(x) is tuple and all(map(_can_be_kept, x))
    if isinstance(x, ListObj):
        return x.cls is list and x.form is None and all(map(_can_be_kept, x.items))
    if isinstance(x, DictObj):
        return x.cls is dict and all(map(_can_be_kept, x.items.values()))
    return isinstance(x, (Value, *_CONSTANTS))


def _as_argument(x: Abstract) -> Abstract:
    """What can be kept, as an argument of an operation."""
    if isinstance(x, tuple):
        return tuple(map(_as_argument, x))
    if isinstance(x, ListObj):
        return list(map(_as_argument, x.items))
    return {k: _as_argument(v) for k, v in x.items.items()} if isinstance(x, DictObj) else x


def _check_same(session: Session, x: Any, name: str, made: list[Stmt], found: Abstract) -> None:
    """Refuse what iterations of a loop compute anew, from what is another thing in each."""
    loops = session.loops_after(x)
    if not loops:
        return
    bodies = [*session.around, session.builder.body][loops[0].depth + 1 :]
    tokens = {loop.token for loop in loops}
    varying = {v for v, token in session.loop_varying.items() if token in tokens}
    own = set(made)
    for body in bodies:
        varying.update(v for stmt in body if stmt not in own for v in outputs(stmt))
    read = {v for stmt in statements(Block([], made, [])) for v in reads(stmt)}
    if not varying.isdisjoint((*read, *values_of(found))):
        what = f"what the cached property `{name}` is computed from, in a loop,"
        raise error("E118", None, what=what, fix=_FIX)


def _content(frame: Frame, x: Abstract) -> Any:
    return frame.session.atom(x) if isinstance(x, Value) else list(contents(x).items())


__all__ = ["cached", "check_one"]
