"""Dead-code elimination: drops what no result and no effect depends on.

    y = exp(x)                                  (s) = for i in range(n) carrying (s) = (0.0):
    (s, t) = for i in range(n) carrying ...:        s = add(s, 1.0)
        s = add(s, 1.0)                             yield s
        t = mul(t, 2.0)                         return s
        yield s, t
    return s

Liveness follows values, not text: a carried value that only feeds itself is dead, and so is the
sequence that is not read, with all that was computed for it. What may raise an exception of the
program (`Op.raises`) is kept for that: it is an effect from here on, until types prove its fit.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir.effects import is_noticed
from srcad.ir.narrowing import narrow_branch, narrow_loop, narrow_while
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.raising import is_strict
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import rank_of
from srcad.ir.walk import blocks, outputs, values_in, with_body
from srcad.ops import row_of
from srcad.ops.constant_calls import raises_as_it_is
from srcad.ops.fitting import may_misfit
from srcad.ops.narrow_integers import may_overflow
from srcad.ops.raising import raises_by_value, raising_ops
from srcad.ops.subscripts import Told, writes_entries
from srcad.rules.core.infer import infer

Node = Value | If | For | While | Closure | Op


def dce(fn: Function) -> Function:
    """The program without unused operations, carried values, branch results and sequences."""
    live = _Liveness(fn.body).live
    body = _swept(fn.body, live)
    return fn if body is fn.body else Function(fn.name, body, fn.interface)


class _Liveness:
    """Marks what is needed: values, and statements whose blocks must run for them."""

    def __init__(self, body: Block) -> None:
        self.needs: dict[Node, Any] = {}  # what a value or statement reads, as a tree
        self.home: dict[Node, Stmt | None] = {}  # the statement in whose blocks it stands
        self.roots: list[Node] = list(values_in(body.results))
        self.live: set[Node] = set()
        self.raising: list[Op] = []
        self.noticed: set[Stmt] = set()
        self.block(body, None)
        self.mark()
        if self.raising:
            self.keep_raising(body, Told())
            self.mark()

    def mark(self) -> None:
        stack, live = self.roots, self.live
        while stack:
            node = stack.pop()
            if node in live:
                continue
            live.add(node)
            home = self.home.get(node)
            if home is not None:
                stack.append(home)
            stack.extend(values_in(self.needs.get(node, ())))

    def keep_raising(self, block: Block, told: Told) -> None:
        """Add the operations that may raise, unless another one that runs with them tells: one
        before them, or after them before anything else is noticed.
        """
        for part in self.parts(block.body):
            ops = [stmt for stmt in part if isinstance(stmt, Op)]
            for op in ops:
                told.see(op)
                if self.runs(op):
                    told.note(op)
            for op in reversed(ops):  # later positions are mostly larger, and tell of others
                if op.raises and not self.runs(op) and not told.tells(op):
                    self.roots.append(op)
                    told.note(op)
            for stmt in part:
                for inner in blocks(stmt):
                    self.keep_raising(inner, Told(told))

    def parts(self, body: list[Stmt]) -> Iterator[list[Stmt]]:
        """The statements between those that are noticed, each of which stands alone."""
        part: list[Stmt] = []
        for stmt in body:
            if stmt in self.noticed:
                yield from (part, [stmt])
                part = []
            else:
                part.append(stmt)
        yield part

    def note(self, stmt: Stmt | None) -> None:
        """Note that a statement is noticed, and so are those around it."""
        while stmt is not None and stmt not in self.noticed:
            self.noticed.add(stmt)
            stmt = self.home[stmt]

    def runs(self, op: Op) -> bool:
        """Whether an operation is kept by what is marked."""
        return op.effect or any(out in self.live for out in op.outs)

    def is_strict(self, home: Stmt | None) -> bool:
        """Whether errors of arithmetic are exceptions in the blocks of a statement."""
        while home is not None:
            if isinstance(home, If) and isinstance(home.cond, Context) and is_strict(home):
                return True
            home = self.home[home]
        return False

    def bind(self, value: Value, needs: Any, home: Stmt | None) -> None:
        self.needs[value] = needs
        self.home[value] = home

    def block(self, block: Block, home: Stmt | None) -> None:
        for param in block.params:
            self.home.setdefault(param, home)
        for stmt in block.body:
            self.stmt(stmt, home)

    def stmt(self, stmt: Stmt, home: Stmt | None) -> None:
        self.home[stmt] = home
        match stmt:
            case Op():
                needs = (stmt.args, stmt.kwargs) if stmt.kwargs else stmt.args
                for out in stmt.outs:
                    self.bind(out, needs, home)
                if stmt.effect or stmt.raises:
                    self.needs[stmt] = needs
                if is_noticed(stmt):
                    self.note(stmt)
                if stmt.effect and not (_is_proved(stmt) and not self.is_strict(home)):
                    self.roots.append(stmt)
                elif stmt.raises:
                    self.raising.append(stmt)
            case If():
                self.needs[stmt] = _needs_of_branch(stmt)
                for out, a, b in zip(
                    stmt.outs, stmt.then.results, stmt.orelse.results, strict=True
                ):
                    self.bind(out, (a, b), stmt)
            case For():
                self.needs[stmt] = [stmt.start, stmt.stop, stmt.step, *stmt.leaves]
                self.carried(stmt)
                for element, seq in zip(stmt.elements, stmt.ins, strict=True):
                    self.bind(element, seq, stmt)
            case While():
                self.needs[stmt] = [*stmt.test.results, *stmt.leaves]
                self.carried(stmt)
                for param, mine in zip(stmt.test.params, stmt.carried, strict=True):
                    self.bind(param, mine, stmt)
            case Closure():
                self.needs[stmt] = stmt.function.body.results
                self.bind(stmt.out, (), stmt)
        for inner in blocks(stmt):
            self.block(inner, stmt)

    def carried(self, stmt: For | While) -> None:
        """Results of a loop need what the body yields, carried values their start and next."""
        for out, param, init, result in zip(
            stmt.outs, stmt.carried, stmt.init, stmt.yielded, strict=True
        ):
            self.bind(param, (init, result), stmt)
            self.bind(out, (init, result), stmt)
        for seq, element in zip(stmt.seqs, stmt.written, strict=True):
            self.bind(seq, element, stmt)
        if stmt.count is not None:
            self.bind(stmt.count, (), stmt)


def _swept(block: Block, live: set[Node]) -> Block:
    """`block` with its live statements."""
    body = [kept for stmt in block.body if (kept := _kept(stmt, live)) is not None]
    return with_body(block, body)


def _kept(stmt: Stmt, live: set[Node]) -> Stmt | None:
    """What is left of a statement."""
    if isinstance(stmt, Op):
        if any(out in live for out in stmt.outs) or (stmt.effect and stmt in live):
            return stmt
        return _for_its_exception(stmt) if stmt in live else None
    if stmt not in live and not any(out in live for out in outputs(stmt)):
        return None
    match stmt:
        case If():
            return _kept_branch(stmt, live)
        case For():
            return _kept_loop(stmt, live)
        case While():
            return _kept_while(stmt, live)
        case Closure():
            inner = stmt.function
            body = _swept(inner.body, live)
            if body is inner.body:
                return stmt
            return Closure(Function(inner.name, body, inner.interface), stmt.out, stmt.loc)


def _is_proved(op: Op) -> bool:
    """Whether an operation that was kept for its exception is known not to raise by now: one of
    arrays alone, as a number may be one of Python's, which raises where NumPy does not.
    """
    arrays = op.args[:1] if op.fn is np.broadcast_to else op.args
    values = [*op.outs, *values_in((arrays, op.kwargs))]
    if not _only_computes(op.fn) or not op.outs or not all(rank_of(x.type) for x in values):
        return False
    made = replace(op, effect=False)
    is_sure = not (raises_by_value(made) or may_overflow(made) or may_misfit(made))
    return is_sure and not raises_as_it_is(made)


def _only_computes(fn: Any) -> bool:
    """Whether a function does nothing but compute, and perhaps raise."""
    return row_of(fn).elementwise or fn is np.broadcast_to


def _for_its_exception(op: Op) -> Op:
    """An operation that nothing reads, for what it may raise; a store of what surely fits as the
    read of its place.
    """
    if not writes_entries(op) or may_misfit(op) or may_overflow(op):
        return replace(op, effect=True)
    args = op.args[:2]
    out = Value("", infer(operator.getitem, args, {}))
    return Op(operator.getitem, args, {}, (out,), op.loc, effect=True, raises=True)


def _needs_of_branch(stmt: If) -> Any:
    """What an `If` reads; in a `try` all that may raise is needed, whatever reads its result."""
    if not isinstance(stmt.cond, Attempt):
        return stmt.cond
    return [stmt.outs[0], *(out for op in raising_ops(stmt.then) for out in op.outs)]


def _kept_branch(stmt: If, live: set[Node]) -> If:
    new = narrow_branch(stmt, [out in live for out in stmt.outs])
    then, orelse = _swept(new.then, live), _swept(new.orelse, live)
    if then is stmt.then and orelse is stmt.orelse:
        return stmt
    return replace(new, then=then, orelse=orelse)


def _kept_loop(stmt: For, live: set[Node]) -> For:
    carry = [p in live or o in live for p, o in zip(stmt.carried, stmt.outs, strict=True)]
    read = [element in live for element in stmt.elements]
    new = narrow_loop(stmt, carry, read, [seq in live for seq in stmt.seqs])
    count = stmt.count if stmt.count in live else None
    body = _swept(new.body, live)
    if body is stmt.body and count is stmt.count:
        return stmt
    return replace(new, body=body, count=count)


def _kept_while(stmt: While, live: set[Node]) -> While:
    carry = [p in live or o in live for p, o in zip(stmt.body.params, stmt.outs, strict=True)]
    new = narrow_while(stmt, carry, [seq in live for seq in stmt.seqs])
    count = stmt.count if stmt.count in live else None
    test, body = _swept(new.test, live), _swept(new.body, live)
    if test is stmt.test and body is stmt.body and count is stmt.count:
        return stmt
    return replace(new, test=test, body=body, count=count)
