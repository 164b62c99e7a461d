"""How values are read: by a block inside the one that binds them, perhaps often; by a write.

t = mul(a, b)                deep: t
for i in range(n):
    s = add(s, getitem(t, i))
"""

from __future__ import annotations

from srcad.ir import Block, Op, Value
from srcad.ir.inplace import index_set
from srcad.ir.walk import blocks, inputs, outputs, reads, values_in


def read_in_inner_blocks(block: Block) -> set[Value]:
    """Values that a block inside the one that binds them reads: perhaps often."""
    found: set[Value] = set()
    _search(block, {}, 0, found)
    return found


def _search(block: Block, depth: dict[Value, int], level: int, found: set[Value]) -> None:
    depth.update(dict.fromkeys(block.params, level))
    for stmt in block.body:
        found.update(v for v in values_in(inputs(stmt)) if depth.get(v, 0) < level)
        for inner in blocks(stmt):
            _search(inner, depth, level + 1, found)
        depth.update(dict.fromkeys(outputs(stmt), level))
    found.update(v for v in values_in(block.results) if depth.get(v, 0) < level)


def written_first(block: Block) -> set[Value]:
    """Values that are written to a part of an array before anything else is done with them."""
    found: set[Value] = set()
    unread: set[Value] = set()
    for stmt in block.body:
        if isinstance(stmt, Op) and stmt.fn is index_set and isinstance(stmt.args[2], Value):
            *rest, values = stmt.args
            if values in unread and values not in values_in(rest):
                found.add(values)
        unread.difference_update(reads(stmt))
        unread.update(outputs(stmt))
        for inner in blocks(stmt):
            found |= written_first(inner)
    return found
