"""`try` and `with` as statements.

If(Context(np.errstate, (), {"all": "ignore"}), [y = x / w], [])     with np.errstate(all="ignore"):
                                                                         y = x / w
"""

from __future__ import annotations

import ast

from srcad.emit.plan.attempts import exception_of
from srcad.emit.writer import Writer
from srcad.ir import If
from srcad.ir.regions import Attempt, Context


def write_region(writer: Writer, stmt: If) -> list[ast.stmt]:
    """A `try`, or a `with`."""
    then = writer.side(stmt, stmt.then)
    if isinstance(stmt.cond, Context):
        if not then:
            return []
        return [_with(writer, stmt, stmt.cond, then)]
    assert isinstance(stmt.cond, Attempt)
    orelse = writer.side(stmt, stmt.orelse)
    if not then and not orelse:
        return []
    error = exception_of(stmt.orelse)
    name = writer.names[error] if error is not None and writer.nesting.uses[error] else None
    classes = stmt.cond.exceptions
    raised = writer.expressions.tree(classes[0] if len(classes) == 1 else classes)
    handler = ast.ExceptHandler(raised, name, writer.suite(stmt, orelse))
    return [ast.Try(writer.suite(stmt, then), [handler], [], [])]


def _with(writer: Writer, stmt: If, cond: Context, body: list[ast.stmt]) -> ast.With:
    """A `with`; what has nothing in it but another one is printed as one."""
    manager = writer.expressions.tree(cond.manager)
    items = [ast.withitem(writer.expressions.call(manager, cond.args, cond.kwargs), None)]
    match body:
        case [ast.With() as inner]:
            return ast.With([*items, *inner.items], inner.body, lineno=0)
    return ast.With(items, writer.suite(stmt, body), lineno=0)
