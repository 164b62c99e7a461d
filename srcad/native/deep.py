"""Values that a block inside the one that binds them reads: perhaps often.

t = mul(a, b)                deep: t
for i in range(n):
    s = add(s, getitem(t, i))
"""

from __future__ import annotations

from srcad.ir import Block, Value
from srcad.ir.walk import blocks, inputs, outputs, values_in


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
