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

from srcad.analysis.alias import find_aliases
from srcad.ir.nodes import Block, Closure, For, Function, Op, Value, While
from srcad.ir.types import ArrayType
from srcad.ir.walk import blocks, bound_in, inputs, statements, values_in
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter


def copy_for_closures(fn: Function) -> Function:
    """The program with copies of what its closures read and others may write."""
    closures = [stmt for stmt in statements(fn.body) if isinstance(stmt, Closure)]
    if not closures:
        return fn
    # A loop that makes no iteration leaves what it starts with.
    left = frozenset(v for s in statements(fn.body) if isinstance(s, For | While) for v in s.outs)
    facts = find_aliases(fn, kept=left)
    wanted: set[Value] = set()
    for stmt in closures:
        read = facts.of(list(_read(stmt.function.body))) - bound_in(stmt.function.body)
        wanted |= read & facts.outside
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
