"""Live-in values of an inner loop, and whether the reverse sweep can restore them.

for i in range(steps):
    for j in range(m):                          x starts from what is on its tape
        x_tape[i, j] = x[j]                     b has to be saved; c is never written
    for k in range(sweeps):                     u_tape[i] is what this iteration wrote before
        for j in range(m): x[j] = x[j] * b[j] + c[j] * u_tape[i, j]
    for j in range(m): b[j] += x[j]
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

import numpy as np

from srcad.ir import Block, For, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.kinds import is_array
from srcad.ir.types import dtype_of
from srcad.ir.walk import all_reads, free_values, outputs, reads, statements
from srcad.native.loops.accesses import Places
from srcad.ops import row_of

_NEAR = 8  # how much longer than on the tape an axis of what is saved may be


def is_plain(loop: For) -> bool:
    """Whether a loop goes by ones through all its iterations."""
    others = loop.ins or loop.seqs or loop.exits or loop.reverse or loop.count is not None
    return loop.step in (1, -1) and not others


class Starts:
    """Looks for it in one function."""

    def __init__(self, fn: Function) -> None:
        self.fn, self.body = fn, fn.body.body
        self.places = Places(fn.body)
        self.forms = self.places.forms
        self.rooms = {
            op.out: op.args[0]
            for op in self.body
            if isinstance(op, Op) and op.fn is np.empty and isinstance(op.args[0], tuple)
        }
        # What an iteration of a loop cannot change, but for the entries of arrays.
        self.fixed = {*fn.params, *(v for stmt in self.body for v in outputs(stmt))}
        # What each statement of the function does, and how often arrays are read in some other way.
        self.done = [self.places.within(stmt) for stmt in self.body]
        self.whole = self.places.within(*self.body)
        self.uses: dict[Value, int] = {}
        for value in all_reads(Block([], self.body, [])):
            self.uses[value] = self.uses.get(value, 0) + 1
        for op in statements(fn.body):
            if isinstance(op, Op) and row_of(op.fn).measures:
                self.uses[op.args[0]] -= 1

    def is_own(self, memory: Value) -> bool:
        """Whether an array has one name, and nothing but its entries is read and written."""
        is_made = memory in self.rooms or memory in self.fn.params
        return is_made and self.uses.get(memory, 0) == len(self.whole.of(memory))

    def is_memory_own(self, loop: For) -> bool:
        """Whether all arrays from outside a loop are such."""
        return all(map(self.is_own, filter(is_array, free_values(Block([], [loop], [])))))

    def goes_by(self, form: Affine | None, loop: For) -> bool:
        """Whether each iteration of a loop has its own number, which depends on the loop alone."""
        if form is None or form.coefficient(loop.index) not in (1, -1):
            return False
        return all(value is loop.index or value in self.fixed for value, _ in form.terms)

    def is_small(self, memory: Value, tapes: Sequence[Value]) -> bool:
        """Whether an array is no larger than what an iteration puts on one of the tapes, about."""
        if memory not in self.rooms:
            return False
        own = [self.forms.of(n) for n in self.rooms[memory]]
        return any(_fits(own, [self.forms.of(n) for n in self.rooms[t][2:]]) for t in tapes)

    def sources(
        self, memories: Sequence[Value], between: tuple[int, int], iteration: Affine, inner: For
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
            found[memory] = self.copy(memory, iteration, outer, inner)
        return found

    def is_written(self, memory: Value, *body: Stmt) -> bool:
        """Whether statements write an array."""
        return any(a.kind != "read" for a in self.places.within(*body).of(memory))

    def is_row(self, memory: Value, outer: For, inner: For) -> bool:
        """Whether the inner loop reads what this iteration of the outer loop wrote before, and no
        other iteration writes.
        """
        ahead = self.places.within(*outer.body.body[: outer.body.body.index(inner)])
        mine = self.places.within(*outer.body.body).of(memory)
        writes = [a for a in mine if a.kind != "read"]
        if len(writes) > sum(1 for a in ahead.of(memory) if a.kind != "read"):
            return False
        places = {a.place[0] for a in (*writes, *self.places.within(inner).of(memory))}
        return len(places) == 1 and self.goes_by(places.pop(), outer)

    def copy(self, memory: Value, iteration: Affine, outer: For, inner: For) -> Value | None:
        """A tape that has what is in an array when the inner loop starts."""
        body = outer.body.body
        for stmt in reversed(body[: body.index(inner)] if memory in self.rooms else []):
            for tape in self.copied(memory, iteration, stmt):
                if len([a for a in self.whole.of(tape) if a.kind != "read"]) == 1:
                    return tape
            if self.is_written(memory, stmt):
                break
        return None

    def copied(self, memory: Value, iteration: Affine, stmt: Stmt) -> Iterator[Value]:
        """Where loops write the whole of an array to: `tape[i, j, k] = x[j, k]`."""
        extents = [self.forms.of(n) for n in self.rooms[memory]]
        body, indices = [stmt], list[Affine]()
        while len(indices) < len(extents):
            loops = [s for s in body if isinstance(s, For) and is_plain(s)]
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
                is_there = self.is_at(op, index_set, tape, [iteration, *indices])
                if is_there and dtype_of(tape.type) == dtype_of(memory.type) and self.is_own(tape):
                    yield tape

    def is_at(self, op: Op, fn: object, memory: Value, place: Sequence[Affine]) -> bool:
        """Whether an operation does something at a place of an array."""
        return op.fn is fn and op.args[0] is memory and self.places.of(op.args[1]) == tuple(place)

    def numbers(self, outer: For, inner: For) -> list[Stmt] | None:
        """What computes the numbers in an iteration that the inner loop reads; None for other
        things.
        """
        body = outer.body.body
        wanted = {v for v in reads(inner) if v not in self.fixed} - {outer.index}
        found: list[Stmt] = []
        for stmt in reversed(body[: body.index(inner)]):
            if wanted.isdisjoint(outputs(stmt)):
                continue
            taken = set(reads(stmt))
            if not isinstance(stmt, Op) or stmt.effect or any(map(is_array, taken)):
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
