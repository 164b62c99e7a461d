"""One forward walk over a program, which the passes that replace operations share.

    y = mul(x, 1)          `op` says: y is x          s = sum(x)
    s = sum(y)                                        return s
    return s

Nothing is changed in place. Blocks and statements in which nothing happens are kept as they are, so
that `new is old` tells whether a pass did anything, and an untouched program costs one look at each
operation.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.ir.nodes import (
    Atom,
    Block,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.types import ArrayType, NumberType, Type
from srcad.ir.walk import count_reads, map_tree, values_in


def is_same_type(new: Type, old: Type) -> bool:
    """Whether a value of type `new` may stand for an `old`: same dtype, extents, scalar or not."""
    if isinstance(new, NumberType) and isinstance(old, NumberType):
        return new.kind is old.kind
    if isinstance(new, ArrayType) and new.shape is None:
        return False  # might be a NumPy scalar in one place and an array in the other
    return new == old


class Rewriter:
    """Walks a program in order; subclasses override `op` and the statements they care for.

    `env` maps replaced values to atoms; later statements see the replacement. `body` is the list of
    statements of the block under construction.
    """

    def __init__(self) -> None:
        self.env: dict[Value, Atom] = {}
        self.body: list[Stmt] = []

    def run(self, fn: Function) -> Function:
        """The rewritten program, `fn` itself where nothing changed."""
        body = self.block(fn.body)
        return fn if body is fn.body else Function(fn.name, body, fn.interface)

    def op(self, op: Op) -> None:
        """Append what becomes of `op`, whose arguments are rewritten already."""
        self.body.append(op)

    def region(self, stmt: If | For | While | Closure) -> None:
        """Append what becomes of a statement whose blocks are rewritten already."""
        self.body.append(stmt)

    def replace(self, old: Value, new: Atom) -> None:
        """Let `new` stand for `old` from here on; an unnamed value takes over the name."""
        new = self.sub(new)
        self.env[old] = new
        if isinstance(new, Value) and not new.name:
            new.name = str(old.name)  # it need be no cotangent, though it equals one

    def sub(self, tree: Any) -> Any:
        """`tree` with replaced values; the same object where there are none."""
        env = self.env
        kind = type(tree)
        if kind is Value:
            return env.get(tree, tree) if env else tree
        if not env:
            return tree
        if kind is tuple or kind is list:
            for item in tree:
                new = env.get(item, item) if type(item) is Value else self.sub(item)
                if new is not item:
                    return kind(map(self.sub, tree))
            return tree
        if (kind is dict or kind is slice) and any(v in env for v in values_in(tree)):
            return map_tree(self._leaf, tree)
        return tree

    def _leaf(self, atom: Any) -> Any:
        return self.env.get(atom, atom) if type(atom) is Value else atom

    def block(self, block: Block) -> Block:
        """The rewritten block."""
        outer, self.body = self.body, []
        self.statements(block.body)
        made, self.body = self.body, outer
        results = self.sub(block.results)
        if results is block.results and _is_same(made, block.body):
            return block
        return Block(block.params, made, results)

    def statements(self, body: list[Stmt]) -> None:
        """Rewrite `body` into the block under construction."""
        for stmt in body:
            if type(stmt) is Op:
                self.op(self.substituted(stmt))
            else:
                self.structure(stmt)

    def substituted(self, op: Op) -> Op:
        """`op` on what stands for its arguments."""
        args = self.sub(op.args)
        kwargs = self.sub(op.kwargs) if op.kwargs else op.kwargs
        if args is op.args and kwargs is op.kwargs:
            return op
        return Op(op.fn, args, kwargs, op.outs, op.loc, op.effect, op.raises)

    def structure(self, stmt: Stmt) -> None:
        """Rewrite a statement that has blocks."""
        match stmt:
            case If():
                self.region(self.branch(stmt))
            case For():
                self.region(self.loop(stmt))
            case While():
                self.region(self.while_loop(stmt))
            case Closure():
                body = self.block(stmt.function.body)
                if body is not stmt.function.body:
                    inner = Function(stmt.function.name, body, stmt.function.interface)
                    stmt = Closure(inner, stmt.out, stmt.loc)
                self.region(stmt)

    def branch(self, stmt: If) -> If:
        """An `If` with rewritten parts."""
        cond, then, orelse = self.sub(stmt.cond), self.block(stmt.then), self.block(stmt.orelse)
        if cond is stmt.cond and then is stmt.then and orelse is stmt.orelse:
            return stmt
        return If(cond, then, orelse, stmt.outs, stmt.loc)

    def loop(self, stmt: For) -> For:
        """A `For` with rewritten parts."""
        bounds = (stmt.start, stmt.stop, stmt.step)
        start, stop, step = new = self.sub(bounds)
        init, ins, body = self.sub(stmt.init), self.sub(stmt.ins), self.block(stmt.body)
        if new is bounds and init is stmt.init and ins is stmt.ins and body is stmt.body:
            return stmt
        return replace(stmt, start=start, stop=stop, step=step, init=init, ins=ins, body=body)

    def while_loop(self, stmt: While) -> While:
        """A `While` with rewritten parts."""
        init, test, body = self.sub(stmt.init), self.block(stmt.test), self.block(stmt.body)
        if init is stmt.init and test is stmt.test and body is stmt.body:
            return stmt
        return replace(stmt, test=test, init=init, body=body)


class ReadsRewriter(Rewriter):
    """A rewriter that knows how often each value is read, and, if `op` notes it, what made it."""

    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.made: dict[Value, Op] = {}

    def sole(self, atom: Atom) -> Op | None:
        """What made an atom that nothing else reads."""
        return self.made.get(atom) if isinstance(atom, Value) and self.uses[atom] == 1 else None


class BlockRewriter(ReadsRewriter):
    """One that knows of operations in the same block alone: those outside a loop run less often."""

    def block(self, block: Block) -> Block:
        """A block, rewritten by what is made in it."""
        outer, self.made = self.made, {}
        block = super().block(block)
        self.made = outer
        return block


def _is_same(new: list[Stmt], old: list[Stmt]) -> bool:
    return len(new) == len(old) and all(map(operator.is_, new, old))
