"""Globals that a program assigns and reads: a saved module has them frozen, and would read the same
in each call.

    global n; n = n + 1          n = _n + 1; set_global(counting, "n", n)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from srcad.errors import error
from srcad.pipeline.artifact import Artifact


def refuse_assigned(tree: ast.Module, artifact: Artifact, names: Mapping[str, str]) -> None:
    """Refuse a program that assigns a global, or an item of one, that it reads as well.

    Args:
        names: those of the captured values in the program, by their paths.

    Raises:
        CacheError: E503.
    """
    (entry,) = (
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == artifact.entry
    )
    fixed = {guard.path for guard in artifact.guards if guard.kind in ("equals", "static")}
    for name, pattern in _assigned(tree):
        read = any(pattern.match(p) and _is_read(entry, label) for p, label in names.items())
        # What it holds while compiling is written into the program: nothing tells whether it is.
        if read or (pattern.pattern.startswith("K") and any(map(pattern.match, fixed))):
            what = f"a program that assigns `{name}`, which it reads,"
            fix = "pass it as an argument, and return the new one"
            raise error("E503", None, what=what, fix=fix)


def _assigned(tree: ast.Module) -> Iterator[tuple[str, re.Pattern[str]]]:
    """What is assigned, and the paths at which it is read."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("set_global"), [_, ast.Constant(str(name)), _]):
                yield name, re.compile(rf"K\[\d+\]\.{name}(?!\w)")
            case ast.Call(
                ast.Name("set_global_item"),
                [_, ast.Constant(str(path)), ast.Constant(key), _],
            ):
                first, *rest = path.split(".")
                way = "".join([f"['{first}']", *(f".{each}" for each in rest), f"[{key!r}]"])
                yield f"{path}[{key!r}]", re.compile(rf".*\.__globals__{re.escape(way)}")


def _is_read(entry: ast.FunctionDef, name: str) -> bool:
    """Whether a function reads a parameter before it assigns to its name on every path."""
    for stmt in entry.body:
        found = [node for node in ast.walk(stmt) if isinstance(node, ast.Name) and node.id == name]
        if any(isinstance(node.ctx, ast.Load) for node in found):
            return True
        if found and isinstance(stmt, ast.Assign):
            return False
    return False


__all__ = ["refuse_assigned"]
