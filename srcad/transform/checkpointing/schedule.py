"""Checkpointing of loops: instead of a tape, some states are saved, and steps are run again.

    u_tape = [None] * n                      states = Checkpoints(range(n), (u,), budget=...)
    for i in range(n):                       for _ in range(states.legs()):
        u_tape[i] = u                            start, stop = states.keep(u)
        u = step(u)                              for i in range(start, stop):
                                                     u = step(u)
                                             start, stop = states.last()
                                             u_tape = [None] * (stop - start)
                                             for i in range(start, stop):
                                                 u_tape[i - start] = u
                                                 u = step(u)
    ...                                      ...
    for i in reversed(range(n)):             for i in reversed(range(start, stop)):
        u = u_tape[i]                            u = u_tape[i - start]
        u_bar = step_adjoint(u, u_bar)           u_bar = step_adjoint(u, u_bar)
                                             for _ in range(states.parts()):
                                                 u = states.restore()
                                                 for _ in range(states.legs()):
                                                     start, stop = states.keep(u)
                                                     for i in range(start, stop):
                                                         u = step(u)
                                                 start, stop = states.part()
                                                 u_tape = [None] * (stop - start)
                                                 for i in range(start, stop):
                                                     u_tape[i - start] = u
                                                     u = step(u)
                                                 for i in reversed(range(start, stop)):
                                                     u = u_tape[i - start]
                                                     u_bar = step_adjoint(u, u_bar)

This is a pass over programs that are derived already: any pair of a loop and a reversed loop that
reads its tape, so also that of a tangent program of a gradient. A loop whose number of iterations
is not known when it starts, or that makes lists besides, offers each of its states
(`states.offer(u)`) and records each of its steps (`states.record(...)`): the last ones for which
there is room need not be run again. Of a tape that several loops
read, as in a gradient of a gradient by reverse mode, all is saved.
"""

from __future__ import annotations

from collections import Counter

from srcad.errors import error
from srcad.ir.nodes import Block, For, Function, Stmt, Value, While
from srcad.ir.walk import all_reads, blocks, copy_block, outputs, statements, values_in
from srcad.transform.checkpointing.pairs import Pair, Reader
from srcad.transform.checkpointing.sizes import Extents
from srcad.transform.checkpointing.steps import find_steps

_AGAIN = "move the loop into a function of its own, decorate that one, and call it here"


def checkpoint_loops(fn: Function) -> Function:
    """The program in which loops that are to be checkpointed have no tape."""
    if not any(_is_marked(stmt) for stmt in statements(fn.body)):
        return fn
    body = copy_block(fn.body)
    _Pass(body).block(body, Extents())
    return Function(fn.name, body, fn.interface, fn.recomputed, fn.native)


def _is_marked(stmt: Stmt) -> bool:
    return isinstance(stmt, For | While) and stmt.checkpointing is not None


class _Pass:
    """Goes through the blocks of a program."""

    def __init__(self, whole: Block) -> None:
        self.reads = Counter(all_reads(whole))
        self.readers: dict[Value, list[Reader]] = {}
        for block in _all_blocks(whole):
            for stmt in block.body:
                if isinstance(stmt, For):
                    for seq in values_in(stmt.ins):
                        self.readers.setdefault(seq, []).append(Reader(stmt, block))

    def block(self, block: Block, extents: Extents) -> None:
        """The loops of a block and of those inside."""
        extents.add(block.params)
        for stmt in list(block.body):
            if isinstance(stmt, For | While) and stmt.checkpointing is not None:
                self.loop(stmt, block, extents)
            for inner in blocks(stmt):
                self.block(inner, extents.inner())
            extents.add(outputs(stmt))

    def loop(self, loop: For | While, block: Block, extents: Extents) -> None:
        """Checkpoint one loop, if exactly one other runs back over it."""
        how = loop.checkpointing
        assert how is not None
        escaping = set(values_in(block.results)).intersection(loop.seqs)
        if how.taped and escaping:
            what = "a loop that is checkpointed inside of another loop or a branch"
            raise error("E100", loop.loc, what=what, fix=_AGAIN)
        loop.checkpointing = None
        tapes = [seq for seq in loop.seqs if self.is_read_back(seq, loop)]
        readers = {reader.loop: reader for tape in tapes for reader in self.readers[tape]}
        if len(readers) != 1 or (isinstance(loop, For) and loop.ins):
            return
        (reader,) = readers.values()
        others = set(reader.loop.ins).difference(tapes)
        if reader.loop.seqs or (others and isinstance(loop, For) and loop.reverse):
            return
        pair = Pair(find_steps(loop, tapes), reader, block, how.budget, how.slots)
        pair.build(extents)

    def is_read_back(self, seq: Value, loop: For | While) -> bool:
        """Whether all that reads a sequence is one loop that runs the other way."""
        readers = self.readers.get(seq, ())
        if len(readers) != 1 or self.reads[seq] != 1:
            return False
        return readers[0].loop.reverse != (isinstance(loop, For) and loop.reverse)


def _all_blocks(block: Block) -> list[Block]:
    return [block, *(inner for stmt in statements(block) for inner in blocks(stmt))]


__all__ = ["checkpoint_loops"]
