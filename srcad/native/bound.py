"""Whether a value is bound is told by the branch or the loop's range that binds it, or by a flag
beside it: compiled code has a zero where nothing is bound.

    for v in x:                         last_is_bound = False
        if v > 0: last = v              for v in x:
    ensure_bound(last)          ->          if v > 0: last, last_is_bound = v, True
    y = last + 1.0                      if not last_is_bound: raise UnboundLocalError
                                        y = last + 1.0
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcad.ir import UNDEFINED, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import statements, with_blocks
from srcad.native.flags import BOOL, Flag, carrying
from srcad.optimize.unbound import Unbound, is_question
from srcad.runtime.effects import raise_, unassigned


def answered(fn: Function) -> Block:
    """The body of `fn`, where `ensure_bound` is a test of a flag."""
    asked = [stmt.args[0] for stmt in statements(fn.body) if is_question(stmt)]
    return _Flags(Unbound(fn), asked).block(fn.body) if asked else fn.body


class _Flags:
    """The flags of values: of those asked for and those that these are made of."""

    def __init__(self, unbound: Unbound, asked: list[Value]) -> None:
        self.unbound = unbound
        self.flags: dict[Value, Flag] = {}
        self.wanted: set[Value] = set()
        for value in asked:
            self.want(value)

    def want(self, value: Any) -> None:
        """Note a value that needs a flag, and those that it is made of."""
        if value in self.wanted or value not in self.unbound.values or self.unbound.told(value):
            return
        self.wanted.add(value)
        for end in self.unbound.ends[value]:
            self.want(end)

    def block(self, block: Block) -> Block:
        """A block with flags for what it binds."""
        return replace(block, body=[new for stmt in block.body for new in self.statement(stmt)])

    def flag(self, atom: Any, made: list[Stmt]) -> Flag:
        """Whether an atom is bound; what tells it is appended to `made`."""
        if atom is UNDEFINED:
            return False
        if not isinstance(atom, Value):
            return True
        told = self.unbound.told(atom) if atom in self.unbound.values else None
        if told is None:
            return self.flags.get(atom, True)
        if told[1:] == (True,):
            return told[0]
        out = Value("", BOOL)
        made.append(Op(*_test(told), {}, (out,)))
        return out

    def fresh(self, value: Value) -> Value:
        """A new flag for a value."""
        self.flags[value] = made = Value(f"{value.name}_is_bound" if value.name else "", BOOL)
        return made

    # Statements

    def statement(self, stmt: Stmt) -> list[Stmt]:
        """A statement that binds the flags of its results too."""
        match stmt:
            case Op() if is_question(stmt):
                return self.question(stmt)
            case If() if stmt.is_branch:
                return [self.branch(stmt)]
            case For() | While():
                return self.loop(stmt)
        return [with_blocks(stmt, self.block)]

    def question(self, op: Op) -> list[Stmt]:
        """Raise if a value is not bound."""
        (value,) = op.args
        said = unassigned(value.name)
        refusal = Op(raise_, (UnboundLocalError, said), {}, (), op.loc, effect=True)
        made: list[Stmt] = []
        flag = self.flag(value, made)
        if flag is False:
            return [refusal]
        nothing, raised = Block([], [], []), Block([], [refusal], [])
        return [*made, If(flag, nothing, raised, (), op.loc)] if flag is not True else []

    def branch(self, stmt: If) -> If:
        """Each side yields the flags of what it yields."""
        asked = [k for k, out in enumerate(stmt.outs) if out in self.wanted]
        sides = []
        for side in (stmt.then, stmt.orelse):
            made = self.block(side)
            flags = [self.flag(side.results[k], made.body) for k in asked]
            sides.append(replace(made, results=[*made.results, *flags]))
        outs = tuple(self.fresh(stmt.outs[k]) for k in asked)
        return replace(stmt, then=sides[0], orelse=sides[1], outs=(*stmt.outs, *outs))

    def loop(self, stmt: For | While) -> list[Stmt]:
        """Flags are carried with their values."""
        params = stmt.carried if isinstance(stmt, For) else stmt.body.params
        tested = stmt.test.params if isinstance(stmt, While) else params
        columns = zip(stmt.outs, params, tested, strict=False)
        wanted = self.wanted
        carried = [k for k, each in enumerate(columns) if not wanted.isdisjoint(each)]
        before: list[Stmt] = []
        init = [self.flag(stmt.init[k], before) for k in carried]
        inner = [self.fresh(params[k]) for k in carried]
        if isinstance(stmt, While):
            tests = [self.fresh(stmt.test.params[k]) for k in carried]
        else:
            tests = []
        made = with_blocks(stmt, self.block)
        assert isinstance(made, For | While)
        ends = [self.flag(stmt.turned[k], made.body.body) for k in carried]
        outs = [self.fresh(stmt.outs[k]) for k in carried]
        return [*before, carrying(made, init, inner, ends, outs, tests)]


def _test(told: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The operation that is true where a value is bound, and what it is applied to."""
    if len(told) == 2:
        return operator.not_, (told[0],)
    start, stop, step = told
    # A step that is not known is refused unless it is positive.
    return operator.gt if type(step) is int and step < 0 else operator.lt, (start, stop)
