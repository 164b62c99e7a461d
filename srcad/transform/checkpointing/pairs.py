"""A loop that is checkpointed and the one that runs back over it: both with states for a tape.

The forms are those of `srcad.transform.checkpointing.schedule`.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Op, Stmt, Value, While
from srcad.ir.types import ArrayType, NumberType, ObjectType, SeqType, Type
from srcad.ir.walk import copy_block, copy_statements
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
from srcad.transform.checkpointing.steps import Steps

INT = NumberType(int)


@dataclass(frozen=True, slots=True)
class Reader:
    """A loop that reads sequences, in its block."""

    loop: For
    block: Block


@dataclass(slots=True)
class Pair:
    """A loop, and the one that runs back over it."""

    steps: Steps
    reader: Reader
    home: Block
    budget: int | None
    slots: int | None
    stride: Atom = 1  # by what the index grows from one step to the next
    last: Op | None = None  # gives the bounds of the last part, which the loop runs with its tape
    recorded: Op | None = None  # gives those of the steps that the loop has recorded, their tapes

    def build(self, extents: Extents) -> None:
        """Put both loops into the forms with states."""
        loop = self.steps.loop
        states = Value("states", ObjectType("Checkpoints"))
        builder = Builder([], loop.loc)
        if isinstance(loop, For):
            self.stride = _negative(builder, loop.step) if loop.reverse else loop.step
            if not (loop.exits or loop.ins or self.others()):
                self.last = self.bounds(Checkpoints.last, (states,))
        if self.last is None and self.is_recorded():
            tapes = tuple(Value(tape.name, tape.type) for tape in self.steps.tapes)
            bounds = (Value("start", INT), Value("stop", INT))
            self.recorded = Op(
                Checkpoints.recorded,
                (states, len(tapes)),
                {},
                (*bounds, *tapes),
                loop.loc,
                effect=True,
            )
        _put(self.reader.block, self.reader.loop, self.backward(states))
        _put(self.home, loop, self.forward(states, builder, extents))

    def is_recorded(self) -> bool:
        """Whether a loop that offers its states can record its steps besides."""
        written = dict(zip(self.steps.loop.seqs, self.steps.loop.written, strict=True))
        tapes = self.steps.tapes
        return all(_is_copied(t.type) and written[t] is not UNDEFINED for t in tapes)

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
        if self.recorded is None:
            return [*builder.body, loop]
        items = (states, *(kept[tape] for tape in steps.tapes))
        loop.body.body.append(Op(Checkpoints.record, items, {}, (), loop.loc, effect=True))
        return [*builder.body, loop, self.recorded]

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
        ran = self.last or self.recorded
        if ran is not None:
            (over,) = copy_statements([back], {})
            assert isinstance(over, For)
            back.init = list(over.outs)
            tapes = steps.tapes if self.last is not None else ran.outs[2:]
            made += self.over(over, ran, states, dict(zip(steps.tapes, tapes, strict=True)))
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
        back.start, back.stop, back.step, back.reverse = *part.outs[:2], self.stride, True
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


def _is_copied(t: Type) -> bool:
    """Whether `record` can copy the items of a tape."""
    return isinstance(t, ArrayType | NumberType) or (isinstance(t, SeqType) and _is_copied(t.elem))


def _put(block: Block, old: Stmt, new: list[Stmt]) -> None:
    """Put statements in the place of one."""
    at = block.body.index(old)
    block.body[at : at + 1] = new


def _negative(builder: Builder, step: Atom) -> Atom:
    return builder.emit(operator.neg, (step,)) if isinstance(step, Value) else -step


__all__ = ["Pair", "Reader"]
