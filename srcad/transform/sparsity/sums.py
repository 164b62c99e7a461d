"""Index sets added in place: what is added at an index that names no entry twice is stored.

    f_from = added_places(f_from, i, q)            f_from[i] = f_from[i] | q

A loop over entries then takes as long as they are many, not as long as the array is each time.
"""

from __future__ import annotations

import operator

from srcad.ir.nodes import Block, Op, Stmt, Value
from srcad.ir.walk import blocks
from srcad.rules.arrays.distinct import is_basic_index
from srcad.runtime import index_update
from srcad.runtime.index_sets import added_places
from srcad.transform.sparsity.stores import ANY_SETS


def add_in_place(block: Block) -> None:
    """Change a block and those inside."""
    body: list[Stmt] = []
    for stmt in block.body:
        for inner in blocks(stmt):
            add_in_place(inner)
        if isinstance(stmt, Op) and stmt.fn is added_places and is_basic_index(stmt.args[1]):
            array, index, values = stmt.args
            before, either = Value("", ANY_SETS), Value("", ANY_SETS)
            body.append(Op(operator.getitem, (array, index), {}, (before,), stmt.loc))
            body.append(Op(operator.or_, (before, values), {}, (either,), stmt.loc))
            stmt = Op(index_update, (array, index, either), {}, stmt.outs, stmt.loc)
        body.append(stmt)
    block.body = body


__all__ = ["add_in_place"]
