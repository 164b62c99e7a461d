"""Closure copies: a closure copies the arrays that its caller may write before it is called.

    def f_vjp(x, y):                        def f_vjp(x, y):
        t = tanh(mul(x, y))                     y = copy(y)
        def pullback(y_bar):                    t = tanh(mul(x, y))
            ... mul(y_bar, y) ...               def pullback(y_bar):
        return t, pullback                          ... mul(y_bar, y) ...
                                                return t, pullback

A parameter is copied if a closure may read its entries, also through a view or a tape, but not if
it reads the shape alone. What a function of unknown origin returns is copied too: that function may
keep the array. Only programs that return a closure need it: those of `vjp`.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy as shallow_copy
from dataclasses import replace

from srcad.ir.kinds import has_storage
from srcad.ir.nodes import Block, Closure, For, Function, Op, Value, While
from srcad.ir.types import ArrayType
from srcad.ir.walk import blocks, inputs, statements, values_in
from srcad.ops import row_of
from srcad.ops.memory import keeps_no_array
from srcad.optimize.analysis.memory_flow import NONE, Forwards, Sources
from srcad.optimize.analysis.operations import owns_results
from srcad.optimize.rewriter import Rewriter


def copy_for_closures(fn: Function) -> Function:
    """The program with copies of what its closures read and others may write."""
    closures = [stmt for stmt in statements(fn.body) if isinstance(stmt, Closure)]
    if not closures:
        return fn
    finder = _Finder()
    for param in fn.params:
        finder.put(param, frozenset((param,)))
    finder.block(fn.body)
    wanted: set[Value] = set()
    for stmt in closures:
        for value in _read(stmt.function.body):
            wanted |= finder.sources.get(value, NONE)
    wanted = {value for value in wanted if isinstance(value.type, ArrayType)}
    return _Copier(wanted).run(fn) if wanted else fn


def _read(block: Block) -> Iterator[Value]:
    """The values of which a block reads more than the shape; those that it binds may be among
    them.
    """
    for stmt in block.body:
        if isinstance(stmt, Op):
            yield from values_in((stmt.args[row_of(stmt.fn).shape_only :], stmt.kwargs))
        else:
            yield from values_in(inputs(stmt))
        for inner in blocks(stmt):
            yield from _read(inner)
    yield from values_in(block.results)


class _Finder(Forwards):
    """Finds in whose memory each value may lie: a parameter's, or that of an unknown function."""

    def __init__(self) -> None:
        self.sources: dict[Value, Sources] = {}
        self.changes = 0

    def put(self, value: Value, sources: Sources) -> None:
        known = self.sources.get(value, NONE)
        if has_storage(value.type) and not sources <= known:
            self.sources[value] = known | sources
            self.changes += 1

    def of(self, tree: object) -> Sources:
        return NONE.union(*(self.sources.get(v, NONE) for v in values_in(tree)))

    def op(self, op: Op) -> None:
        if owns_results(op):
            return
        known = isinstance(op.fn, Function) or keeps_no_array(op.fn)
        for out in op.outs:
            self.put(out, self.of((op.args, op.kwargs)) | ({out} if not known else NONE))

    def closure(self, stmt: Closure) -> None:
        """What it reads is found from outside of it."""

    def loop(self, stmt: For | While) -> None:
        before, met = -1, self.met(stmt)
        while before != self.changes:
            before = self.changes
            self.iteration(stmt, met, met)
            met = self.met(stmt)
        self.leave(stmt, met)

    def met(self, stmt: For | While) -> list[Sources]:
        """Of what a loop carries: what it starts with, or what an iteration hands on."""
        return [self.of(pair) for pair in zip(stmt.init, stmt.turned, strict=True)]


class _Copier(Rewriter):
    """Puts copies in the places of values: of parameters at the start, of others where they are
    made.
    """

    def __init__(self, wanted: set[Value]) -> None:
        super().__init__()
        self.wanted = wanted

    def run(self, fn: Function) -> Function:
        made = [self._copy(p, Value(p.name, p.type)) for p in fn.params if p in self.wanted]
        for op in made:
            self.env[op.args[0]] = op.out
        body = self.block(fn.body)
        return Function(
            fn.name, Block(body.params, [*made, *body.body], body.results), fn.interface
        )

    def _copy(self, value: Value, copy: Value) -> Op:
        return Op(shallow_copy, (value,), {}, (copy,))

    def op(self, op: Op) -> None:
        held = {out: Value("", out.type) for out in op.outs if out in self.wanted}
        outs = tuple(held.get(out, out) for out in op.outs)
        self.body.append(replace(op, outs=outs) if held else op)
        self.body.extend(self._copy(made, out) for out, made in held.items())


__all__ = ["copy_for_closures"]
