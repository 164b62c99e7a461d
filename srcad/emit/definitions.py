"""What a module of srcad defines, read from its file: the module need not be importable (Numba).

def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:      def unbroadcast(g, shape):
    ...                                                 ->       ...
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from srcad.emit.printing.unparse import unparse

_ROOT = Path(__file__).parents[2]
Key = tuple[str, str]  # module, name
S = TypeVar("S", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions by name, without annotations; what else the module does; what it imports.

    `own` are the names that it has from modules of srcad, `imports` the lines that bind others.
    """

    defined: dict[str, ast.stmt] = field(default_factory=dict)
    effects: list[ast.stmt] = field(default_factory=list)
    own: dict[str, Key] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


@functools.cache
def definitions_of(module: str) -> Definitions:
    """The definitions of a module of srcad; they are shared, and not to be changed."""
    path = _ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = Definitions()
    for node in _Unannotated().visit(ast.parse(path.read_text())).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found.defined[node.name] = node
            case ast.Assign(targets=[ast.Name(id=name)]) if name != "__all__":
                found.defined[name] = node
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for each, value in zip(names, values, strict=True):
                    found.defined[unparse(each).strip()] = ast.Assign([each], value, lineno=0)
            case ast.ImportFrom(module="__future__"):
                pass
            case ast.ImportFrom(module=str(home)) if home.split(".")[0] == "srcad":
                found.own.update({a.asname or a.name: (home, a.name) for a in node.names})
            case ast.Import() | ast.ImportFrom():
                found.imports.update({a.asname or a.name: _line(node, a) for a in node.names})
            case ast.If(test=ast.Call()):  # not `if TYPE_CHECKING`
                found.effects.append(node)
    return found


def _line(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.ImportFrom):
        return unparse(ast.ImportFrom(node.module, [alias], 0)).strip()
    return unparse(ast.Import([alias])).strip()


def home_of(module: str, name: str) -> Key:
    """Where a name of a module is defined, or imported from outside of srcad."""
    known = definitions_of(module)
    return home_of(*known.own[name]) if name in known.own else (module, name)


def names_read(node: ast.AST) -> list[str]:
    """The names that a definition has from around it, in the order of the tree."""
    if isinstance(node, ast.ClassDef):
        parts = (*node.bases, *node.decorator_list, *node.body)
        return list(dict.fromkeys(name for part in parts for name in names_read(part)))
    bound = _bound(node)
    read: dict[str, None] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id not in bound:
            read[each.id] = None
    return list(read)


@functools.cache
def names_read_by(module: str, name: str) -> tuple[str, ...]:
    """The names that a definition of a module of srcad has from around it."""
    return tuple(names_read(definitions_of(module).defined[name]))


def _bound(node: ast.AST) -> set[str]:
    """Parameters, variables and inner functions of a function: they hide names of the module."""
    nodes = list(ast.walk(node))
    bound = {each.arg for each in nodes if isinstance(each, ast.arg)}
    bound |= {each.name for each in nodes[1:] if isinstance(each, ast.FunctionDef)}
    bound |= {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return bound.difference(*(each.names for each in nodes if isinstance(each, ast.Global)))


def renamed(node: S, names: Mapping[str, ast.expr]) -> S:
    """A copy of a definition with other expressions in the place of names of its module."""
    changed: S = _Renamer(names).visit(_copied(node))
    return changed


def _copied(node: Any) -> Any:
    """A copy of a tree, but for what no one changes: constants, contexts, operators."""
    if isinstance(node, list):
        return [_copied(each) for each in node]
    if not isinstance(node, ast.AST) or not node._fields:
        return node
    made = type(node)(*[_copied(getattr(node, name, None)) for name in node._fields])
    return ast.copy_location(made, node)


class _Renamer(ast.NodeTransformer):
    """Parameters and variables that hide a name stay, and so do the names of methods."""

    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self.names = names

    def _name(self, old: str) -> str:
        new = self.names.get(old)
        return new.id if isinstance(new, ast.Name) else old

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.names.get(node.id, node)

    def visit_Global(self, node: ast.Global) -> ast.Global:
        node.names = list(map(self._name, node.names))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        bound = _bound(node)
        inner = _Renamer({old: new for old, new in self.names.items() if old not in bound})
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.name = self._name(node.name)
        node.body = [inner.visit(each) for each in node.body]
        node.args = inner.visit(node.args)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        methods = [(each, each.name) for each in node.body if isinstance(each, ast.FunctionDef)]
        node.name = self._name(node.name)
        self.generic_visit(node)
        for method, name in methods:
            method.name = name
        return node


def unannotated(node: S) -> S:
    """A definition without its annotations."""
    plain: S = _Unannotated().visit(node)
    return plain


class _Unannotated(ast.NodeTransformer):
    """Takes annotations away, but those that make the fields of a dataclass or a named tuple."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        is_tuple = any(isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases)
        has_fields = is_tuple or bool(node.decorator_list)
        for i, each in enumerate(node.body):
            if not (has_fields and isinstance(each, ast.AnnAssign)):
                node.body[i] = self.visit(each)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """`x: int = 3`, or `x: int`, which is nothing without its annotation."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


__all__ = [
    "Definitions",
    "Key",
    "definitions_of",
    "home_of",
    "names_read",
    "names_read_by",
    "renamed",
    "unannotated",
]
