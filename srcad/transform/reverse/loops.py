"""Reverse mode of loops.

    for i in range(n):                   for i in reversed(range(n)):
        h = np.tanh(h * w)                   t_bar = h_bar * (1 - h * h)    # h: saved by the loop
                                             w_bar = w_bar + t_bar * h_before
                                             h_bar = t_bar * w

A reversed loop runs over the same indices the other way round (those of the iterations that ran,
for a `while` and for a loop that exits) and carries the cotangents of what the loop carries and of
what it reads from outside.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from itertools import compress
from typing import Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Value, While
from srcad.ir.types import ArrayType, NumberType, SeqType, Type, dtype_of
from srcad.ir.walk import fresh_like
from srcad.rules.core.masks import hand_on, has_choice, notes_of
from srcad.rules.core.regularity import may_be_singular
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.conform import (
    as_form,
    bar_name,
    has_numbers_only,
    is_perhaps_unbound,
    meeting_type,
)
from srcad.transform.prune import replace_in, shrink_loop
from srcad.transform.reverse.residuals import supply_values
from srcad.transform.reverse.scope import LoopScope, Scope
from srcad.transform.reverse.sweep import Sweep
from srcad.transform.reverse.tapes import Tapes


def reverse_loop(sweep: Sweep, stmt: For | While, scope: Scope) -> None:
    """Append the reversed loop to the scope's reverse sweep."""
    loop = _Reversed(sweep, stmt, scope)
    if loop.is_reached():
        loop.build()


def _carried_type(param: Type, result: Any) -> Type:
    """The type of a carried cotangent: shaped as an iteration's result, of the carried dtype."""
    t: Type = result.type
    if isinstance(t, ArrayType) and isinstance(param, ArrayType):
        return replace(t, dtype=param.dtype)
    return t


class _Reversed:
    """A loop being reversed: what the reversed loop carries is gathered, then put together."""

    def __init__(self, sweep: Sweep, stmt: For | While, scope: Scope) -> None:
        self.sweep = sweep
        self.stmt = stmt
        self.outer = scope
        self.out_bars = [scope.pop(out) for out in stmt.outs]
        self.seq_bars = [scope.pop(seq) for seq in stmt.seqs]
        self.carried = stmt.carried
        # An element of a loop around this one may be the same sequence as another.
        ins: list[Any] = (
            [sweep.same.get(seq, seq) for seq in stmt.ins] if isinstance(stmt, For) else []
        )
        self.sources = dict(zip(stmt.elements, ins, strict=True)) if isinstance(stmt, For) else {}
        first: dict[Value, Value] = {}
        for element, seq in self.sources.items():
            sweep.same[element] = first.setdefault(seq, element)
        numbers = has_numbers_only(stmt.body)
        self.scope = LoopScope(stmt.body, scope, self.sources, numbers)
        self.params: list[Value] = []
        self.init: list[Atom] = []
        self.results: list[Atom] = []
        # What comes in by one cotangent reaches the others in a later iteration.
        given = [
            notes_of(scope.builder, g) for g in (*self.out_bars, *self.seq_bars) if g is not ZERO
        ]
        self.chooses = has_choice(stmt.body) or any(notes.masked for notes in given)
        self.may_be_missing = self.scope.looks_for_nan or any(n.missing for n in given)
        self.may_be_singular = may_be_singular(stmt.body) or any(notes.singular for notes in given)
        self.ins: list[Atom] = []
        self.elements: list[Value] = []

    def is_reached(self) -> bool:
        """Whether any result of the loop has a cotangent."""
        return any(g is not ZERO for g in (*self.out_bars, *self.seq_bars))

    def build(self) -> None:
        """Reverse the body, put the loop together, hand on what it computes."""
        positions = self.seed_carried()
        self.seed_sequences()
        self.sweep.block(self.scope)
        self.scope.builder.loc = self.outer.builder.loc = self.stmt.loc
        self.close_carried(positions)
        accumulated = self.close_accumulators()
        seqs, elements = self.close_elements()
        outs = self.append([self.stmt.init[j] for j in positions], accumulated, seqs, elements)
        self.outer.bars.update(zip(accumulated, outs[len(positions) :], strict=True))
        self.outer.bars.update(seqs)
        for j, out in zip(positions, outs, strict=False):
            self.sweep.accumulate(self.outer, self.stmt.init[j], out)

    def seed_carried(self) -> list[int]:
        """Carry the cotangents that are not zero in all iterations; returns their positions."""
        useful = self.sweep.useful
        positions = []
        for j, (param, g) in enumerate(zip(self.carried, self.out_bars, strict=True)):
            if g is ZERO and param not in useful:
                continue
            result, out = self.stmt.body.results[j], self.stmt.outs[j]
            if g is ZERO:
                g = self.outer.carried_zero(out, self.stmt.init[j])
            t = (
                _carried_type(param.type, result)
                if is_in(result, self.sweep.varied)
                else param.type
            )
            self.carry(param, t, g)
            positions.append(j)
        for j, param in zip(positions, self.params, strict=True):
            self.sweep.accumulate(self.scope, self.stmt.body.results[j], param)
        return positions

    def carry(self, primal: Value, t: Type, init: Atom) -> None:
        """Add a carried cotangent of `primal`, as a value of type `t`."""
        form = meeting_type(t, numbers=self.scope.numbers)
        param = Value(bar_name(primal), form, is_perhaps_unbound(primal))
        self.params.append(self.noted(param, init))
        self.init.append(as_form(self.outer.builder, init, form))

    def noted(self, param: Value, init: Atom) -> Value:
        """`param`, with what is noted of `init`, and of what the body of the loop does."""
        if self.chooses:
            self.scope.builder.marks.masked.add(param)
        if self.may_be_missing:
            self.scope.builder.marks.missing.add(param)
        if self.may_be_singular:
            self.scope.builder.marks.singular.add(param)
        hand_on(self.outer.builder, init, param)
        return param

    def seed_sequences(self) -> None:
        """Read the cotangents of the sequences that the loop wrote."""
        for result, g in zip(self.stmt.written, self.seq_bars, strict=True):
            if g is ZERO or not isinstance(result, Value):
                continue
            assert isinstance(g.type, SeqType)
            element = self.noted(Value(bar_name(result), g.type.elem, result.partial), g)
            self.ins.append(g)
            self.elements.append(element)
            self.sweep.accumulate(self.scope, result, element)

    def close_carried(self, positions: list[int]) -> None:
        """The carried cotangents at the end of an iteration."""
        builder = self.scope.builder
        for j, param in zip(positions, self.params, strict=True):
            bar = self.scope.get(self.carried[j])
            if bar is ZERO:
                bar = self.scope.carried_zero(self.carried[j], self.stmt.body.results[j])
            self.results.append(as_form(builder, bar, param.type))

    def close_accumulators(self) -> list[Value]:
        """Carry the cotangents of outer values; returns those values."""
        for value, param in self.scope.accumulators.items():
            so_far = self.outer.get(value)
            init = self.outer.zero(value) if so_far is ZERO else so_far
            self.params.append(param)
            self.init.append(as_form(self.outer.builder, init, param.type))
            bar = self.scope.bars[value]
            self.results.append(as_form(self.scope.builder, bar, param.type))
        return list(self.scope.accumulators)

    def close_elements(self) -> tuple[dict[Value, Value], list[Atom]]:
        """The cotangents of the sequences that the loop read, each with what is written to it."""
        seqs: dict[Value, Value] = {}
        elements: list[Atom] = []
        for element, reader in self.scope.readers.items():
            self.ins.append(self.outer.get(self.sources[element]))
            self.elements.append(reader)
        for element, seq in self.sources.items():
            bar = self.scope.bars.get(element, ZERO)
            if bar is ZERO or bar is self.scope.readers.get(element):
                continue
            form = meeting_type(element.type, numbers=self.scope.numbers)
            if bar is not UNDEFINED:
                bar = as_form(self.scope.builder, bar, form)
            seqs[seq] = Value(bar_name(seq), SeqType(form), seq.partial)
            elements.append(bar)
        return seqs, elements

    def append(
        self,
        starts: list[Atom],
        accumulated: list[Value],
        seqs: dict[Value, Value],
        elements: list[Atom],
    ) -> list[Atom]:
        """Append the reversed loop; returns the final value of each carried cotangent."""
        n = len(starts)
        outs = [
            _out(source, param, self.scope.numbers)
            for source, param in zip((*starts, *accumulated), self.params, strict=True)
        ]
        kept = [p is not r for p, r in zip(self.params, self.results, strict=True)]
        fixed = {p: i for p, i, k in zip(self.params, self.init, kept, strict=True) if not k}
        ends = [out if k else init for out, init, k in zip(outs, self.init, kept, strict=True)]
        reverse = self.loop(kept, outs, seqs, elements)
        settled = self.scope.settled
        replace_in(reverse.body, fixed, settled)
        varied = self.sweep.varied
        wanted = [out for out, start in zip(outs, starts, strict=False) if is_in(start, varied)]
        shrink_loop(reverse, {*wanted, *outs[n:], *reverse.seqs}, settled)
        if reverse.outs or reverse.seqs:
            tapes = Tapes(self.stmt, reverse)
            recompute = self.sweep.recompute
            supply_values(reverse.body, self.scope, tapes.at_hand, tapes.supply, recompute)
            tapes.share()
            if self.stmt.checkpointing is not None:
                self.stmt.checkpointing = replace(self.stmt.checkpointing, taped=True)
            self.outer.builder.body.append(reverse)
        return ends

    def loop(
        self, kept: list[bool], outs: list[Any], seqs: dict[Value, Value], elements: list[Atom]
    ) -> For:
        """The reversed loop, with the carried cotangents that are `kept`."""
        stmt = self.stmt
        params, init = list(compress(self.params, kept)), list(compress(self.init, kept))
        results = [*compress(self.results, kept), *elements]
        start, stop, step = self.bounds()
        if isinstance(stmt, While):
            index, backwards = Value("", NumberType(int)), True
        else:
            index, backwards = fresh_like(stmt.index), not stmt.reverse
        body = Block([index, *params, *self.elements], self.scope.builder.body, results)
        made = tuple(compress(outs, kept))
        for result, out in zip(results, (*made, *seqs.values()), strict=True):
            hand_on(self.scope.builder, result, out)
        return For(
            start, stop, step, backwards, init, self.ins, body, made, tuple(seqs.values()), stmt.loc
        )

    def bounds(self) -> tuple[Atom, Atom, Atom]:
        """The range of the iterations that ran."""
        stmt, builder = self.stmt, self.outer.builder
        if isinstance(stmt, For) and not stmt.exits:
            return stmt.start, stmt.stop, stmt.step
        if stmt.count is None:
            stmt.count = Value("count", NumberType(int))
        if isinstance(stmt, While):
            return 0, stmt.count, 1
        way: Atom = stmt.count
        if stmt.step != 1:
            way = builder.emit(operator.mul, (way, stmt.step))
        stop = builder.emit(operator.add, (stmt.start, way)) if stmt.start != 0 else way
        return stmt.start, stop, stmt.step


def _out(source: Atom, param: Value, numbers: bool) -> Value:
    """The final value of the carried cotangent of `source`, in the dtype that it is carried in."""
    if not isinstance(source, Value):
        return Value("", param.type, param.partial)
    t, dtype = meeting_type(source.type, numbers=numbers), dtype_of(param.type)
    if isinstance(t, ArrayType) and dtype is not None:
        t = replace(t, dtype=dtype)
    return Value(bar_name(source), t, is_perhaps_unbound(source))
