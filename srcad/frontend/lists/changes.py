"""Changes of a list that a loop has made: by a statement after the loop, as a list of its own.

    for v in x: ys.append(v * v)            ys_1 = array(seq)
    ys.append(a)                     ->     ys_2 = concatenate([ys_1, array([a])])

The name stands for another list then, so it must be all that holds the one that changes; and no
loop may be reading it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Grown, ListObj
from srcad.frontend.abstract.reachable import reachable
from srcad.frontend.dispatch import expression
from srcad.frontend.lists.columns import joint_kind, read_as, with_first
from srcad.frontend.lists.items import are_alike, numbered, parts_of_item
from srcad.ir.types import rank_of


def change(frame: Frame, node: Any) -> bool:
    """Lower `name.append(v)` and the like, if `name` stands for a list that a loop has made;
    whether it does.
    """
    match node:
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="append" | "extend" as method),
            args=[arg],
            keywords=[],
        ) if not isinstance(arg, gast.Starred):
            pass
        case _:
            return False
    x = frame.env.get(name)
    if not isinstance(x, Grown):
        return False
    what = f"`{gast.unparse(node)}`"
    given = expression(frame, arg)
    items = [given] if method == "append" else _known_items(given, what)
    _check_held(frame, name, x, what)
    frame.env[name] = _extended(frame, x, items, what) if items else x
    return True


def _known_items(x: Abstract, what: str) -> list[Abstract]:
    if isinstance(x, tuple):
        return list(x)
    if isinstance(x, ListObj):
        return list(x.items)
    raise _refusal(what)


def _check_held(frame: Frame, name: str, x: Grown, what: str) -> None:
    """Refuse to change what something else holds, or what a loop around may read."""
    state = st.snapshot(frame)
    places = [(owner, key) for owner, key, content in state.locations() if content is x]
    others = [
        *(content for _, _, content in state.locations() if content is not x),
        *(x for each in frame.session.frames if each is not frame for x in each.env.values()),
    ]
    is_held = any(each is x for each in reachable(others, state.envs))
    if places != [(frame, name)] or is_held or frame.loop_depth or frame.env.get(name) is not x:
        raise _refusal(what)


def _extended(frame: Frame, x: Grown, items: list[Abstract], what: str) -> Grown:
    """The list with these items at its end."""

    def decline() -> Any:
        raise _refusal(what)

    rows = [list(parts_of_item(item, decline)) for item in items]
    forms = [numbered(item) for item in items]
    if not all(are_alike(x.item, form) for form in forms):
        decline()
    session = frame.session
    columns = tuple(session.emit(np.array, (list(parts),)) for parts in zip(*rows, strict=True))
    kinds = tuple(
        joint_kind(*(read_as(session.kinds, session.atom(part)) for part in parts))
        for parts in zip(*rows, strict=True)
    )
    has_rows = any(rank_of(column.type) != 1 for column in columns)
    if has_rows and not x.last:
        decline()  # an array of no rows has no axis for them
    made = with_first(frame, x, [list(x.columns)], Grown(x.item, columns, kinds))
    if made is None:
        raise _refusal(what)
    for k, column in enumerate(made.columns):
        if rank_of(column.type) != 1:  # its rows are those arrays
            session.memory.tell(column, [x.columns[k], *(row[k] for row in rows)])
            session.memory.entangled[column] = f"changed: {what}"
    is_plain = not any(isinstance(item, ListObj) for item in items)
    last = (*items[::-1], *x.last) if is_plain else ()
    return replace(made, last=last)


def _refusal(what: str) -> Exception:
    fix = "make an array of it first: `np.append(items, last)`"
    return error("E118", None, what=what, fix=fix)


__all__ = ["change"]
