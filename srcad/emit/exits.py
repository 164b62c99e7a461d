"""The body of a loop that exits, with its `break`s.

What the body still has to move to the variables carried is moved before each `break`, and once
where no `break` was met. Which branches say `break`: `srcad.emit.plan.exits`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from srcad.emit.writer import Stores, Writer
from srcad.ir import Block, If
from srcad.ir.nodes import Atom
from srcad.ir.walk import blocks

Written = Callable[[], list[ast.stmt]]


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
        write_exit(writer, block, flag, partial(writer.moves, stmt, block), None, after)
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
