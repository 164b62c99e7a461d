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
import functools
import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from srcad import kernels
from srcad.emit.helpers import Unannotated
from srcad.emit.printing.unparse import unparse

_PACKAGE = "srcad.kernels"
_OURS = ("srcad", _PACKAGE)
_NUMPY = "import numpy as np"
Key = tuple[str, str]  # module, name


def with_kernels(text: str) -> tuple[str, list[str]]:
    """The text without its imports of kernels, and the lines of their definitions.

    In the place of compiled kernels there are those of NumPy: they are the same but for their time.
    """
    tree = ast.parse(text)
    bound = _bound_names(tree)
    if not bound:
        return text, []
    reads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in bound
    ]
    copied = _Copied({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    copied.taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    copied.taken |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    homes = {node.attr: getattr(kernels, node.attr).__module__ for node in reads}
    for name, home in homes.items():
        copied.add((home, name))
    lines = text.splitlines()
    for node in sorted(reads, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        new = copied.names[homes[node.attr], node.attr].encode()
        line = line[: node.col_offset] + new + line[node.end_col_offset :]
        lines[node.lineno - 1] = line.decode()
    return "\n".join([*_imports(lines, tree, copied.imports), ""]), copied.definitions()


def _bound_names(tree: ast.Module) -> set[str]:
    """The names that the module gives to `srcad.kernels` and to `srcad.kernels.compiled`."""
    return {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in (_PACKAGE, f"{_PACKAGE}.compiled")
    }


def _imports(lines: list[str], tree: ast.Module, added: set[str]) -> list[str]:
    """The lines with what the kernels import at their head, and without the import of kernels."""
    statements = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    kept = {unparse(n).strip() for n in statements if getattr(n, "module", None) not in _OURS}
    groups: list[list[str]] = [[], [], []]
    for line in sorted(kept | added | {_NUMPY}, key=lambda line: (line.startswith("from"), line)):
        top = line.split()[1].split(".")[0]
        of_library = top in ("numpy", "scipy")
        group = 1 if of_library else 2 * (top not in sys.stdlib_module_names)
        groups[group].append(line)
    head = [line for group in groups if group for line in ("", *group)][1:]
    first, last = statements[0].lineno - 1, statements[-1].end_lineno
    return [*lines[:first], *head, *lines[last:]]


# Definitions -------------------------------------------------------------------------------------


@dataclass
class _Module:
    """A kernel module: its definitions by name, what else it does, what it imports."""

    defined: dict[str, ast.stmt] = field(default_factory=dict)
    done: list[ast.stmt] = field(default_factory=list)
    own: dict[str, Key] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


@functools.cache
def _parsed(module: str) -> _Module:
    found = _Module()
    source = ast.parse(inspect.getsource(importlib.import_module(module)))
    for node in Unannotated(fields=True).visit(source).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found.defined[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)]) if name != "__all__":
                found.defined[name] = node
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for each, value in zip(names, values, strict=True):
                    found.defined[unparse(each).strip()] = ast.Assign([each], value, lineno=0)
            case ast.ImportFrom(module=str(home)) if home.startswith(_PACKAGE):
                found.own |= {a.asname or a.name: (home, a.name) for a in node.names}
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    one = ast.Import([alias])
                    if isinstance(node, ast.ImportFrom):
                        one = ast.ImportFrom(node.module, [alias], 0)  # type: ignore[assignment]
                    found.others[alias.asname or alias.name] = unparse(one).strip()
            case ast.If(test=ast.Call()):  # not `if TYPE_CHECKING`
                found.done.append(node)
    return found


class _Copied:
    """What is copied so far; `names` are the names that it gets, `taken` those that it must not."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken | {"np"}
        self.names: dict[Key, str] = {}
        self.imports: set[str] = set()

    def add(self, key: Key) -> None:
        """Copy a definition, after what it needs."""
        if key in self.names:
            return
        module, name = key
        known = _parsed(module)
        self.names[key] = self._fresh(name)
        for node in (known.defined[name], *known.done):
            for word in _globals_read(node):
                if word in known.defined:
                    self.add((module, word))
                elif word in known.own:
                    self.add(known.own[word])
                elif word in known.others:
                    self.imports.add(known.others[word])

    def _fresh(self, wish: str) -> str:
        found, k = wish, 1
        while found in self.taken:
            k += 1
            found = f"{wish}_{k}"
        self.taken.add(found)
        return found

    def definitions(self) -> list[str]:
        """The lines of the definitions, in the order of their modules."""
        lines = ["", "", "# Kernels, as in srcad."]
        after_block = False
        for module in sorted({module for module, _ in self.names}, key=_order):
            known = _parsed(module)
            own = {name: (module, name) for name in known.defined} | known.own
            names = {name: self.names[key] for name, key in own.items() if key in self.names}
            parts = [part for name, part in known.defined.items() if (module, name) in self.names]
            for node in (*parts, *known.done):
                is_block = not isinstance(node, ast.Assign)
                lines += [*(["", ""] if is_block or after_block else []), *_renamed(node, names)]
                after_block = is_block
        return lines


def _order(module: str) -> tuple[bool, str]:
    """What the others are made of comes first."""
    return not module.endswith(".threads"), module


def _globals_read(node: ast.stmt) -> Iterator[str]:
    """The names in a statement."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Global):
            yield from each.names


def _renamed(node: ast.stmt, names: dict[str, str]) -> list[str]:
    return unparse(_Renamed(names).visit(ast.parse(unparse(node)).body[0])).strip("\n").splitlines()


class _Renamed(ast.NodeTransformer):
    """Gives module-level names others."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Global(self, node: ast.Global) -> ast.Global:
        node.names = [self.names.get(name, name) for name in node.names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node


__all__ = ["with_kernels"]
