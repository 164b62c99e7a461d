"""Statements that can be compiled become functions of their own, called where they stood.

    y = matmul(x, w)                    y = matmul(x, w)
    t = add(y, b)               ->      h, s = loss_1(y, b)
    h = tanh(t)
    s = sum(h)

A run is as long as possible; one that saves nothing stays NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir import (
    ArrayType,
    Block,
    For,
    Function,
    NumberType,
    Op,
    Stmt,
    TupleType,
    Value,
    While,
)
from srcad.ir.inplace import DESTROYS
from srcad.ir.types import rank_of
from srcad.ir.walk import copy_block, free_values, outputs, reads, values_in
from srcad.native import numbers
from srcad.native.code import Unsuited
from srcad.native.contraction import contracted
from srcad.native.forwarding import forwarded
from srcad.native.fusion import fused
from srcad.native.operations import HANDLERS
from srcad.native.scalarise import scalarise
from srcad.rules.staged import type_of
from srcad.runtime.saved import pack

Watch = Callable[[str], None]


def compiled(fn: Function, watch: Watch | None = None) -> Function:
    """The program with compiled functions in the place of what has a form as loops.

    Args:
        watch: told what stays NumPy, and why.
    """
    return _Outliner(fn, watch or (lambda _: None)).run()


class _Outliner:
    def __init__(self, fn: Function, watch: Watch) -> None:
        self.fn, self.watch = fn, watch
        self.count = 0

    def run(self) -> Function:
        body = self.block(self.fn.body)
        return Function(self.fn.name, body, self.fn.interface, self.fn.recomputed)

    def block(self, block: Block) -> Block:
        made: list[Stmt] = []
        run: list[Stmt] = []
        for k, stmt in enumerate(block.body):
            if self.is_candidate(stmt):
                run.append(stmt)
                continue
            made += self.outlined(run, [*block.body[k:]], block.results)
            run = []
            made.append(stmt)
        made += self.outlined(run, [], block.results)
        return Block(block.params, made, block.results)

    def is_candidate(self, stmt: Stmt) -> bool:
        """Whether a statement may be part of a run, as far as can be seen without trying."""
        if not isinstance(stmt, Op):
            return isinstance(stmt, For | While)
        if stmt.effect or type(stmt.fn).__hash__ is None:
            return False
        if stmt.fn in _PRODUCTS and all(rank_of(type_of(arg)) != 1 for arg in stmt.args):
            return False  # of matrices: that is BLAS
        return stmt.fn in HANDLERS or stmt.fn in DESTROYS or numbers.is_elementwise(stmt)

    def outlined(self, run: list[Stmt], rest: list[Stmt], results: list[Any]) -> list[Stmt]:
        """A run as a call; the run itself where that would not be faster or is not possible."""
        while run and not _is_work(run):
            return run
        later = {v for stmt in rest for v in reads(stmt)} | set(values_in(results))
        for size in range(len(run), 0, -1):
            part, others = run[:size], run[size:]
            if not _is_work(part):
                break
            needed = later | {v for stmt in others for v in reads(stmt)}
            try:
                call = self.call(part, needed)
            except Unsuited as why:
                self.watch(f"{self.fn.name}: {why}")
                continue
            return [*call, *self.outlined(others, rest, results)]
        return [run[0], *self.outlined(run[1:], rest, results)] if run else []

    def call(self, run: list[Stmt], later: set[Value]) -> list[Stmt]:
        """The call of a run as a function."""
        bound = {v: None for stmt in run for v in outputs(stmt)}
        border = _Border(list(free_values(Block([], run, []))), [v for v in bound if v in later])
        function = border.function(f"{self.fn.name}_{self.count + 1}", run)
        native = contracted(forwarded(fused(scalarise(function))))
        self.count += 1
        return border.call(native)


class _Border:
    """What goes into a compiled function and comes out: numbers and arrays. Arrays go in as they
    lie in C's order, tuples of integers as these, and NumPy's scalars come out as such again.
    """

    def __init__(self, inputs: list[Value], outs: list[Value]) -> None:
        for value in (*inputs, *outs):
            if not numbers.is_number_type(value.type) and not _is_shape(value):
                raise Unsuited(f"{value.type} between compiled and other code")
        self.inputs, self.outs = inputs, outs

    def function(self, name: str, run: list[Stmt]) -> Function:
        """The run as a function."""
        env: dict[Value, Any] = {}
        params: list[Value] = []
        before: list[Stmt] = []
        for value in self.inputs:
            own = [Value(value.name, t) for t in _flat(value)]
            params += own
            env[value] = own[0]
            if _is_shape(value):
                env[value] = Value(value.name, value.type)
                before.append(Op(pack, tuple(own), {}, (env[value],)))
        body = copy_block(Block([], run, list(self.outs)), env)
        results: list[Any] = []
        after: list[Stmt] = []
        for result in body.results:
            results += _taken_apart(result, after) if _is_shape(result) else [result]
        return Function(name, Block(params, [*before, *body.body, *after], results))

    def call(self, native: Function) -> list[Stmt]:
        """The statements that call the function where the run stood."""
        before: list[Stmt] = []
        args: list[Value] = []
        for value in self.inputs:
            if _is_shape(value):
                args += _taken_apart(value, before)
            elif isinstance(value.type, ArrayType) and value.type.shape != ():
                dense = Value("", value.type)
                before.append(Op(np.ascontiguousarray, (value,), {}, (dense,)))
                args.append(dense)
            else:
                args.append(value)
        plain: list[Value] = []
        after: list[Stmt] = []
        for out in self.outs:
            if not _is_shape(out) and not _is_numpy_scalar(out):
                plain.append(out)
                continue
            own = [Value(out.name, t) for t in _flat(out)]
            plain += own
            fn = pack if _is_shape(out) else out.type.dtype.type  # type: ignore[union-attr]
            after.append(Op(fn, tuple(own), {}, (out,)))
        return [*before, Op(native, tuple(args), {}, tuple(plain)), *after]


def _is_shape(value: Any) -> bool:
    """Whether a value is a tuple of integers."""
    t = value.type if isinstance(value, Value) else None
    return isinstance(t, TupleType) and all(
        isinstance(item, NumberType) and item.kind is int for item in t.items
    )


def _flat(value: Value) -> tuple[Any, ...]:
    return value.type.items if isinstance(value.type, TupleType) else (value.type,)


def _taken_apart(value: Value, body: list[Stmt]) -> list[Value]:
    items = [Value("", t) for t in _flat(value)]
    for k, item in enumerate(items):
        body.append(Op(operator.getitem, (value, k), {}, (item,)))
    return items


_PRODUCTS = (operator.matmul, np.matmul, np.dot)


def _is_numpy_scalar(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.shape == ()


def _is_work(run: list[Stmt]) -> bool:
    """Whether a run has a loop, or several passes over arrays."""
    if any(isinstance(stmt, For | While) for stmt in run):
        return True
    passes = [s for s in run if isinstance(s, Op) and _is_pass(s)]
    return len(passes) > 1


def _is_pass(op: Op) -> bool:
    t = op.out.type
    is_array = isinstance(t, ArrayType) and t.shape not in ((), None)
    return is_array and (numbers.is_elementwise(op) or op.fn in DESTROYS)
