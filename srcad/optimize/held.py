"""What a closure reads when it is called is its own: the caller may write his arrays until then.

    def f_vjp(x, y):                        def f_vjp(x, y):
        t = tanh(mul(x, y))                     y = copy(y)
        def pullback(y_bar):                    t = tanh(mul(x, y))
            ... mul(y_bar, y) ...               def pullback(y_bar):
        return t, pullback                          ... mul(y_bar, y) ...
                                                return t, pullback

A parameter is copied if a closure may read its entries, through a view or a tape as well; that of
which it reads the shape alone is not. So is what a function of unknown origin returns: it may be
somebody else's array.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy as shallow_copy

from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import ArrayType
from srcad.ir.walk import blocks, inputs, statements, values_in
from srcad.optimize.operations import METADATA, has_storage, is_fresh, is_of_library
from srcad.optimize.rewrite import Rewriter

Sources = frozenset[Value]
_NONE: Sources = frozenset()


def held(fn: Function) -> Function:
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
            wanted |= finder.sources.get(value, _NONE)
    wanted = {value for value in wanted if isinstance(value.type, ArrayType)}
    return _Copier(wanted).run(fn) if wanted else fn


def _read(block: Block) -> Iterator[Value]:
    """The values of which a block reads more than the shape; those that it binds may be among
    them.
    """
    for stmt in block.body:
        if isinstance(stmt, Op):
            yield from values_in((stmt.args[stmt.fn in METADATA :], stmt.kwargs))
        else:
            yield from values_in(inputs(stmt))
        for inner in blocks(stmt):
            yield from _read(inner)
    yield from values_in(block.results)


class _Finder:
    """Walks forwards and finds in whose memory each value may lie."""

    def __init__(self) -> None:
        self.sources: dict[Value, Sources] = {}
        self.changes = 0

    def put(self, value: Value, sources: Sources) -> None:
        known = self.sources.get(value, _NONE)
        if has_storage(value.type) and not sources <= known:
            self.sources[value] = known | sources
            self.changes += 1

    def of(self, tree: object) -> Sources:
        return _NONE.union(*(self.sources.get(v, _NONE) for v in values_in(tree)))

    def block(self, block: Block) -> None:
        for stmt in block.body:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.op(stmt)
            case If():
                self.block(stmt.then)
                self.block(stmt.orelse)
                for out, *pair in zip(
                    stmt.outs, stmt.then.results, stmt.orelse.results, strict=True
                ):
                    self.put(out, self.of(pair))
            case For() | While():
                before = -1
                while before != self.changes:
                    before = self.changes
                    self.turn(stmt)
            case Closure():
                pass

    def op(self, op: Op) -> None:
        fresh = is_fresh(op) and all(isinstance(out.type, ArrayType) for out in op.outs)
        if fresh or (isinstance(op.fn, Function) and op.fn.recomputed):
            return
        known = isinstance(op.fn, Function) or is_of_library(op.fn)
        for out in op.outs:
            self.put(out, self.of((op.args, op.kwargs)) | ({out} if not known else _NONE))

    def turn(self, stmt: For | While) -> None:
        """What one iteration of a loop hands on."""
        params = stmt.carried if isinstance(stmt, For) else stmt.body.params
        for param, *pair in zip(params, stmt.init, stmt.turned, strict=True):
            self.put(param, self.of(pair))
        if isinstance(stmt, For):
            for element, seq in zip(stmt.elements, stmt.ins, strict=True):
                self.put(element, self.of(seq))
        else:
            for param, *pair in zip(stmt.test.params, stmt.init, stmt.turned, strict=True):
                self.put(param, self.of(pair))
            self.block(stmt.test)
        self.block(stmt.body)
        for out, *pair in zip(stmt.outs, stmt.init, stmt.turned, strict=True):
            self.put(out, self.of(pair))
        for seq, element in zip(stmt.seqs, stmt.written, strict=True):
            self.put(seq, self.of(element))


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
        self.body.append(Op(op.fn, op.args, op.kwargs, outs, op.loc, op.effect) if held else op)
        self.body.extend(self._copy(made, out) for out, made in held.items())


__all__ = ["held"]
