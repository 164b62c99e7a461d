"""Accumulators: the carried values of a loop that its body adds or stores to.

for i in range(n) carrying u, v:            u and v: v is u in the next iteration
    a = index_add(u, i, x)
    yield v, a
"""

from __future__ import annotations

from srcad.ir.nodes import Block, Closure, For, If, Op, Value, While
from srcad.ops import row_of


def accumulators(stmt: For | While, params: list[Value]) -> set[int]:
    """The carried values that the body writes, in this iteration or (`u, v = v, u`) in a later
    one.
    """
    written = accumulated(stmt.body)
    found = {k for k, param in enumerate(params) if param in written}
    place = {param: k for k, param in enumerate(params)}
    todo = list(found)
    while todo:
        result = stmt.yielded[todo.pop()]
        k = place.get(result) if isinstance(result, Value) else None
        if k is not None and k not in found:
            found.add(k)
            todo.append(k)
    return found


def accumulated(block: Block) -> set[Value]:
    """What `block` adds or stores to, itself or in a loop or branch inside."""
    found: set[Value] = set()
    for stmt in block.body:
        match stmt:
            case Op():
                adds = row_of(stmt.fn).adds or row_of(stmt.fn).store
                if adds and isinstance(stmt.args[0], Value):
                    found.add(stmt.args[0])
            case If():
                found |= accumulated(stmt.then) | accumulated(stmt.orelse)
            case For() | While():
                inside = accumulated(stmt.body)
                pairs = zip(stmt.carried, stmt.init, strict=True)
                found.update(a for p, a in pairs if p in inside and isinstance(a, Value))
            case Closure():
                pass
    return found
