"""On which paths a partial value is bound, and so what its zero cotangent must be there.

    if c:                          if c:
        h = np.exp(x)                  if d: h_bar = y_bar * 2
        if d: y = h * 2                else: h_bar = np.zeros_like(h)

`h` is bound under `c`. Where `d` does not hold, `h_bar` must be a real zero; where `c` does not
hold, nothing will read it. A place that reads `h` need not be under `c`: its `NameError` may be
handled.

A value that is bound under `c`, then under `d` inside, has the chain (c, d). The reversed branches
that read it test the same conditions in the same order; after a transform these may be saved or
recomputed copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Op, Stmt, Value, While
from srcad.ir.regions import Context
from srcad.ir.walk import blocks, outputs
from srcad.ops import row_of
from srcad.transform.reverse.bound_flags import BoundFlags
from srcad.transform.reverse.returns import find_flag

# A side of a branch: what it tests, and whether that holds there.
Side = tuple[Atom, bool]


@dataclass(frozen=True, slots=True)
class Chain:
    """The sides of branches on which a value is bound, outermost first.

    `is_element`: it is read from a sequence, its conditions are tested where the sequence is read.
    """

    sides: tuple[Side, ...]
    is_element: bool = False


class Binding:
    """The statement that binds each value of a program, however deep inside."""

    def __init__(self, block: Block) -> None:
        self.made_by: dict[Value, Stmt] = {}
        self.read_from: dict[Value, Atom] = {}
        self.carries: dict[Value, Atom] = {}  # what an iteration makes of what it carries
        self.flags = BoundFlags(block)
        self._scan(block)

    def _scan(self, block: Block) -> None:
        for stmt in block.body:
            self.made_by.update(dict.fromkeys(outputs(stmt), stmt))
            if isinstance(stmt, For):
                self.read_from.update(zip(stmt.elements, stmt.ins, strict=True))
            if isinstance(stmt, For | While):
                self.carries.update(zip(stmt.carried, stmt.yielded, strict=True))
            for inner in blocks(stmt):
                self._scan(inner)

    def is_bound(self, value: Value, conditions: Sequence[Side]) -> bool | None:
        """Whether a partial `value` is bound on these sides of branches; None: unknown.

        Args:
            value: a value of the block around the outermost of the branches.
            conditions: the sides of the branches around the place, outermost first.
        """
        chain = self.chain(value)
        if chain is None:
            return None
        for (test, holds), (cond, side) in zip(chain.sides, conditions, strict=False):
            if not chain.is_element and not self.agree(cond, test):
                return None
            if holds is not side:
                return False
        return True if len(conditions) >= len(chain.sides) else None

    def chain(self, value: Value) -> Chain | None:
        """The branches under which `value` is bound; None where they are not known."""
        if value in self.read_from:
            written = self.written(self.read_from[value])
            inner = self.chain(written) if written is not None else None
            return Chain(inner.sides, is_element=True) if inner is not None else None
        stmt = self.made_by.get(value)
        if isinstance(stmt, For | While) and value in stmt.outs:
            flag = find_flag(stmt, value, self.made_by)
            return None if flag is None else Chain(((flag, True),))
        if not isinstance(stmt, If):
            return None
        at = stmt.outs.index(value)
        known = [b.results[at] for b in (stmt.then, stmt.orelse) if b.results[at] is not UNDEFINED]
        if len(known) != 1:
            return None
        (result,) = known
        side = (stmt.truth, stmt.orelse.results[at] is UNDEFINED)
        is_own = isinstance(stmt.cond, Context)
        if not isinstance(result, Value) or not result.partial:
            return None if is_own else Chain((side,))
        rest = self.chain(result)
        if is_own:
            return rest
        return Chain((side, *rest.sides)) if rest is not None else None

    def is_stored_into(self, value: Atom, asked: set[Value] | None = None) -> bool:
        """Whether `value` is a version of an array that stores change: one of them made it, on a
        path, or in an iteration of the loop that carries it.
        """
        asked = set() if asked is None else asked
        if not isinstance(value, Value) or value in asked:
            return False
        asked.add(value)
        if value in self.carries:
            return self.is_stored_into(self.carries[value], asked)
        stmt = self.made_by.get(value)
        if isinstance(stmt, Op):
            return row_of(stmt.fn).store
        if not isinstance(stmt, If | For | While) or value not in stmt.outs:
            return False
        k = stmt.outs.index(value)
        ends = (stmt.then, stmt.orelse) if isinstance(stmt, If) else (stmt.body,)
        return any(self.is_stored_into(block.results[k], asked) for block in ends)

    def written(self, seq: Atom) -> Value | None:
        """The value that a loop writes to the sequence `seq`."""
        if seq in self.read_from:  # a sequence of sequences
            outer = self.written(self.read_from[seq])
            return self.written(outer) if outer is not None else None
        stmt = self.made_by.get(seq)
        if isinstance(stmt, If):
            at = stmt.outs.index(seq)
            known = [b.results[at] for b in (stmt.then, stmt.orelse)]
            inner = [r for r in known if isinstance(r, Value)]
            return self.written(inner[0]) if len(inner) == 1 else None
        if isinstance(stmt, For | While) and seq in stmt.seqs:
            result = stmt.written[stmt.seqs.index(seq)]
            return result if isinstance(result, Value) else None
        return None

    def agree(self, a: Any, b: Any) -> bool:
        """Whether two atoms are one value: the same, saved, or computed again by the same op."""
        if a is b:
            return True
        if isinstance(a, tuple | list):
            return type(a) is type(b) and len(a) == len(b) and all(map(self.agree, a, b))
        if not isinstance(a, Value) or not isinstance(b, Value):
            return not isinstance(a, Value | slice) and type(a) is type(b) and bool(a == b)
        one, two = self.made_by.get(a), self.made_by.get(b)
        if isinstance(one, If):
            at = one.outs.index(a)
            saved = [block.results[at] for block in (one.then, one.orelse)]
            return UNDEFINED in saved and any(self.agree(s, b) for s in saved if s is not UNDEFINED)
        if isinstance(one, Op) and isinstance(two, Op):
            return one.fn == two.fn and one.kwargs == two.kwargs and self.agree(one.args, two.args)
        return False
