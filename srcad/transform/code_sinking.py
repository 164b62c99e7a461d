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
from srcad.ops.raising import raises_by_value


def sink_raising(fn: Function) -> Function:
    """The function with operations that may raise on the one side of a branch that reads them."""
    if not any(_may_fail(stmt) for stmt in statements(fn.body)):
        return fn
    return with_program(fn, _block(fn.body, count_reads(fn)))


def _may_fail(stmt: Stmt) -> bool:
    """Whether a statement is an operation of the derivative's own that may raise."""
    return _is_derived(stmt) and raises_by_value(stmt)


def _is_derived(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and not (stmt.effect or stmt.raises)


def _may_move(stmt: Stmt) -> bool:
    """Whether a statement only computes, for the derivative."""
    if not isinstance(stmt, If) or not stmt.is_branch:
        return _is_derived(stmt)
    return all(map(_may_move, (*stmt.then.body, *stmt.orelse.body)))


# The statements of a block so far that bind a value, each with its place in the block.
Places = dict[Value, tuple[int, Stmt]]


def _block(block: Block, uses: Counter[Value]) -> Block:
    body: dict[int, Stmt] = {}
    places: Places = {}
    for at, stmt in enumerate(block.body):
        changed: dict[int, Block] = {}
        for side in blocks(stmt) if isinstance(stmt, If) and stmt.is_branch else ():
            moved = _only_for(side, places, uses)
            if any(map(_may_fail, statements(Block([], list(moved.values()), [])))):
                for k, each in moved.items():
                    del body[k]
                    for out in outputs(each):
                        del places[out]
                changed[id(side)] = with_body(side, [*moved.values(), *side.body])

        def within(inner: Block, changed: dict[int, Block] = changed) -> Block:
            return _block(changed.get(id(inner), inner), uses)

        if isinstance(stmt, Closure):
            inside = with_program(stmt.function, within(stmt.function.body))
            stmt = stmt if inside is stmt.function else replace(stmt, function=inside)
        body[at] = with_blocks(stmt, within)
        places.update((out, (at, body[at])) for out in outputs(stmt))
    return with_body(block, list(body.values()))


def _only_for(side: Block, places: Places, uses: Counter[Value]) -> dict[int, Stmt]:
    """The statements that compute values for one side of a branch only, by place and in order."""
    needed, found = Counter(all_reads(side)), dict[int, Stmt]()
    waiting = [-places[value][0] for value in needed if value in places]
    makers = {places[value][0]: places[value][1] for value in needed if value in places}
    heapify(waiting)
    while waiting:  # the last one first: what it reads may be read by it alone
        at = -heappop(waiting)
        stmt = makers[at]
        if at in found or not _may_move(stmt):
            continue
        if all(needed[out] == uses[out] for out in outputs(stmt)):
            found[at] = stmt
            read = all_reads(Block([], [stmt], []))
            needed.update(read)
            for value in read:
                if value in places:
                    makers[places[value][0]] = places[value][1]
                    heappush(waiting, -places[value][0])
    return dict(sorted(found.items()))


__all__ = ["sink_raising"]
