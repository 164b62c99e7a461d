"""Lists that a loop that is kept only appends to, and what is made of them.

    hs = []                              For(0, n, 1, init=[h], seqs=[hs_1]):
    for t in range(n):                       h = tanh(w @ h + x[t])
        h = np.tanh(w @ h + x[t])     ->     yield h | h
        hs.append(h)                     hs_2 = np.array(hs_1)
    return np.sum(np.stack(hs) ** 2)     sum(hs_2 ** 2)

The list is known as the array of its items (one for each part of an item that is a tuple): then
`hs[i]` is a row of it, and iterating over the list is iterating over its rows.

A list grows so where the loop names it once in each iteration, as `hs.append(...)`, nothing else
holds it, and its items are arrays of one shape or numbers. For anything else, and whatever is done
with the list later that is not done here, the function is lowered again with this loop unrolled
(`NeedStatic`).

A list that grows on some paths of an iteration only is tried last. A flag tells the iterations that
have an item; the others have a filler, which leaves the columns after the loop:

    for v in x:                        For(0, len(x), 1, seqs=[ys_1, flags]):
        if v > 0:                          If(gt(v, 0)): yield log(v), True
            ys.append(np.log(v))    ->     else:         yield 0.0, False
                                       ys_2 = np.array(ys_1)[np.array(flags)]

A list to which only a loop inside appends gets the array of its items from that loop, a piece in
each iteration; the pieces are joined after the loop:

    for i in range(n):                 For(0, n, 1, seqs=[pieces]):
        for j in range(i):                 For(0, i, 1, seqs=[ds_1]): yield x[i] - x[j]
            ds.append(x[i] - x[j])  ->     yield np.array(ds_1)
                                       ds_2 = joined(np.zeros(0), pieces)
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gast

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Piece
from srcad.frontend.abstract.containers.laid import LAID, NOT_LAID
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.signals import Carries, Grows
from srcad.frontend.lists.appending import (
    appended,
    appended_inside,
    appended_on_paths,
    has_loops,
    may_skip,
)
from srcad.frontend.lists.carried import CarriedLists
from srcad.frontend.lists.growing import Growing
from srcad.frontend.lists.opened import Open, Pieces

FEW = 16  # iterations that are unrolled where their number is known
_UNROLLED, _ON_PATHS, _AFTER_ALL = "unrolled: ", "on paths: ", "unrolled after all: "


def find_growing(frame: Frame, node: gast.For | gast.While) -> Growing:
    """The lists that grow in a loop, as its text tells."""
    inside, on_paths = appended_inside(node), appended_on_paths(node)
    if frame.session.carries:
        lists = _own_lists(frame, [*on_paths, *inside])
        return Growing(frame, lists, _key(frame, node), True, inside, opens=True, carries=True)
    if grows_on_paths(frame, node):
        lists = _own_lists(frame, [*on_paths, *inside])
        return _growing(frame, node, lists, True, inside)
    if on_paths and may_skip(node) and _own_lists(frame, on_paths):
        frame.session.growing_on_paths.add(_key_on_paths(frame, node))
    if _key(frame, node) in frame.session.inputs.statics:
        return Growing(frame, {})
    lists = _own_lists(frame, [*appended(node), *inside])
    return _growing(frame, node, lists, inside=inside)


def _growing(
    frame: Frame,
    node: Any,
    lists: dict[str, ListObj],
    sometimes: bool = False,
    inside: Collection[str] = (),
) -> Growing:
    is_last_try = grows_on_paths(frame, node)
    made = Growing(frame, lists, _key(frame, node), sometimes, inside, is_last_try, opens=True)
    made.is_long = isinstance(node, gast.For) and has_loops(node)
    return made


def _own_lists(frame: Frame, names: list[str]) -> dict[str, ListObj]:
    """The lists that names stand for, if no loop around has to know of what is added."""
    found: dict[str, ListObj] = {}
    for name in names:
        x = frame.env.get(name)
        if isinstance(x, ListObj) and isinstance(x.form, Pieces):
            x = x.form.piece
        if isinstance(x, ListObj) and _is_open(frame, x) and x not in found.values():
            found[name] = x
    return found


def _is_open(frame: Frame, x: ListObj) -> bool:
    """Whether a loop that begins here may append to a list."""
    has_items = x.form is None or isinstance(x.form, Grown)
    return has_items and _may_grow(frame, x) and not frame.session.loops_after(x)


def _may_grow(frame: Frame, x: ListObj) -> bool:
    """Whether it is a list of the program's own, or an argument's, that no loop around reads."""
    is_own = x.cls in (list, Piece) and x.maxlen is None and not x.frozen
    is_read = any(x is each for each in frame.session.iterated)
    return is_own and not is_read and (not x.path or x.path.startswith("A["))


def grow(frame: Frame, x: Any) -> None:
    """Lower the outermost loop that a list was there before again, as one that appends to it, if
    that may be.
    """
    if not isinstance(x, ListObj):
        return
    around = frame.session.loops_after(x)
    is_open = isinstance(x.form, Open | Pieces)
    if not is_open and _may_grow(frame, x) and around and around[0].opens:
        raise Grows(around[0].token, x, len(around) > 1)


def opening(
    frame: Frame, growing: Growing, keep: Callable[[Growing], Outcome | None]
) -> Outcome | None:
    """Lower a loop; again from the state before it, each time that a list turns out to grow, or to
    be carried.
    """
    go_back, carried = st.backtrack_point(frame), CarriedLists(frame)
    while True:
        try:
            return keep(growing)
        except (Grows, Carries) as found:
            if found.token is not growing.token:
                raise
            go_back()
            left_out = growing.left_out
            if isinstance(found, Grows):
                growing = growing.opening(found.obj, found.inside)
            elif found.obj is None:
                growing = growing.closed()
            else:
                growing = growing.again()
                if not carried.add(found.obj, found.several, found.is_other):
                    left_out.add(found.obj)
            growing.left_out = left_out
        carried.begin()


def growing_list(frame: Frame, node: gast.ListComp, k: int, name: str) -> Growing | None:
    """The list of a comprehension in the loop of its clause `k`, under a `name` in its scope."""
    is_tried_last = grows_on_paths(frame, node)
    if _key(frame, node) in frame.session.inputs.statics and not is_tried_last:
        return None
    made = frame.env[name]
    if isinstance(made.form, Pieces):
        made = made.form.piece
    is_inside = k + 1 < len(node.generators)
    sometimes = bool(node.generators[k].ifs) and not is_inside
    growing = _growing(frame, node, {name: made}, sometimes, {name} if is_inside else ())
    growing.is_long = True
    return growing


def grows_on_paths(frame: Frame, node: Any) -> bool:
    """Whether the lists of a loop or comprehension are known to grow on some paths only."""
    statics, key = frame.session.inputs.statics, _key_on_paths(frame, node)
    return key in statics and key.replace(_ON_PATHS, _AFTER_ALL) not in statics


def unrolled_instead(statics: frozenset[str]) -> frozenset[str]:
    """What to unroll loops with whose lists were taken to grow on some paths, which did not help:
    one that is left in its first iteration has the items of that.
    """
    places = [key.removeprefix(_ON_PATHS) for key in statics if key.startswith(_ON_PATHS)]
    wanted = (prefix + place for place in places for prefix in (_UNROLLED, _AFTER_ALL))
    return frozenset(wanted) - statics


def may_grow_on_paths(frame: Frame, node: Any) -> None:
    """If it is refused what its conditions decide, a comprehension is lowered again as a loop."""
    frame.session.growing_on_paths.add(_key_on_paths(frame, node))


def is_few(start: Any, stop: Any, step: Any) -> bool:
    """Whether a loop makes few iterations, known while compiling."""
    bounds = (start, stop, step)
    return all(type(b) is int for b in bounds) and len(range(*bounds)) <= FEW


def is_asked_for(frame: Frame, node: Any) -> bool:
    """Whether the list made at a place is to stand in an array, however few items it has."""
    origin, statics = origin_of(frame, node), frame.session.inputs.statics
    return LAID + origin in statics and NOT_LAID + origin not in statics


def _key(frame: Frame, node: Any) -> str:
    return _UNROLLED + origin_of(frame, node)


def _key_on_paths(frame: Frame, node: Any) -> str:
    return _ON_PATHS + origin_of(frame, node)


def origin_of(frame: Frame, node: Any) -> str:
    """The place of an expression or statement, in what the function is lowered again with."""
    return f"{frame.file}:{node.lineno}:{node.col_offset}"


__all__ = [
    "find_growing",
    "grow",
    "growing_list",
    "grows_on_paths",
    "is_asked_for",
    "is_few",
    "may_grow_on_paths",
    "opening",
    "origin_of",
    "unrolled_instead",
]
