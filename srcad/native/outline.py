"""Statements that can be compiled become functions of their own, called where they stood.

    y = matmul(x, w)                    y = matmul(x, w)
    t = add(y, b)               ->      h, s = loss_1(y, b)
    h = tanh(t)
    s = sum(h)

A run is as long as possible; one that saves nothing stays NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, Op, Stmt, Value, While
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import copy_block, free_values, outputs, reads, values_in
from srcad.native import numbers
from srcad.native.code import Unsuited
from srcad.native.operations import HANDLERS
from srcad.native.scalarise import scalarise

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
        outs = [v for v in bound if v in later]
        body = Block([], run, list(outs))
        inputs = list(free_values(body))
        for value in (*inputs, *outs):
            if not numbers.is_number_type(value.type):
                raise Unsuited(f"{value.type} between compiled and other code")
        params = [Value(v.name, v.type) for v in inputs]
        copy = copy_block(body, dict(zip(inputs, params, strict=True)))
        name = f"{self.fn.name}_{self.count + 1}"
        native = scalarise(Function(name, Block(params, copy.body, copy.results)))
        self.count += 1
        stmts: list[Stmt] = []
        args = []
        for value in inputs:
            t = value.type
            if isinstance(t, ArrayType) and t.shape != ():
                dense = Value("", t)
                stmts.append(Op(np.ascontiguousarray, (value,), {}, (dense,)))
                args.append(dense)
            else:
                args.append(value)
        plain = []
        for out in outs:
            plain.append(Value(out.name, out.type) if _is_numpy_scalar(out) else out)
        stmts.append(Op(native, tuple(args), {}, tuple(plain)))
        for out, given in zip(outs, plain, strict=True):
            if given is not out:
                stmts.append(Op(out.type.dtype.type, (given,), {}, (out,)))  # type: ignore[union-attr]
        return stmts


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
