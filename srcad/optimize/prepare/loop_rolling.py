"""Loop rolling: equal blocks, such as the layers of a net in a list, become one loop.

    a_1 = matmul(x, w_1)                        ws = list([w_1, w_2, w_3])
    h_1 = tanh(a_1)                             for k in range(3) reading w in ws carrying h = x:
    a_2 = matmul(h_1, w_2)            ->            a = matmul(h, w)
    h_2 = tanh(a_2)                                 h' = tanh(a)
    a_3 = matmul(h_2, w_3)                          yield h'
    h_3 = tanh(a_3)

The iterations are those of a loop over a list whose items are known while compiling, or calls of
one function after the other. What each reads from the one before is carried, what is another value
each time is read from a list; all else is the same. Extents may be others each time: in the loop
they are unknown. Short programs stay as they are: so is compiled code faster.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Block, For, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim, NumberType, SeqType, TupleType, Type, shape_of
from srcad.ir.walk import copy_statements, reads, statements, values_in, with_blocks, with_body
from srcad.optimize.prepare.repeats import Repeat, Trace, find_repeats, may_repeat
from srcad.rules.core.facts import unknown_extent

LEAST = 150  # statements of the program that a loop replaces


def roll_loops(fn: Function) -> Function:
    """The program with loops in the place of equal blocks."""
    if sum(1 for _ in statements(fn.body)) < LEAST:
        return fn
    body = _rolled(fn.body)
    return fn if body is fn.body else replace(fn, body=body)


class _Unlike(Exception):  # noqa: N818 - from a part of what would repeat to the search
    """What looked as if it repeated reads values that no loop hands on."""


def _rolled(block: Block) -> Block:
    """A block, and those inside, with loops; itself if nothing repeats."""
    body = [with_blocks(stmt, _rolled) for stmt in block.body]
    if not may_repeat(body):
        return with_body(block, body)
    traces = list(map(_traced, body))
    made: list[Stmt] = []
    at = 0
    for repeat in find_repeats(body, traces, LEAST):
        try:
            loop = _Loop(body, traces, repeat, block.results).made()
        except _Unlike:
            continue
        made += [*body[at : repeat.start], *loop]
        at = repeat.stop
    return with_body(block, [*made, *body[at:]])


class _Loop:
    """One repeat as a loop. Its body is that of the last time, in terms of the loop."""

    def __init__(
        self, body: list[Stmt], traces: list[Trace], repeat: Repeat, results: list[Atom],
    ) -> None:  # fmt: skip
        self.body, self.repeat = body, repeat
        self.results = results
        starts = range(repeat.start, repeat.stop, repeat.period)
        self.times = [_joined(traces[k : k + repeat.period]) for k in starts]
        self.last = body[starts[-1] : repeat.stop]
        self.place = [{v: q for q, v in enumerate(time.bound)} for time in self.times]
        if any(time.key != self.times[0].key for time in self.times):
            raise _Unlike  # equal digests of others
        self.inside = set().union(*self.place)
        self.symbols: dict[tuple[str, ...], str] = {}
        self.env: dict[Value, Any] = {}
        self.before: list[Stmt] = []
        self.carried: dict[int, tuple[Value, Value]] = {}  # what is bound there: parameter, first
        self.elements: list[Value] = []
        self.ins: list[Value] = []

    def made(self) -> list[Stmt]:
        """The lists that are read, the loop, and what is read after it."""
        self.read_columns()
        types = [self.merged(row) for row in zip(*(t.bound for t in self.times), strict=True)]
        inner = dict(self.env)
        statements = copy_statements(self.last, inner)
        for value, kind in zip(_joined(map(_traced, statements)).bound, types, strict=True):
            value.type = kind
        bound = self.times[-1].bound
        outs = tuple(bound[q] for q in self.carried)
        seqs, after = self.collected()
        results = [inner[bound[q]] for q in (*self.carried, *seqs)]
        index = Value("i", NumberType(int))
        params = [param for param, _ in self.carried.values()]
        block = Block([index, *params, *self.elements], statements, results)
        firsts = [first for _, first in self.carried.values()]
        loop = For(
            0, self.repeat.count, 1, False, firsts, self.ins, block, outs, tuple(seqs.values()),
            self.last[0].loc,
        )  # fmt: skip
        return [*self.before, loop, *after]

    def read_columns(self) -> None:
        """What stands in the loop for each value that the last time reads."""
        known: dict[Value, tuple[Value, ...]] = {}
        for column in zip(*(time.read for time in self.times), strict=True):
            value = column[-1]
            if known.setdefault(value, column) != column:
                raise _Unlike
            if value not in self.env and not self.is_own(column):
                self.env[value] = self.outer(column)

    def is_own(self, column: tuple[Value, ...]) -> bool:
        """Whether a value is bound in the same time that reads it."""
        places = {place.get(v) for v, place in zip(column, self.place, strict=True)}
        if places == {None}:
            return False
        if None in places or len(places) > 1:
            raise _Unlike
        return True

    def outer(self, column: tuple[Value, ...]) -> Value:
        """A value that is bound before the loop, or in the time before."""
        first, *others = column
        if first in self.inside or any(v.partial for v in column):
            raise _Unlike
        if all(v is first for v in others):
            return first
        if self.inside.isdisjoint(others):
            return self.element(column)
        places = {place.get(v) for v, place in zip(others, self.place, strict=False)}
        if None in places or len(places) > 1:
            raise _Unlike
        return self.parameter(places.pop(), column)

    def element(self, column: tuple[Value, ...]) -> Value:
        """What is another value each time, read from a list."""
        element = Value(column[0].name, self.merged(column))
        if not isinstance(element.type, ArrayType):
            raise _Unlike
        seq = Value(f"{element.name}s" if element.name else "", SeqType(element.type))
        self.before.append(Op(list, (list(column),), {}, (seq,), self.last[0].loc))
        self.ins.append(seq)
        self.elements.append(element)
        return element

    def parameter(self, place: Any, column: tuple[Value, ...]) -> Value:
        """What is handed from one time to the next."""
        kind = self.merged(column)
        if not isinstance(kind, ArrayType | NumberType) or place in self.carried:
            raise _Unlike
        param = Value(column[-1].name, kind)
        self.carried[place] = param, column[0]
        return param

    def collected(self) -> tuple[dict[int, Value], list[Stmt]]:
        """The sequences of what is read of single times after the loop, and these reads."""
        behind = {v for stmt in self.body[self.repeat.stop :] for v in reads(stmt)}
        behind.update(values_in(self.results))
        seqs: dict[int, Value] = {}
        arrays: dict[int, Value] = {}
        after: list[Stmt] = []
        for t, time in enumerate(self.times):
            for q, value in enumerate(time.bound):
                if value not in behind or (q in self.carried and time is self.times[-1]):
                    continue
                if q not in seqs:
                    seqs[q], arrays[q] = self.rows(q)
                    after.append(Op(np.array, (seqs[q],), {}, (arrays[q],), self.last[0].loc))
                after.append(Op(operator.getitem, (arrays[q], t), {}, (value,), self.last[0].loc))
        return seqs, after

    def rows(self, q: int) -> tuple[Value, Value]:
        """A sequence of what is bound at a place, and its array."""
        value = self.times[-1].bound[q]
        kind = value.type
        if {time.bound[q].type for time in self.times} != {kind} or value.partial:
            raise _Unlike
        if not isinstance(kind, ArrayType) or not kind.shape or _is_local(kind):
            raise _Unlike
        whole = ArrayType(kind.dtype, (self.repeat.count, *kind.shape))
        return Value(f"{value.name}s" if value.name else "", SeqType(kind)), Value("", whole)

    # Types

    def merged(self, row: tuple[Value, ...]) -> Type:
        """The type of a value in all iterations."""
        return self.merged_types([v.type for v in row])

    def merged_types(self, kinds: list[Any]) -> Type:
        first: Type = kinds[0]
        if all(kind is first for kind in kinds):
            return first
        if any(type(kind) is not type(first) for kind in kinds):
            raise _Unlike  # a number in one time, an array in another
        match first:
            case ArrayType(shape=shape):
                plain = {(k.dtype, k.scalar, k.rank) for k in kinds}
                if len(plain) > 1:
                    raise _Unlike
                if shape is None:
                    return first
                columns = zip(*(k.shape for k in kinds), strict=True)
                return replace(first, shape=tuple(map(self.extent, columns)))
            case NumberType(kind=kind):
                if any(k.kind is not kind for k in kinds):
                    raise _Unlike
                return NumberType(kind, self.extent(tuple(k.extent for k in kinds)))
            case TupleType(items=items):
                if any(len(k.items) != len(items) for k in kinds):
                    raise _Unlike
                rows = zip(*(k.items for k in kinds), strict=True)
                return TupleType(tuple(self.merged_types(list(row)) for row in rows))
            case SeqType():
                return SeqType(self.merged_types([k.elem for k in kinds]))
        if any(kind != first for kind in kinds):
            raise _Unlike
        return first

    def extent(self, column: tuple[Any, ...]) -> Any:
        """An extent in all iterations: unknown if it is another one each time."""
        first = column[0]
        if all(extent == first for extent in column):
            return first
        if not all(isinstance(e, Dim) and not e.parts and e.minus == first.minus for e in column):
            raise _Unlike
        symbols = tuple(e.symbol for e in column)
        symbol = self.symbols.get(symbols)
        if symbol is None:
            symbol = self.symbols[symbols] = unknown_extent().symbol
        least = {e.least for e in column}
        return Dim(
            symbol, first.minus, all(e.never_one for e in column),
            least.pop() if len(least) == 1 else None,
        )  # fmt: skip


def _traced(stmt: Stmt) -> Trace:
    trace = Trace()
    trace.add(stmt)
    return trace


def _joined(traces: Iterable[Trace]) -> Trace:
    whole = Trace()
    for trace in traces:
        whole.key += trace.key
        whole.bound += trace.bound
        whole.read += trace.read
    return whole


def _is_local(kind: Type) -> bool:
    """Whether a type has extents of an iteration."""
    return any(isinstance(e, Dim) and "?" in e.symbol for e in shape_of(kind) or ())


__all__ = ["roll_loops"]
