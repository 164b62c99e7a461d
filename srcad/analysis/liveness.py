"""Liveness before bufferisation: which values with storage are read after each write and each loop.

    a = index_update(u, 0, 1.0)     later: u, x; so `a` is made in a copy of u
    s = sum(u)
    y = mul(a, x)

What a loop reads of the values around it is read later in all of it: in the next iteration. The
emitter has a liveness analysis of its own, of variables (`srcad.emit.plan.interference`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcad import runtime
from srcad.ir.bits import Bits
from srcad.ir.kinds import has_storage
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import free_values, inputs, outputs, values_in
from srcad.ops import row_of


@dataclass(slots=True)
class Liveness:
    """`later`: what is read after a statement, a bit for each value (`srcad.ir.bits`)."""

    later: dict[Stmt, int] = field(default_factory=dict)
    bits: Bits = field(default_factory=Bits)

    def is_read(self, values: Iterable[Value], stmt: Stmt) -> bool:
        """Whether one of `values` is read after `stmt`."""
        return bool(self.bits.of(values) & self.later[stmt])


def find_later(fn: Function) -> Liveness:
    """What is read later than each write and each loop of `fn`."""
    found = Liveness()
    _Later(found).block(fn.body, 0)
    return found


class _Later:
    """Walks backwards with the set of values read later, and notes it at each statement."""

    def __init__(self, found: Liveness) -> None:
        self.later = found.later
        self.of = found.bits.of

    def stored(self, values: Iterable[Value]) -> int:
        """The set of those of `values` that have storage."""
        return self.of([v for v in values if has_storage(v.type)])

    def block(self, block: Block, live: int) -> int:
        live |= self.stored(values_in(block.results))
        for stmt in reversed(block.body):
            live = self.stmt(stmt, live)
        return live

    def stmt(self, stmt: Stmt, live: int) -> int:
        live &= ~self.stored(outputs(stmt))
        match stmt:
            case Op():
                row = row_of(stmt.fn)
                if row.in_place is not None or stmt.fn is runtime.scatter:
                    self.later[stmt] = live
                read = stmt.args[1:] if row.shape_only else stmt.args
                return live | self.stored(values_in((read, stmt.kwargs)))
            case If():
                other = self.block(stmt.orelse, live)
                # A `try` may go on with its handler after any part of its body.
                after = live if stmt.is_branch else live | other
                live |= self.block(stmt.then, after) | other
            case For() | While():
                # The next iteration reads what any iteration reads of the values around the loop.
                live |= self.stored(v for b in _loop_blocks(stmt) for v in free_values(b))
                if isinstance(stmt, For):
                    live |= self.stored(values_in(stmt.ins))
                self.later[stmt] = live
                for block in _loop_blocks(stmt):
                    self.block(block, live)
            case Closure():
                free = self.stored(free_values(stmt.function.body))
                self.block(stmt.function.body, free)
                live |= free
        return live | self.stored(values_in(inputs(stmt)))


def _loop_blocks(stmt: For | While) -> tuple[Block, ...]:
    return (stmt.body,) if isinstance(stmt, For) else (stmt.test, stmt.body)


__all__ = ["Liveness", "find_later"]
