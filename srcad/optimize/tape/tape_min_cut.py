"""Checkpointing by minimum cut: the reverse loop recomputes values from fewer saved arrays.

    for i in range(n) carrying u:                  for i in range(n) carrying u:
        d = sub(u[1:], u[:-1])                         d = sub(u[1:], u[:-1])
        s = mul(d, d)                                  s = mul(d, d)
        collecting d_tape, s_tape               ->     collecting u_tape
    for reversed i ... reading d, s of the tapes:  for reversed i ... reading u of the tape:
                                                       d = sub(u[1:], u[:-1])
                                                       s = mul(d, d)

For the compiled backend, where arithmetic costs less than memory that is written once and read
much later. What is saved instead is the smallest cut between what the loop is given anew in each
iteration and what its reverse reads, through operations that are cheap (Ford and Fulkerson 1956).
The values are the same to the last bit: the operations are.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.analysis.cost import ENTRIES, pays_again
from srcad.analysis.operations import has_axes
from srcad.ir.nodes import Block, For, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, SeqType, dtype_of
from srcad.ir.walk import all_reads, inputs, outputs, statements, substitute, values_in
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.tape.min_cut import smallest_cut
from srcad.rules.arrays.distinct import is_basic_index


def recompute_by_min_cut(fn: Function) -> Function:
    """The program with shorter tapes; `fn` itself where there is nothing to gain."""
    known = set(fn.params)
    body = [*fn.body.body]
    for k, stmt in enumerate(body):
        if isinstance(stmt, For) and stmt.seqs:
            for other in range(k + 1, len(body)):
                reverse = body[other]
                if isinstance(reverse, For) and _reads(reverse, stmt):
                    if _is_only_reader(fn.body, stmt.seqs, reverse):
                        body[k], body[other] = _Pair(stmt, reverse, known, {}).with_inner()
                    break
        known.update(outputs(stmt))
    if all(a is b for a, b in zip(body, fn.body.body, strict=True)):
        return fn
    return replace(fn, body=Block(fn.body.params, body, fn.body.results))


def _reads(loop: For, of: For) -> bool:
    return any(source in of.seqs for source in loop.ins if isinstance(source, Value))


def _is_only_reader(block: Block, seqs: tuple[Value, ...], reverse: For) -> bool:
    """Whether sequences are read by one loop, element by element, and by nothing else."""
    found, sources = Counter(all_reads(block)), Counter(values_in(reverse.ins))
    return all(found[seq] == sources[seq] <= 1 for seq in seqs)


@dataclass
class _Pair:
    """A loop and the one that reverses it. `known` are the values from outside the loop that the
    reverse sees, too, `saved` those that it has by another name.
    """

    loop: For
    reverse: For
    known: set[Value]
    saved: dict[Value, Any]
    made: dict[Value, Op] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.saved = {**self.saved, self.loop.index: self.reverse.index}
        for stmt in self.loop.body.body:
            if isinstance(stmt, Op) and len(stmt.outs) == 1 and self.is_cheap(stmt):
                self.made[stmt.out] = stmt
        self.local = {*self.loop.body.params[1:]}
        self.local.update(out for stmt in self.loop.body.body for out in outputs(stmt))
        pairs = zip(self.reverse.ins, self.reverse.elements, strict=True)
        elements = {source: element for source, element in pairs if isinstance(source, Value)}
        # What the reverse has of the loop's values.
        self.elements = {
            written: elements[seq]
            for seq, written in zip(self.loop.seqs, self.loop.written, strict=True)
            if seq in elements and isinstance(written, Value)
        }

    def with_inner(self) -> tuple[For, For]:
        """The loops with less on their tapes, and those inside them."""
        if not self.is_reversed():
            return self.loop, self.reverse
        inner = [stmt for stmt in self.loop.body.body if isinstance(stmt, For) and stmt.seqs]
        for loop in inner:
            self.inner(loop)
        return self.shorter()

    def is_reversed(self) -> bool:
        """Whether the reverse has the same indices."""
        mine = (self.loop.start, self.loop.stop, self.loop.step)
        same = mine == (self.reverse.start, self.reverse.stop, self.reverse.step)
        written = self.loop.written
        is_plain = len(set(map(id, written))) == len(written) and all(
            isinstance(value, Value) and not value.partial for value in written
        )
        goes_back = self.reverse.reverse and not (self.loop.reverse or self.loop.exits)
        return same and is_plain and goes_back

    def inner(self, loop: For) -> None:
        """Shorten the tapes of a loop inside, which are elements of this one's."""
        read = [v for stmt in statements(self.loop.body) for v in values_in(inputs(stmt))]
        read += values_in(self.loop.yielded)
        if any(seq not in self.elements or seq in read for seq in loop.seqs):
            return
        theirs = {self.elements[seq]: seq for seq in loop.seqs}
        for stmt in self.reverse.body.body:
            if not isinstance(stmt, For) or theirs.keys().isdisjoint(values_in(stmt.ins)):
                continue
            if not _is_only_reader(self.reverse.body, tuple(theirs), stmt):
                return
            # The reverse as if it read the loop's sequences themselves.
            reverse = replace(stmt, ins=substitute(stmt.ins, theirs))
            pair = _Pair(loop, reverse, self.known, {**self.saved, **self.elements})
            made = pair.with_inner()
            if made[0] is not loop:
                self.take(loop, stmt, *made)
            return

    def take(self, old: For, stmt: For, loop: For, reverse: For) -> None:
        """Put shorter loops in the place of those inside."""
        results = [r for r in self.loop.written if r not in old.seqs]
        kept = [s for s, r in zip(self.loop.seqs, self.loop.written, strict=True) if r in results]
        gone = {self.elements[seq] for seq in old.seqs}
        pairs = zip(self.reverse.ins, self.reverse.elements, strict=True)
        sources, elements = [], []
        for source, element in pairs:
            if element not in gone:
                sources.append(source)
                elements.append(element)
        read: dict[Value, Value] = {}
        for seq in loop.seqs:
            whole, element = Value("", SeqType(seq.type)), Value(seq.name, seq.type)
            results.append(seq)
            kept.append(whole)
            sources.append(whole)
            elements.append(element)
            read[seq] = element
        reverse = replace(reverse, ins=substitute(reverse.ins, read))
        body = [loop if each is old else each for each in self.loop.body.body]
        self.loop = _with_tapes(self.loop, body, kept, results)
        body = [reverse if each is stmt else each for each in self.reverse.body.body]
        self.reverse = _with_elements(self.reverse, body, sources, elements)
        self.__post_init__()

    # What is saved

    def is_cheap(self, op: Op) -> bool:
        """Whether the reverse may do an operation again."""
        if op.effect or op.kwargs:
            return False
        if op.fn is operator.getitem and has_axes(op.args[0]):
            return is_basic_index(op.args[1])
        is_square = op.fn is operator.pow and op.args[1] == 2
        return is_square or row_of(op.fn).is_cheap

    def shorter(self) -> tuple[For, For]:
        """The loops with what is saved chosen anew."""
        read = self.used()
        wanted = [v for v, e in self.elements.items() if e in read]
        sinks = [v for v in wanted if v in self.made]
        fixed = {v for v in wanted if v not in self.made}
        edges = {v: self.needs(op) for v, op in self.made.items()}
        costs = {v: 0 if v in fixed else _cost(v) for v in self.local}
        cut = smallest_cut(sinks, edges, costs)
        if cut is None:
            return self.loop, self.reverse
        chosen = [v for v in self.local_in_order() if v in cut and v not in fixed]
        again = self.again(sinks, {*chosen, *fixed})
        less = sum(costs[v] for v in sinks) - sum(costs[v] for v in chosen)
        work = sum(1 for op in again if has_axes(op.out) and op.fn is not operator.getitem)
        if not pays_again(less, work):
            return self.loop, self.reverse
        return self.rewritten([*chosen, *(v for v in wanted if v in fixed)], again)

    def used(self) -> set[Value]:
        """The elements that the reverse reads."""
        return set(all_reads(self.reverse.body))

    def local_in_order(self) -> Iterator[Value]:
        """What the loop binds, in its order."""
        yield from self.loop.body.params[1:]
        for stmt in self.loop.body.body:
            yield from outputs(stmt)

    def needs(self, op: Op) -> list[Value] | None:
        """The values of the loop that an operation is done with; None if the reverse lacks one."""
        found = []
        for value in values_in(op.args):
            if value in self.local:
                found.append(value)
            elif value not in self.known and value not in self.saved:
                return None
        return found

    def again(self, sinks: list[Value], chosen: set[Value]) -> list[Op]:
        """The operations that make what is wanted of what is saved."""
        needed = {v for v in sinks if v not in chosen}
        found: list[Op] = []
        for op in reversed([*self.made.values()]):
            if op.out in needed:
                found.insert(0, op)
                needed.update(v for v in values_in(op.args) if v in self.local - chosen)
        return found

    def rewritten(self, chosen: list[Value], again: list[Op]) -> tuple[For, For]:
        """The loops that save `chosen`, and compute the rest again."""
        seqs = [Value("", SeqType(v.type)) for v in chosen]
        loop = _with_tapes(self.loop, self.loop.body.body, seqs, [*chosen])
        mine = set(self.loop.seqs)
        pairs = zip(self.reverse.ins, self.reverse.elements, strict=True)
        rest = [(s, e) for s, e in pairs if not isinstance(s, Value) or s not in mine]
        env: dict[Value, Any] = {v: Value(v.name, v.type) for v in chosen}
        sources = [*(s for s, _ in rest), *seqs]
        elements = [*(e for _, e in rest), *env.values()]
        env.update(self.saved)
        prefix: list[Stmt] = []
        for op in again:
            out = Value(op.out.name, op.out.type)
            prefix.append(Op(op.fn, substitute(op.args, env), {}, (out,), op.loc))
            env[op.out] = out
        rewriter = Rewriter()
        rewriter.env = {e: env[v] for v, e in self.elements.items() if v in env}
        body = rewriter.block(self.reverse.body)
        reverse = replace(self.reverse, body=body)
        return loop, _with_elements(reverse, [*prefix, *body.body], sources, elements)


def _cost(value: Value) -> int:
    """The numbers that are saved with a value."""
    if isinstance(value.type, SeqType):
        return ENTRIES * ENTRIES
    if not isinstance(value.type, ArrayType) or not has_axes(value):
        return 1
    return ENTRIES // 8 if dtype_of(value.type) == np.bool_ else ENTRIES


def _with_tapes(loop: For, body: list[Stmt], seqs: list[Value], written: list[Any]) -> For:
    results = [*loop.yielded, *written, *loop.leaves]
    return replace(loop, body=Block(loop.body.params, body, results), seqs=tuple(seqs))


def _with_elements(loop: For, body: list[Stmt], ins: list[Any], elements: list[Value]) -> For:
    params = [loop.index, *loop.carried, *elements]
    return replace(loop, body=Block(params, body, loop.body.results), ins=ins)
