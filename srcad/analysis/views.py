"""Which array of a block a value is a view of: the array under another name, or a part of it.

    v = getitem(x, 1:)          v: x
    w = transpose(v)            w: x
    z = add(w, 1.0)             z is none

`srcad.analysis.alias` tells with which buffers a value *may* share memory, `If`s and loops
included; this tells of which array it *is* a view (or a copy, as `np.reshape`), in one block.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcad.analysis.operations import is_fresh
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Stmt, Value
from srcad.ops.memory import is_view


def viewed(stmt: Stmt) -> Value | None:
    """The array of which `stmt` makes a view."""
    if not isinstance(stmt, Op) or not is_view(stmt.fn) or len(stmt.outs) != 1:
        return None
    array: Value = stmt.args[0]
    return array if is_array(array) and is_array(stmt.out) and not is_fresh(stmt) else None


def roots_of(body: Iterable[Stmt]) -> dict[Value, Value]:
    """For each view made in `body`, and for views of it, the array that was there first."""
    roots: dict[Value, Value] = {}
    for stmt in body:
        whole = viewed(stmt)
        if isinstance(stmt, Op) and whole is not None:
            roots[stmt.out] = roots.get(whole, whole)
    return roots


__all__ = ["roots_of", "viewed"]
