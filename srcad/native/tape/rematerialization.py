"""Loop rematerialisation: a tape too large for the caches keeps one outer iteration, and the
reverse sweep runs the inner loop again.

    tape = np.empty((steps, sweeps, m))           tape = np.empty((rows, sweeps, m))
                                                  x_start = np.empty((starts, m))
    for i in range(steps):                        for i in range(steps):
                                                      slot = kept(i, rows)
                                                      for j in range(m_again): x_start[i, j] = x[j]
        for k in range(sweeps):                       for k in range(sweeps):
            ... tape[i, k, j] = x[j]        ->            ... tape[slot, k, j] = x[j]
    for i in range(steps - 1, -1, -1):            for i in range(steps - 1, -1, -1):
                                                      slot = kept(i, rows)
                                                      for j in range(m_again): x[j] = x_start[i, j]
                                                      for k in range(sweeps_again):
                                                          ... tape[slot, k, j] = x[j]
        ... tape[i, k, j] ...                         ... tape[slot, k, j] ...

How many rows there are the caller says: one, where that has room in the cache and the whole tape
has not; else as many as iterations, and nothing is run again. To write an array to memory and to
read it back takes longer than to compute it again from the one before (`remat_cost` beside this),
and steps + sweeps arrays are less memory than steps * sweeps: a tape that is larger than what is
kept from call to call has one row in any case.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, NumberType, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, as_atom
from srcad.ir.types import dtype_of, shape_of
from srcad.ir.walk import copy_statements, reads
from srcad.native.boundary.caller_statements import Caller
from srcad.native.helpers import kept
from srcad.native.scalarize.loop_builder import INT
from srcad.native.tape.access_redirection import Moved, copying, moved
from srcad.native.tape.remat_match import Repeatable, repeatables
from srcad.rules.core.facts import unknown_extent

# Bytes of tapes for which caches have room: half of the last one's, where 32 MiB are usual.
_ROOM = 16 << 20
# Bytes that are kept from call to call; the system clears what is more (`srcad.kernels.recycled`).
_KEPT = 1 << 30
# Iterations of the outer loop for which one row is much less than all of them.
_FEWEST = 4
# Iterations of the inner loop that take as long as it takes to save an array ahead of them.
_FEW = 2


def rematerialize_loops(fn: Function, caller: Caller) -> Function:
    """The function with smaller tapes; the caller passes how many rows they have."""
    for found in repeatables(fn):
        made = _Repetition(fn, found, caller)
        if made.may_pay():
            return rematerialize_loops(made.run(), caller)
    return fn


class _Repetition:
    def __init__(self, fn: Function, loop: Repeatable, caller: Caller) -> None:
        self.fn, self.loop, self.caller = fn, loop, caller
        self.forms = Forms(fn.body)
        ops = (stmt for stmt in fn.body.body if isinstance(stmt, Op) and stmt.fn is np.empty)
        self.extents: dict[Value, tuple[Any, ...]] = {op.out: op.args[0] for op in ops}
        taped = {**loop.state, **loop.sources}
        # What is saved in arrays of its own, and what it is restored from.
        self.starts = {
            memory: _array(memory, f"{memory.name}_start", 1)
            for memory, tape in taped.items()
            if tape is None
        }
        self.origins = {memory: tape or self.starts[memory] for memory, tape in taped.items()}
        # What the loop writes when it is run again.
        self.others = {
            memory: _array(memory, memory.name, 0) for memory in (*loop.state, *loop.scratch)
        }
        copied = {memory: self.extents[memory][0] for memory in (*self.starts, *loop.state)}
        self.lengths = {memory: self.forms.of(n) for memory, n in copied.items()}
        self.rows, self.count, self.stop = (
            Value(name, INT) for name in ("rows", "starts", "turns_again")
        )
        self.again = {form: Value("n_again", INT) for form in self.lengths.values()}

    # What the caller says

    def may_pay(self) -> bool:
        """Whether the caller can tell whether it pays, and it is not known that it does not."""
        inner = self.loop.inner
        tapes = (n for memory in self.loop.tapes for n in self.extents[memory][1:])
        forms = map(self.forms.of, (*tapes, inner.start, inner.stop))
        if not all(map(self.caller.is_known, (self.loop.rows.number, *forms, *self.again))):
            return False
        iterations = [(form.number, least) for form, least in self.least()]
        return not self.is_small() and all(n is None or n > least for n, least in iterations)

    def is_small(self) -> bool:
        """Whether the tapes are known to have room in the caches."""
        total = 0
        for extents, size in self.sizes().items():
            for form in (self.loop.rows.number, *extents):
                if form is None or form.number is None:
                    return False
                size *= form.number
            total += size
        return total <= _ROOM

    def least(self) -> list[tuple[Affine, int]]:
        """The numbers of iterations, and what they have to be larger than: what is saved for an
        iteration of the outer loop is less than the tape of the inner one, and that is less than
        the whole.
        """
        inner = self.loop.inner
        start, stop = self.forms.of(inner.start), self.forms.of(inner.stop)
        assert start is not None
        assert stop is not None
        sweeps = (stop - start) * inner.step
        return [(self.loop.rows.number, _FEWEST - 1), (sweeps, _FEW * len(self.starts))]

    def choose(self) -> list[Value]:
        """Let the caller choose; returns what it passes."""
        inner, rows = self.loop.inner, self.loop.rows
        iterations: Any = self.known(rows.number)
        if not rows.is_told:
            iterations = self.caller.integer(max, (iterations, 0))
        cond = self.is_worth_it(iterations)
        choices = {
            self.rows: (1, iterations),
            self.count: (iterations, 0),
            self.stop: (self.known(inner.stop), self.known(inner.start)),
            **{param: (self.known(n), 0) for n, param in self.again.items()},
        }
        self.caller.chosen(cond, choices)
        return [*choices]

    def is_worth_it(self, iterations: Any) -> Value:
        """Whether the loop is run again: a truth that the caller computes."""

        def op(fn: Any, *args: Any, type_: NumberType = INT) -> Value:
            return self.caller.op(fn, args, type_)

        def truth(fn: Any, *args: Any) -> Value:
            return op(fn, *args, type_=NumberType(bool))

        row: Any = None
        for extents, width in self.sizes().items():
            part: Any = width
            for n in extents:
                part = op(operator.mul, part, self.known(n))
            row = part if row is None else op(operator.add, row, part)
        size = op(operator.mul, row, iterations)
        fits = truth(operator.le, row, _ROOM), truth(operator.gt, size, _KEPT)
        conds = [truth(operator.gt, size, _ROOM), truth(operator.or_, *fits)]
        for form, least in self.least():
            if form.number is None:
                conds.append(truth(operator.gt, self.known(form), least))
        return functools.reduce(lambda a, b: truth(operator.and_, a, b), conds)

    def sizes(self) -> dict[tuple[Affine | None, ...], int]:
        """How many bytes of the tapes there are in a row for each product of extents."""
        found: dict[tuple[Affine | None, ...], int] = {}
        for memory in self.loop.tapes:
            extents = tuple(map(self.forms.of, self.extents[memory][1:]))
            width = np.dtype(dtype_of(memory.type)).itemsize
            found[extents] = found.get(extents, 0) + width
        return found

    def known(self, atom: Any) -> Any:
        """An integer of the function as one of the caller's."""
        form = atom if isinstance(atom, Affine) else self.forms.of(atom)
        assert form is not None
        return self.caller.extent(form)

    # The function

    def run(self) -> Function:
        """The function with parameters for what the caller chooses."""
        params = self.choose()
        body: list[Stmt] = []
        for stmt in self.fn.body.body:
            if stmt is self.loop.rows.outer:
                for memory, start in self.starts.items():
                    body.append(_empty(start, (self.count, *self.extents[memory])))
                stmt = self.outer()
            elif stmt is self.loop.rows.reverse:
                for memory, other in self.others.items():
                    body.append(_empty(other, self.extents[memory]))
                stmt = self.reverse()
            elif isinstance(stmt, Op) and stmt.fn is np.empty and stmt.out in self.loop.tapes:
                (_, *rest), *others = stmt.args
                stmt = replace(stmt, args=((self.rows, *rest), *others))
            body.append(stmt)
        block = Block([*self.fn.params, *params], body, self.fn.body.results)
        return replace(self.fn, body=block)

    def outer(self) -> For:
        """The outer loop: what the inner one starts from is saved."""
        head, iteration, tapes = self.slot(self.loop.rows.iteration)
        body = head
        for stmt in self.loop.rows.outer.body.body:
            if stmt is self.loop.inner:
                body += [self.copy(m, m, (), new, (iteration,)) for m, new in self.starts.items()]
            body.append(moved(stmt, tapes))
        return _with_body(self.loop.rows.outer, body)

    def reverse(self) -> For:
        """The reverse of the outer loop: ahead of what reads the tape the inner one is run."""
        head, iteration, tapes = self.slot(self.loop.rows.back)
        body, is_done = head, False
        for stmt in self.loop.rows.reverse.body.body:
            if not is_done and not set(self.loop.tapes).isdisjoint(reads(stmt)):
                body += self.inner(iteration, tapes)
                is_done = True
            body.append(moved(stmt, tapes))
        return _with_body(self.loop.rows.reverse, body)

    def slot(self, iteration: Affine) -> tuple[list[Stmt], Any, Moved]:
        """What computes the row of an iteration; the iteration, and where the tapes are then."""
        head: list[Stmt] = []
        atom = as_atom(iteration, lambda fn, args: _op(head, fn, args, ""))
        row = _op(head, kept, (atom, self.rows), "row")
        return head, atom, {memory: (memory, (row,), 1) for memory in self.loop.tapes}

    def inner(self, iteration: Any, tapes: Moved) -> list[Stmt]:
        """The inner loop run again, in the iteration of the outer one."""
        loop, body = self.loop, list[Stmt]()
        for memory in loop.state:
            start, state = self.origins[memory], self.others[memory]
            body.append(self.copy(memory, start, (iteration,), state, ()))
        k = loop.rows.iteration.coefficient(loop.rows.outer.index)
        ahead = Affine.of(iteration) - loop.rows.iteration.replaced(
            {loop.rows.outer.index: Affine()}
        )
        index = as_atom(ahead * k, lambda fn, args: _op(body, fn, args, loop.rows.outer.index.name))
        env = {loop.rows.outer.index: index, **self.others}
        *numbers, inner = copy_statements([*loop.numbers, loop.inner], env)
        sources = {memory: (self.origins[memory], (iteration,), 0) for memory in loop.sources}
        inner = moved(inner, {**tapes, **sources, **dict.fromkeys(loop.unread)})
        assert isinstance(inner, For)
        return [*body, *numbers, replace(inner, stop=self.stop)]

    def copy(
        self, memory: Value, source: Value, of: tuple[Any, ...], target: Value, at: tuple[Any, ...]
    ) -> Stmt:
        """Loops `target[*at, ...] = source[*of, ...]` over an array, if the inner one is run
        again.
        """
        extents: list[Any] = [*self.extents[memory]]
        length = self.lengths[memory]
        assert length is not None
        extents[0] = self.again[length]
        ranges = [(0, n) for n in extents]
        (loop,) = copying((source, of), (target, at), ranges, self.loop.inner.loc)
        return loop


def _op(body: list[Stmt], fn: Any, args: tuple[Any, ...], name: str) -> Value:
    out = Value(name, INT)
    body.append(Op(fn, args, {}, (out,)))
    return out


def _array(like: Value, name: str, axes: int) -> Value:
    """An array with more axes than another."""
    rank = len(shape_of(like.type) or ()) + axes
    shape = tuple(unknown_extent() for _ in range(rank))
    return Value(name, ArrayType(np.dtype(dtype_of(like.type)), shape))


def _empty(memory: Value, extents: tuple[Any, ...]) -> Op:
    dtype = dtype_of(memory.type)
    args = (extents,) if dtype == np.float64 else (extents, dtype)
    return Op(np.empty, args, {}, (memory,))


def _with_body(loop: For, body: list[Stmt]) -> For:
    return replace(loop, body=Block(loop.body.params, body, loop.body.results))


__all__ = ["rematerialize_loops"]
