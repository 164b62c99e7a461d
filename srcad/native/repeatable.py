"""Loops inside loops that the reverse sweep can run again, turn by turn of the outer one.

    for i in range(steps):                              outer
        for k in range(sweeps):                         inner
            for j in range(m): tape[i, k, j] = x[j]         tape
            for j in range(m): x[j] = x[j] * b[j]           x: state   b: source
        for j in range(m): b[j] = x[j]
    for i in range(steps - 1, -1, -1):                  reverse
        ... tape[i, k, j] ...

Each turn of the inner loop has to follow from what is there when the loop starts and can be saved:
arrays no larger than what one of its turns puts on the tape, and numbers that follow from the
function's. What is on the tape is written by this loop alone, each turn at its own place, and is
read in the same turn of the outer loop or in that turn's reverse.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from srcad.ir import Block, For, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of
from srcad.ir.walk import all_reads, free_values, outputs, reads, statements, values_in
from srcad.native.accesses import Accesses, Places, is_memory
from srcad.native.effort import is_cheap
from srcad.native.helpers import count_turns
from srcad.native.scratch import is_written_first
from srcad.native.splitting import Splitter

_NEAR = 8  # how much longer than on the tape an axis of the state may be
_MEASURES = (np.shape, np.size, len)


@dataclass(frozen=True)
class Repeatable:
    """A loop inside a loop: which turn of the outer loop its turns belong to (`turn`, `back` in the
    reverse), and its tapes.

    What it writes is its `state`, or `scratch` that is written before it is read; `sources` are
    what it reads and others write later. For both, the tape that has what the loop starts from, if
    there is one. `numbers` are computed for it in each turn of the outer loop.
    """

    outer: For
    inner: For
    reverse: For
    turn: Affine
    back: Affine
    tapes: list[Value]
    state: dict[Value, Value | None]
    sources: dict[Value, Value | None]
    scratch: list[Value]
    numbers: list[Stmt]


def repeatable(fn: Function) -> Repeatable | None:
    """A loop of a function that can be run again, if there is one."""
    if not any(len(op.args[0]) > 2 for op in _rooms(fn.body)):
        return None
    finder = _Finder(fn)
    for k, outer in enumerate(fn.body.body):
        if isinstance(outer, For) and _is_plain(outer):
            for inner in outer.body.body:
                found = finder.pair(k, outer, inner) if isinstance(inner, For) else None
                if found is not None:
                    return found
    return None


def _rooms(block: Block) -> Iterator[Op]:
    """The operations of a block that allocate arrays of known extents."""
    for stmt in block.body:
        if isinstance(stmt, Op) and stmt.fn is np.empty and isinstance(stmt.args[0], tuple):
            yield stmt


def _is_plain(loop: For) -> bool:
    others = loop.ins or loop.seqs or loop.exits or loop.reverse or loop.count is not None
    return loop.step in (1, -1) and not others


class _Finder:
    def __init__(self, fn: Function) -> None:
        self.fn, self.body = fn, fn.body.body
        self.places = Places(fn.body)
        self.forms = self.places.forms
        self.rooms = {op.out: op.args[0] for op in _rooms(fn.body)}
        self.results = set(values_in(fn.body.results))
        # What a turn of a loop cannot change, but for the entries of arrays.
        self.fixed = {*fn.params, *(v for stmt in self.body for v in outputs(stmt))}
        # What each statement of the function does, and how often arrays are read in some other way.
        self.done = [self.places.within(stmt) for stmt in self.body]
        self.whole = self.places.within(*self.body)
        self.uses: dict[Value, int] = {}
        for value in all_reads(Block([], self.body, [])):
            self.uses[value] = self.uses.get(value, 0) + 1
        for op in statements(fn.body):
            if isinstance(op, Op) and op.fn in _MEASURES:
                self.uses[op.args[0]] -= 1

    # Which loops

    def pair(self, k: int, outer: For, inner: For) -> Repeatable | None:
        """What running a loop again takes; `outer` is the statement `k` of the function."""
        if not _is_plain(inner) or inner.init:
            return None
        done = self.places.within(inner)
        if done.is_opaque:
            return None
        tapes = [m for m in done.written if self.is_tape(m, outer, inner)]
        found = self.ends(tapes, k, outer)
        if found is None:
            return None
        last, turn, back = found
        reverse = self.body[last]
        assert isinstance(reverse, For)
        written = [m for m in done.written if m not in tapes]
        scratch = [m for m in written if is_written_first(m, inner, self.places)]
        state = {m: self.copy(m, turn, outer, inner) for m in written if m not in scratch}
        others = [m for m in done.read if m not in done.written]
        sources = self.sources(others, (k, last), turn, inner)
        numbers = self.numbers(outer, inner)
        if numbers is None or not self.is_memory_known(outer, inner):
            return None
        for memory in (*written, *(m for m, tape in sources.items() if tape is None)):
            if not self.is_small(memory, tapes):
                return None
        if not is_cheap(self.fn, (outer, inner), [self.rooms[m] for m in tapes], self.places):
            return None
        # Threads share a loop over what has nothing to do with one another.
        splitter = Splitter(self.fn)
        if any(splitter.split(loop, ()) is not None for loop in (outer, reverse)):
            return None
        found_out = (tapes, state, sources, scratch, numbers)
        return Repeatable(outer, inner, reverse, turn, back, *found_out)

    def is_memory_known(self, outer: For, inner: For) -> bool:
        """Whether all arrays from outside a loop are the function's own."""
        taken = [v for v in free_values(Block([], [inner], [])) if is_memory(v)]
        return all(self.is_own(memory) for memory in taken)

    def is_own(self, memory: Value) -> bool:
        """Whether an array has one name, and nothing but its entries is read and written."""
        mine = len(self.whole.of(memory))
        return (
            memory in self.fixed and self.uses.get(memory, 0) == mine and not self.is_bound(memory)
        )

    def is_bound(self, memory: Value) -> bool:
        """Whether an array comes from anything but its allocation."""
        return memory not in self.rooms and memory not in self.fn.params

    # Tapes

    def is_tape(self, memory: Value, outer: For, inner: For) -> bool:
        """Whether an array is written in a loop alone, each turn at its own place."""
        if memory not in self.rooms or len(self.rooms[memory]) < 3 or memory in self.results:
            return False
        if not self.is_own(memory):
            return False
        writes = [a for a in self.whole.of(memory) if a.kind != "read"]
        return all(
            a.kind == "write" and a.loops[:2] == (outer, inner) and self.goes_by(a.place[1], inner)
            for a in writes
        )

    def goes_by(self, form: Affine | None, loop: For) -> bool:
        """Whether each turn of a loop has its own number, which depends on the loop alone."""
        if form is None or form.coefficient(loop.index) not in (1, -1):
            return False
        return all(value is loop.index or value in self.fixed for value, _ in form.terms)

    def ends(self, tapes: list[Value], k: int, outer: For) -> tuple[int, Affine, Affine] | None:
        """The loop that reads the tapes, and the turn that they belong to in both loops."""
        readers = {n for m in tapes for n, done in enumerate(self.done) if done.of(m)} - {k}
        if len(readers) != 1:
            return None
        (last,) = readers
        reverse = self.body[last]
        if last < k or not isinstance(reverse, For) or not _is_plain(reverse):
            return None
        turns = self.turn(tapes, outer, self.done[k]), self.turn(tapes, reverse, self.done[last])
        if turns[0] is None or turns[1] is None:
            return None
        own = self.range(outer, turns[0])
        if own is None or own != self.range(reverse, turns[1]) or own[0] != Affine():
            return None
        lengths = [self.rooms[memory][0] for memory in tapes]
        if not all(self.is_length(n, own[1], outer) for n in lengths):
            return None
        return last, turns[0], turns[1]

    def turn(self, tapes: list[Value], loop: For, done: Accesses) -> Affine | None:
        """The number of the turn that tapes are read and written at, in all places the same."""
        found = {a.place[0] for m in tapes for a in done.of(m)}
        form = found.pop() if len(found) == 1 else None
        return form if self.goes_by(form, loop) else None

    def range(self, loop: For, form: Affine) -> tuple[Affine, Affine] | None:
        """The least and the greatest number over the turns of a loop."""
        start, stop = self.forms.of(loop.start), self.forms.of(loop.stop)
        if start is None or stop is None:
            return None
        ends = (start, stop - 1) if loop.step == 1 else (stop + 1, start)
        lowest, greatest = (form.replaced({loop.index: end}) for end in ends)
        return (lowest, greatest) if form.coefficient(loop.index) > 0 else (greatest, lowest)

    def is_length(self, n: object, greatest: Affine, loop: For) -> bool:
        """Whether an extent is the number of the turns of a loop, the greatest of which is told."""
        if self.forms.of(n) == greatest + 1:
            return True
        ops = (op for op in self.body if isinstance(op, Op) and n in op.outs)
        return any(
            op.fn is count_turns and op.args == (loop.start, loop.stop, loop.step) for op in ops
        )

    # What the loop starts from

    def is_small(self, memory: Value, tapes: list[Value]) -> bool:
        """Whether an array is no larger than what a turn puts on one of the tapes, about."""
        if memory not in self.rooms:
            return False
        own = [self.forms.of(n) for n in self.rooms[memory]]
        return any(_fits(own, [self.forms.of(n) for n in self.rooms[t][2:]]) for t in tapes)

    def sources(
        self, memories: Sequence[Value], between: tuple[int, int], turn: Affine, inner: For
    ) -> dict[Value, Value | None]:
        """Of arrays that the inner loop reads those that are others later, with their tapes;
        `between` are the outer loop and its reverse.
        """
        first, last = between
        outer = self.body[first]
        assert isinstance(outer, For)
        found: dict[Value, Value | None] = {}
        for memory in memories:
            writers = [
                n
                for n in range(first, last + 1)
                for a in self.done[n].of(memory)
                if a.kind != "read"
            ]
            if not writers or (set(writers) == {first} and self.is_row(memory, outer, inner)):
                continue
            found[memory] = self.copy(memory, turn, outer, inner)
        return found

    def is_written(self, memory: Value, *body: Stmt) -> bool:
        """Whether statements write an array."""
        return any(a.kind != "read" for a in self.places.within(*body).of(memory))

    def is_row(self, memory: Value, outer: For, inner: For) -> bool:
        """Whether the inner loop reads what this turn of the outer loop wrote before, and no other
        turn writes.
        """
        ahead = self.places.within(*outer.body.body[: outer.body.body.index(inner)])
        mine = self.places.within(*outer.body.body).of(memory)
        writes = [a for a in mine if a.kind != "read"]
        if len(writes) > sum(1 for a in ahead.of(memory) if a.kind != "read"):
            return False
        places = {a.place[0] for a in (*writes, *self.places.within(inner).of(memory))}
        return len(places) == 1 and self.goes_by(places.pop(), outer)

    def copy(self, memory: Value, turn: Affine, outer: For, inner: For) -> Value | None:
        """A tape that has what is in an array when the inner loop starts."""
        body = outer.body.body
        for stmt in reversed(body[: body.index(inner)] if memory in self.rooms else []):
            for tape in self.copied(memory, turn, stmt):
                if len([a for a in self.whole.of(tape) if a.kind != "read"]) == 1:
                    return tape
            if self.is_written(memory, stmt):
                break
        return None

    def copied(self, memory: Value, turn: Affine, stmt: Stmt) -> Iterator[Value]:
        """Where loops write the whole of an array to: `tape[i, j, k] = x[j, k]`."""
        extents = [self.forms.of(n) for n in self.rooms[memory]]
        body, indices = [stmt], list[Affine]()
        while len(indices) < len(extents):
            loops = [s for s in body if isinstance(s, For) and _is_plain(s)]
            if len(loops) != 1:
                return
            (loop,) = loops
            bounds = [self.forms.of(end) for end in (loop.start, loop.stop)]
            if loop.step != 1 or bounds != [Affine(), extents[len(indices)]]:
                return
            indices.append(Affine.of(loop.index))
            body = loop.body.body
        ops = [op for op in body if isinstance(op, Op)]
        held = [op.args[2] for op in ops if self.is_at(op, index_set, memory, indices)]
        writes = sum(a.kind != "read" for a in self.places.within(stmt).of(memory))
        if not writes:
            held = [op.out for op in ops if self.is_at(op, operator.getitem, memory, indices)]
        elif writes != 1:
            return
        for op in ops:
            tape = op.args[0] if op.fn is index_set else None
            if tape in self.rooms and isinstance(op.args[2], Value) and op.args[2] in held:
                is_there = self.is_at(op, index_set, tape, [turn, *indices])
                if is_there and dtype_of(tape.type) == dtype_of(memory.type) and self.is_own(tape):
                    yield tape

    def is_at(self, op: Op, fn: object, memory: Value, place: Sequence[Affine]) -> bool:
        """Whether an operation does something at a place of an array."""
        return op.fn is fn and op.args[0] is memory and self.places.of(op.args[1]) == tuple(place)

    def numbers(self, outer: For, inner: For) -> list[Stmt] | None:
        """What computes the numbers in a turn that the inner loop reads; None for other things."""
        body = outer.body.body
        wanted = {v for v in reads(inner) if v not in self.fixed} - {outer.index}
        found: list[Stmt] = []
        for stmt in reversed(body[: body.index(inner)]):
            if wanted.isdisjoint(outputs(stmt)):
                continue
            taken = set(reads(stmt))
            if not isinstance(stmt, Op) or stmt.effect or any(map(is_memory, taken)):
                return None
            found.insert(0, stmt)
            wanted = (wanted - set(stmt.outs)) | (taken - self.fixed - {outer.index})
        return None if wanted else found


def _fits(own: Sequence[Affine | None], other: Sequence[Affine | None]) -> bool:
    """Whether each extent is about one of others, or small."""
    rest = list(other)
    for n in own:
        if n is None:
            return False
        if n.number is not None and n.number <= _NEAR:
            continue
        near = [m for m in rest if m is not None and abs((n - m).number or 0) <= _NEAR]
        near = [m for m in near if (n - m).number is not None]
        if not near:
            return False
        rest.remove(near[0])
    return True


__all__ = ["Repeatable", "repeatable"]
