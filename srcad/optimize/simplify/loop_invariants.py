"""Loop-invariant code motion: what each iteration computes alike is computed before the loop.

    for i in range(n) carrying ...:     t = transpose(w)
        t = transpose(w)                for i in range(n) carrying ...:
        g = matmul(h_bar, t)                g = matmul(h_bar, t)

The loop may run zero times, so that only *total* operations move: elementwise arithmetic on shapes
that are known to fit, shapes, transposes, slices. They cannot raise and cost no more than one pass
over their result. What may be unbound is read in the loop alone. Where the range is known not to
be empty, any pure operation moves that comes before every effect in the body; so it does out of the
test of a `while`, which runs at least once. Allocations stay: each is written in place.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from srcad.analysis.operations import is_pure, is_total, is_trip_certain
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.raising import is_strict
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import outputs, statements, values_in
from srcad.once import cached_property
from srcad.ops import row_of
from srcad.ops.raising import may_raise
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.simplify.undefined_checks import read_perhaps_unbound


def hoist_invariants(fn: Function) -> Function:
    """The program with loop-invariant operations before their loops."""
    return _Hoist(fn).run(fn)


class _Hoist(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.fn = fn
        self.attempts = 0

    @cached_property
    def doubtful(self) -> frozenset[Value]:
        """What is read where it may be unbound."""
        return read_perhaps_unbound(self.fn)

    def branch(self, stmt: If) -> If:
        """In a `try` nothing that may raise is moved: another handler might be run, or one at
        all. Nor in a `with` in which arithmetic raises: a loop may have no iterations.
        """
        raises = isinstance(stmt.cond, Context) and is_strict(stmt)
        self.attempts += isinstance(stmt.cond, Attempt) or raises
        new = super().branch(stmt)
        self.attempts -= isinstance(stmt.cond, Attempt) or raises
        return new

    def region(self, stmt: If | For | While | Closure) -> None:
        match stmt:
            case For():
                runs = is_trip_certain((stmt.start, stmt.stop, stmt.step))
                body = self._lifted(stmt.body, _early(stmt.body) if runs else ())
                if body is not stmt.body:
                    stmt = replace(stmt, body=body)
            case While():
                test = self._lifted(stmt.test, _early(stmt.test))
                body = self._lifted(stmt.body)
                if test is not stmt.test or body is not stmt.body:
                    stmt = replace(stmt, test=test, body=body)
            case _:
                pass
        self.body.append(stmt)

    def _moves(self, op: Op, inside: set[Value], early: Container[Op]) -> bool:
        is_safe = not (self.attempts and may_raise(op)) and (op in early or self._is_sure(op))
        return is_safe and _is_invariant(op, inside)

    def _is_sure(self, op: Op) -> bool:
        """Whether an operation may run though the loop has no iteration."""
        partial = [v for v in values_in((op.args, op.kwargs)) if v.partial]
        return is_total(op) and not (partial and self.doubtful.intersection(partial))

    def _lifted(self, block: Block, early: Container[Op] = ()) -> Block:
        """`block` without its invariant operations, which now stand before the loop; `early`: those
        that run before anything else could be seen.
        """
        inside: set[Value] = set(block.params)
        kept: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op) and self._moves(stmt, inside, early):
                self.body.append(stmt)
            else:
                inside.update(outputs(stmt))
                kept.append(stmt)
        return block if len(kept) == len(block.body) else Block(block.params, kept, block.results)


def _is_invariant(op: Op, inside: set[Value]) -> bool:
    is_own = any(v in inside for v in values_in((op.args, op.kwargs)))
    return is_pure(op) and not row_of(op.fn).allocates and not is_own


def _early(block: Block) -> set[Op]:
    """The operations that run before anything else in `block` could be seen."""
    early: set[Op] = set()
    for stmt in block.body:
        if isinstance(stmt, Op) and not stmt.effect:
            early.add(stmt)
        elif isinstance(stmt, Op) or any(isinstance(s, Op) and s.effect for s in _inner(stmt)):
            break
    return early


def _inner(stmt: Stmt) -> list[Stmt]:
    return list(statements(Block([], [stmt], [])))
