"""Loop fusion: loops over the same range become one, which keeps values in registers.

    for i in range(n): t[i] = a[i] * b[i]           for i in range(n):
    for i in range(n): y[i] = t[i] + c[i]     ->        t_2 = a[i] * b[i]
    (t is read nowhere else)                            y[i] = t_2 + c[i]

Two loops are fused where each iteration of the second reads and writes, of what the first writes or
reads, only what the same iteration of the first does: along some axis both go by the index in step.
What stands between them and is not needed by the second comes after, the rest before. Of several
loops that a loop fits it joins the one that writes most of what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from srcad.ir import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms
from srcad.ir.walk import (
    blocks,
    outputs,
    reads,
    statements,
    with_blocks,
    with_body,
    with_program,
)
from srcad.native.loops.accesses import Accesses, Places
from srcad.native.vectorised import written_by
from srcad.optimize.rewriter import Rewriter


def fuse_loops(fn: Function) -> Function:
    """The function with fewer loops."""
    return with_program(fn, Fuser(fn.body).block(fn.body))


class Fuser:
    """Fuses the loops of a function's body."""

    def __init__(self, body: Block) -> None:
        self.places = Places(body, products=True)
        self.forms = self.places.forms
        # Of statements that were looked at: many loops are held against each other.
        self.accesses: dict[Stmt, Accesses] = {}
        self.read_by: dict[Stmt, frozenset[Value]] = {}
        # What has another value in each iteration of some loop.
        self.varying = {
            v for loop in statements(body) for inner in blocks(loop) for v in inner.params
        }
        self.varying |= {v for loop in statements(body) for v in _bound(loop)}

    def block(self, block: Block) -> Block:
        """The block with its loops fused, and those inside."""
        made: list[Stmt] = []
        for stmt in block.body:
            if not isinstance(stmt, For) or not self.joined(made, stmt):
                made.append(stmt)
        return with_body(block, [self.inside(stmt) for stmt in made])

    def inside(self, stmt: Stmt) -> Stmt:
        """A statement with the loops inside it fused."""
        return with_blocks(stmt, self.block) if isinstance(stmt, For | If) else stmt

    def joined(self, made: list[Stmt], second: For) -> bool:
        """Fuse a loop with an earlier one of `made`, if there is one that it fits."""
        if second.exits:
            return False
        best, most = None, -1
        for k in range(len(made) - 1, -1, -1):
            first = made[k]
            if isinstance(first, For) and self.fits(first, second):
                shared = self.shared(first, second)
                order = self.order(first, made[k + 1 :], second) if shared > most else None
                if order is not None:
                    best, most = (k, first, *order), shared
            if self.access(first).is_opaque:
                break
        if best is None:
            return False
        k, first, before, after = best
        made[k:] = [*before, self.union(first, second), *after]
        return True

    def shared(self, first: For, second: For) -> int:
        """How many arrays of the second loop the first writes: it has them in registers."""
        after = self.access(second)
        return len(self.access(first).written.keys() & {**after.read, **after.written}.keys())

    def fits(self, first: For, second: For) -> bool:
        """Whether the loops have the same iterations, and touch the same only in the same
        iteration.
        """
        bounds = [
            (self.forms.of(a), self.forms.of(b))
            for a, b in zip(
                (first.start, first.stop, first.step),
                (second.start, second.stop, second.step),
                strict=True,
            )
        ]
        if first.exits or any(a is None or a != b for a, b in bounds):
            return False
        if not self.reads(second).isdisjoint(first.outs):
            return False
        a, b = self.access(first), self.access(second)
        if a.is_opaque or b.is_opaque:
            return False
        same = {second.index: Affine.of(first.index)}
        return all(
            self.in_step(memory, a, b, first, same)
            for memory in {**a.read, **a.written}
            if memory in b.written or (memory in a.written and memory in b.read)
        )

    def in_step(
        self, memory: Value, a: Accesses, b: Accesses, first: For, same: dict[Value, Affine]
    ) -> bool:
        """Whether all places in an array go by the index in step, along one axis."""
        mine = {access.place for access in a.of(memory)}
        theirs = {access.place for access in b.of(memory)}
        ranks = {len(place) for place in (*mine, *theirs)}
        if len(ranks) != 1:
            return False
        for axis in range(ranks.pop()):
            forms = {place[axis] for place in mine}
            forms |= {f if f is None else f.replaced(same) for f in (p[axis] for p in theirs)}
            form = forms.pop()
            if forms or form is None or not form.coefficient(first.index):
                continue
            if all(v is first.index or v not in self.varying for v, _ in form.terms):
                return True
        return False

    def order(
        self, first: Stmt, between: list[Stmt], second: Stmt
    ) -> tuple[list[Stmt], list[Stmt]] | None:
        """What stands between two loops, divided into what comes before and what comes after.

        Checks come before: they are for what the second loop does, too.
        """
        needed = set(self.reads(second))
        before: list[Stmt] = []
        after: list[Stmt] = []
        for stmt in reversed(between):
            writes = isinstance(stmt, Op) and bool(destroys(stmt) or written_by(stmt))
            is_check = isinstance(stmt, Op) and stmt.effect and not writes
            comes_first = is_check or not needed.isdisjoint(outputs(stmt))
            if not comes_first and not any(self.conflict(stmt, s) for s in (second, *before)):
                after.insert(0, stmt)
                continue
            if not self.reads(stmt).isdisjoint(outputs(first)) or self.conflict(stmt, first):
                return None
            before.insert(0, stmt)
            needed.update(self.reads(stmt))
        return before, after

    def conflict(self, a: Stmt, b: Stmt) -> bool:
        """Whether the order of two statements may matter for arrays."""
        x, y = self.access(a), self.access(b)
        if x.is_opaque or y.is_opaque:
            return True
        return not (
            x.written.keys().isdisjoint({**y.read, **y.written})
            and y.written.keys().isdisjoint(x.read)
        )

    def union(self, first: For, second: For) -> For:
        """One loop with both bodies."""
        walk = _Renamer({second.index: first.index}, self.forms)
        walk.statements(second.body.body)
        results = walk.sub(second.body.results)
        made = replace(
            first,
            init=[*first.init, *second.init],
            body=Block(
                [*first.body.params, *second.carried],
                [*first.body.body, *walk.body],
                [*first.body.results, *results],
            ),
            outs=(*first.outs, *second.outs),
        )
        same = {second.index: Affine.of(first.index)}
        self.accesses[made] = self.access(first).union(self.access(second), same)
        return made

    def reads(self, stmt: Stmt) -> frozenset[Value]:
        """The values that a statement reads."""
        if stmt not in self.read_by:
            self.read_by[stmt] = frozenset(reads(stmt))
        return self.read_by[stmt]

    def access(self, stmt: Stmt) -> Accesses:
        """What a statement does to arrays, its blocks included."""
        if stmt not in self.accesses:
            self.accesses[stmt] = self.places.within(stmt)
        return self.accesses[stmt]


class _Renamer(Rewriter):
    """Makes statements read other values and bind the same."""

    def __init__(self, env: dict[Value, Any], forms: Forms) -> None:
        super().__init__()
        self.env, self.forms = env, forms

    def op(self, op: Op) -> None:
        self.forms.note(op)
        super().op(op)


def _bound(stmt: Stmt) -> Iterator[Value]:
    """What the blocks of a statement bind."""
    for block in blocks(stmt):
        yield from block.params
        for inner in block.body:
            yield from outputs(inner)
