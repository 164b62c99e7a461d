"""Where a loop has bound what it returns: where its flag says so, and nowhere else.

    for i in range(n) carrying (returned, result) = (False, UNDEFINED):
        c = ...
        returned_2, result_2, leave = if c: yield True, y, True
                                      else: yield returned, result, False
        yield returned_2, result_2 leaving leave
    -> returned_3, result_3

`result_3` is bound if `returned_3` is true. (A `return` in a loop is such a loop, followed by a
branch on the flag.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Stmt, Value, While
from srcad.ir.walk import blocks

MadeBy = Mapping[Value, Stmt]


def find_flag(stmt: For | While, out: Value, made_by: MadeBy) -> Value | None:
    """The result of the loop that is true where its result `out` is bound, and only there."""
    j = stmt.outs.index(out)
    if not stmt.exits or stmt.init[j] is not UNDEFINED:
        return None
    carried = stmt.carried
    for k, flag in enumerate(stmt.outs):
        if stmt.init[k] is False:
            ends = (stmt.leaves[0], stmt.yielded[k], stmt.yielded[j])
            if _tells(stmt.body, ends, (carried[k], carried[j]), frozenset(), made_by):
                return flag
    return None


def _tells(
    block: Block,
    ends: tuple[Atom, Atom, Atom],
    before: tuple[Value, Value],
    true: frozenset[Atom],
    made_by: MadeBy,
) -> bool:
    """Whether on each path the flag and the value stay, or the loop is left with both set.

    Args:
        block: whose end is looked at.
        ends: what it yields: whether to leave, the flag, the value.
        before: the flag and the value before this iteration.
        true: the conditions that hold here.
        made_by: the statement that binds each value.
    """
    leave, flag, value = ends
    if value is before[1] and (flag is False or flag is before[0]):
        return True
    for stmt in reversed(block.body):
        if isinstance(stmt, If) and stmt.is_branch and any(_is_told(stmt, end) for end in ends):
            return all(
                _tells(
                    inner,
                    tuple(_told(stmt, inner, end) for end in ends),
                    before,
                    true | {stmt.cond} if inner is stmt.then else true,
                    made_by,
                )
                for inner in blocks(stmt)
            )
    return flag is True and leave is True and _is_bound(value, true, made_by)


def _is_told(stmt: If, end: Atom) -> bool:
    return isinstance(end, Value) and (end is stmt.cond or end in stmt.outs)


def _told(stmt: If, inner: Block, end: Any) -> Atom:
    """What `end` is in one of the blocks of `stmt`."""
    if isinstance(end, Value) and end in stmt.outs:
        return inner.results[stmt.outs.index(end)]
    return inner is stmt.then if isinstance(end, Value) and end is stmt.cond else end


def _is_bound(value: Atom, true: frozenset[Atom], made_by: MadeBy) -> bool:
    if value is UNDEFINED:
        return False
    if not isinstance(value, Value) or not value.partial:
        return True
    inner = made_by.get(value)  # a loop inside that has returned
    return isinstance(inner, For | While) and find_flag(inner, value, made_by) in true
