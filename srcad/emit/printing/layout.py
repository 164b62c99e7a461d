"""Lines that would end beyond column 100, broken where a person would break them.

    x_bar = np.add(                 total = (                  return [
        first_factor * y_bar,           first                      f(x)
        out=x_bar,                      + second * third           for x in xs
    )                               )                          ]

An expression that does not fit is written again with its brackets opened: what is in them goes on
one line of its own if it fits there, else each item does; an item that still does not fit is
treated in the same way. Operators get parentheses, with the break before the operator.
"""
# ruff: noqa: N802, N815  (a method is found by the name of its node's class)

import ast
from collections.abc import Sequence
from typing import Final

from srcad.emit.printing.expressions import (
    AnyComprehension,
    ExpressionPrinter,
    brackets_of,
    element_of,
)
from srcad.emit.printing.nodes import Pair
from srcad.emit.printing.precedence import (
    ATOM,
    BIT_OR,
    LAMBDA,
    OR,
    TERNARY,
    UNARY_OPERATORS,
    precedence_of,
    terms,
)

WIDTH: Final = 100


class LinePrinter(ExpressionPrinter):
    """Writes expressions over several lines where one is too short for them.

    A method `_open_Foo` writes a node of class `Foo` with its brackets opened. A class without one
    has nowhere to break.
    """

    def __init__(self) -> None:
        super().__init__()
        # Where in the parts the current line begins.
        self._line = 0

    def fill(self, text: str = "") -> None:
        """Begin a line with `text`, indented."""
        self._line = len(self._parts)
        self._parts.append("\n" + "    " * self._indent + text)

    def fit(self, node: ast.AST | Pair, minimum: int = LAMBDA, reserve: int = 0) -> None:
        """Write `node` as `operand` does, broken if it and `reserve` columns pass the width."""
        mark = len(self._parts)
        self.operand(node, minimum)
        if self.is_too_wide(reserve):
            del self._parts[mark:]
            self._open(node, minimum)

    def fit_naked(self, node: ast.expr, minimum: int = LAMBDA, reserve: int = 0) -> None:
        """Like `fit`, where a tuple that fits needs no parentheses."""
        mark = len(self._parts)
        self.naked(node, minimum)
        if self.is_too_wide(reserve):
            del self._parts[mark:]
            self._open(node, minimum)

    def hang(self, opening: str, items: Sequence[ast.AST | Pair], closing: str) -> None:
        """Write `items` between brackets: on one line below the opening one, or on one each."""
        self._hang(opening)
        mark = len(self._parts)
        self.commas(items)
        if self.is_too_wide():
            del self._parts[mark:]
            for count, item in enumerate(items):
                if count:
                    self.fill()
                self.fit(item, reserve=1)
                self.write(",")
        self._unhang(closing)

    def is_too_wide(self, reserve: int = 0) -> bool:
        """Whether the current line and `reserve` columns pass the width."""
        return sum(map(len, self._parts[self._line :])) - 1 + reserve > WIDTH

    def _hang(self, opening: str) -> None:
        self.write(opening)
        self._indent += 1
        self.fill()

    def _unhang(self, closing: str) -> None:
        self._indent -= 1
        self.fill(closing)

    def _open(self, node: ast.AST | Pair, minimum: int = LAMBDA) -> None:
        method = getattr(self, "_open_" + type(node).__name__, None)
        if method is None:
            self.operand(node, minimum)
        elif precedence_of(node) < minimum and not isinstance(node, _BRING_PARENTHESES):
            self.write("(")
            method(node)
            self.write(")")
        else:
            method(node)

    # Operators

    def _open_chain(self, t: ast.BinOp | ast.BoolOp | ast.Compare) -> None:
        self._hang("(")
        mark = len(self._parts)
        self.dispatch(t)
        if self.is_too_wide():
            del self._parts[mark:]
            for joint, node, level in terms(t):
                if joint:
                    self.fill(joint.lstrip())
                self.fit(node, level)
        self._unhang(")")

    _open_BinOp = _open_BoolOp = _open_Compare = _open_chain

    def _open_IfExp(self, t: ast.IfExp) -> None:
        self._hang("(")
        self.fit(t.body, TERNARY + 1)
        self.fill("if ")
        self.fit(t.test, TERNARY + 1)
        self.fill("else ")
        self.fit(t.orelse, TERNARY)
        self._unhang(")")

    def _open_UnaryOp(self, t: ast.UnaryOp) -> None:
        symbol, level = UNARY_OPERATORS[type(t.op)]
        self.write(symbol)
        self._open(t.operand, level)

    def _open_Await(self, t: ast.Await) -> None:
        self.write("await ")
        self._open(t.value, ATOM)

    def _open_Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self._open(t.value, BIT_OR)

    # Trailers

    def _open_Attribute(self, t: ast.Attribute) -> None:
        if isinstance(t.value, ast.Constant):
            self.dispatch(t)
        else:
            self._open(t.value, ATOM)
            self.write("." + t.attr)

    def _open_Call(self, t: ast.Call) -> None:
        items = [*t.args, *t.keywords]
        mark = len(self._parts)
        self.operand(t.func, ATOM)
        if not items or self.is_too_wide(1):
            del self._parts[mark:]
            self._open(t.func, ATOM)
            self._arguments_of_call(t)
        elif len(items) == 1 and isinstance(items[0], ast.GeneratorExp):
            self._open(items[0])  # its own parentheses are the call's
        else:
            self.hang("(", items, ")")

    def _open_keyword(self, t: ast.keyword) -> None:
        self.write(f"{t.arg}=" if t.arg else "**")
        self._open(t.value, LAMBDA if t.arg else BIT_OR)

    def _open_Subscript(self, t: ast.Subscript) -> None:
        mark = len(self._parts)
        self.operand(t.value, ATOM)
        if isinstance(t.value, ast.Call) or self.is_too_wide(1):
            del self._parts[mark:]
            self._open(t.value, ATOM)
            self.write("[")
            self._index(t.slice)
            self.write("]")
        else:
            self._hang("[")
            self._index(t.slice)
            self._unhang("]")

    # Displays and comprehensions

    def _open_Tuple(self, t: ast.Tuple) -> None:
        if len(t.elts) > 1:
            self.hang("(", t.elts, ")")
        else:
            self.dispatch(t)

    def _open_List(self, t: ast.List) -> None:
        self.hang("[", t.elts, "]")

    def _open_Set(self, t: ast.Set) -> None:
        if t.elts:
            self.hang("{", t.elts, "}")
        else:
            self.dispatch(t)

    def _open_Dict(self, t: ast.Dict) -> None:
        self.hang("{", list(map(Pair, t.keys, t.values)), "}")

    def _open_Pair(self, t: Pair) -> None:
        self.write(f"{self.text_of(t.key)}: " if t.key else "**")
        self._open(t.value, LAMBDA if t.key else BIT_OR)

    def _open_comprehension(self, t: AnyComprehension) -> None:
        opening, closing = brackets_of(t)
        self._hang(opening)
        self.fit(element_of(t))
        for clause in t.generators:
            self.fill()
            self.dispatch(ast.comprehension(clause.target, clause.iter, [], clause.is_async))
            for test in clause.ifs:
                self.fill("if ")
                self.fit(test, OR)
        self._unhang(closing)

    _open_ListComp = _open_SetComp = _open_GeneratorExp = _open_DictComp = _open_comprehension


# Their `_open_` methods write the parentheses that make the lines one expression.
_BRING_PARENTHESES: Final = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)
