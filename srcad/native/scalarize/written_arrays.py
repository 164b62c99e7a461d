"""Which values statements write, and which array a value is after that.

x_2 = index_set(x, 0, a)        writes x; x_2 is x, written in place
"""

from __future__ import annotations

from typing import Any

from srcad.ir import Block, For, If, Op, Stmt, Value, While
from srcad.ir.effects import destroys
from srcad.ir.walk import blocks, outputs, values_in


def root_of(value: Any, block: Block) -> Any:
    """The array from outside a block that `value` is, written in place."""
    made = {out: stmt for stmt in block.body for out in outputs(stmt)}
    while isinstance(value, Value) and value in made:
        stmt = made[value]
        match stmt:
            case Op() if destroys(stmt):
                value = stmt.args[0]
            case For() | While() if value in stmt.outs:
                k = stmt.outs.index(value)
                if root_of(stmt.yielded[k], stmt.body) is not stmt.carried[k]:
                    return value
                value = stmt.init[k]
            case If():
                k = stmt.outs.index(value)
                roots = [root_of(side.results[k], side) for side in (stmt.then, stmt.orelse)]
                if roots[0] is not roots[1]:
                    return value
                value = roots[0]
            case _:
                return value
    return value


def written_in(stmt: Stmt) -> set[Value]:
    """Values that the blocks of a statement write: what operations that destroy are given, and
    what loops carry.
    """
    found: set[Value] = set()
    if isinstance(stmt, Op) and destroys(stmt):
        found.update(values_in(stmt.args[0]))
    if isinstance(stmt, For | While):
        found.update(values_in(stmt.init))
    for block in blocks(stmt):
        for inner in block.body:
            found |= written_in(inner)
    return found
