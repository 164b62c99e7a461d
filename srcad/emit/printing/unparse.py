"""The printer of emitted Python: a standard-library `ast` tree as a person would have typed it.

    FunctionDef("f_grad",                      def f_grad(x):
      Comment("y = np.tanh(x)"),        ->         # y = np.tanh(x)
      Assign(y, Call(np.tanh, x)), ...)            y = np.tanh(x)

What is written reads back as the same tree. A line map says which statement each line came from:
the step from an error in the emitted text to the user's line. Text depends on the tree alone.
"""
# ruff: noqa: N802  (astunparse finds the method of a node by the name of its class)

import ast
from itertools import islice
from typing import Any, Final

from srcad.emit.printing.literals import docstring_text
from srcad.emit.printing.nodes import Blank, Comment
from srcad.emit.printing.patterns import PatternPrinter
from srcad.emit.printing.precedence import BINARY, LAMBDA, NAMED, YIELD


def unparse(tree: ast.AST) -> str:
    """The text of `tree`; a module's ends in one newline, any other node's has none at its end."""
    return _print(tree).text(tree)


def unparse_with_lines(tree: ast.AST) -> tuple[str, dict[int, ast.stmt]]:
    """The text of `tree`, and of each line, counted from 1, the innermost statement written there.

    A line of `else:` belongs to the statement that it is part of; empty lines between statements
    belong to none.
    """
    printer = _print(tree)
    return printer.text(tree), printer.lines()


def _print(tree: ast.AST) -> "Printer":
    printer = Printer()
    if isinstance(tree, ast.stmt):
        printer.statements([tree])
    else:
        printer.dispatch(tree)
    return printer


# Columns that the beginning of a value needs beside the names that it is unpacked to.
_ROOM: Final = 24
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Printer(PatternPrinter):
    """Writes statements."""

    def __init__(self) -> None:
        super().__init__()
        # (index in the parts, statement that the lines begun from there on belong to)
        self._owners: list[tuple[int, ast.stmt | None]] = []
        self._owner: ast.stmt | None = None

    def text(self, tree: ast.AST) -> str:
        """Everything written."""
        text = "".join(self._parts).removeprefix("\n")
        return text + "\n" if text and isinstance(tree, ast.Module | ast.Interactive) else text

    def lines(self) -> dict[int, ast.stmt]:
        """The statement that each line of the text belongs to."""
        lines = {}
        line = 0
        owners = iter([*self._owners, (len(self._parts), None)])
        owner, (start, following) = None, next(owners)
        for index, part in enumerate(self._parts):
            while index >= start:
                owner, (start, following) = following, next(owners)
            for _ in range(part.count("\n")):
                line += 1
                if owner is not None:
                    lines[line] = owner
        return lines

    # Blocks

    def statements(self, body: list[ast.stmt], docstring: bool = False) -> None:
        """Write a block, with empty lines around the definitions in it."""
        outer = self._owner
        space = 1 if self._indent else 2
        after = found = 0  # empty lines wanted after the last statement, and found there
        for index, statement in enumerate(body):
            if type(statement) is Blank:
                self._own(None)
                self.write("\n")
                found += 1
                continue
            if (missing := max(after, space * _opens_definition(body, index)) - found) > 0:
                self._own(None)
                self.write("\n" * missing)
            self._own(statement)
            found = 0
            after = space * isinstance(statement, _DEFINITIONS)
            if docstring and type(statement) is not Comment:
                docstring = False
                if text := _docstring_of(statement):
                    self.fill(text)
                    after = 0 if isinstance(outer, _FUNCTIONS) else 1
                    continue
            self.dispatch(statement)
        self._own(outer)
        if self._indent and all(isinstance(statement, Comment | Blank) for statement in body):
            self.fill("pass")

    _list = statements

    def _own(self, statement: ast.stmt | None) -> None:
        """Lines begun from here on belong to `statement`."""
        self._owner = statement
        self._owners.append((len(self._parts), statement))

    def _block(self, body: list[ast.stmt], docstring: bool = False) -> None:
        self.enter()
        self.statements(body, docstring)
        self.leave()

    def _orelse(self, body: list[ast.stmt]) -> None:
        if body:
            self.fill("else")
            self._block(body)

    def _Module(self, t: ast.Module) -> None:
        self.statements(t.body, docstring=True)

    def _Interactive(self, t: ast.Interactive) -> None:
        self.statements(t.body)

    def _Comment(self, t: Comment) -> None:
        for line in t.text.splitlines() or [""]:
            self.fill(f"# {line}".rstrip())

    # Simple statements; those that need nothing beyond astunparse are left to it

    def _Expr(self, t: ast.Expr) -> None:
        self.fill()
        self.fit_naked(t.value, YIELD)

    def _Assign(self, t: ast.Assign) -> None:
        self.fill()
        is_unpacked = isinstance(t.targets[0], ast.Tuple)
        room = min(_ROOM, len(self.text_of(t.value, YIELD))) if is_unpacked else 0
        for target in t.targets:
            self.fit_naked(target, reserve=len(" = ") + room)
            self.write(" = ")
        if is_unpacked:
            self.fit_naked(t.value, YIELD)
        else:
            self.fit(t.value, YIELD)

    def _AugAssign(self, t: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(t.target)
        self.write(f" {BINARY[type(t.op)][0]}= ")
        self.fit(t.value, YIELD)

    def _AnnAssign(self, t: ast.AnnAssign) -> None:
        self.fill()
        in_parentheses = isinstance(t.target, ast.Name) and not t.simple
        self.write(f"({self.text_of(t.target)})" if in_parentheses else self.text_of(t.target))
        self.write(": ")
        self.operand(t.annotation, LAMBDA)
        if t.value:
            self.write(" = ")
            self.fit(t.value, YIELD)

    def _Return(self, t: ast.Return) -> None:
        self.fill("return")
        if t.value:
            self.write(" ")
            self.fit_naked(t.value)

    def _Raise(self, t: ast.Raise) -> None:
        self.fill("raise")
        if t.exc:
            self.write(" ")
            self.fit(t.exc)
        if t.cause:
            self.write(" from ")
            self.operand(t.cause, LAMBDA)

    def _Assert(self, t: ast.Assert) -> None:
        self.fill("assert ")
        self.fit(t.test)
        if t.msg:
            self.write(", ")
            self.fit(t.msg)

    # Compound statements

    def _If(self, t: ast.If) -> None:
        self.fill("if ")
        while True:
            self._test(t.test)
            self._block(t.body)
            match t.orelse:
                case [ast.If() as t]:
                    self._own(t)
                    self.fill("elif ")
                case orelse:
                    return self._orelse(orelse)

    def _While(self, t: ast.While) -> None:
        self.fill("while ")
        self._test(t.test)
        self._block(t.body)
        self._orelse(t.orelse)

    def _test(self, test: ast.expr) -> None:
        self.fit(test, NAMED if isinstance(test, ast.NamedExpr) else LAMBDA, reserve=1)

    def _For(self, t: ast.For | ast.AsyncFor) -> None:
        self.fill("for " if isinstance(t, ast.For) else "async for ")
        self.naked(t.target)
        self.write(" in ")
        self.fit(t.iter, reserve=1)
        self._block(t.body)
        self._orelse(t.orelse)

    _AsyncFor = _For

    def _With(self, t: ast.With | ast.AsyncWith) -> None:
        self.fill("with " if isinstance(t, ast.With) else "async with ")
        match t.items:
            case [ast.withitem(context_expr=ast.Tuple() as only, optional_vars=None)]:
                self.write(f"({self.text_of(only)})")  # else its items would be the managers
            case items:
                self.commas(items)
        self._block(t.body)

    _AsyncWith = _With

    def _withitem(self, t: ast.withitem) -> None:
        self.operand(t.context_expr, LAMBDA)
        if t.optional_vars:
            self.write(" as ")
            self.operand(t.optional_vars, LAMBDA)

    def _Try(self, t: ast.Try | ast.TryStar) -> None:
        self.fill("try")
        self._block(t.body)
        for handler in t.handlers:
            self.fill("except*" if isinstance(t, ast.TryStar) else "except")
            if handler.type:
                self.write(" ")
                self.operand(handler.type, LAMBDA)
            self.write(f" as {handler.name}" if handler.name else "")
            self._block(handler.body)
        self._orelse(t.orelse)
        if t.finalbody:
            self.fill("finally")
            self._block(t.finalbody)

    _TryStar = _Try

    def _Match(self, t: ast.Match) -> None:
        self.fill("match ")
        self._test(t.subject)
        self.enter()
        for case in t.cases:
            self.fill("case ")
            self.dispatch(case.pattern)
            if case.guard:
                self.write(" if ")
                self._test(case.guard)
            self._block(case.body)
        self.leave()

    # Definitions

    def _FunctionDef(self, t: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._decorators(t.decorator_list)
        keyword = "def" if isinstance(t, ast.FunctionDef) else "async def"
        returns = f" -> {self.text_of(t.returns)}" if t.returns else ""
        head = f"{keyword} {t.name}{self._type_parameters(t)}("
        parameters = self.parameters(t.args)
        self.fill(f"{head}{', '.join(parameters)}){returns}")
        if self.is_too_wide(1):
            del self._parts[-1]
            self.fill(head)
            self._indent += 1
            self.fill(", ".join(parameters))
            if self.is_too_wide():
                del self._parts[-1]
                for parameter in parameters:
                    self.fill(f"{parameter},")
            self._indent -= 1
            self.fill(f"){returns}")
        self._block(t.body, docstring=True)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, t: ast.ClassDef) -> None:
        self._decorators(t.decorator_list)
        self.fill(f"class {t.name}{self._type_parameters(t)}")
        if t.bases or t.keywords:
            self.write("(")
            self.commas([*t.bases, *t.keywords])
            self.write(")")
        self._block(t.body, docstring=True)

    def _decorators(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            self.fill("@")
            self.fit(decorator)

    # Type parameters, of Python 3.12 and later

    def _type_parameters(self, t: Any) -> str:
        texts = [self.text_of(parameter) for parameter in getattr(t, "type_params", ())]
        return f"[{', '.join(texts)}]" if texts else ""

    def _type_parameter(self, t: Any) -> None:
        stars = {"TypeVarTuple": "*", "ParamSpec": "**"}.get(type(t).__name__, "")
        bound = getattr(t, "bound", None)
        default = getattr(t, "default_value", None)
        self.write(stars + t.name)
        self.write(f": {self.text_of(bound)}" if bound else "")
        self.write(f" = {self.text_of(default)}" if default else "")

    _TypeVar = _ParamSpec = _TypeVarTuple = _type_parameter

    def _TypeAlias(self, t: Any) -> None:
        self.fill(f"type {t.name.id}{self._type_parameters(t)} = ")
        self.fit(t.value)


def _opens_definition(body: list[ast.stmt], index: int) -> bool:
    """Whether a definition starts here, with the comments above it; not below its own comment."""
    if index == 0 or type(body[index - 1]) is Comment:
        return False
    rest = islice(body, index, None)
    return isinstance(next((s for s in rest if type(s) is not Comment), None), _DEFINITIONS)


def _docstring_of(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text), kind=kind)):
            return (kind or "") + docstring_text(text)
        case _:
            return None
