"""Programs around public functions of published packages.

A file of `programs` is Python: imports, arguments by assignments, and then each program as an
expression::

    from filterpy.stats import gaussian

    x = np.array([0.3, -0.7])
    m = 0.2

    gaussian(x, m, 1.5)

stands for `def f(x, m): return np.sum(gaussian(x, m, 1.5))`. Floats and arrays of floats are
arguments, at a point where the function is smooth; what else is assigned is a global. The file has
the name of the distribution, with `_` in place of `-`.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "programs"
PACKAGES = sorted(path.stem for path in FOLDER.glob("*.py"))


@dataclass(frozen=True)
class Program:
    """`f` calls a function of a package; `text` is the call."""

    package: str
    text: str
    f: Callable[..., Any]
    args: tuple[Any, ...]


def version(package: str) -> str | None:
    """The version that is installed, None if none is."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def texts(package: str) -> list[str]:
    """The programs of a package as text; the package need not be there."""
    return [ast.unparse(node) for node in _calls(_tree(package))]


@cache
def programs(package: str) -> dict[str, Program]:
    """The programs of a package, which is imported, by their text."""
    tree = _tree(package)
    calls = _calls(tree)
    tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
    module = ModuleType(f"programs_of_{package}")
    module.__dict__["np"] = np
    # Some packages write a file where they are imported.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(compile(tree, str(FOLDER / f"{package}.py"), "exec"), module.__dict__)
    return {ast.unparse(call): _program(package, call, module) for call in calls}


def _program(package: str, call: ast.expr, module: ModuleType) -> Program:
    loads = dict.fromkeys(node.id for node in ast.walk(call) if isinstance(node, ast.Name))
    names = [name for name in loads if varies(module.__dict__.get(name))]
    text = ast.unparse(call)
    source = f"def f({', '.join(names)}):\n    return np.sum({text})\n"
    filename = f"<{package}: {text}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    found: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), module.__dict__, found)
    return Program(package, text, found["f"], tuple(module.__dict__[name] for name in names))


def _tree(package: str) -> ast.Module:
    return ast.parse((FOLDER / f"{package}.py").read_text(encoding="utf-8"))


def _calls(tree: ast.Module) -> list[ast.expr]:
    # The first expression is the docstring.
    return [node.value for node in tree.body[1:] if isinstance(node, ast.Expr)]


def varies(x: Any) -> bool:
    """Whether a gradient has a part for `x`."""
    return isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")
