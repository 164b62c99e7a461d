"""Which temporaries are printed inside their use.

    t1 = x @ w                                      before
    t2 = t1 + b
    h = np.tanh(t2)

    h = np.tanh(x @ w + b)                          after

A temporary is nested if it has no name, is read once, in the same block, and nothing between its
place and its use writes what it reads. What would make a line too long keeps a line of its own.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from srcad.analysis.alias import Aliases, find_aliases
from srcad.emit.plan.attempts import find_elses
from srcad.emit.plan.candidates import Candidate, Pending, drop, out_of_order
from srcad.emit.plan.exits import Flags, find_breaks
from srcad.emit.plan.widths import width_of_op, width_of_tree
from srcad.ir import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, TupleType, Value, While
from srcad.ir.effects import destroys, has_effect
from srcad.ir.inplace import index_set
from srcad.ir.interface import slots
from srcad.ir.kinds import has_storage
from srcad.ir.walk import all_reads, reads, statements, values_in
from srcad.once import cached_property
from srcad.ops import row_of

WIDTH = 88
TERNARY_WIDTH = 60
MAX_DEPTH = 8
MAX_DISTANCE = 4  # statements between a temporary and its use
_DERIVED = re.compile(r"_(bar|dot)$")


def _is_metadata(op: Op) -> bool:
    """Whether `op` reads a shape, which no write changes."""
    return row_of(op.fn).measures or (
        op.fn is operator.getitem
        and isinstance(op.args[0], Value)
        and isinstance(op.args[0].type, TupleType)
    )


def _written(stmt: Stmt) -> list[Value]:
    """The variables that a statement writes over: of an array, or of what a loop carries."""
    if isinstance(stmt, Op):
        return values_in(stmt.args[:1]) if destroys(stmt) else []
    return values_in(stmt.init) if isinstance(stmt, For | While) else []


def may_share_name(a: str, b: str) -> bool:
    """Whether one variable may stand for values of these names: the user's names are not mixed."""
    return not a or not b or a == b or bool(_DERIVED.search(a) and _DERIVED.search(b))


@dataclass
class Nesting:
    """`nested`: operations printed inside their use; `uses`: how often each value is read.

    `stored`: values printed as `tape[i] = ...` only. `inline_tests`: the `While`s whose test is one
    expression. `ternaries`: the `If`s that are one. `breaks`: those that say `break` themselves.
    `elses`: those printed as the `else` of the `try` before them.
    """

    uses: Counter[Value] = field(default_factory=Counter)
    nested: dict[Value, Op] = field(default_factory=dict)
    stored: set[Value] = field(default_factory=set)
    inline_tests: set[While] = field(default_factory=set)
    ternaries: set[If] = field(default_factory=set)
    breaks: dict[If, Flags] = field(default_factory=dict)
    elses: set[If] = field(default_factory=set)

    def reads(self, tree: Any) -> Iterator[Value]:
        """The variables that the expression of `tree` reads."""
        for value in values_in(tree):
            op = self.nested.get(value)
            if op is None:
                yield value
            else:
                yield from self.reads((op.args, op.kwargs))


def plan_nesting(fn: Function) -> Nesting:
    """Decide for every operation of `fn`, those in the blocks and closures inside included."""
    planner = _Planner(fn)
    planner.count(fn.body)
    planner.plan.uses.update(_again(fn))
    planner.returning_block(fn.body, depth=1)
    return planner.plan


def _again(fn: Function) -> Iterator[Value]:
    """The results that stand in several places of what is returned or stored: one object, which is
    made once.
    """
    if fn.interface is not None:
        trees = [fn.interface.result, *(write.tree for write in fn.interface.writes)]
        counts = Counter(index for tree in trees for index in slots(tree))
        for index, count in counts.items():
            if count > 1:
                yield from values_in(fn.body.results[index])


class _Planner:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.plan = Nesting()
        self.taken: dict[Value, Candidate] = {}

    @cached_property
    def aliases(self) -> Aliases:
        """What may share memory: asked where something is written."""
        return find_aliases(self.fn)

    def count(self, block: Block) -> None:
        uses = self.plan.uses
        uses.update(all_reads(block))
        for stmt in statements(block):
            if isinstance(stmt, For | While) and stmt.exits:
                self.plan.breaks |= find_breaks(stmt.body, stmt.leaves[0], uses)
        self.plan.elses = find_elses(block) - self.plan.breaks.keys()
        uses.subtract(stmt.truth for stmt in self.plan.elses)

    # Blocks

    def returning_block(self, block: Block, depth: int) -> None:
        pending = self.block(block, depth)
        self.fit(block.results, pending, WIDTH - 4 * depth - len("return "))

    def block(self, block: Block, depth: int) -> Pending:
        """Plan a block; returns the candidates left at its end."""
        pending: Pending = {}
        for position, stmt in enumerate(block.body):
            self.take(stmt, pending, depth)
            candidate = self.candidate(stmt, position) if self.is_candidate(stmt) else None
            if candidate is None or candidate.op.out.name:
                self.inner(stmt, depth)
                own = isinstance(stmt, Op) and stmt.raises
                self.age(stmt, pending, candidate.raises if candidate else own)
            if candidate is not None:
                pending[candidate.op.out] = candidate
        return pending

    def inner(self, stmt: Stmt, depth: int) -> None:
        match stmt:
            case For():
                pending = self.block(stmt.body, depth + 1)
                self.end_of_loop(stmt, stmt.carried, pending, depth)
            case While():
                self.test_of_loop(stmt, self.block(stmt.test, depth + 1), depth)
                pending = self.block(stmt.body, depth + 1)
                self.end_of_loop(stmt, stmt.body.params, pending, depth)
            case If():
                then = self.block(stmt.then, depth + 1)
                # A long chain of `elif` is not indented, and would soon be left no room.
                below = depth if depth > MAX_DEPTH and self.is_elif(stmt) else depth + 1
                self.ternary(stmt, then, self.block(stmt.orelse, below))
            case Closure():
                self.returning_block(stmt.function.body, depth + 1)
            case Op():
                pass

    def is_elif(self, stmt: If) -> bool:
        """Whether the second block of `stmt` is but another branch, which is printed as `elif`."""
        body, last = stmt.orelse.body, stmt.orelse.body[-1] if stmt.orelse.body else None
        if not isinstance(last, If) or not (stmt.is_branch and last.is_branch):
            return False
        if not all(result in last.outs for result in stmt.orelse.results):
            return False
        return all(self.is_candidate(test) and not test.out.name for test in body[:-1])

    def is_candidate(self, stmt: Stmt) -> TypeGuard[Op]:
        if not isinstance(stmt, Op) or stmt.effect or len(stmt.outs) != 1 or destroys(stmt):
            return False
        return self.plan.uses[stmt.out] == 1

    def candidate(self, op: Op, position: int) -> Candidate:
        contents: list[Value] = []
        raises = op.raises
        is_metadata = _is_metadata(op)
        for value in values_in((op.args, op.kwargs)):
            if value in self.taken:
                contents += self.taken[value].reads
                raises |= self.taken[value].raises
            elif has_storage(value.type) and not is_metadata:
                contents.append(value)
        is_timeless = is_metadata and not contents
        width = width_of_op(op, self.width_of)
        return Candidate(op, width, contents, position, is_timeless, raises)

    def width_of(self, value: Value) -> int:
        return self.taken[value].width if value in self.taken else len(value.name or "t")

    # Uses

    def take(self, stmt: Stmt, pending: Pending, depth: int) -> None:
        """Nest candidates in the expressions that `stmt` itself prints."""
        room = WIDTH - 4 * depth
        match stmt:
            case Op():
                target = ", ".join(out.name or "t" for out in stmt.outs)
                room -= len(target) + 3 if target else 0
                held = values_in(stmt.args[:1]) if destroys(stmt) else ()
                # `x[i] = g` computes `g` first.
                args = stmt.args[::-1] if stmt.fn is index_set else stmt.args
                self.fit((args, stmt.kwargs), pending, room, held)
            case If():
                self.fit(stmt.cond, pending, room - len("if :"))
            case For():
                # The length of a tape and positions in it are computed from variables.
                written = stmt.seqs if not stmt.exits else ()
                positions = (stmt.start, stmt.step) if written or stmt.ins else ()
                held = values_in((*positions, stmt.stop if written else None))
                bounds = (stmt.start, stmt.stop, stmt.step)
                self.fit(bounds, pending, room - len("for i in range():"), held)
            case While() | Closure():
                pass

    def fit(self, tree: Any, pending: Pending, room: int, held: Iterable[Value] = ()) -> None:
        """Nest the unnamed candidates read in `tree`, except the widest if all do not fit."""
        if not pending:
            return
        kept = set(held)
        found = [v for v in values_in(tree) if v in pending and not v.name and v not in kept]
        if not found:
            return
        width = width_of_tree(tree, self.width_of) + sum(pending[v].width - 1 for v in found)
        narrow = sorted(found, key=lambda v: pending[v].width)
        while narrow and width > room:
            width -= pending[narrow.pop()].width - 1
        wrong = out_of_order([v for v in found if v in narrow], pending)
        nested = [v for v in found if v in narrow and v not in wrong]
        for value in nested:
            self.nest(value, pending)
        drop([v for v in found if v not in nested], pending)

    def nest(self, value: Value, pending: Pending) -> None:
        self.taken[value] = pending.pop(value)
        self.plan.nested[value] = self.taken[value].op

    def age(self, stmt: Stmt, pending: Pending, raises: bool) -> None:
        """Drop the candidates that must not or should not be printed after `stmt`."""
        if not pending:
            return
        acts, written = has_effect(stmt), _written(stmt)
        dropped = []
        for value, candidate in pending.items():
            candidate.age += not candidate.is_timeless
            is_late = candidate.age > MAX_DISTANCE or (raises and candidate.raises)
            if is_late or self.is_disturbed(candidate, stmt, acts, written):
                dropped.append(value)
        drop(dropped, pending)

    def is_disturbed(
        self, candidate: Candidate, stmt: Stmt, acts: bool, written: list[Value]
    ) -> bool:
        if isinstance(stmt, Op):
            if stmt.effect:
                return True
            if written and candidate.reads and self.aliases.may_change(candidate.reads, written):
                return True
        elif acts and (candidate.reads or candidate.raises):
            return True
        # What is carried on in its variable would need a copy to be read later.
        mine = set(self.plan.reads((candidate.op.args, candidate.op.kwargs))) if written else set()
        return not mine.isdisjoint(written)

    # Ends of blocks

    def end_of_loop(
        self, stmt: For | While, carried: list[Value], pending: Pending, depth: int
    ) -> None:
        """Nest for `a, b = b, a + b`: where the variable is still read after the result's place.

        Any other result is bound to the variable it is carried in, and needs no copy at the end.
        """
        body, results = stmt.body, stmt.yielded
        several_raise = sum(candidate.raises for candidate in pending.values()) > 1
        for param, result in zip(carried, results, strict=True):
            if isinstance(result, Value) and result in pending:
                if not may_share_name(result.name, param.name):
                    continue
                if several_raise and pending[result].raises:
                    continue
                others = values_in([r for r in results if r is not result])
                after = body.body[pending[result].position + 1 :]
                if param in others or any(param in reads(later) for later in after):
                    self.nest(result, pending)
        for element in stmt.written:
            if isinstance(element, Value) and element in pending and not element.name:
                self.plan.stored.add(element)
        self.fit(stmt.leaves, pending, WIDTH - 4 * depth - len("    if :"))

    def test_of_loop(self, stmt: While, pending: Pending, depth: int) -> None:
        """Nest the whole test if it can be printed as one expression."""
        made = [self.candidate(op, 0) for op in stmt.test.body if self.is_candidate(op)]
        there = pending.keys() | self.plan.nested.keys()
        is_swapped = any(each.raises and each.op.out not in there for each in made)
        if is_swapped or len(made) < len(stmt.test.body):
            self.fit(stmt.test.results, pending, WIDTH - 4 * depth - len("    if not :"))
            return
        for position, op in enumerate(stmt.test.body):
            if self.is_candidate(op):
                self.nest(op.out, {op.out: self.candidate(op, position)})
        self.plan.inline_tests.add(stmt)

    def ternary(self, stmt: If, then: Pending, orelse: Pending) -> None:
        """Print `stmt` as `a if cond else b` if that is short and the user did not write `if`."""
        if len(stmt.outs) != 1 or not stmt.is_branch:
            return
        if stmt in self.plan.breaks or stmt in self.plan.elses:
            return
        if stmt.loc and stmt.loc.text.lstrip().startswith(("if", "elif")):
            return
        width = width_of_tree(stmt.cond, self.width_of) + len(" if  else ")
        made: list[tuple[Value, Pending]] = []
        for block, pending in ((stmt.then, then), (stmt.orelse, orelse)):
            (result,) = block.results
            if isinstance(result, Value) and result in pending and not result.name:
                made.append((result, pending))
                width += pending[result].width
            else:
                width += width_of_tree(result, self.width_of)
            nested = {result for result, _ in made}
            inside = [s for s in block.body if not self.is_nested(s, nested)]
            if result is UNDEFINED or inside:
                return
        if width <= TERNARY_WIDTH:
            for result, pending in made:
                self.nest(result, pending)
            self.plan.ternaries.add(stmt)

    def is_nested(self, stmt: Stmt, results: set[Value]) -> bool:
        """Whether `stmt` is printed inside another, or makes a result that will be."""
        if not isinstance(stmt, Op):
            return False
        return any(out in results or out in self.plan.nested for out in stmt.outs)
