"""How tightly each kind of expression binds, as a table.

An operand is put in parentheses exactly when it binds less tightly than its place asks for:

    BinOp(BinOp(a + b) * c)   ->   (a + b) * c       `*` asks its left operand for PRODUCT
    UnaryOp(-BinOp(x ** 2))   ->   -x ** 2           `**` binds tighter than the minus before it
"""

import ast
import math
from typing import Any, Final

NAMED: Final = 0  # x := 1
YIELD: Final = 1
LAMBDA: Final = 2  # also what a plain "expression" of Python's grammar is
TERNARY: Final = 3
OR: Final = 4
AND: Final = 5
NOT: Final = 6
COMPARE: Final = 7
BIT_OR: Final = 8
BIT_XOR: Final = 9
BIT_AND: Final = 10
SHIFT: Final = 11
SUM: Final = 12
PRODUCT: Final = 13
UNARY: Final = 14
POWER: Final = 15
AWAIT: Final = 16
ATOM: Final = 17

BINARY: Final[dict[type[ast.operator], tuple[str, int]]] = {
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
    ast.BitAnd: ("&", BIT_AND),
    ast.LShift: ("<<", SHIFT),
    ast.RShift: (">>", SHIFT),
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
    ast.MatMult: ("@", PRODUCT),
    ast.Div: ("/", PRODUCT),
    ast.Mod: ("%", PRODUCT),
    ast.FloorDiv: ("//", PRODUCT),
    ast.Pow: ("**", POWER),
}
UNARY_OPERATORS: Final[dict[type[ast.unaryop], tuple[str, int]]] = {
    ast.Not: ("not ", NOT),
    ast.USub: ("-", UNARY),
    ast.UAdd: ("+", UNARY),
    ast.Invert: ("~", UNARY),
}
COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_BY_CLASS: Final[dict[type[ast.AST], int]] = {
    ast.NamedExpr: NAMED,
    ast.Yield: YIELD,
    ast.YieldFrom: YIELD,
    ast.Lambda: LAMBDA,
    ast.IfExp: TERNARY,
    ast.Compare: COMPARE,
    ast.Await: AWAIT,
    ast.Name: ATOM,
    ast.Attribute: ATOM,
    ast.Call: ATOM,
    ast.Subscript: ATOM,
}


def precedence_of(node: Any) -> int:
    """How tightly `node`'s text binds; whatever brings its own brackets is an atom."""
    level = _BY_CLASS.get(type(node))
    if level is not None:
        return level
    match node:
        case ast.BinOp():
            return BINARY[type(node.op)][1]
        case ast.UnaryOp():
            return UNARY_OPERATORS[type(node.op)][1]
        case ast.BoolOp():
            return AND if isinstance(node.op, ast.And) else OR
        # A Constant(-1) that no parser made: it prints as a minus before a number.
        case ast.Constant(value=float() as number) if math.copysign(1.0, number) < 0:
            return UNARY
        case ast.Constant(value=int() as number) if number < 0:
            return UNARY
        case _:
            return ATOM


def terms(t: ast.BinOp | ast.BoolOp | ast.Compare) -> list[tuple[str, ast.expr, int]]:
    """A chain like `a - b + c` as (joint, operand, level that the operand must have) from the left.

    The first joint is empty; a chain of equal precedence is one list however deep its tree is.
    """
    match t:
        case ast.BoolOp():
            joint, level = (" and ", AND) if isinstance(t.op, ast.And) else (" or ", OR)
            rest = [(joint, value, level + 1) for value in t.values[1:]]
            return [("", t.values[0], level + 1), *rest]
        case ast.Compare():
            joints = [f" {COMPARISONS[type(op)]} " for op in t.ops]
            levels = [COMPARE + 1] * len(joints)
            return [("", t.left, COMPARE + 1), *zip(joints, t.comparators, levels, strict=True)]
        case ast.BinOp(op=ast.Pow()):
            return [("", t.left, AWAIT), (" ** ", t.right, UNARY)]
    return _left_associative(t)


def _left_associative(t: ast.BinOp) -> list[tuple[str, ast.expr, int]]:
    level = BINARY[type(t.op)][1]
    found = []
    node: ast.expr = t
    while isinstance(node, ast.BinOp) and BINARY[type(node.op)][1] == level:
        found.append((f" {BINARY[type(node.op)][0]} ", node.right, level + 1))
        node = node.left
    return [("", node, level), *reversed(found)]
