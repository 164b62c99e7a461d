"""The elementary functions copied into a module that stands alone, before what calls them.

from srcad.native.functions import exp         from llvmlite import ir
                                               from numba.extending import intrinsic
                                        ->     ...
                                               class Lane: ...
                                               @elementary
                                               def exp(x): ...

Their modules are read, not imported: Numba need not be there. Definitions are taken by name with
all that they need, without annotations; module-level names are unique among these modules, and
those that the module has already get a number.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from srcad.emit.helpers import Unannotated
from srcad.emit.printing.unparse import unparse

_HOME = Path(__file__).parents[1]
_FOLDERS = (_HOME / "kernels" / "products", _HOME / "native" / "functions", _HOME / "kernels")
# Each needs only those before it.
_MODULES = (
    *("numba_adapter", "blas", "registers", "gemm", "tiles", "tiled_products"),
    *("coefficients", "variants", "lanes", "exponential", "logarithm", "power"),
    *("trigonometric", "error_function", "roots", "places", "reductions", "contiguous", "waiting"),
    *("matrices", "teams"),
)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """Lines of imports and of definitions, and what the functions asked for are called there."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    names: dict[str, str]


@dataclass(slots=True)
class _Library:
    """Definitions by name in the order of their modules, and the imports by the name they bind."""

    defined: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


def function_source(wanted: Iterable[str], taken: Collection[str] = ()) -> FunctionSource:
    """The functions of `srcad.native.functions` with these names, and all that they need.

    Args:
        taken: names that the module has already.
    """
    wanted, library = list(wanted), _library()
    needed: set[str] = set()
    imports: set[str] = set()
    open_names = list(wanted)
    while open_names:
        name = open_names.pop()
        if name in library.imports:
            imports.add(name)
        elif name in library.defined and name not in needed:
            needed.add(name)
            open_names += sorted(_names_read(library.defined[name]))
    renamed = _fresh_names([name for name in library.defined if name in needed], taken)
    lines: list[str] = []
    for name, node in library.defined.items():
        if name in needed:
            blank = [] if isinstance(node, ast.Assign) else ["", ""]
            lines += [*blank, *_renamed(node, renamed)]
    head = sorted({library.imports[name] for name in imports})
    names = {name: renamed.get(name, name) for name in wanted}
    return FunctionSource(tuple(head), tuple(lines), names)


@functools.cache
def _library() -> _Library:
    found = _Library()
    for module in _MODULES:
        path = next(path for folder in _FOLDERS if (path := folder / f"{module}.py").exists())
        tree = ast.parse(path.read_text())
        for node in Unannotated(fields=True).visit(tree).body:
            match node:
                case ast.FunctionDef() | ast.ClassDef():
                    found.defined[node.name] = node
                case ast.Assign(targets=[target]):
                    for each in ast.walk(target):
                        if isinstance(each, ast.Name) and each.id != "__all__":
                            found.defined[each.id] = node
                case ast.Import() | ast.ImportFrom() if not _is_own(node):
                    for alias in node.names:
                        found.imports[alias.asname or alias.name] = _import_line(node, alias)
    return found


def _is_own(node: ast.Import | ast.ImportFrom) -> bool:
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return module == "__future__" or module.startswith("srcad.")


def _import_line(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    one = ast.Import([alias])
    if isinstance(node, ast.ImportFrom):
        return unparse(ast.ImportFrom(node.module, [alias], 0)).strip()
    return unparse(one).strip()


def _bound(node: ast.stmt) -> set[str]:
    """Parameters and variables of a function: they hide module-level names."""
    bound = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return bound | {each.id for each in names if isinstance(each.ctx, ast.Store)}


def _names_read(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef):
        around = (ast.Expr(each) for each in (*node.bases, *node.decorator_list))
        return set().union(*(_names_read(each) for each in (*around, *node.body)))
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return read - _bound(node)


def _fresh_names(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    used, renamed = {*taken, *names}, {}
    for name in names:
        if name in taken:
            k = 2
            while f"{name}_{k}" in used:
                k += 1
            renamed[name] = f"{name}_{k}"
            used.add(renamed[name])
    return renamed


def _renamed(node: ast.stmt, names: dict[str, str]) -> list[str]:
    copy = ast.parse(unparse(node)).body[0]
    return unparse(_Renamer(names).visit(copy)).strip("\n").splitlines()


class _Renamer(ast.NodeTransformer):
    """Gives module-level names others; parameters and variables that hide them stay."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.name = self.names.get(node.name, node.name)
        bound = _bound(node)
        inner = _Renamer({old: new for old, new in self.names.items() if old not in bound})
        node.body = [inner.visit(each) for each in node.body]
        node.args = inner.visit(node.args)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.names.get(node.name, node.name)
        node.bases = [self.visit(each) for each in node.bases]
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                name = each.name  # a method's name is no module-level name
                self.visit_FunctionDef(each)
                each.name = name
            else:
                self.visit(each)
        return node


__all__ = ["FunctionSource", "function_source"]
