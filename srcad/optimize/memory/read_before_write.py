"""Scheduling for bufferisation: reads of an array move before the writes to it.

    v_bar = getitem(u_bar, 1:-1)            v_bar = getitem(u_bar, 1:-1)
    a = index_update(u_bar, 1:-1, 0)        t = mul(c, v_bar)
    t = mul(c, v_bar)                       a = index_update(u_bar, 1:-1, 0)
    b = index_add(a, 2:, t)                 b = index_add(a, 2:, t)

Stores are written in place later, and views of the array show what is written. So the operations
after a store that read the array as it was, or views of it, and do not depend on the store, move
before it with what they need. What cannot move makes a copy necessary
(`srcad.optimize.memory.copy_escaping_views`). Behind each store the next 200 statements are looked
at, so that the work grows with the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

from srcad.analysis.operations import is_pure
from srcad.analysis.views import roots_of
from srcad.ir.effects import has_effect
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.walk import outputs, reads, statements, values_in, with_body
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter

_MANY = 200  # statements after a store that are looked at


def read_before_write(fn: Function) -> Function:
    """The program with reads of the old content before stores."""
    if not any(is_store(stmt) for stmt in statements(fn.body)):
        return fn
    return _Early().run(fn)


def is_store(stmt: Stmt) -> TypeGuard[Op]:
    """Whether `stmt` stores into an array, and makes a new one of it."""
    return isinstance(stmt, Op) and row_of(stmt.fn).store and is_array(stmt.args[0])


class _Early(Rewriter):
    def block(self, block: Block) -> Block:
        block = super().block(block)
        return with_body(block, _ordered(block)) if any(map(is_store, block.body)) else block


def _ordered(block: Block) -> list[Stmt]:
    body = list(block.body)
    roots = roots_of(body)
    families: dict[Value, set[Value]] = {}
    for view, root in roots.items():
        families.setdefault(root, {root}).add(view)
    read = _Read()
    last = {v: at for at, stmt in enumerate(body) for v in read.contents(stmt)}
    seen: set[Stmt] = set()
    at = 0
    while at < len(body):
        stmt = body[at]
        if is_store(stmt) and stmt not in seen:
            seen.add(stmt)
            array: Any = stmt.args[0]
            family = families.get(roots.get(array, array), {array})
            if any(last.get(v, -1) > at for v in family):
                end = min(at + _MANY, len(body))
                moved = _movable(body[at + 1 : end], stmt, family, read)
                if moved:
                    later = [s for s in body[at:end] if s not in moved]
                    first = [s for s in body[at:end] if s in moved]
                    body[at:end] = [*first, *later]
                    for each in later:
                        last.update((v, max(end, last[v])) for v in read.contents(each))
                    continue
        at += 1
    return body


class _Read:
    """What statements read, found once for each: a statement stands after many stores."""

    def __init__(self) -> None:
        self.known: dict[Stmt, tuple[frozenset[Value], bool, frozenset[Value]]] = {}

    def of(self, stmt: Stmt) -> tuple[frozenset[Value], bool, frozenset[Value]]:
        """What `stmt` reads, whether it may move, and the values whose entries it reads."""
        found = self.known.get(stmt)
        if found is None:
            may_move = isinstance(stmt, Op) and is_pure(stmt)
            contents = frozenset(_contents(stmt))
            found = self.known[stmt] = (frozenset(reads(stmt)), may_move, contents)
        return found

    def contents(self, stmt: Stmt) -> frozenset[Value]:
        """The values whose entries `stmt` reads."""
        return self.of(stmt)[2]


def _contents(stmt: Stmt) -> Iterable[Value]:
    """The values whose entries `stmt` reads."""
    if isinstance(stmt, Op) and row_of(stmt.fn).shape_only:
        return values_in((stmt.args[1:], stmt.kwargs))
    return reads(stmt)


def _movable(rest: list[Stmt], store: Op, family: set[Value], read: _Read) -> set[Stmt]:
    """The statements of `rest` that read one of `family` and may go before `store`."""
    fixed = set(store.outs)
    free: dict[Value, Op] = {}
    wanted: list[Op] = []
    for stmt in rest:
        if has_effect(stmt):
            break
        values, may_move, contents = read.of(stmt)
        if may_move and fixed.isdisjoint(values):
            assert isinstance(stmt, Op)
            for out in stmt.outs:
                free[out] = stmt
            if not family.isdisjoint(contents):
                wanted.append(stmt)
        else:
            fixed.update(outputs(stmt))
    moved: set[Stmt] = set()
    while wanted:
        op = wanted.pop()
        if op not in moved:
            moved.add(op)
            wanted += [free[v] for v in values_in((op.args, op.kwargs)) if v in free]
    return moved
