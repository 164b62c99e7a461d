"""Matches arrays that each iteration saves in a row of a tape and then overwrites.

    for i in range(n):                              loop
        for j in range(m): tape[i, j] = x[j]        saved as a whole
        for j in range(1, m - 1):
            x[j] = c * tape[i, j - 1]               overwritten but for a border of 1 and 1
        x[0] = x[1]

What first touches the array after it was saved has to write all of it, but for a border that is
narrow and known. An iteration reads no other row of the tape than its own, and only after it was
saved; there are as many iterations as rows, or none. Array and tape have one name each.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from srcad.ir import Block, For, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inequalities import are_impossible
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of
from srcad.ir.walk import bound_in, outputs, statements, values_in
from srcad.native.boundary.caller_statements import Caller
from srcad.native.helpers import kept
from srcad.native.loops.accesses import Accesses
from srcad.native.loops.bounds_checks import about
from srcad.native.loops.store_forwarding import fits
from srcad.native.scalarize.range_facts import learnt
from srcad.native.tape.remat_live_in import Starts, is_plain
from srcad.ops import row_of

# Iterations for which it costs no less to have the array on its tape and back.
_FEW = 2
# How wide the border may be.
_WIDE = 2

Box = tuple[tuple[Affine, Affine], ...]


@dataclass(frozen=True)
class Saved:
    """An array that a loop saves: by `store` in the statement `at` of its body, in the row
    `(*prefix, index)` of the tape; the statement `first` overwrites what lies in `box`, all but a
    border of some `widths`. The block around the loop alone knows the array, from the
    statement `since` on, if it is a number.
    """

    loop: For
    memory: Value
    tape: Value
    prefix: tuple[Affine, ...]
    store: Op
    at: int
    may_skip: bool = False  # there may be no iterations, and other things on the tape
    first: int = 0
    box: Box = ()
    widths: tuple[tuple[int, int], ...] = ()
    since: int | None = None


def overwritten(fn: Function, caller: Caller, longer: dict[Value, int]) -> Iterator[Saved]:
    """The arrays of a function that can be on their tapes, each by itself; `longer` are tapes with
    a row more along an axis.
    """
    return _SavedArrays(fn, caller, longer).found()


class _SavedArrays(Starts):
    """Finds arrays of which loops save each state, and that can be updated on their tape."""

    def __init__(self, fn: Function, caller: Caller, longer: dict[Value, int]) -> None:
        super().__init__(fn)
        self.caller, self.longer = caller, longer
        self.facts: list[Affine] = []
        self.shapes: set[Value] = set()
        ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
        measured = [op.args for op in ops if op.fn is np.shape]
        self.seen = {*values_in(fn.body.results), *values_in(measured)}
        # Where rows of tapes are told: of how many there are.
        self.clipped = {op.out: op.args[1] for op in ops if op.fn is kept}

    def found(self) -> Iterator[Saved]:
        """The arrays that can be on their tapes, each by itself."""
        yield from self.within(self.body, ())

    def within(self, body: Sequence[Stmt], around: tuple[For, ...]) -> Iterator[Saved]:
        """Those that the innermost of some loops, with this body, saves, or loops inside."""
        known = len(self.facts)
        done = [self.places.within(stmt) for stmt in body]
        for at, stmt in enumerate(body):
            if isinstance(stmt, Op):
                self.facts += learnt(stmt, self.forms, self.shapes)
            elif isinstance(stmt, For):
                if around and self.is_counted(around[-1]):
                    for saved in self.saved(around[-1], at):
                        whole = self.overwritten(saved, done)
                        if whole is not None and self.are_rows(saved, around[:-1]):
                            yield self.known_to(around[-2], whole) if around[1:] else whole
                yield from self.within(stmt.body.body, (*around, stmt))
        del self.facts[known:]

    def is_counted(self, loop: For) -> bool:
        """Whether the index of a loop counts its iterations, from 0 on, and they are not few."""
        iterations = self.forms.of(loop.stop)
        by_ones = is_plain(loop) and loop.step == 1 and self.forms.of(loop.start) == Affine()
        return (
            by_ones
            and iterations is not None
            and (iterations.number is None or iterations.number > _FEW)
        )

    def are_rows(self, saved: Saved, around: tuple[For, ...]) -> bool:
        """Whether there is the row even if the loop has no iterations: loops around it count
        them.
        """
        ends = {
            Affine.of(loop.index): self.forms.of(loop.stop)
            for loop in around
            if is_plain(loop) and loop.step == 1 and self.forms.of(loop.start) == Affine()
        }
        for form, n in zip(saved.prefix, self.rooms[saved.tape], strict=False):
            is_counted = form in ends and ends[form] == self.forms.of(n)
            if not is_counted and not any(
                form == Affine.of(row) and rows is n for row, rows in self.clipped.items()
            ):
                return False
        return True

    def known_to(self, outer: For, saved: Saved) -> Saved:
        """Whether nothing but a block knows an array: it fills it before anything else, and has not
        touched the tape by then. What the row is, is told before.
        """
        body = outer.body.body
        done = [self.places.within(stmt) for stmt in body]
        at = body.index(saved.loop)
        since = next(k for k, each in enumerate(done) if each.of(saved.memory))
        filled = self.box(body[since], saved.memory) if since < at else None
        is_known = (
            filled is not None
            and not any(filled[1])
            and saved.memory not in self.seen
            and all(outer in access.loops for access in self.whole.of(saved.memory))
            and len(done[since].of(saved.memory)) == 1
            and not any(each.of(saved.tape) for each in done[:at])
        )
        later = {v for stmt in body[since:] for v in outputs(stmt)}
        is_told = not any(v in later for form in saved.prefix for v, _ in form.terms)
        is_plain = is_known and is_told and not saved.may_skip
        return replace(saved, since=since) if is_plain else saved

    def saved(self, loop: For, at: int) -> Iterator[Saved]:
        """What a statement writes to a tape as a whole: `tape[*prefix, i, j, k] = x[j, k]`."""
        indices, extents, ops = self.nest(loop.body.body[at])
        loads = {op.out: op.args for op in ops if op.fn is operator.getitem}
        varying = bound_in(loop.body)
        for op in ops:
            if op.fn is not index_set or op.args[0] not in self.rooms:
                continue
            if not isinstance(op.args[2], Value) or op.args[2] not in loads:
                continue
            tape, (memory, index) = op.args[0], loads[op.args[2]]
            rows, place = self.places.of(op.args[1]), self.places.of(index)
            n = len(rows) - len(indices) - 1
            if n < 0 or place != tuple(indices) or rows[n + 1 :] != place:
                continue
            prefix = tuple(form for form in rows[:n] if form is not None)
            is_fixed = not any(v in varying for form in prefix for v, _ in form.terms)
            is_own = is_fixed and len(prefix) == n and rows[n] == Affine.of(loop.index)
            may_skip = self.may_skip(loop.stop, self.rooms[tape][n])
            if not is_own or may_skip is None or self.forms_of(memory) != extents:
                continue
            if self.forms_of(tape)[n + 1 :] == extents and self.are_alike(memory, tape, n):
                yield Saved(loop, memory, tape, prefix, op, at, may_skip)

    def may_skip(self, iterations: Any, rows: Any) -> bool | None:
        """Whether a loop may have no iterations where a tape has rows; None if there may be some
        iterations, and others than rows.
        """
        n = self.forms.of(rows)
        if n is not None and n == self.forms.of(iterations):
            return False
        some, none = self.caller.choices.get(iterations, (None, None))
        is_choice = none == 0 and rows in self.caller.known and self.caller.known[rows] is some
        return True if is_choice else None

    def nest(self, stmt: Stmt) -> tuple[list[Affine], list[Affine], list[Op]]:
        """Loops over whole axes, one in the other: indices, extents, what the innermost does."""
        indices, extents, body = list[Affine](), list[Affine](), [stmt]
        while loops := [s for s in body if isinstance(s, For)]:
            loop, stop = loops[0], self.forms.of(loops[0].stop)
            is_whole = is_plain(loop) and loop.step == 1 and self.forms.of(loop.start) == Affine()
            if len(loops) > 1 or not is_whole or stop is None:
                return [], [], []
            indices.append(Affine.of(loop.index))
            extents.append(stop)
            body = loop.body.body
        return indices, extents, [op for op in body if isinstance(op, Op)]

    def forms_of(self, memory: Value) -> list[Affine | None]:
        return [self.forms.of(n) for n in self.rooms.get(memory, ())]

    def are_alike(self, memory: Value, tape: Value, axis: int) -> bool:
        """Whether an array and its tape have one name each, and entries of one type."""
        names = self.is_own(memory) and self.is_own(tape) and tape not in self.seen
        is_free = self.longer.get(tape, axis) == axis
        return names and is_free and dtype_of(memory.type) == dtype_of(tape.type)

    def overwritten(self, saved: Saved, done: Sequence[Accesses]) -> Saved | None:
        """Whether iterations read no more of the tape than they may, and what they first
        overwrite.
        """
        row = (*saved.prefix, Affine.of(saved.loop.index))
        for k, accesses in enumerate(done):
            for access in accesses.of(saved.tape):
                is_save = access.kind == "write" and k == saved.at
                is_read = access.kind == "read" and k > saved.at
                if not (is_save or is_read) or access.place[: len(row)] != row:
                    return None
        mine = done[saved.at].of(saved.memory)
        saves = [access for access in done[saved.at].of(saved.tape) if access.kind == "write"]
        if len(saves) != 1 or any(access.kind != "read" for access in mine):
            return None
        later = range(saved.at + 1, len(done))
        first = next((k for k in later if done[k].of(saved.memory)), None)
        if first is None or len(done[first].of(saved.memory)) > 1:
            return None
        written = self.box(saved.loop.body.body[first], saved.memory)
        if written is None:
            return None
        box, widths = written
        pairs = tuple(zip(widths[::2], widths[1::2], strict=True))
        return replace(saved, first=first, box=box, widths=pairs)

    def box(self, stmt: Stmt, memory: Value) -> tuple[Box, list[int]] | None:
        """What a statement writes of an array, each entry in one iteration, and how wide the border
        is that it does not write: before and behind, axis by axis.
        """
        loops, body = dict[Value, For](), [stmt]
        varying = bound_in(Block([], [stmt], []))
        while not (places := [s.args[1] for s in body if _writes(s, memory)]):
            inner = [s for s in body if self.places.within(s).of(memory)]
            if len(inner) != 1 or not isinstance(loop := inner[0], For) or not is_plain(loop):
                return None
            loops[loop.index] = loop
            body = loop.body.body
        box: list[tuple[Affine, Affine]] = []
        widths: list[int] = []
        for form, extent in zip(self.places.of(places[0]), self.forms_of(memory), strict=True):
            index = form.terms[0][0] if form is not None and len(form.terms) == 1 else None
            own = loops.pop(index, None) if index is not None else None
            if own is None or form is None or extent is None or form.terms[0][1] != 1:
                return None
            ends = self.ends(own, form.const, varying)
            border = self.border(ends, extent) if ends is not None else None
            if ends is None or border is None:
                return None
            box.append(ends)
            widths += border
        return None if loops else (tuple(box), widths)

    def ends(self, loop: For, ahead: int, varying: set[Value]) -> tuple[Affine, Affine] | None:
        """The range of the index of a loop, plus a number."""
        found = [self.forms.of(end) for end in (loop.start, loop.stop)]
        sums = [end + ahead for end in found if end is not None]
        is_fixed = not any(v in varying for end in sums for v, _ in end.terms)
        return (sums[0], sums[1]) if len(sums) == 2 and is_fixed and loop.step == 1 else None

    def border(self, ends: tuple[Affine, Affine], extent: Affine) -> list[int] | None:
        """How many entries of an axis lie before and behind a range, if these are few and there."""
        widths = [width.number for width in (ends[0], extent - ends[1])]
        few = [n for n in widths if n is not None and 0 <= n <= _WIDE]
        is_there = all(map(self.is_natural, (extent - ends[0], ends[1])))
        return few if len(few) == 2 and is_there else None

    def is_natural(self, form: Affine) -> bool:
        """Whether an integer is surely not negative."""
        return are_impossible([*about(form, self.facts), -form - 1])


def _writes(stmt: Stmt, memory: Value) -> TypeGuard[Op]:
    """Whether a statement sets an entry, to what was there plus something perhaps."""
    if not isinstance(stmt, Op) or not stmt.args or stmt.args[0] is not memory:
        return False
    return stmt.fn is index_set or (row_of(stmt.fn).computes and fits(stmt.args[2], memory))


__all__ = ["Saved", "overwritten"]
