"""Alias scopes: tells LLVM which arrays share no memory with any other.

    a_2 = own_part(me, a, own)                 a_2 = own_part(me, a, own)
    for i in range(n):                ->       for i in range(n):
        a_2[at(i)] += x[at(i)]                     a_2[at_common(i)] += x[at(i)]

In the first thread `a_2` is `a`. But for such ones each array of a compiled function is memory of
its own, parameters (`srcad.native.boundary.call_boundary` sees to it) and what the function
allocates: LLVM may assume that a store to one leaves all others as they are
(`srcad.native.functions.places`). A function that has other arrays, such as one of two that a
branch chose, has no scopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import getitem

import numpy as np

from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.calls import called, copy_program
from srcad.ir.effects import destroys
from srcad.ir.kinds import is_array
from srcad.ir.walk import blocks, outputs, statements, with_blocks, with_body
from srcad.native.threads.team_intrinsics import OWN_PART, SHARED
from srcad.native.vectorised import AT, AT_COMMON


def mark_alias_scopes(program: Function) -> Function:
    """The program with the places in its compiled functions told apart."""
    if not any(map(_common_places, called(program))):
        return program
    made = copy_program(program)
    for fn in called(made):
        fn.body = _marked(fn.body, _common_places(fn))
    return made


def _in_common(fn: Function) -> set[Value] | None:
    """The arrays that may be others, too; None if that is not known."""
    accessed = {op.args[0] for op in _accesses(fn)}
    found: set[Value] = set()
    for stmt in statements(fn.body):
        if any(param in accessed for inner in blocks(stmt) for param in inner.params):
            return None
        if accessed.isdisjoint(outputs(stmt)):
            continue
        if not isinstance(stmt, Op) or stmt.fn not in (np.empty, SHARED, OWN_PART):
            return None
        if stmt.fn is OWN_PART:
            found.update(stmt.outs, accessed.intersection(stmt.args))
    return found


def _accesses(fn: Function) -> Iterator[Op]:
    for stmt in statements(fn.body):
        if not isinstance(stmt, Op) or not (stmt.fn is getitem or destroys(stmt)):
            continue
        if is_array(stmt.args[0]):
            yield stmt


def _common_places(fn: Function) -> set[Value]:
    """The places in such arrays."""
    common = _in_common(fn) if fn.native else set()
    found = (op.args[1] for op in _accesses(fn) if common is None or op.args[0] in common)
    return {place for place in found if isinstance(place, Value)}


def _marked(block: Block, places: set[Value]) -> Block:
    """The block with `at_common` for some places."""

    def marked(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Op) and stmt.fn is AT and stmt.out in places:
            return replace(stmt, fn=AT_COMMON)
        return with_blocks(stmt, lambda inner: _marked(inner, places))

    return with_body(block, [marked(stmt) for stmt in block.body])
