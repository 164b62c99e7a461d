"""A program that calls `tick` after each of its statements: to measure, or to look at values.

    y = np.tanh(x)                y = np.tanh(x)
                                  tick(7, y=y)
    if c:                  ->     if c:
                                      tick(8)
        return 2 * y                  result = 2 * y
                                      tick(9, result=result)
                                      return result

Times are those between two ticks. Each part of a program, an `else` too, begins with one, so that
the head of a branch or of a loop has its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

TICK = "srcad_tick"
RESULT = "srcad_result"
_PARTS = ("body", "orelse", "finalbody")
_LEAVES = ast.Break | ast.Continue | ast.Pass | ast.Raise | ast.Import | ast.ImportFrom


def instrumented(text: str, with_values: bool) -> str:
    """The text with ticks in its functions; values are passed along where asked for."""
    tree = ast.parse(text)
    for stmt in tree.body:
        if isinstance(stmt, ast.FunctionDef):
            _function(stmt, with_values)
    return ast.unparse(ast.fix_missing_locations(tree))


def instrumented_alone(text: str, name: str) -> str:
    """One function of the text, with ticks: those that it calls are compiled as they are."""
    tree = ast.parse(text)
    tree.body = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == name]
    for stmt in tree.body:
        assert isinstance(stmt, ast.FunctionDef)
        _function(stmt, False)
    return ast.unparse(ast.fix_missing_locations(tree))


def lines_of_calls(text: str, names: Sequence[str]) -> dict[int, list[int]]:
    """The lines where some functions of the text are called, by the line where each begins."""
    tree = ast.parse(text)
    begins = {s.name: s.lineno for s in tree.body if isinstance(s, ast.FunctionDef)}
    found: dict[int, list[int]] = {begins[name]: [] for name in names if name in begins}
    for stmt in ast.walk(tree):
        if isinstance(stmt, ast.Assign | ast.Expr | ast.Return | ast.AugAssign):
            for each in ast.walk(stmt):
                if isinstance(each, ast.Name) and begins.get(each.id, 0) in found:
                    found[begins[each.id]].append(stmt.lineno)
    return found


def names_bound(stmt: ast.AST) -> list[str]:
    """The variables that a statement, or the head of a loop, gives a value, or an entry of it."""
    match stmt:
        case ast.Assign():
            targets: list[ast.expr] = stmt.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.For():
            targets = [stmt.target]
        case _:
            targets = []
    return list(dict.fromkeys(name for target in targets for name in _names(target)))


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name():
            yield target.id
        case ast.Tuple() | ast.List():
            for item in target.elts:
                yield from _names(item)
        case ast.Starred() | ast.Subscript():
            yield from _names(target.value)


def _function(stmt: ast.FunctionDef, with_values: bool) -> None:
    """The call itself is of no line."""
    stmt.body = [_tick(0, []), *_block(stmt.body, with_values)]


def _block(body: Sequence[ast.stmt], with_values: bool) -> list[ast.stmt]:
    return [made for stmt in body for made in _statement(stmt, with_values)]


def _statement(stmt: ast.stmt, with_values: bool) -> list[ast.stmt]:
    line = stmt.lineno
    match stmt:
        case ast.FunctionDef():
            _function(stmt, with_values)
            return [stmt]
        case ast.Return():
            value = stmt.value or ast.Constant(None)
            kept = ast.Assign([ast.Name(RESULT, ast.Store())], value)
            ticked = _tick(line, ["return"] if with_values else [])
            return [kept, ticked, ast.Return(ast.Name(RESULT, ast.Load()))]
        case ast.If() | ast.For() | ast.While():
            bound = names_bound(stmt) if with_values else []
            stmt.body = [_tick(line, bound), *_block(stmt.body, with_values)]
            stmt.orelse = [_tick(line, []), *_block(stmt.orelse, with_values)]
            return [stmt]
        case ast.Try() | ast.With():
            for part in _PARTS:
                if inner := getattr(stmt, part, None):
                    setattr(stmt, part, _block(inner, with_values))
            for handler in getattr(stmt, "handlers", ()):
                handler.body = [_tick(handler.lineno, []), *_block(handler.body, with_values)]
            return [stmt, _tick(line, [])]
        case _ if isinstance(stmt, _LEAVES) or _is_text(stmt):
            return [stmt]
        case _:
            return [stmt, _tick(line, names_bound(stmt) if with_values else [])]


def _is_text(stmt: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _tick(line: int, names: Sequence[str]) -> ast.stmt:
    shown = [
        ast.Tuple(
            [
                ast.Constant(name),
                ast.Name(RESULT if name == "return" else name, ast.Load()),
            ],
            ast.Load(),
        )
        for name in names
    ]
    return ast.Expr(ast.Call(ast.Name(TICK, ast.Load()), [ast.Constant(line), *shown], []))


__all__ = [
    "RESULT", "TICK", "instrumented", "instrumented_alone", "lines_of_calls", "names_bound",
]  # fmt: skip
