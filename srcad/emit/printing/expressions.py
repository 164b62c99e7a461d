"""Expressions as text, on one line, with no more parentheses than precedence asks for.

    astunparse:  (x[(i:, ::2)] + ((- a) ** 2))        here:  x[i:, ::2] + (-a) ** 2

Every method `_Foo` writes a node of class `Foo`.
"""
# ruff: noqa: N802  (astunparse finds the method of a node by the name of its class)

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from srcad.emit.printing.fstrings import as_format_call, fstring_text
from srcad.emit.printing.literals import constant_text
from srcad.emit.printing.nodes import Pair
from srcad.emit.printing.precedence import (
    ATOM,
    BIT_OR,
    LAMBDA,
    NAMED,
    OR,
    TERNARY,
    UNARY_OPERATORS,
    precedence_of,
    terms,
)

if TYPE_CHECKING:
    # astunparse ships no types. This is the seam: what is used of it, stated here and nowhere else.
    class Unparser:
        """astunparse 1.6.3: one method per node class, each writing through `fill` and `write`."""

        _indent: int

        def enter(self) -> None:
            """Write a colon; what follows is indented."""

        def leave(self) -> None:
            """End the indentation."""
else:
    from astunparse import Unparser


AnyComprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class ExpressionPrinter(Unparser):
    """Writes expressions to a list of text parts; statements are the business of subclasses."""

    _methods: ClassVar[dict[type, Callable[[Any, Any], None]]] = {}

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._indent = 0
        self.future_imports: list[str] = []  # astunparse notes them in here
        # What string literals are delimited by: single quotes inside an f-string.
        self._quote = '"'

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def write(self, text: str) -> None:
        """Append to the current line."""
        self._parts.append(text)

    def dispatch(self, tree: ast.AST | Pair | list[ast.stmt]) -> None:
        """Write `tree` by the method named after its class."""
        kind = type(tree)
        method = self._methods.get(kind)
        if method is None:
            method = getattr(type(self), "_" + kind.__name__, None)
            if method is None:
                raise TypeError(f"srcad.emit cannot print a node of class {kind.__name__}")
            self._methods[kind] = method
        method(self, tree)

    def operand(self, node: ast.AST | Pair, minimum: int) -> None:
        """Write `node`, in parentheses where it binds less tightly than `minimum`."""
        if type(node) is ast.Name:
            self._parts.append(node.id)
        elif precedence_of(node) < minimum:
            self._parts.append("(")
            self.dispatch(node)
            self._parts.append(")")
        else:
            self.dispatch(node)

    def named(self, node: ast.expr) -> None:
        """Write `node` where the grammar takes a bare `x := 1`."""
        self.operand(node, NAMED if type(node) is ast.NamedExpr else LAMBDA)

    def naked(self, node: ast.expr, minimum: int = LAMBDA) -> None:
        """Write `node` where a tuple needs no parentheses."""
        if type(node) is ast.Tuple and len(node.elts) > 1:
            self.commas(node.elts)
        else:
            self.operand(node, minimum)

    def commas(self, items: Iterable[ast.AST | Pair]) -> None:
        """Write `items` separated by commas."""
        comma = ""
        for item in items:
            if comma:
                self._parts.append(comma)
            comma = ", "
            self.operand(item, LAMBDA)

    def text_of(self, node: ast.AST, minimum: int = LAMBDA) -> str:
        """What `operand` would write."""
        mark = len(self._parts)
        self.operand(node, minimum)
        text = "".join(self._parts[mark:])
        del self._parts[mark:]
        return text

    # Names and constants

    def _Name(self, t: ast.Name) -> None:
        self.write(t.id)

    def _Constant(self, t: ast.Constant) -> None:
        self.write((t.kind or "") + constant_text(t.value, self._quote))

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        outside, self._quote = self._quote, "'"
        text = fstring_text(t, self.text_of, outside)
        self._quote = outside
        if text is None:
            self.dispatch(as_format_call(t))
        else:
            self.write(text)

    def _FormattedValue(self, t: ast.FormattedValue) -> None:
        self.dispatch(ast.JoinedStr([t]))

    # Operators

    def _NamedExpr(self, t: ast.NamedExpr) -> None:
        self.write(f"{t.target.id} := ")
        self.operand(t.value, LAMBDA)

    def _chain(self, t: ast.BinOp | ast.BoolOp | ast.Compare) -> None:
        for joint, node, level in terms(t):
            self._parts.append(joint)
            self.operand(node, level)

    _BinOp = _BoolOp = _Compare = _chain

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        symbol, level = UNARY_OPERATORS[type(t.op)]
        self.write(symbol)
        self.operand(t.operand, level)

    def _IfExp(self, t: ast.IfExp) -> None:
        self.operand(t.body, TERNARY + 1)
        self.write(" if ")
        self.operand(t.test, TERNARY + 1)
        self.write(" else ")
        self.operand(t.orelse, TERNARY)

    def _Lambda(self, t: ast.Lambda) -> None:
        parameters = ", ".join(self.parameters(t.args))
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.operand(t.body, LAMBDA)

    def _Await(self, t: ast.Await) -> None:
        self.write("await ")
        self.operand(t.value, ATOM)

    def _Yield(self, t: ast.Yield) -> None:
        self.write("yield")
        if t.value:
            self.write(" ")
            self.naked(t.value)

    def _YieldFrom(self, t: ast.YieldFrom) -> None:
        self.write("yield from ")
        self.operand(t.value, LAMBDA)

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self.operand(t.value, BIT_OR)

    # Trailers: x.a, f(x), x[i]

    def _Attribute(self, t: ast.Attribute) -> None:
        if isinstance(t.value, ast.Constant) and type(t.value.value) is int:
            self.write(f"({constant_text(t.value.value)})")  # `1.real` would be a bad number
        else:
            self.operand(t.value, ATOM)
        self.write("." + t.attr)

    def _Call(self, t: ast.Call) -> None:
        self.operand(t.func, ATOM)
        self._arguments_of_call(t)

    def _arguments_of_call(self, t: ast.Call) -> None:
        match t:
            case ast.Call(args=[ast.GeneratorExp() as only], keywords=[]):
                self.dispatch(only)  # its own parentheses are the call's
            case ast.Call(args=[ast.NamedExpr() as only], keywords=[]):
                self.write("(")
                self.dispatch(only)
                self.write(")")
            case _:
                self.write("(")
                self.commas([*t.args, *t.keywords])
                self.write(")")

    def _keyword(self, t: ast.keyword) -> None:
        self.write(f"{t.arg}=" if t.arg else "**")
        self.operand(t.value, LAMBDA if t.arg else BIT_OR)

    def _Subscript(self, t: ast.Subscript) -> None:
        self.operand(t.value, ATOM)
        self.write("[")
        self._index(t.slice)
        self.write("]")

    def _index(self, index: ast.expr) -> None:
        if isinstance(index, ast.Tuple) and index.elts:
            self.commas(index.elts)
            self.write("," if len(index.elts) == 1 else "")
        else:
            self.named(index)

    def _Slice(self, t: ast.Slice) -> None:
        bounds = (t.lower, t.upper, t.step)
        # As black has it: x[i:j], but x[i + 1 : j]; no space where there is no operand.
        space = "" if all(_is_short(bound) for bound in bounds) else " "
        if t.lower:
            self.operand(t.lower, LAMBDA)
            self.write(space)
        self.write(":")
        if t.upper:
            self.write(space)
            self.operand(t.upper, LAMBDA)
        if t.step:
            self.write(f"{space}:{space}" if t.upper else f":{space}")
            self.operand(t.step, LAMBDA)

    # Displays and comprehensions

    def _Tuple(self, t: ast.Tuple) -> None:
        self.write("(")
        self.commas(t.elts)
        self.write(",)" if len(t.elts) == 1 else ")")

    def _List(self, t: ast.List) -> None:
        self.write("[")
        self.commas(t.elts)
        self.write("]")

    def _Set(self, t: ast.Set) -> None:
        self.write("{")
        self.commas(t.elts)
        self.write("}" if t.elts else "*()}")

    def _Dict(self, t: ast.Dict) -> None:
        self.write("{")
        self.commas(map(Pair, t.keys, t.values))
        self.write("}")

    def _Pair(self, t: Pair) -> None:
        if t.key:
            self.operand(t.key, LAMBDA)
            self.write(": ")
            self.operand(t.value, LAMBDA)
        else:
            self.write("**")
            self.operand(t.value, BIT_OR)

    def _any_comprehension(self, t: AnyComprehension) -> None:
        opening, closing = brackets_of(t)
        self.write(opening)
        self.operand(element_of(t), LAMBDA)
        for clause in t.generators:
            self.write(" ")
            self.dispatch(clause)
        self.write(closing)

    _ListComp = _SetComp = _GeneratorExp = _DictComp = _any_comprehension

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write("async for " if t.is_async else "for ")
        self.naked(t.target)
        self.write(" in ")
        self.operand(t.iter, OR)
        for test in t.ifs:
            self.write(" if ")
            self.operand(test, OR)

    # Parameters

    def parameters(self, t: ast.arguments) -> list[str]:
        """The text of each parameter, the `/` and `*` that separate them included."""
        positional = [*t.posonlyargs, *t.args]
        required = len(positional) - len(t.defaults)
        defaults = [*[None] * required, *t.defaults]
        texts = list(map(self._parameter, positional, defaults))
        if t.posonlyargs:
            texts.insert(len(t.posonlyargs), "/")
        if t.vararg:
            texts.append("*" + self._parameter(t.vararg))
        elif t.kwonlyargs:
            texts.append("*")
        texts += map(self._parameter, t.kwonlyargs, t.kw_defaults)
        if t.kwarg:
            texts.append("**" + self._parameter(t.kwarg))
        return texts

    def _parameter(self, t: ast.arg, default: ast.expr | None = None) -> str:
        text = f"{t.arg}: {self.text_of(t.annotation)}" if t.annotation else t.arg
        if default is None:
            return text
        return f"{text}{' = ' if t.annotation else '='}{self.text_of(default)}"


def brackets_of(t: AnyComprehension) -> tuple[str, str]:
    """The opening and the closing bracket of a comprehension."""
    if isinstance(t, ast.GeneratorExp):
        return "(", ")"
    return ("[", "]") if isinstance(t, ast.ListComp) else ("{", "}")


def element_of(t: AnyComprehension) -> ast.expr | Pair:
    """What a comprehension makes of each item."""
    return Pair(t.key, t.value) if isinstance(t, ast.DictComp) else t.elt


def _is_short(bound: ast.expr | None) -> bool:
    if isinstance(bound, ast.UnaryOp):
        bound = bound.operand
    return bound is None or isinstance(bound, ast.Name | ast.Constant)
