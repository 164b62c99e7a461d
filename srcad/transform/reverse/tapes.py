"""The sequences by which a reversed loop reads values of its primal.

    for i in range(n):                       for i in reversed(range(n)):
        h_tape[i] = h                            h_before = h_tape[i]
        h = np.tanh(x[i] + h @ w)                ...                     # reads h and h_before
                                                 h = h_before

What a loop carries is needed both before and after an iteration as a rule. Only what was before is
saved: what was after it is before the next iteration, which the reversed loop has just seen, and is
carried.
"""

from __future__ import annotations

from srcad.ir.nodes import Atom, For, Value, While
from srcad.ir.types import ArrayType, SeqType, Type
from srcad.ir.walk import fresh_like


class Tapes:
    """The reads that `reverse`, the reversed form of the loop `stmt`, makes of its values."""

    def __init__(self, stmt: For | While, reverse: For) -> None:
        self.stmt = stmt
        self.reverse = reverse
        self.sources: dict[Value, Atom] = {}
        if isinstance(stmt, For):
            self.sources.update(zip(stmt.elements, stmt.ins, strict=True))
        self.read: dict[Value, Value] = {}
        self.added: dict[Value, Value] = {}

    @property
    def at_hand(self) -> set[Value]:
        """The values that need no saving: the index, and what the loop reads from sequences."""
        index = {self.stmt.index} if isinstance(self.stmt, For) else set()
        return {*self.sources, *index}

    def supply(self, value: Value) -> Atom:
        """The atom by which the reversed loop reads `value`."""
        if isinstance(self.stmt, For) and value is self.stmt.index:
            return self.reverse.index
        element = self.read[value] = fresh_like(value)
        self.reverse.ins.append(self.sources.get(value) or self._tape_of(value))
        self.reverse.body.params.append(element)
        return element

    def _tape_of(self, value: Value) -> Value:
        """The sequence to which the loop writes `value`; it is added where there is none."""
        stmt = self.stmt
        for result, seq in zip(stmt.written, stmt.seqs, strict=True):
            if result is value:
                return seq
        tape = Value(f"{value.name}_tape" if value.name else "tape", SeqType(value.type))
        stmt.body.results[len(stmt.init) :] = [*stmt.written, value, *stmt.leaves]
        stmt.seqs = (*stmt.seqs, tape)
        self.added[value] = tape
        return tape

    def share(self) -> None:
        """Carry what would be saved after an iteration as well as before it."""
        stmt = self.stmt
        for param, out, result in zip(stmt.carried, stmt.outs, stmt.yielded, strict=True):
            if param not in self.read or result not in self.added or result is param:
                continue
            if not out.partial and _form(param.type) == _form(result.type) == _form(out.type):
                self._carry(param, result, out)

    def _carry(self, before: Value, after: Value, final: Value) -> None:
        """Instead of reading `after` from its tape, carry it backwards, starting from `final`."""
        reverse, body = self.reverse, self.reverse.body
        tape, element = self.added.pop(after), self.read.pop(after)
        n = len(reverse.init)
        at = body.params.index(element)
        del body.params[at], reverse.ins[at - 1 - n]
        body.params.insert(1 + n, element)
        body.results.insert(n, self.read[before])
        reverse.init.append(final)
        reverse.outs = (*reverse.outs, fresh_like(before))
        stmt = self.stmt
        del stmt.body.results[len(stmt.init) + stmt.seqs.index(tape)]
        stmt.seqs = tuple(seq for seq in stmt.seqs if seq is not tape)


def _form(t: Type) -> object:
    """The type but for the extents, which may differ from one iteration to the next."""
    return (t.dtype, t.rank, t.scalar) if isinstance(t, ArrayType) and t.shape is not None else t
