"""Parallelisation: which loops of a compiled function threads can share, and what that takes.

for i in range(n):                     shared: its iterations are independent but for
    for j in range(m):
        t[j] = x[i, j]                 t       each thread has its own
        c[j] += t[j]                   c       each adds to its own, then they are added up
        s = add(s, t[j])               s       likewise

Products of matrices by rows, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from srcad.ir import For, Function, Op, Stmt, Value
from srcad.ir.walk import statements, values_in
from srcad.native.loops.accesses import Access, Accesses, Places
from srcad.native.loops.dependence import Iterations
from srcad.native.scalarize.handlers.running_folds import Fold, folds_of
from srcad.native.threads.privatization import is_written_first
from srcad.native.threads.work_estimate import Extents, Sum, Work, degree, divides, plus, times
from srcad.native.vectorised import MATMUL_INTO

# Loops around that all threads go through, waiting for one another in each iteration.
_DEEPEST = 2


@dataclass(frozen=True)
class Split:
    """A loop whose iterations threads share: what becomes of the numbers that it carries, the
    arrays that all add to, those that each thread has; and how much it computes.
    """

    loop: For
    folds: list[Fold]
    added: list[Value]
    own: list[Value]
    work: Sum


@dataclass(frozen=True)
class Step:
    """A statement: with a `split` or, for a loop that all threads go through, what is `inside`; or
    a product of matrices.
    """

    stmt: Stmt
    split: Split | None = None
    inside: list[Step] = field(default_factory=list)


class Splitter:
    """Looks for them in one function."""

    def __init__(self, fn: Function) -> None:
        self.places, self.extents = Places(fn.body), Extents(fn)
        self.whole = self.places.within(*fn.body.body)
        self.results, self.params = set(values_in(fn.body.results)), set(fn.params)
        # The arrays that the function allocates ahead of its loops, and their extents.
        self.rooms = {
            op.out: op.args[0]
            for op in fn.body.body
            if isinstance(op, Op) and op.fn is np.empty and isinstance(op.args[0], tuple)
        }
        self.multiplied = {
            v for op in statements(fn.body) if is_product(op) for v in values_in(op.args)
        }

    def steps(self, body: Sequence[Stmt], around: tuple[For, ...] = ()) -> list[Step]:
        """What threads do with the statements of a block."""
        beside_products = any(map(is_product, body))
        return [self.step(stmt, around, beside_products) for stmt in body]

    def step(self, stmt: Stmt, around: tuple[For, ...], beside_products: bool) -> Step:
        """What threads do with one statement."""
        if not isinstance(stmt, For) or stmt.seqs or stmt.ins or stmt.reverse or stmt.count:
            return Step(stmt)
        split = self.split(stmt, around)
        # A loop over numbers is worth it, but not so in each iteration of another one, unless that
        # has products, which take longer.
        if split is not None and degree(split.work) > len(around[:1]) - beside_products:
            return Step(stmt, split)
        if len(around) == _DEEPEST or any(
            isinstance(s, Op) and s.fn is np.empty for s in stmt.body.body
        ):
            return Step(stmt)
        inside = self.steps(stmt.body.body, (*around, stmt))
        is_worth_it = any(map(is_shared, inside))
        return Step(stmt, None, inside if is_worth_it else [])

    def split(self, loop: For, around: tuple[For, ...]) -> Split | None:
        """What it takes to share the iterations of a loop; None if that cannot be."""
        if loop.exits or loop.step not in (1, -1):
            return None
        accesses = self.places.within(*loop.body.body)
        if accesses.is_opaque:
            return None
        folds = [fold for fold in folds_of(loop) if fold is not None]
        if len(folds) < len(loop.init):
            return None
        iterations = self.extents.iterations(loop, around)
        work = times(iterations, Work(self.extents, loop).of(loop.body, (*around, loop)))
        added: list[Value] = []
        own: list[Value] = []
        between = Iterations(loop, self.places.forms)
        for memory in accesses.written:
            if between.are_apart(memory, accesses):
                continue
            if self.is_added_up(memory, accesses, (*around, loop), work):
                added.append(memory)
            elif self.is_scratch(memory, loop):
                own.append(memory)
            else:
                return None
        return Split(loop, folds, added, own, work)

    def is_added_up(
        self, memory: Value, accesses: Accesses, around: tuple[For, ...], work: Sum
    ) -> bool:
        """Whether an array is only added to, and is small for what is computed."""
        mine = accesses.of(memory)
        if any(access.kind != "add" for access in mine):
            return False
        if memory in self.rooms:
            sizes = [self.extents.product(self.rooms[memory])]
        elif memory in self.params:
            sizes = [self.swept(access, around) for access in mine]
        else:
            return False
        return all(any(divides(n, key) for key in work) for size in sizes for n in size)

    def swept(self, access: Access, around: tuple[For, ...]) -> Sum:
        """How many entries all loops around an access go through; so many may an array have."""
        loops = (*around, *access.loops)
        total: Sum = {(): 1}
        for form in access.place:
            extent: Sum = {}
            for k, loop in enumerate(loops):
                if form is not None and form.coefficient(loop.index):
                    extent = plus(extent, self.extents.iterations(loop, loops[:k]))
            total = times(total, extent or {(-1,): 1})  # any number
        return total

    def is_scratch(self, memory: Value, loop: For) -> bool:
        """Whether only the iteration that writes an entry of an array reads it."""
        if memory not in self.rooms or memory in self.results or memory in self.multiplied:
            return False
        if any(loop not in access.loops for access in self.whole.of(memory)):
            return False
        return is_written_first(memory, loop, self.places)


def is_product(stmt: Stmt) -> TypeGuard[Op]:
    """Whether a statement multiplies matrices."""
    return isinstance(stmt, Op) and stmt.fn is MATMUL_INTO


def is_shared(step: Step) -> bool:
    """Whether threads share something of it."""
    return step.split is not None or bool(step.inside) or is_product(step.stmt)
