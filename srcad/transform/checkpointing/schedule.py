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
(`states.offer(u)`), and its last part is run again like the others. Of a tape that several loops
read, as in a gradient of a gradient by reverse mode, all is saved.
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass
from typing import Any

from srcad.errors import error
from srcad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Value, While
from srcad.ir.types import NumberType, ObjectType, SeqType
from srcad.ir.walk import (
    all_reads,
    blocks,
    copy_block,
    copy_statements,
    outputs,
    statements,
    values_in,
)
from srcad.rules.core.staged import Builder
from srcad.rules.draws import GENERATOR
from srcad.runtime.checkpoints.states import Checkpoints
from srcad.transform.checkpointing.sizes import (
    Extents,
    bytes_of_heads,
    emit_bytes,
    lasting_extents,
    renewed,
)
from srcad.transform.checkpointing.steps import Steps, find_steps

INT = NumberType(int)
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


@dataclass(frozen=True, slots=True)
class _Reader:
    """A loop that reads sequences, in its block."""

    loop: For
    block: Block


class _Pass:
    """Goes through the blocks of a program."""

    def __init__(self, whole: Block) -> None:
        self.reads = Counter(all_reads(whole))
        self.readers: dict[Value, list[_Reader]] = {}
        for block in _all_blocks(whole):
            for stmt in block.body:
                if isinstance(stmt, For):
                    for seq in values_in(stmt.ins):
                        self.readers.setdefault(seq, []).append(_Reader(stmt, block))

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
        pair = _Pair(find_steps(loop, tapes), reader, block, how.budget, how.slots)
        pair.build(extents)

    def is_read_back(self, seq: Value, loop: For | While) -> bool:
        """Whether all that reads a sequence is one loop that runs the other way."""
        readers = self.readers.get(seq, ())
        if len(readers) != 1 or self.reads[seq] != 1:
            return False
        return readers[0].loop.reverse != (isinstance(loop, For) and loop.reverse)


def _all_blocks(block: Block) -> list[Block]:
    return [block, *(inner for stmt in statements(block) for inner in blocks(stmt))]


@dataclass(slots=True)
class _Pair:
    """A loop, and the one that runs back over it."""

    steps: Steps
    reader: _Reader
    home: Block
    budget: int | None
    slots: int | None
    stride: Atom = 1  # by what the index grows from one step to the next
    last: Op | None = None  # gives the bounds of the last part, which the loop runs with its tape

    def build(self, extents: Extents) -> None:
        """Put both loops into the forms with states."""
        loop = self.steps.loop
        states = Value("states", ObjectType("Checkpoints"))
        builder = Builder([], loop.loc)
        if isinstance(loop, For):
            self.stride = _negative(builder, loop.step) if loop.reverse else loop.step
            if not (loop.exits or loop.ins or self.others()):
                self.last = self.bounds(Checkpoints.last, (states,))
        _put(self.reader.block, self.reader.loop, self.backward(states))
        _put(self.home, loop, self.forward(states, builder, extents))

    def others(self) -> list[Value]:
        """The lists that the loop makes beside its tapes."""
        return [seq for seq in self.steps.loop.seqs if seq not in self.steps.tapes]

    # ---- forward

    def forward(self, states: Value, builder: Builder, extents: Extents) -> list[Stmt]:
        """The loop that keeps states."""
        loop, steps = self.steps.loop, self.steps
        is_known = isinstance(loop, For) and not loop.exits
        types = [tape.type.elem for tape in steps.tapes if isinstance(tape.type, SeqType)]
        tape = emit_bytes(builder, types, extents)
        options: dict[str, Any] = {"budget": self.budget, "slots": self.slots, "tape": tape}
        if tape is not None:
            options["heads"] = bytes_of_heads(types)
        options["generators"] = steps.generators or None
        if isinstance(loop, For) and not is_known:
            options |= {"first": loop.start, "stride": loop.step}
        given = {key: x for key, x in options.items() if x is not None}
        init = tuple(loop.init[k] for k in steps.state)
        builder.body.append(
            Op(Checkpoints, (_range(builder, loop), init), given, (states,), loop.loc, effect=True)
        )
        if self.last is not None:
            return [*builder.body, *self.by_legs(states, self.last)]
        others = self.others()
        kept = dict(zip(loop.seqs, loop.written, strict=True))
        loop.body.results = [*loop.yielded, *(kept[seq] for seq in others), *loop.leaves]
        loop.seqs = tuple(others)
        offered = (states, *(steps.carried[k] for k in steps.state))
        loop.body.body.insert(0, Op(Checkpoints.offer, offered, {}, (), loop.loc, effect=True))
        return [*builder.body, loop]

    def by_legs(self, states: Value, last: Op) -> list[Stmt]:
        """The loop as one over legs, and the last part, with its tape."""
        loop = self.steps.loop
        assert isinstance(loop, For)
        lasting = lasting_extents(loop.init)
        params = renewed(loop.carried, lasting)
        legs = self.call(Checkpoints.legs, states, "legs", INT)
        keep = self.keep(states, [params[k] for k in self.steps.state])
        start, stop = keep.outs
        outs, reached = (tuple(renewed(loop.outs, lasting)) for _ in range(2))
        untaped = copy_block(Block(loop.body.params, loop.body.body, loop.yielded))
        bounds = (start, stop, self.stride, False)
        inner = For(*bounds, list(params), [], untaped, outs, (), loop.loc)
        body = Block([Value("leg", INT), *params], [keep, inner], list(outs))
        outer = For(0, legs.out, 1, False, loop.init, [], body, reached, (), loop.loc)
        loop.start, loop.stop, loop.step, loop.reverse = *last.outs, self.stride, False
        loop.init = list(reached)
        return [legs, outer, last, loop]

    # ---- backward

    def backward(self, states: Value) -> list[Stmt]:
        """The loop that runs back, part by part."""
        steps, back = self.steps, self.reader.loop
        made: list[Stmt] = []
        if self.reader.block is not self.home:  # which may run several times
            again = self.call(Checkpoints.again, states, "states", states.type)
            made.append(again)
            states = again.out
        if self.last is not None:
            (over,) = copy_statements([back], {})
            assert isinstance(over, For)
            back.init = list(over.outs)
            made += self.over(over, self.last, states, {tape: tape for tape in steps.tapes})
        parts = self.call(Checkpoints.parts, states, "parts", INT)
        made.append(parts)
        stand_ins: dict[Value, Value] = {}
        for k, rng in enumerate(steps.generators):
            copied = self.call(Checkpoints.generator, states, rng.name, GENERATOR, k)
            stand_ins[rng] = copied.out
            made.append(copied)
        lasting = lasting_extents(back.init)
        params = renewed(back.carried, lasting)
        outs, back.outs = back.outs, tuple(renewed(back.outs, lasting))
        init, back.init = back.init, list(params)
        inner = self.part(states, stand_ins)
        body = Block([Value("part", INT), *params], inner, list(back.outs))
        return [*made, For(0, parts.out, 1, False, init, [], body, outs, (), back.loc)]

    def part(self, states: Value, stand_ins: dict[Value, Value]) -> list[Stmt]:
        """One part: restore, advance, run it with its tape, and back."""
        steps = self.steps
        state = self.state()
        restore = Op(Checkpoints.restore, (states,), {}, tuple(state), steps.loop.loc, effect=True)
        made: list[Stmt] = [restore]
        if state or steps.generators:
            made += self.advance(states, state, stand_ins)
            advanced = made[-1]
            assert isinstance(advanced, For)
            state = list(advanced.outs)
        part = self.bounds(Checkpoints.part, (states,))
        start, stop = part.outs
        taped, tapes = steps.taped((start, stop, self.stride), state, stand_ins)
        return [*made, part, taped, *self.over(self.reader.loop, part, states, tapes)]

    def over(self, back: For, part: Op, states: Value, tapes: dict[Value, Value]) -> list[Stmt]:
        """The loop that runs back over the steps of a part, whose tapes are given."""
        back.start, back.stop, back.step, back.reverse = *part.outs, self.stride, True
        made: list[Stmt] = []
        for k, seq in enumerate(back.ins):
            if seq not in tapes:  # the cotangents of a list that the loop has made
                cut = self.call(Checkpoints.cut, states, seq.name, seq.type, seq)
                made.append(cut)
                tapes[seq] = cut.out
            back.ins[k] = tapes[seq]
        return [*made, back]

    def advance(
        self, states: Value, state: list[Value], stand_ins: dict[Value, Value]
    ) -> list[Stmt]:
        """From the state that was restored to the part that is next."""
        legs = self.call(Checkpoints.legs, states, "legs", INT)
        params = self.state()
        keep = self.keep(states, params)
        start, stop = keep.outs
        inner = self.steps.again((start, stop, self.stride), params, stand_ins)
        body = Block([Value("leg", INT), *params], [keep, inner], list(inner.outs))
        outs = tuple(self.state())
        return [legs, For(0, legs.out, 1, False, list(state), [], body, outs, (), inner.loc)]

    # ---- operations

    def state(self) -> list[Value]:
        """New values for a state."""
        steps = self.steps
        carried = [steps.carried[k] for k in steps.state]
        return renewed(carried, lasting_extents(steps.loop.init))

    def call(self, fn: Any, states: Value, name: str, t: Any, *args: Atom) -> Op:
        """A method with one result."""
        return Op(fn, (states, *args), {}, (Value(name, t),), self.steps.loop.loc, effect=True)

    def bounds(self, fn: Any, args: tuple[Atom, ...]) -> Op:
        """A method that gives bounds of indices."""
        outs = (Value("start", INT), Value("stop", INT))
        return Op(fn, args, {}, outs, self.steps.loop.loc, effect=True)

    def keep(self, states: Value, state: list[Value]) -> Op:
        """Keep a state; the bounds of the leg that starts there."""
        return self.bounds(Checkpoints.keep, (states, *state))


def _range(builder: Builder, loop: For | While) -> Atom:
    """The indices of a loop in the order of its steps, None where it is not known how many."""
    if isinstance(loop, While) or loop.exits:
        return None
    bounds: tuple[Atom, ...] = (loop.start, loop.stop, loop.step)
    if bounds[2] == 1:
        bounds = bounds[1:2] if bounds[0] == 0 else bounds[:2]
    made = Value("", ObjectType("range"))
    builder.body.append(Op(range, bounds, {}, (made,), loop.loc))
    if loop.reverse:
        backwards = Value("", ObjectType("range"))
        args = (made, slice(None, None, -1))
        builder.body.append(Op(operator.getitem, args, {}, (backwards,), loop.loc))
        return backwards
    return made


def _put(block: Block, old: Stmt, new: list[Stmt]) -> None:
    """Put statements in the place of one."""
    at = block.body.index(old)
    block.body[at : at + 1] = new


def _negative(builder: Builder, step: Atom) -> Atom:
    return builder.emit(operator.neg, (step,)) if isinstance(step, Value) else -step


__all__ = ["checkpoint_loops"]
