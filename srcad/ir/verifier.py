"""The rules an IR program obeys, by the level it is on; `verify` runs after each pass when checks
are on (always in tests).

    VALUES     pure SSA: no operation writes an array
    STORES     operations write arrays in place; what one has destroyed is read no more
    LOOPS      scalar loops: no operation on whole arrays, no loop or branch that results in one,
               every position an int. Functions that are `native` are on this level, whatever
               program calls them

A position that is out of bounds is found by running: `eliminate_bounds_checks` proves positions or
leaves a check, and the tests of `srcad.native` run compiled functions with every position checked.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.calls import called
from srcad.ir.effects import destroys
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.printer import show
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import ArrayType, NumberType, SeqType, TupleType, dtype_of, rank_of
from srcad.ir.walk import blocks, inputs, outputs, statements, values_in
from srcad.runtime.effects import ensure_bound


class Level(IntEnum):
    """What a program may do to arrays; the compiler goes from one level to the next."""

    VALUES = 0
    STORES = 1
    LOOPS = 2


def verify(
    fn: Function,
    after: str = "",
    level: Level = Level.STORES,
    outer: Collection[Value] = (),
) -> Function:
    """Return `fn` unchanged, or raise `InternalError` that names the broken rule and shows the
    program.

    Checked on all levels: every value is bound once and before it is read; blocks have as many
    parameters and results as their statement carries; calls fit the functions called, which read
    nothing from outside; loop indices are ints and sequences have a sequence's type.

    Args:
        after: the pass that made the program, for the message.
        level: of the program; its functions that are `native` are on the level of loops.
        outer: what is bound around `fn`, which is derived inside another function.
    """
    try:
        for each in (*called(fn), fn):
            _Verifier().block(each.body, set(outer) if each is fn else set())
            own = Level.LOOPS if each.native else level
            if own is Level.VALUES:
                _no_store(each)
            else:
                _Destroyed().block(each.body)
            if own is Level.LOOPS:
                _no_whole_arrays(each)
    except _BrokenRuleError as broken:
        where = f" after {after}" if after else ""
        raise error("E902", None, what=f"{broken}{where}", notes=(show(fn),)) from None
    return fn


class _BrokenRuleError(Exception):
    """A rule is broken; the message says which."""


def _require(truth: bool, message: str) -> None:
    # For what a statement is checked for once: what is checked for each value raises by itself, as
    # the message is written before the call.
    if not truth:
        raise _BrokenRuleError(message)


class _Verifier:
    def __init__(self) -> None:
        self.bound: set[Value] = set()

    def bind(self, values: Sequence[Value], scope: set[Value]) -> None:
        n_bound = len(self.bound) + len(values)
        self.bound.update(values)
        if len(self.bound) != n_bound:
            raise _BrokenRuleError(f"one of {values!r} is bound twice")
        scope.update(values)

    def block(self, block: Block, outer: set[Value]) -> None:
        scope = set(outer)
        self.bind(block.params, scope)
        for stmt in block.body:
            read = values_in(inputs(stmt))
            if not scope.issuperset(read):
                raise _BrokenRuleError(f"{set(read) - scope!r} is read before it is bound")
            match stmt:
                case Op():
                    if isinstance(stmt.fn, Function):
                        self.call(stmt, stmt.fn)
                case If():
                    self.branch(stmt, scope)
                case For():
                    self.loop(stmt, scope)
                case While():
                    self.while_loop(stmt, scope)
                case Closure():
                    self.block(stmt.function.body, scope)
            self.bind(outputs(stmt), scope)
        read = values_in(block.results)
        if not scope.issuperset(read):
            raise _BrokenRuleError(f"result {set(read) - scope!r} is not bound")

    def call(self, op: Op, callee: Function) -> None:
        fits = len(op.args) == len(callee.params) and not op.kwargs
        _require(fits, f"a call's arguments do not fit {callee.name}")
        fits = len(op.outs) == len(callee.body.results)
        _require(fits, f"a call's results do not fit {callee.name}")

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
        self.iteration(stmt)
        is_plain = not stmt.reverse and not stmt.ins
        _require(not stmt.exits or is_plain, "an exiting `for` is reversed or reads sequences")
        _require(
            stmt.exits or stmt.count is None, "a `for` that does not exit counts its iterations"
        )
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
        self.iteration(stmt)
        self.sequences(stmt.seqs)
        self.block(stmt.test, scope)
        self.block(stmt.body, scope)

    def iteration(self, stmt: For | While) -> None:
        n_results = len(stmt.outs) + len(stmt.seqs) + stmt.exits
        _require(len(stmt.body.results) == n_results, "a loop body's results do not fit")
        for flag in stmt.leaves:
            t = flag.type if isinstance(flag, Value) else NumberType(type(flag))
            is_bool = rank_of(t) == 0 and dtype_of(t) == np.dtype(bool)
            _require(is_bool, "the flag of a loop that exits is no bool")

    def sequences(self, values: Iterable[Value]) -> None:
        for value in values:
            if not isinstance(value.type, SeqType):
                raise _BrokenRuleError(f"{value!r} is no sequence")


def _no_store(fn: Function) -> None:
    """Pure SSA: arrays are never written."""
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and destroys(stmt):
            _require(False, f"{stmt.args[0]!r} is written in place")


class _Destroyed:
    """Entries of a value that an operation has destroyed are read no more: not after it, and not
    by the next iteration of a loop, so the loop's body binds what an operation in it destroys.
    """

    def __init__(self) -> None:
        self.gone: set[Value] = set()

    def block(self, block: Block, own: frozenset[Value] = frozenset()) -> None:
        """Check a block; `own` is bound in the innermost loop around, if there is one."""
        inside = {*own, *block.params}
        for stmt in block.body:
            if self.gone and not _reads_no_entries(stmt):
                self.read(inputs(stmt))
            if not isinstance(stmt, Op):
                self.inner(stmt, inside)
            elif stmt.outs and destroys(stmt):
                target = set(values_in(stmt.args[0]))
                if not target <= inside:
                    raise _BrokenRuleError(f"each iteration destroys {target!r}")
                self.gone |= target
            inside.update(outputs(stmt))
        self.read(block.results)

    def inner(self, stmt: Stmt, inside: set[Value]) -> None:
        own = frozenset[Value]() if isinstance(stmt, For | While) else frozenset(inside)
        before, after = self.gone, set(self.gone)
        for each in blocks(stmt):
            self.gone = set(before)
            self.block(each, own)
            after |= self.gone
        self.gone = after

    def read(self, tree: Any) -> None:
        if self.gone and not self.gone.isdisjoint(values_in(tree)):
            gone = self.gone.intersection(values_in(tree))
            raise _BrokenRuleError(f"{gone!r} is read behind what destroys it")


def _reads_no_entries(stmt: Stmt) -> bool:
    return isinstance(stmt, Op) and (_measures(stmt) or stmt.fn is ensure_bound)


def _no_whole_arrays(fn: Function) -> None:
    """Scalar loops: of arrays, entries are read and written one at a time."""
    for stmt in statements(fn.body):
        if not isinstance(stmt, Op):
            chosen = [v for v in outputs(stmt) if isinstance(v.type, ArrayType) and v.type.shape]
            _require(not chosen, f"a loop or a branch has the arrays {chosen!r} for results")
        if not isinstance(stmt, Op) or isinstance(stmt.fn, Function):
            continue
        if stmt.fn is operator.getitem or destroys(stmt):
            _entry(stmt)
        elif not _measures(stmt) and _is_of_arrays(stmt):
            module = getattr(stmt.fn, "__module__", None) or "numpy"  # ufuncs' methods have none
            is_ours = module.partition(".")[0] == "srcad"
            _require(is_ours, f"{stmt.fn!r} is applied to a whole array")


def _entry(op: Op) -> None:
    """A load or a store of one entry, at ints."""
    array, index = op.args[0], op.args[1] if len(op.args) > 1 else ()
    rank = rank_of(array.type) if isinstance(array, Value) else None
    if not isinstance(array, Value) or not isinstance(array.type, ArrayType) or rank is None:
        return
    parts = _parts(index)
    fits = len(parts) == rank or (rank == 0 and parts == (0,))  # a number in memory
    _require(fits, f"{len(parts)} positions for the {rank} axes of {array!r}")
    for part in parts:
        _require(_is_int(part), f"the position {part!r} in {array!r} is no int")


def _parts(index: Any) -> tuple[Any, ...]:
    if isinstance(index, Value) and isinstance(index.type, TupleType):
        return index.type.items
    return index_parts(index)


def _is_int(part: Any) -> bool:
    t = part.type if isinstance(part, Value) else part
    if isinstance(t, NumberType):
        return t.kind is int
    if isinstance(t, ArrayType):
        return t.scalar and t.dtype.kind in "iu"
    return type(t) is int


def _is_of_arrays(op: Op) -> bool:
    types = [v.type for v in values_in([op.args, op.kwargs])]
    return any(isinstance(t, ArrayType) and not t.scalar and t.shape != () for t in types)


def _measures(op: Op) -> bool:
    """Whether an operation reads no entries of arrays."""
    return op.key in _MEASURES


# `measures` in the table of operations, which lies above the IR.
_MEASURES = frozenset(
    {np.shape, np.size, np.ndim, len, np.zeros_like, np.ones_like, np.empty_like, np.full_like}
)
