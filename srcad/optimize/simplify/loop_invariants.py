"""Loop-invariant code motion: what each iteration computes alike is computed before the loop.

    for i in range(n) carrying ...:     t = transpose(w)
        t = transpose(w)                for i in range(n) carrying ...:
        g = matmul(h_bar, t)                g = matmul(h_bar, t)

The loop may run zero times, so that only *total* operations move: elementwise arithmetic on shapes
that are known to fit, shapes, transposes, slices. They cannot raise and cost no more than one pass
over their result. Where the range is known not to be empty, any pure operation moves that comes
before every effect in the body; so it does out of the test of a `while`, which runs at least once.
Allocations stay: each is written in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcad.analysis.operations import is_pure, is_total, is_trip_certain
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.raising import is_strict
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import outputs, statements, values_in
from srcad.ops import row_of
from srcad.ops.raising import may_raise
from srcad.optimize.rewriter import Rewriter

Condition = Callable[[Op], bool]


def hoist_invariants(fn: Function) -> Function:
    """The program with loop-invariant operations before their loops."""
    return _Hoist().run(fn)


class _Hoist(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.attempts = 0

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
                body = self._lifted(stmt.body, _before_effects(stmt.body) if runs else is_total)
                if body is not stmt.body:
                    stmt = replace(stmt, body=body)
            case While():
                test = self._lifted(stmt.test, _before_effects(stmt.test))
                body = self._lifted(stmt.body, is_total)
                if test is not stmt.test or body is not stmt.body:
                    stmt = replace(stmt, test=test, body=body)
            case _:
                pass
        self.body.append(stmt)

    def _lifted(self, block: Block, may_move: Condition) -> Block:
        """`block` without its invariant operations, which now stand before the loop."""
        inside: set[Value] = set(block.params)
        kept: list[Stmt] = []
        for stmt in block.body:
            is_safe = isinstance(stmt, Op) and not (self.attempts and may_raise(stmt))
            if _is_invariant(stmt, inside) and isinstance(stmt, Op) and is_safe and may_move(stmt):
                self.body.append(stmt)
            else:
                inside.update(outputs(stmt))
                kept.append(stmt)
        return block if len(kept) == len(block.body) else Block(block.params, kept, block.results)


def _is_invariant(stmt: Stmt, inside: set[Value]) -> bool:
    return (
        isinstance(stmt, Op)
        and is_pure(stmt)
        and not row_of(stmt.fn).allocates
        and not any(v in inside for v in values_in((stmt.args, stmt.kwargs)))
    )


def _before_effects(block: Block) -> Condition:
    """Total operations, and all those that run before anything else in `block` could be seen."""
    early: set[Op] = set()
    for stmt in block.body:
        if isinstance(stmt, Op) and not stmt.effect:
            early.add(stmt)
        elif isinstance(stmt, Op) or any(isinstance(s, Op) and s.effect for s in _inner(stmt)):
            break
    return lambda op: op in early or is_total(op)


def _inner(stmt: Stmt) -> list[Stmt]:
    return list(statements(Block([], [stmt], [])))
