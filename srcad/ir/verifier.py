"""The rules an IR program obeys; `verify` runs after every stage when checks are on (always in
tests).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from srcad.errors import error
from srcad.ir.calls import called
from srcad.ir.nodes import UNDEFINED, Block, Closure, For, Function, If, Op, Value, While
from srcad.ir.printer import show
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import NumberType, SeqType, dtype_of, rank_of
from srcad.ir.walk import inputs, outputs, values_in


def verify(fn: Function, after: str = "") -> Function:
    """Return `fn` unchanged, or raise `InternalError` that names the broken rule and shows the
    program.

    Checked: every value is bound once and before it is read; blocks have as many parameters and
    results as their statement carries; calls fit the functions called, which read nothing from
    outside; loop indices are ints and sequences have a sequence's type.
    """
    try:
        for each in (*called(fn), fn):
            _Verifier().block(each.body, set())
    except _BrokenRuleError as broken:
        where = f" after {after}" if after else ""
        raise error("E902", None, what=f"{broken}{where}", notes=(show(fn),)) from None
    return fn


class _BrokenRuleError(Exception):
    """A rule is broken; the message says which."""


def _require(truth: bool, message: str) -> None:
    if not truth:
        raise _BrokenRuleError(message)


class _Verifier:
    def __init__(self) -> None:
        self.bound: set[Value] = set()

    def bind(self, values: Iterable[Value], scope: set[Value]) -> None:
        for value in values:
            _require(value not in self.bound, f"{value!r} is bound twice")
            self.bound.add(value)
            scope.add(value)

    def block(self, block: Block, outer: set[Value]) -> None:
        scope = set(outer)
        self.bind(block.params, scope)
        for stmt in block.body:
            for value in values_in(inputs(stmt)):
                _require(value in scope, f"{value!r} is read before it is bound")
            match stmt:
                case Op():
                    self.call(stmt)
                case If():
                    self.branch(stmt, scope)
                case For():
                    self.loop(stmt, scope)
                case While():
                    self.while_loop(stmt, scope)
                case Closure():
                    self.block(stmt.function.body, scope)
            self.bind(outputs(stmt), scope)
        for value in values_in(block.results):
            _require(value in scope, f"result {value!r} is not bound")

    def call(self, op: Op) -> None:
        if isinstance(op.fn, Function):
            fits = len(op.args) == len(op.fn.params) and not op.kwargs
            _require(fits, f"a call's arguments do not fit {op.fn.name}")
            fits = len(op.outs) == len(op.fn.body.results)
            _require(fits, f"a call's results do not fit {op.fn.name}")

    def branch(self, stmt: If, scope: set[Value]) -> None:
        for block in (stmt.then, stmt.orelse):
            _require(not block.params, "a branch has parameters")
            _require(
                len(block.results) == len(stmt.outs), "a branch has too few or too many results"
            )
            self.block(block, scope)
        if isinstance(stmt.cond, Attempt):
            ends = [block.results[:1] for block in (stmt.then, stmt.orelse)]
            _require(ends == [[True], [False]], "an attempt does not tell whether it succeeded")
        if isinstance(stmt.cond, Context):
            is_empty = not stmt.orelse.body and all(r is UNDEFINED for r in stmt.orelse.results)
            _require(is_empty, "a context has two paths")

    def loop(self, stmt: For, scope: set[Value]) -> None:
        n_params = 1 + len(stmt.init) + len(stmt.ins)
        _require(len(stmt.body.params) == n_params, "a `for` body's parameters do not fit")
        self.turn(stmt)
        is_plain = not stmt.reverse and not stmt.ins
        _require(not stmt.exits or is_plain, "an exiting `for` is reversed or reads sequences")
        _require(stmt.exits or stmt.count is None, "a `for` that does not exit counts its turns")
        _require(len(stmt.init) == len(stmt.outs), "a `for` has outs that it does not carry")
        index = stmt.index.type
        _require(isinstance(index, NumberType) and index.kind is int, "a loop index is no int")
        self.sequences((*stmt.seqs, *values_in(stmt.ins)))
        self.block(stmt.body, scope)

    def while_loop(self, stmt: While, scope: set[Value]) -> None:
        n = len(stmt.init)
        fits = len(stmt.test.params) == n == len(stmt.body.params) == len(stmt.outs)
        _require(fits, "a `while` block's parameters do not fit")
        _require(len(stmt.test.results) == 1, "a `while` test has not one result")
        self.turn(stmt)
        self.sequences(stmt.seqs)
        self.block(stmt.test, scope)
        self.block(stmt.body, scope)

    def turn(self, stmt: For | While) -> None:
        n_results = len(stmt.outs) + len(stmt.seqs) + stmt.exits
        _require(len(stmt.body.results) == n_results, "a loop body's results do not fit")
        for flag in stmt.leaves:
            t = flag.type if isinstance(flag, Value) else NumberType(type(flag))
            is_bool = rank_of(t) == 0 and dtype_of(t) == np.dtype(bool)
            _require(is_bool, "the flag of a loop that exits is no bool")

    def sequences(self, values: Iterable[Value]) -> None:
        for value in values:
            _require(isinstance(value.type, SeqType), f"{value!r} is no sequence")
