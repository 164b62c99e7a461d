"""Access redirection: reads and writes entries of one array in another one.

x[j] = x[j + 1]            ->         tape[i, j] = tape[i, j + 1]
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.errors import Location
from srcad.ir import ArrayType, Block, For, Op, Stmt, Value
from srcad.ir.inplace import index_set
from srcad.ir.kinds import index_parts
from srcad.ir.types import dtype_of
from srcad.ir.walk import with_blocks
from srcad.native.scalarize.loop_builder import INT

# What stands for entries of an array: those of another at `(*prefix, *index[skip:])`.
# Without it, they are not written.
Moved = Mapping[Value, tuple[Value, tuple[Any, ...], int] | None]
# Part of an array: which one, and the first parts of the index.
Part = tuple[Value, Sequence[Any]]


def moved(stmt: Stmt, where: Moved) -> Stmt:
    """A statement with entries of other arrays in the place of some."""
    if not isinstance(stmt, Op):
        return with_blocks(stmt, lambda block: _block(block, where))
    memory = _memory(stmt)
    found = where.get(memory) if memory is not None else None
    if found is None:
        return stmt
    other, prefix, skip = found
    index, *rest = stmt.args[1:]
    parts = index_parts(index)
    return replace(stmt, args=(other, _place(prefix, parts[skip:]), *rest))


def copying(source: Part, target: Part, index: Sequence[Any], loc: Location | None) -> list[Stmt]:
    """Loops `target[*at, ...] = source[*of, ...]`.

    Args:
        index: the rest of the index: ranges `(start, stop)`, one for each axis; one of them may be
            a list of positions, for which there is no loop.
    """
    (memory, of), (other, at) = source, target
    loops = {k: Value("j", INT) for k, part in enumerate(index) if isinstance(part, tuple)}
    body: list[Stmt] = []
    for position in next((part for part in index if isinstance(part, list)), [None]):
        place = [loops.get(k, position) for k in range(len(index))]
        entry = Value("", ArrayType(np.dtype(dtype_of(memory.type)), (), True))
        body.append(Op(operator.getitem, (memory, _place(of, place)), {}, (entry,)))
        body.append(Op(index_set, (other, _place(at, place), entry), {}, (), effect=True))
    for k, variable in reversed(loops.items()):
        start, stop = index[k]
        body = [For(start, stop, 1, False, [], [], Block([variable], body, []), (), (), loc)]
    return body


def _block(block: Block, where: Moved) -> Block:
    gone = {memory for memory, found in where.items() if found is None}
    body = [moved(stmt, where) for stmt in block.body if _memory(stmt) not in gone]
    return Block(block.params, body, block.results)


def _place(prefix: Sequence[Any], rest: Sequence[Any]) -> Any:
    """What stands in the brackets."""
    place = (*prefix, *rest)
    return place if len(place) > 1 else place[0]


def _memory(stmt: Stmt) -> Value | None:
    """The array of which an operation reads or writes an entry, if it does."""
    first = stmt.args[0] if isinstance(stmt, Op) and stmt.args else None
    return first if isinstance(first, Value) else None


__all__ = ["Moved", "Part", "copying", "moved"]
