"""Which user line made each value that a program keeps, however deep inside it was made.

h_tape[i] = h             h_tape   <- elements written by the loop: h <- np.tanh(...), line 7
y, saved = f_forward(x)   saved    <- what f_forward packed: (c, h) <- lines 12 and 14
if c: ... else: ...       an out of the branch <- the path that binds it
"""

from __future__ import annotations

from srcad.errors import Location
from srcad.ir import UNDEFINED, For, Function, If, Op, Value, While
from srcad.ir.calls import called
from srcad.ir.nodes import Atom, Block, Stmt
from srcad.ir.walk import blocks, outputs
from srcad.runtime.saved import pack


class Origins:
    """The makers of the values of a program and of the functions that it calls."""

    def __init__(self, fn: Function) -> None:
        self._made_by: dict[Value, Stmt] = {}
        self._carried: dict[Value, tuple[For | While, int]] = {}
        self._called_at: dict[Value, Stmt] = {}
        for each in (*called(fn), fn):
            self._scan(each.body)

    def _scan(self, block: Block) -> None:
        for stmt in block.body:
            self._made_by.update(dict.fromkeys(outputs(stmt), stmt))
            if isinstance(stmt, Op) and isinstance(stmt.fn, Function):
                for param in stmt.fn.params:
                    self._called_at.setdefault(param, stmt)
            if isinstance(stmt, For | While):
                self._carried.update((param, (stmt, j)) for j, param in enumerate(stmt.carried))
            for inner in blocks(stmt):
                self._scan(inner)

    def origin(self, value: Value) -> Value:
        """The value that an operation made and that `value` is, an iteration or a branch later."""
        seen: set[Value] = set()
        while value not in seen:
            seen.add(value)
            before = self._before(value)
            if not isinstance(before, Value):
                break
            value = before
        return value

    def _before(self, value: Value) -> Atom:
        if value in self._carried:
            loop, j = self._carried[value]
            return loop.yielded[j]
        made = self._made_by.get(value)
        if isinstance(made, For | While) and value in made.outs:
            return made.yielded[made.outs.index(value)]
        if isinstance(made, If):
            at = made.outs.index(value)
            found = [b.results[at] for b in (made.then, made.orelse)]
            bound = [atom for atom in found if isinstance(atom, Value)]
            return bound[0] if len(bound) == 1 or UNDEFINED in found else None
        return None

    def element(self, seq: Value) -> Value | None:
        """The value that a loop writes to the sequence `seq`."""
        seq = self.origin(seq)
        made = self._made_by.get(seq)
        if not isinstance(made, For | While) or seq not in made.seqs:
            return None
        written = made.written[made.seqs.index(seq)]
        return written if isinstance(written, Value) else None

    def packed(self, saved: Value) -> tuple[Atom, ...] | None:
        """What a called function packed into the tuple `saved`."""
        made = self._made_by.get(self.origin(saved))
        if not isinstance(made, Op) or not isinstance(made.fn, Function):
            return None
        result = made.fn.body.results[made.outs.index(self.origin(saved))]
        packing = self._made_by.get(result)
        return packing.args if isinstance(packing, Op) and packing.fn is pack else None

    def location(self, value: Value) -> Location | None:
        """The user's place of what made `value`."""
        origin = self.origin(value)
        made = self._made_by.get(origin) or self._called_at.get(origin)
        if made is None and origin in self._carried:
            made = self._carried[origin][0]
        return made.loc.shown if made is not None and made.loc is not None else None
