"""Forward data flow of buffers: in whose memory each value may lie.

    v = x[1:]                       v: what x has
    h = if c: v else: z             h: what v and z have
    for i in range(n): h = f(h)     h: what it has at the start and what the body gives it

`srcad.optimize.analysis.alias` and `srcad.optimize.memory.closure_copies` each say what an
operation, a loop and a closure mean to them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from srcad.ir.nodes import Atom, Block, Closure, For, If, Op, Stmt, Value, While

# Values whose memory another may share.
Sources = frozenset[Value]
NONE: Sources = frozenset()


class Forwards(ABC):
    """One walk; `put` keeps what a value has, `of` tells it."""

    @abstractmethod
    def put(self, value: Value, sources: Sources) -> None:
        """Note in whose memory a value may lie."""

    @abstractmethod
    def of(self, tree: Any) -> Sources:
        """In whose memory the values of an argument tree may lie."""

    @abstractmethod
    def op(self, op: Op) -> None:
        """An operation."""

    @abstractmethod
    def loop(self, stmt: For | While) -> None:
        """A loop."""

    @abstractmethod
    def closure(self, stmt: Closure) -> None:
        """A closure."""

    def joined(self, out: Value, pair: Sequence[Atom]) -> Sources:
        """What a value has that two paths give."""
        return self.of(pair)

    def block(self, block: Block) -> None:
        """The statements of a block, in turn."""
        for stmt in block.body:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        """One statement."""
        match stmt:
            case Op():
                self.op(stmt)
            case If():
                self.block(stmt.then)
                self.block(stmt.orelse)
                ends = zip(stmt.then.results, stmt.orelse.results, strict=True)
                for out, pair in zip(stmt.outs, ends, strict=True):
                    self.put(out, self.joined(out, pair))
            case For() | While():
                self.loop(stmt)
            case Closure():
                self.closure(stmt)

    def iteration(
        self, stmt: For | While, carried: Sequence[Sources], tested: Sequence[Sources],
        beside: Sources = NONE,
    ) -> None:  # fmt: skip
        """One iteration of a loop.

        Args:
            carried: of the values that the body carries.
            tested: of those that the test of a `while` reads.
            beside: what elements of sequences have besides what their sequence has.
        """
        for param, sources in zip(carried_by(stmt), carried, strict=True):
            self.put(param, sources)
        if isinstance(stmt, For):
            for element, seq in zip(stmt.elements, stmt.ins, strict=True):
                self.put(element, self.of(seq) | beside)
        else:
            for param, sources in zip(stmt.test.params, tested, strict=True):
                self.put(param, sources)
            self.block(stmt.test)
        self.block(stmt.body)

    def leave(self, stmt: For | While, ends: Sequence[Sources]) -> None:
        """The results of a loop: of what it carries, `ends`."""
        for out, sources in zip(stmt.outs, ends, strict=True):
            self.put(out, sources)
        for seq, element in zip(stmt.seqs, stmt.written, strict=True):
            self.put(seq, self.of(element))


def carried_by(stmt: For | While) -> list[Value]:
    """The values that the body of a loop carries."""
    return stmt.carried if isinstance(stmt, For) else stmt.body.params


__all__ = ["NONE", "Forwards", "Sources", "carried_by"]
