"""Operations as assignments, and branches.

If(c, [y = x * 2 -> y], [-> 0.0])           if c:
                                                y = x * 2
                                            else:
                                                y = 0.0
"""

from __future__ import annotations

import ast

from srcad.emit.stores import write_in_place
from srcad.emit.writer import Stores, Writer, assign
from srcad.ir import If, Op, Value
from srcad.ir.effects import destroys
from srcad.runtime.effects import caught, commit, ensure, ensure_bound, raise_, reraise, unassigned


def write_operation(writer: Writer, op: Op, stores: Stores) -> list[ast.stmt]:
    """An assignment; an operation that only has an effect as a statement of its own."""
    if any(out in writer.nesting.nested for out in op.outs):
        return []
    if destroys(op) and not op.outs:
        return [write_in_place(op, writer.names[op.args[0]], writer.expressions)]
    if destroys(op):
        target = writer.names[op.out]
        return [
            *writer.copies([(op.out, op.args[0])]),
            write_in_place(op, target, writer.expressions),
        ]
    if op.fn in (caught, commit):
        return []  # `except ... as e`; a border that is the compiler's alone
    if op.fn is reraise:
        return [ast.Raise(writer.expressions.tree(op.args[0]))]
    if op.fn is ensure:
        cond, *message = (writer.expressions.tree(arg) for arg in op.args)
        return [ast.Assert(cond, message[0] if message else None)]
    if op.fn is ensure_bound:
        return _bound(writer, *op.args)
    if op.fn is raise_:
        raised, *args = op.args
        return [
            ast.Raise(writer.expressions.call(writer.expressions.tree(raised), tuple(args), {}))
        ]
    value = writer.expressions.operation(op)
    if not any(writer.nesting.uses[out] for out in op.outs) and (op.effect or not op.outs):
        return [ast.Expr(value)]
    if len(op.outs) == 1 and op.out in writer.nesting.stored:
        return [store(value) for store in stores[op.out]]
    return [assign([writer.names[out] for out in op.outs], value)]


def _bound(
    writer: Writer, value: Value, cls: type[Exception] = UnboundLocalError, said: str | None = None
) -> list[ast.stmt]:
    """What raises where a value is `None` since nothing is bound; Python does if it is not."""
    if not isinstance(value, Value) or value not in writer.demanded:
        return []
    name = ast.Name(writer.names[value], ast.Load())
    text = ast.Constant(unassigned(name.id) if said is None else said)
    raised = ast.Raise(ast.Call(writer.expressions.tree(cls), [text], []))
    return [ast.If(ast.Compare(name, [ast.Is()], [ast.Constant(None)]), [raised], [])]


def write_branch(writer: Writer, stmt: If) -> list[ast.stmt]:
    """`if cond: ...`, or an assignment of `a if cond else b`."""
    used = [i for i, out in enumerate(stmt.outs) if writer.nesting.uses[out]]
    if stmt in writer.nesting.ternaries:
        results = (stmt.cond, stmt.then.results[0], stmt.orelse.results[0])
        test, first, second = (writer.expressions.tree(r) for r in results)
        return (
            [assign([writer.names[stmt.outs[0]]], ast.IfExp(test, first, second))] if used else []
        )
    sides = [writer.side(stmt, block) for block in (stmt.then, stmt.orelse)]
    return writer.conditional(stmt, *sides)
