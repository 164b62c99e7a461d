"""Code sinking: what the derivative computes for one side of a branch alone, and may raise, is
computed there.

    t = 0.5 / math.sqrt(y)                          if x == y: s = 0.5 / math.sqrt(y)
    s = t if x == y else 0.0              ->        else:      s = 0.0

The derivative of `y = max(x, 0.0)` and its like chooses: where `x` is not the maximum it is zero,
whatever the slope of the square root is there. A division of Python's numbers by zero would raise.
What the program itself computes stays where it is: that raises as Python does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import TypeGuard

from srcad.ir.nodes import Block, Closure, Function, If, Op, Stmt, Value
from srcad.ir.walk import (
    all_reads,
    blocks,
    count_reads,
    outputs,
    statements,
    with_blocks,
    with_body,
    with_program,
)
from srcad.ops import row_of
from srcad.ops.raising import raises_by_value


def sink_raising(fn: Function) -> Function:
    """The function with operations that may raise on the one side of a branch that reads them."""
    has_branches = any(isinstance(stmt, If) for stmt in statements(fn.body))
    if not has_branches or not any(map(_may_fail, statements(fn.body))):
        return fn
    return with_program(fn, _block(fn.body, count_reads(fn)))


def _may_fail(stmt: Stmt) -> bool:
    """Whether a statement is an operation of the derivative's own that may raise. The places that
    it reads are those of the program itself, which come before.
    """
    return _is_derived(stmt) and row_of(stmt.fn).raises != "subscript" and raises_by_value(stmt)


def _is_derived(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and not (stmt.effect or stmt.raises)


def _may_move(stmt: Stmt) -> bool:
    """Whether a statement only computes, for the derivative."""
    if not isinstance(stmt, If) or not stmt.is_branch:
        return _is_derived(stmt)
    return all(map(_may_move, (*stmt.then.body, *stmt.orelse.body)))


def _block(block: Block, uses: Counter[Value]) -> Block:
    body: dict[int, Stmt] = {}  # the statements so far that stay, by their places
    places: dict[Value, int] = {}  # of those that bind a value
    for at, stmt in enumerate(block.body):
        changed: dict[int, Block] = {}
        for side in blocks(stmt) if isinstance(stmt, If) and stmt.is_branch else ():
            moved = _failing(_only_for(side, body, places, uses), body)
            if moved:
                made = [body[k] for k in moved]
                for k in moved:
                    for out in outputs(body.pop(k)):
                        del places[out]
                changed[id(side)] = with_body(side, [*made, *side.body])

        def within(inner: Block, changed: dict[int, Block] = changed) -> Block:
            return _block(changed.get(id(inner), inner), uses)

        if isinstance(stmt, Closure):
            inside = with_program(stmt.function, within(stmt.function.body))
            stmt = stmt if inside is stmt.function else replace(stmt, function=inside)
        body[at] = with_blocks(stmt, within)
        places.update(dict.fromkeys(outputs(stmt), at))
    return with_body(block, list(body.values()))


def _only_for(
    side: Block, body: dict[int, Stmt], places: dict[Value, int], uses: Counter[Value]
) -> list[int]:
    """The places of the statements that compute values for one side of a branch only, in order."""
    needed, found = Counter(all_reads(side)), set[int]()
    waiting = [-places[value] for value in needed if value in places]
    heapify(waiting)
    while waiting:  # the last one first: what it reads may be read by it alone
        at = -heappop(waiting)
        stmt = body[at]
        if at in found or not _may_move(stmt):
            continue
        if all(needed[out] == uses[out] for out in outputs(stmt)):
            found.add(at)
            read = all_reads(Block([], [stmt], []))
            needed.update(read)
            for value in read:
                if value in places:
                    heappush(waiting, -places[value])
    return sorted(found)


def _failing(places: list[int], body: dict[int, Stmt]) -> list[int]:
    """Of statements those that may raise, and those that read what these make: another would read
    an array only after what stores into it.
    """
    found, made = list[int](), set[Value]()
    for at in places:
        block = Block([], [body[at]], [])
        if any(map(_may_fail, statements(block))) or not made.isdisjoint(all_reads(block)):
            found.append(at)
            made.update(outputs(body[at]))
    return found


__all__ = ["sink_raising"]
