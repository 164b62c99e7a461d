"""Random programs as trees of lines, which `text` prints; `shrink` makes a failing one small.

Node("for i in range(n):", [Node("h = np.tanh(h)")])
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Node:
    """A statement: its line, and the statements below it."""

    line: str
    body: list[Node] = field(default_factory=list)


def text(nodes: list[Node], indent: int = 0) -> str:
    """The source of the statements."""
    return "".join(
        "    " * indent + node.line + "\n" + text(node.body, indent + 1) for node in nodes
    )


def shrink(source: str, fails: Callable[[str], bool], budget: int = 600) -> str:
    """A smaller program that still fails. `budget` is the number of programs tried."""
    progress, at = True, 0
    while progress or at:
        progress = False
        start, at = at, 0
        for k, candidate in enumerate(smaller(source)):
            if k < start or len(candidate) >= len(source):
                continue
            budget -= 1
            if budget < 0:
                return source
            if fails(candidate):
                source, progress, at = candidate, True, k
                break
    return source


def smaller(source: str) -> Iterator[str]:
    """The programs with statements less, then those with an expression replaced by a part of it."""
    tree = ast.parse(source)
    suites = [
        (node, name)
        for node in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(getattr(node, name, None), list)
    ]
    for node, name in suites:
        suite = getattr(node, name)
        for size in (8, 4, 2, 1):
            for at in range(len(suite) - size, -1, -1):
                yield changed(tree, node, name, suite[:at] + suite[at + size :])
        for at, inner in enumerate(suite):
            if isinstance(inner, ast.If | ast.For | ast.While):
                yield changed(tree, node, name, suite[:at] + inner.body + suite[at + 1 :])
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            for at, part in enumerate(values):
                if not isinstance(part, ast.expr) or isinstance(part, ast.Name | ast.Constant):
                    continue
                for new in (*ast.iter_child_nodes(part), ast.Constant(0.5)):
                    if isinstance(new, ast.expr):
                        new = [*values[:at], new, *values[at + 1 :]] if value is values else new
                        yield changed(tree, node, name, new)


def changed(tree: ast.Module, node: ast.AST, name: str, value: object) -> str:
    """The text with one field of one node replaced, or nothing if that is no Python."""
    before = getattr(node, name)
    setattr(node, name, value or ([ast.Pass()] if name == "body" else value))
    try:
        return ast.unparse(copy.deepcopy(tree))
    except Exception:
        return "1 +"
    finally:
        setattr(node, name, before)
