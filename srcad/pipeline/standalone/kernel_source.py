"""Kernels copied into a module that stands alone: what it calls, and what that needs.

from srcad import kernels                    import numpy as np
...                                           ...
y = kernels.conv2d(x, w)               ->     y = conv2d(x, w)
                                              ...
                                              def conv2d(x, w, stride=1, ...):

Definitions are taken by name from the modules of `srcad.kernels`, without annotations. Names that
the module has already, or that two kernel modules share, get a number.
"""

from __future__ import annotations

import ast

from srcad.emit.bundle import Bundle, names_of
from srcad.emit.printing.unparse import unparse
from srcad.pipeline.standalone.imports import grouped

_PACKAGE = "srcad.kernels"
_RUNTIME = "srcad.runtime.checkpoints.states"
_OURS = ("srcad", _PACKAGE, _RUNTIME)
_NUMPY = "import numpy as np"


def with_kernels(text: str) -> tuple[str, list[str]]:
    """The text without its imports of kernels, and the lines of their definitions.

    In the place of compiled kernels there are those of NumPy: they are the same but for their time.
    """
    tree = ast.parse(text)
    bound, classes = _bound_names(tree), _classes(tree)
    if not bound and not classes:
        return text, []
    reads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in bound
    ]
    bundle = Bundle((names_of(tree) | {"np"}) - classes)
    for each in classes:
        bundle.add(_RUNTIME, each)
    names = {name: bundle.add(_PACKAGE, name) for name in dict.fromkeys(n.attr for n in reads)}
    lines = text.splitlines()
    for node in sorted(reads, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        new = names[node.attr].encode()
        line = line[: node.col_offset] + new + line[node.end_col_offset :]
        lines[node.lineno - 1] = line.decode()
    what = "Kernels" if bound else "Checkpoints"
    definitions = ["", "", f"# {what}, as in srcad.", *bundle.lines()]
    return "\n".join([*_imports(lines, tree, bundle.imports), ""]), definitions


def _bound_names(tree: ast.Module) -> set[str]:
    """The names that the module gives to `srcad.kernels` and to `srcad.kernels.compiled`."""
    return {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in (_PACKAGE, f"{_PACKAGE}.compiled")
    }


def _classes(tree: ast.Module) -> set[str]:
    """The classes that the module has from srcad."""
    return {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == _RUNTIME
        for alias in node.names
    }


def _imports(lines: list[str], tree: ast.Module, added: set[str]) -> list[str]:
    """The lines with what the kernels import at their head, and without the import of kernels."""
    statements = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    kept = {unparse(n).strip() for n in statements if getattr(n, "module", None) not in _OURS}
    head = grouped(kept | added | {_NUMPY})
    first, last = statements[0].lineno - 1, statements[-1].end_lineno
    return [*lines[:first], *head, *lines[last:]]


__all__ = ["with_kernels"]
