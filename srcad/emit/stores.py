"""Stores in place: how operations that overwrite their first argument are written.

Op(operator.iadd, (x, g))             x += g
Op(index_iadd, (x, i, g))             x[i] += g           -=, *=, /= likewise
Op(index_set, (x, i, g))              x[i] = g
Op(index_iadd_at, (x, i, g))          np.add.at(x, i, g)
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from srcad.emit.operations import Expressions
from srcad.emit.references import LOAD, STORE, name
from srcad.emit.syntax import binary_of
from srcad.ir import ArrayType, Op, Value
from srcad.ir.inplace import index_iadd_at, index_set
from srcad.ops import row_of


def _apart(value: ast.expr, values: Any, target: str, expressions: Expressions) -> ast.expr:
    """What is stored, where that may be a view of the array and a store would not notice."""
    apart = expressions.references.dialect.apart
    is_array = isinstance(values, Value) and isinstance(values.type, ArrayType)
    may_be_view = isinstance(value, ast.Name | ast.Subscript | ast.Attribute)
    if apart is None or not is_array or values.type.scalar or not may_be_view:
        return value
    return ast.Call(expressions.references.to(apart), [value, name(target)], [])


def write_in_place(op: Op, target: str, expressions: Expressions) -> ast.stmt:
    """The statement that performs `op` on the variable `target`."""
    computes = row_of(op.fn).computes
    if computes is not None and len(op.args) == 2:
        value = expressions.operand(op.args[1], op.args[0])
        return ast.AugAssign(ast.Name(target, STORE), binary_of(computes), value)
    base, index, values = op.args
    if op.fn is index_iadd_at:
        add_at = ast.Attribute(expressions.references.to(np.add), "at", LOAD)
        items = [name(target), expressions.tree(index), expressions.tree(values)]
        return ast.Expr(ast.Call(add_at, items, []))
    entry = ast.Subscript(name(target), expressions.index(base, index), STORE)
    value = expressions.operand(values, base)
    if op.fn is index_set:
        value = _apart(value, values, target, expressions)
        return ast.Assign([entry], value, lineno=0)
    return ast.AugAssign(entry, binary_of(computes), value)
