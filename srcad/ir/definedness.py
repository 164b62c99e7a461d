"""Which values a path may leave unbound where they are read.

    for v in x:                         last: unbound where x has no entries
        last = v * v
    y = last + 1.0

    if c: t = sin(x)                    t: unbound where c is false, but not where it is read
    if c: y = y * t

A value is there where the conditions around the place tell that the branch was taken, or the loop
made an iteration, that binds it. What the forward sweep saves is there where the reverse sweep
reads it. That is proved; what is left is perhaps bound after all.

What is passed to a function, or kept on a tape, is read whatever the conditions around it say:
`unbound_anywhere` finds more values, those that any path leaves unbound.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from srcad.ir.nodes import UNDEFINED, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.raising import never_ends
from srcad.ir.regions import Context
from srcad.ir.walk import blocks, settled, statements
from srcad.runtime.effects import ensure_bound

# What is known at a place: the conditions around it, `(cond, side)`, the ranges of the loops,
# `(start, stop, step)`, and the values that were asked for, `(value,)`.
Held = frozenset[tuple[Any, ...]]


class Unbound:
    """The values of a program that some path leaves unbound, and what tells of each that it is not.

    `ends`: what a value is made of, the two sides of a branch, or what a loop starts with and what
    an iteration ends with.
    """

    def __init__(self, fn: Function) -> None:
        self.ends: dict[Value, tuple[Any, Any]] = {}
        self._made_by: dict[Value, tuple[Stmt, int]] = {}
        self._tests: dict[Value, tuple[Any, ...]] = {}
        for stmt in statements(fn.body):
            self._note(stmt)
        self.values: set[Value] = set()
        if any(end is UNDEFINED for ends in self.ends.values() for end in ends):
            settled(self.values, lambda: self._walk(fn.body, frozenset()))

    def told(self, value: Value) -> tuple[Any, ...] | None:
        """The one condition, or range, under which a value is bound, if there is one."""
        then, orelse = self.ends.get(value, (None, None))
        test = self._tests.get(value)
        if test is None or (then is UNDEFINED) is (orelse is UNDEFINED):
            return None
        own = (*test, orelse is UNDEFINED) if len(test) == 1 else test
        end = orelse if then is UNDEFINED else then
        if end in self.values and self.told(end) != own:
            return None
        return own if len(test) == 1 or then is UNDEFINED else None

    def is_there(self, value: Value, held: Held) -> bool:
        """Whether a value is bound at a place."""
        if value not in self.values or (value,) in held or self.told(value) in held:
            return True
        return any(h[1] is True and self._follows(h[0], value, set()) for h in held if len(h) == 2)

    # What is made of what

    def _note(self, stmt: Stmt) -> None:
        match stmt:
            case If():
                cond = (stmt.cond,) if stmt.is_branch else None
                then, last = sides_of(stmt)[0], sides_of(stmt)[-1]
                for k, out in enumerate(stmt.outs):
                    self._made(out, stmt, k, (then.results[k], last.results[k]), cond)
            case For() | While():
                test = (stmt.start, stmt.stop, stmt.step) if isinstance(stmt, For) else None
                for k, out in enumerate(stmt.outs):
                    ends = (stmt.init[k], stmt.yielded[k])
                    self._made(out, stmt, k, ends, test)
                    for param in carried(stmt, k):
                        self._made(param, stmt, k, ends)

    def _made(
        self, value: Value, stmt: Stmt, k: int, ends: tuple[Any, Any],
        test: tuple[Any, ...] | None = None,
    ) -> None:  # fmt: skip
        self.ends[value], self._made_by[value] = ends, (stmt, k)
        if test is not None:
            self._tests[value] = test

    # Which are unbound

    def _walk(self, block: Block, held: Held) -> None:
        for stmt in block.body:
            if isinstance(stmt, Op):
                held = behind(stmt, held)
                continue
            within = list(inside(stmt, held))
            for inner, around in within:
                self._walk(inner, around)
            match stmt:
                case If():
                    sides = [(side, h) for side, h in within if side in sides_of(stmt)]
                    for k, out in enumerate(stmt.outs):
                        if any(self._is_missing(side.results[k], h) for side, h in sides):
                            self.values.add(out)
                case For() | While():
                    self._iterations(stmt, held, within[-1][1])
            held = behind(stmt, held)

    def _iterations(self, stmt: For | While, held: Held, within: Held) -> None:
        at_end = within | {(stmt.leaves[0], True)} if _is_endless(stmt) else within
        for k, out in enumerate(stmt.outs):
            yielded, is_early = stmt.yielded[k], self._is_missing(stmt.init[k], held)
            if is_early or self._is_missing(yielded, within):
                self.values.update(carried(stmt, k))
            if self._is_missing(yielded, at_end) or (is_early and not _has_iterations(stmt)):
                self.values.add(out)

    def _is_missing(self, atom: Any, held: Held) -> bool:
        return atom is UNDEFINED or (isinstance(atom, Value) and not self.is_there(atom, held))

    def _follows(
        self, truth: Any, atom: Any, assumed: set[tuple[Any, Any]], held: Held = frozenset()
    ) -> bool:
        """Whether an atom is bound wherever a flag is true: what a loop is left with, by its flag.

        for i in range(n): ...; if c: result, left = x, True         left: result is bound
        """
        if truth is False or (atom is not UNDEFINED and atom not in self.values):
            return True
        if atom is not UNDEFINED and self.told(atom) in held:
            return True
        if atom is UNDEFINED:
            return False
        if not isinstance(truth, Value):
            known = [h[0] for h in held if len(h) == 2 and h[1] is True]
            return any(self._follows(each, atom, assumed) for each in known)
        if (truth, atom) in assumed or self.told(atom) == (truth, True):
            return True
        one, other = self._made_by.get(truth), self._made_by.get(atom)
        assumed = {*assumed, (truth, atom)}
        if other and isinstance(other[0], If) and other[0].is_branch and other[0].cond is truth:
            return self._follows(truth, self.ends[atom][0], assumed, held | {(truth, True)})
        if one is None:
            return False
        if other is None or one[0] is not other[0]:
            flags = self.ends[truth] if isinstance(one[0], If) else (truth,)
            return all(
                flag is not truth and self._follows(flag, atom, assumed, held) for flag in flags
            )
        if not isinstance(one[0], If):
            own = (carried(*found) for found in (one, other))
            assumed.update(zip(*own, strict=True))
        paths = [held, held]
        if isinstance(one[0], If) and one[0].is_branch:
            paths = [held | {(one[0].cond, side)} for side in (True, False)]
        pairs = zip(self.ends[truth], self.ends[atom], paths, strict=True)
        return all(self._follows(flag, end, assumed, path) for flag, end, path in pairs)


def range_test(told: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The operation that is true where a range is not empty, and what it is applied to."""
    start, stop, step = told
    # A step that is not known is refused unless it is positive.
    return operator.gt if type(step) is int and step < 0 else operator.lt, (start, stop)


def unbound_anywhere(fn: Function) -> set[Value]:
    """The values of `fn` that some path leaves unbound, wherever they are read."""
    sources: dict[Value, tuple[Any, ...]] = {**Unbound(fn).ends}
    found: set[Value] = set()
    for stmt in statements(fn.body):
        found.update(param for block in blocks(stmt) for param in block.params if param.partial)
        if isinstance(stmt, For | While):
            sources.update(zip(stmt.seqs, zip(stmt.written, strict=True), strict=True))
        if isinstance(stmt, For):
            sources.update(zip(stmt.elements, zip(stmt.ins, strict=True), strict=True))

    def spread() -> None:
        for value, ends in sources.items():
            if any(e is UNDEFINED or (isinstance(e, Value) and e in found) for e in ends):
                found.add(value)

    return settled(found, spread)


def is_question(stmt: Stmt) -> TypeGuard[Op]:
    """Whether a statement asks if a value is bound."""
    return isinstance(stmt, Op) and stmt.fn is ensure_bound


def behind(stmt: Stmt, held: Held) -> Held:
    """What is known after a statement where `held` is known ahead of it."""
    if is_question(stmt):
        return held | {(stmt.args[0],)}
    if isinstance(stmt, If) and stmt.is_branch:  # what a path that raises leaves to the other
        sides = ((stmt.orelse, True), (stmt.then, False))
        return held | {(stmt.cond, side) for block, side in sides if never_ends(block)}
    return held


def inside(stmt: Stmt, held: Held) -> Iterator[tuple[Block, Held]]:
    """The blocks of a statement, with what is known inside where `held` is known around it."""
    match stmt:
        case If() if stmt.is_branch:
            yield stmt.then, held | {(stmt.cond, True)}
            yield stmt.orelse, held | {(stmt.cond, False)}
        case For():
            yield stmt.body, held | {(stmt.start, stmt.stop, stmt.step)}
        case _:
            yield from ((block, held) for block in blocks(stmt))


def carried(stmt: Stmt, k: int) -> list[Value]:
    """The parameters of a loop's blocks for the value that it carries in this place."""
    if isinstance(stmt, For):
        return [stmt.carried[k]]
    return [stmt.body.params[k], stmt.test.params[k]] if isinstance(stmt, While) else []


def sides_of(stmt: If) -> list[Block]:
    """The blocks of which one is run: of a `with` there is one."""
    return [stmt.then] if isinstance(stmt.cond, Context) else [stmt.then, stmt.orelse]


def _has_iterations(stmt: For | While) -> bool:
    """Whether a loop is known to make an iteration."""
    if _is_endless(stmt):
        return True
    if not isinstance(stmt, For) or not all(
        type(n) is int for n in (stmt.start, stmt.stop, stmt.step)
    ):
        return False
    return len(range(stmt.start, stmt.stop, stmt.step)) > 0


def _is_endless(stmt: For | While) -> bool:
    """Whether a loop ends by `break` alone."""
    return isinstance(stmt, While) and stmt.test.results == [True] and stmt.exits
