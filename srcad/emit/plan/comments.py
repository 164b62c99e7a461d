"""The user's line above the statements that come from it, where they do not say the same.

# h = np.tanh(x @ w + b)
t_bar = h_bar * (1 - h * h)
w_bar = np.outer(x, t_bar)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby

from srcad.emit.printing.nodes import Blank, Comment
from srcad.emit.printing.unparse import unparse
from srcad.errors import Location


def annotate(
    body: list[ast.stmt],
    locations: Mapping[ast.stmt, Location],
    source: Callable[[Location], str],
    around: Location | None = None,
) -> list[ast.stmt]:
    """`body` with a comment above each group of statements that come from one line.

    Not for the line of the statement `around` it, which stands right above.
    """

    def line_of(stmt: ast.stmt) -> tuple[str, int] | None:
        loc = locations.get(stmt)
        return None if loc is None else _line(loc)

    commented: list[ast.stmt] = []
    for line, group in groupby(body, line_of):
        statements = list(group)
        if line is not None and (around is None or line != _line(around)):
            text = source(locations[statements[0]].shown).strip()
            if text and not any(_says(stmt, text) for stmt in statements):
                commented.append(Comment(text))
        commented += statements
    return commented


def _line(loc: Location) -> tuple[str, int]:
    return loc.shown.file, loc.shown.line


def paragraphs(parts: Iterable[list[ast.stmt]]) -> list[ast.stmt]:
    """The statements of all parts, with an empty line between two that are not empty."""
    whole: list[ast.stmt] = []
    for part in parts:
        if whole and part:
            whole.append(Blank())
        whole += part
    return whole


def _says(stmt: ast.stmt, text: str) -> bool:
    """Whether the statement, or the head of a compound one, prints as `text`, spaces apart."""
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if isinstance(target, ast.Name) and not text.startswith(target.id):
        return False  # without printing it
    return _head(stmt).replace(" ", "") == text.replace(" ", "")


def _head(stmt: ast.stmt) -> str:
    pass_: list[ast.stmt] = [ast.Pass()]
    match stmt:
        case ast.For():
            stmt = ast.For(stmt.target, stmt.iter, pass_, [], lineno=0)
        case ast.While():
            stmt = ast.While(stmt.test, pass_, [])
        case ast.If():
            stmt = ast.If(stmt.test, pass_, [])
        case ast.Try():
            return "try:"
        case ast.With():
            stmt = ast.With(stmt.items, pass_, lineno=0)
        case ast.FunctionDef():
            return ""
    return unparse(stmt).split("\n")[0]
