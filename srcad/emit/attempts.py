"""`try` and `with` as statements.

If(Attempt((LinAlgError,)), [y = solve(a, b)], [])       try:
If(ok, [-> y], [-> b])                                       y = np.linalg.solve(a, b)
                                                         except np.linalg.LinAlgError:
                                                             y = b

A branch on whether the `try` just above it succeeded is printed as its `else` and in its handler;
what tells it is a variable only if something else reads it.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from srcad.ir import Block, For, If, Op, Value, While
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import blocks, statements, values_in
from srcad.runtime.effects import caught

if TYPE_CHECKING:
    from srcad.emit.statements import Writer


def write_region(writer: Writer, stmt: If) -> list[ast.stmt]:
    """A `try`, or a `with`."""
    then = _side(writer, stmt, stmt.then)
    if isinstance(stmt.cond, Context):
        if not then:
            return []
        return [_with(writer, stmt, stmt.cond, then)]
    assert isinstance(stmt.cond, Attempt)
    orelse = _side(writer, stmt, stmt.orelse)
    if not then and not orelse:
        return []
    error = exception_of(stmt.orelse)
    name = writer.names[error] if error is not None and writer.nesting.uses[error] else None
    classes = stmt.cond.exceptions
    raised = writer.expressions.tree(classes[0] if len(classes) == 1 else classes)
    handler = ast.ExceptHandler(raised, name, writer.suite(stmt, orelse))
    return [ast.Try(writer.suite(stmt, then), [handler], [], [])]


def _side(writer: Writer, stmt: If, block: Block) -> list[ast.stmt]:
    return [*writer.block(block), *writer.moves(stmt, block)]


def _with(writer: Writer, stmt: If, cond: Context, body: list[ast.stmt]) -> ast.With:
    """A `with`; what has nothing in it but another one is printed as one."""
    manager = writer.expressions.tree(cond.manager)
    items = [ast.withitem(writer.expressions.call(manager, cond.args, cond.kwargs), None)]
    match body:
        case [ast.With() as inner]:
            return ast.With([*items, *inner.items], inner.body, lineno=0)
    return ast.With(items, writer.suite(stmt, body), lineno=0)


def exception_of(handler: Block) -> Value | None:
    """The value that is the exception being handled."""
    first = handler.body[0] if handler.body else None
    return first.out if isinstance(first, Op) and first.fn is caught else None


def find_elses(block: Block) -> set[If]:
    """The branches, at any depth, on whether the `try` right before them succeeded."""
    bodies = [block.body, *(b.body for stmt in statements(block) for b in blocks(stmt))]
    loops = [stmt for stmt in statements(block) if isinstance(stmt, For | While)]
    saved = {v for loop in loops for v in values_in(loop.body.results[len(loop.init) :])}
    return {
        stmt
        for body in bodies
        for before, stmt in pairwise(body)
        if isinstance(before, If) and isinstance(before.cond, Attempt)
        if isinstance(stmt, If) and stmt.cond is before.truth
        if saved.isdisjoint(before.outs)  # else it is stored in between
    }


def merge_else(tried: list[ast.stmt], branch: ast.stmt) -> list[ast.stmt]:
    """`branch` on the success of the `try` that was written as its `else` and in its handler."""
    assert isinstance(branch, ast.If)
    then, orelse = branch.body, branch.orelse
    if isinstance(branch.test, ast.UnaryOp):
        then, orelse = orelse, then
    if not tried:  # nothing was left to try
        return _without_pass(then)
    (attempt,) = tried
    assert isinstance(attempt, ast.Try)
    (handler,) = attempt.handlers
    handler.body = [*_without_pass(handler.body), *_without_pass(orelse)] or [ast.Pass()]
    attempt.orelse = _without_pass(then)
    return [attempt]


def _without_pass(body: list[ast.stmt]) -> list[ast.stmt]:
    return [stmt for stmt in body if not isinstance(stmt, ast.Pass)]
