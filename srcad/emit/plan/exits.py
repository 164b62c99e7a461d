"""Where a loop that exits says `break`.

for i in range(n) ...:                          for i in range(n):
    small = lt(norm(h), tol)                        if norm(h) < tol:
    h_3 = if small: yield h                             break
          else: h_2 = tanh(h); yield h_2            h = np.tanh(h)
    yield h_3 leaving small

A branch says `break` itself if it ends the body and knows the flag; so does a branch at the end of
such a branch. Else `if flag: break` ends the body. What the body still has to move to the variables
carried is moved before each `break`, and once where no `break` was met.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from srcad.ir import Block, If, Value
from srcad.ir.nodes import Atom
from srcad.ir.walk import blocks

if TYPE_CHECKING:
    from srcad.emit.loops import Stores
    from srcad.emit.statements import Writer

Flags = tuple[Atom, Atom]  # whether to leave, as `then` and as `orelse` know it
Written = Callable[[], list[ast.stmt]]


def find_breaks(block: Block, flag: Atom, uses: Counter[Value]) -> dict[If, Flags]:
    """The `If`s that end `block` and say `break` themselves; their reads of flags leave `uses`."""
    last = block.body[-1] if block.body else None
    if not isinstance(last, If) or not last.is_branch or not isinstance(flag, Value):
        return {}
    if flag is last.cond:
        flags: Flags = (True, False)
    elif flag in last.outs:
        at = last.outs.index(flag)
        flags = (last.then.results[at], last.orelse.results[at])
    else:
        return {}
    uses[flag] -= 1
    found = {last: flags}
    for inner, known in zip(blocks(last), flags, strict=True):
        if isinstance(known, Value) and uses[flag]:
            uses[known] += 1  # it is moved to the variable of the flag, too
        found |= find_breaks(inner, known, uses)
    return found


def write_exit(
    writer: Writer,
    block: Block,
    flag: Atom,
    own: Written,
    stores: Stores | None = None,
    after: Written = list,
) -> list[ast.stmt]:
    """The statements of `block`, then `own`; where `flag` holds then `after` and `break`."""
    last = block.body[-1] if block.body else None
    if not isinstance(last, If) or last not in writer.nesting.breaks:
        return [*writer.block(block, stores), *_leave(writer, flag, own, after)]
    written = writer.block(Block(block.params, block.body[:-1], block.results), stores)

    def mine() -> list[ast.stmt]:
        return [*writer.stores(stores or {}, last.outs), *own()]

    made = _branch(writer, last, lambda: [*mine(), *after()])
    writer.at(last, made)
    return [*written, *made, *mine()]


def _branch(writer: Writer, stmt: If, after: Written) -> list[ast.stmt]:
    flags = writer.nesting.breaks[stmt]
    sides = [
        write_exit(writer, block, flag, lambda b=block: writer.moves(stmt, b), None, after)  # type: ignore[misc]
        for block, flag in zip(blocks(stmt), flags, strict=True)
    ]
    if flags[0] is True:
        return [*writer.conditional(stmt, sides[0], []), *sides[1]]
    if flags[1] is True and len(sides[1]) == 1:
        return [*writer.conditional(stmt, [], sides[1]), *sides[0]]
    return writer.conditional(stmt, *sides)


def _leave(writer: Writer, flag: Atom, own: Written, after: Written) -> list[ast.stmt]:
    """What ends a block in which nothing else says `break`."""
    if flag is False:
        return own()
    if flag is True:
        return [*own(), *after(), ast.Break()]
    test = writer.expressions.tree(flag)
    moves = own()
    read = {writer.names[v] for v in writer.nesting.reads(flag)}
    if read.isdisjoint(_targets(moves)):
        return [*moves, ast.If(test, [*after(), ast.Break()], [])]
    return [ast.If(test, [*moves, *after(), ast.Break()], []), *own()]


def _targets(written: Sequence[ast.stmt]) -> set[Any]:
    nodes = (node for stmt in written for node in ast.walk(stmt))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
