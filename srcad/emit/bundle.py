"""Definitions of srcad copied into a module that stands alone, with all that they need.

from srcad.native.functions import exp         from llvmlite import ir
                                               from numba.extending import intrinsic
                                        ->     ...
                                               class Lane: ...
                                               @elementary
                                               def exp(x): ...

Names that the module has already, or that two modules of srcad share, get a number.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from itertools import count

from srcad.emit.definitions import Key, definitions_of, home_of, names_read, renamed
from srcad.emit.printing.unparse import unparse


class Bundle:
    """What is copied so far; `names` are the names that it gets, `imports` the lines it needs."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)
        self.names: dict[Key, str] = {}
        self.imports: set[str] = set()

    def add(self, module: str, name: str) -> str:
        """Copy a definition with what it needs, or import it; returns what it is called."""
        module, name = home_of(module, name)
        known = definitions_of(module)
        if name in known.imports:
            self.imports.add(known.imports[name])
            return name
        key = module, name
        if key not in self.names:
            self.names[key] = self._fresh(name)
            for node in (known.defined[name], *known.effects):
                for word in names_read(node):
                    if word in known.defined or word in known.own or word in known.imports:
                        self.add(module, word)
        return self.names[key]

    def _fresh(self, wish: str) -> str:
        numbered = (f"{wish}_{k}" if k > 1 else wish for k in count(1))
        found = next(name for name in numbered if name not in self._taken)
        self._taken.add(found)
        return found

    def lines(self) -> list[str]:
        """The definitions, those of a module after those of the modules that it imports."""
        lines: list[str] = []
        after_block = False
        for module in self._in_order():
            known = definitions_of(module)
            homes = {name: home_of(module, name) for name in (*known.defined, *known.own)}
            names = {name: ast.Name(self.names[k]) for name, k in homes.items() if k in self.names}
            parts = [part for name, part in known.defined.items() if (module, name) in self.names]
            for node in (*parts, *known.effects):
                is_block = not isinstance(node, ast.Assign)
                text = unparse(renamed(node, names)).strip("\n")
                lines += [*(["", ""] if is_block or after_block else []), *text.splitlines()]
                after_block = is_block
        return lines

    def _in_order(self) -> list[str]:
        """The modules of what is copied; no two of srcad's import one another."""
        copied = {module for module, _ in self.names}
        order: dict[str, None] = {}

        def visit(module: str) -> None:
            homes = {home_of(module, name)[0] for name in definitions_of(module).own}
            for home in sorted(homes & copied - order.keys()):
                visit(home)
            order.setdefault(module)

        for module in sorted(copied):
            visit(module)
        return list(order)


def names_of(tree: ast.AST) -> set[str]:
    """Every name that a module uses, in whatever place, but for those of its imports."""
    nodes = list(ast.walk(tree))
    return {
        *(node.id for node in nodes if isinstance(node, ast.Name)),
        *(node.arg for node in nodes if isinstance(node, ast.arg)),
        *(node.name for node in nodes if isinstance(node, ast.FunctionDef)),
    }


__all__ = ["Bundle", "names_of"]
