"""Weak scalar tags: a run-time flag beside a number that may be Python's or NumPy's.

    s = 0.0                                  s, s_is_float = 0.0, True
    for i in range(n):                       for i in range(n):
        if x[i] > 0:                 ->          if x[i] > 0:
            s = s + x[i]                             s, s_is_float = s + x[i], False
    return s                                 return s, s_is_float

Compiled code has one type for both; its caller makes of the number what it is by the flag. A loop
that cannot leave a number as it was needs no flag inside: it tells by the number of its iterations.

    c = max(0.0, x[i])           ->          c = x[i] if x[i] > 0.0 else 0.0

The extreme of numbers of both kinds is a branch, so that it has the tag of the one that is taken.

    s = 0                                    s, s_is_float, s_is_int = 0.0, True, True
    for v in x:                              for v in x:
        s = s + max(v, 0.0)      ->              s, s_is_float, s_is_int = ..., ..., False
    return s                                 ensure(not s_is_int); return s, s_is_float

What may be an int or a float of Python's is seldom an int when it leaves: NumPy runs that call.

    as_listed(v, mark)           ->          v, with the tag `not mark`
    is_numpys(s)                 ->          not s_is_float

Tags are kept where a guard would do with less: of 158 programs of the corpus that return such a
number from compiled code, 38 return one of Python's in their own calls, and would leave it there.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, TypeGuard

from srcad import runtime
from srcad.ir import UNDEFINED, Block, For, Function, If, NumberType, Op, Stmt, Value, While
from srcad.ir.walk import values_in, with_blocks
from srcad.native.helpers import divide
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.scalarize.scalars.weak_scalars import Kinds, is_listed, is_weak_for, kind_of
from srcad.optimize.shadow_values import BOOL, Flag, ShadowValues
from srcad.rules.core.joined_kinds import is_choice
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import ensure


def tag_weak_scalars(fn: Function, *, tags: dict[int, type]) -> Function:
    """The function with a flag after its results for each number that may be one of Python's.

    Args:
        tags: gets the kind that each of these numbers then is, by its place among the results, in
            the order of the flags.

    Raises:
        Unsuited: one may be of several kinds.
    """
    kinds = Kinds(fn)
    if any(isinstance(op, Op) and is_choice(op) for op in map(kinds.binder.get, kinds.loose)):
        fn = replace(fn, body=_branching(fn.body, kinds))
        kinds = Kinds(fn)
    loose = [k for k, result in enumerate(fn.body.results) if kinds.is_loose(result)]
    tests = [op.args[0] for op in kinds.binder.values() if _is_test(op)]
    if not loose and not tests:
        return fn
    flags = _Flags(kinds, [*(fn.body.results[k] for k in loose), *tests])
    body = _without_ints(flags.block(fn.body), flags)
    told = [flags.of(fn.body.results[k]) for k in loose]
    made = Block(body.params, body.body, [*body.results, *told])
    tags.update((k, flags.kind(fn.body.results[k])) for k in loose)
    return replace(fn, body=made)


def _without_ints(block: Block, flags: _Flags) -> Block:
    """The block that refuses where numbers that may be floats or ints of Python's are ints."""
    several = [x for x in flags.asked if len(flags.kinds[x]) > 1]
    if not several:
        return block
    ints = _IntFlags(flags.search, several)
    made = ints.block(block)
    body = made.body
    for flag in dict.fromkeys(map(ints.of, several)):
        if flag is False:
            continue
        is_none = Value("", BOOL)
        body.append(Op(operator.not_, (flag,), {}, (is_none,)))
        body.append(Op(ensure, (is_none,), {}, (), effect=True, raises=True))
    return made


def _is_test(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and stmt.fn is runtime.is_numpys


def _branching(block: Block, kinds: Kinds) -> Block:
    """A block with branches in the place of extremes of numbers of either kind."""
    made: list[Stmt] = []
    for stmt in block.body:
        if isinstance(stmt, Op) and is_choice(stmt) and kinds.is_loose(stmt.out):
            made += _choosing(stmt)
        else:
            made.append(with_blocks(stmt, lambda inner: _branching(inner, kinds)))
    return replace(block, body=made)


def _choosing(op: Op) -> list[Stmt]:
    """The first number, unless a later one is less, or greater."""
    if any(kind_of(x) is bool for x in op.args):
        return [op]
    made: list[Stmt] = []
    best = op.args[0]
    for k, x in enumerate(op.args[1:], 2):
        is_better = Value("", BOOL)
        out = op.out if k == len(op.args) else Value("", op.out.type)
        test = operator.gt if op.fn is max else operator.lt
        made.append(Op(test, (x, best), {}, (is_better,), op.loc))
        made.append(If(is_better, Block([], [], [x]), Block([], [], [best]), (out,), op.loc))
        best = out
    return made


class _Flags(ShadowValues):
    """The flags of numbers."""

    def __init__(self, search: Kinds, asked: Iterable[Value]) -> None:
        self.search = search
        self.asked = list(dict.fromkeys(asked))
        super().__init__(self.asked)
        self.kinds = self.find_kinds()

    def sources(self, atom: Any) -> Iterable[Any] | None:
        return self.search.sources(atom) if self.search.is_loose(atom) else None

    def kind(self, value: Value) -> type:
        """What a number is where it is one of Python's, and compiled code does not refuse."""
        kinds = self.kinds[value]
        return float if len(kinds) > 1 else next(iter(kinds))

    def find_kinds(self) -> dict[Value, set[type]]:
        """What each number may be where it is one of Python's."""
        found: dict[Value, set[type]] = {value: set() for value in self.wanted}
        while True:
            now = {value: self.search.weak_kinds(value, found) for value in self.wanted}
            if now == found:
                break
            found = now
        if any(len(kinds) != 1 and kinds != {int, float} for kinds in found.values()):
            raise Unsuited("a number of several kinds")
        return found

    def of(self, value: Any) -> Flag:
        """The flag of a number that is bound."""
        return self.flags.get(value, False) if isinstance(value, Value) else False

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        return True if is_weak_for(atom, target) else self.of(atom)

    def name(self, value: Value) -> str:
        return f"{value.name}_is_{self.kind(value).__name__}" if value in self.kinds else ""

    # Statements

    def operation(self, op: Op) -> list[Stmt]:
        """The result is Python's where all operands are."""
        made: list[Stmt] = [op]
        if _is_test(op):
            return [self.test(op)]
        if len(op.outs) != 1 or op.out not in self.wanted:
            return made
        if is_listed(op):
            flag = self.fresh(op.out)
            return [op, Op(operator.not_, (op.args[1],), {}, (flag,), op.loc)]
        own = [v for v in values_in(op.args) if not is_weak_for(v, op.out)]
        flags = list(dict.fromkeys(map(self.of, own)))
        total = flags[0]
        for flag in flags[1:]:
            out = Value("", BOOL)
            made.append(Op(operator.and_, (total, flag), {}, (out,), op.loc))
            total = out
        self.flags[op.out] = total
        return made

    def test(self, op: Op) -> Op:
        """Whether a number is none of Python's, by its flag."""
        (x,) = op.args
        is_pythons = True if isinstance(type_of(x), NumberType) else self.of(x)
        return replace(op, fn=operator.not_, args=(is_pythons,))

    def loop(self, stmt: For | While, aside: Collection[int] = ()) -> list[Stmt]:
        """The trip count decides a flag where each iteration makes a new number."""
        counted = [k for k, out in enumerate(stmt.outs) if self.is_set_by_iterations(stmt, k)]
        made = super().loop(stmt, [*aside, *counted])
        for k in counted:
            assert isinstance(stmt, For)
            start = self.moved(stmt.init[k], stmt.carried[k], made)
            made += self.set_by_iterations(stmt, k, start)
        return made

    def is_set_by_iterations(self, stmt: For | While, k: int) -> bool:
        """Whether each iteration makes a number that is what its type says, whatever it was
        before.
        """
        if not isinstance(stmt, For) or stmt.outs[k] not in self.wanted:
            return False
        yielded, param = stmt.yielded[k], stmt.carried[k]
        is_loose = is_weak_for(yielded, param) or self.search.is_loose(yielded)
        return param not in self.wanted and not is_loose and yielded is not UNDEFINED

    def set_by_iterations(self, loop: For, k: int, start: Flag) -> list[Stmt]:
        """The flag of a number that is as it was if the loop has no iterations."""
        # A step that is not known is refused unless it is positive.
        test = operator.ge if type(loop.step) is int and loop.step < 0 else operator.le
        flag = self.fresh(loop.outs[k])
        if start is True:
            return [Op(test, (loop.stop, loop.start), {}, (flag,), loop.loc)]
        none = Value("", BOOL)
        return [
            Op(test, (loop.stop, loop.start), {}, (none,), loop.loc),
            Op(operator.and_, (start, none), {}, (flag,), loop.loc),
        ]


class _IntFlags(_Flags):
    """Whether numbers are ints of Python's."""

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        is_told = atom in self.wanted if isinstance(atom, Value) else False
        is_weak = is_weak_for(atom, target) and not is_told
        return kind_of(atom) is int if is_weak else self.of(atom)

    def kind(self, value: Value) -> type:
        return int

    def operation(self, op: Op) -> list[Stmt]:
        if _is_test(op) or len(op.outs) != 1 or op.out not in self.wanted:
            return [op]
        others = [x for x in op.args if is_weak_for(x, op.out)]
        if is_listed(op) or op.fn is divide or any(kind_of(x) is not int for x in others):
            self.flags[op.out] = False
            return [op]
        return super().operation(op)
