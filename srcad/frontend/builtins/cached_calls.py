"""Functions that keep their results: `functools.cache`, `functools.lru_cache`.

    @cache
    def f(n): return x if n < 2 else f(n - 1) * f(n - 2)
    f(20)                                                    19 products, not 6,765

A call with the same constants has the result of the first one, where that is there: it was not made
on another path only. Another call runs the function, which gives the same, once more. One that does
more than give a result runs once for all equal arguments, and is refused where it might run again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.containers.reachable import containers_in
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Partial, Ref
from srcad.frontend.abstract.session import Session
from srcad.frontend.calls.known_results import told
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.loops.acting import Watch
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Stmt

Place = tuple[list[Stmt], int, Any]


def cache(frame: Frame, fn: Abstract = None, **options: Abstract) -> Abstract:
    """`functools.cache` of a pure function."""
    if not isinstance(fn, FunctionObj | Ref | Partial):
        return Closed(cache, "lru_cache")
    own = object()

    def cached(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_cached(frame, own, args, kwargs, lambda: call(frame, fn, args, kwargs))

    return Closed(cached, "cached", (fn,))


def call_cached(
    frame: Frame, fn: Any, args: Args, kwargs: Kwargs, make: Callable[[], Abstract]
) -> Abstract:
    """The result of a cached function `fn`, which `make` lowers where it is not there."""
    kept, key = frame.session.kept_results, _key(fn, args, kwargs)
    if key in kept and is_there(frame.session, kept[key][1]):
        return kept[key][0]
    watch = Watch(frame)
    result = _kept(frame, make())
    is_first = key is not None and key not in kept and not frame.session.entered
    lasts = isinstance(fn, functools._lru_cache_wrapper)  # what it keeps outlives the call
    if (lasts or not is_first) and watch.changes(may_raise=True):
        what = "a cached function that does more than give a result"
        fix = "take out of it what it does besides, or call it without the cache"
        raise error("E100", None, what=what, fix=fix)
    if key is not None:
        # With the function itself, whose id is part of the key.
        kept[key] = result, place(frame.session), fn
    if lasts:
        note_lasting(frame.session, result)
    return result


def _key(fn: Any, args: Args, kwargs: Kwargs) -> Hashable | None:
    """A function with its arguments; None where these are not all constants."""
    parts = told((*args, *kwargs.values()))
    return None if parts is None else (id(fn), parts, len(args), tuple(kwargs))


def place(session: Session) -> Place:
    """The place where something was made just now."""
    body = session.builder.body
    return body, len(body), body[-1] if body else None


def is_there(session: Session, place: Place) -> bool:
    """Whether what was made at a place is made before what is lowered now, on every path."""
    body, n, last = place
    is_open = any(body is each for each in (session.builder.body, *session.around))
    return is_open and len(body) >= n and (n == 0 or body[n - 1] is last)


def note_lasting(session: Session, result: Abstract) -> None:
    """Note that arrays and containers are kept when the program has ended."""
    memory = session.memory
    memory.lasting.update(memory.root(v) for v in values_of(result) if is_array(v))
    memory.lasting.update(containers_in([result]))


def _kept(frame: Frame, result: Abstract) -> Abstract:
    """The result of a cached function, which may not be changed: others get the same object."""
    memory = frame.session.memory
    memory.unowned.update(memory.root(v) for v in values_of(result) if is_array(v))
    for each in containers_in([result]):
        each.frozen = True
    return result


__all__ = ["Place", "cache", "call_cached", "is_there", "note_lasting", "place"]
