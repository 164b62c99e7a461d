"""Functions of the user's that a module calls as they are, copied into it with all that they need.

from model import soft                     def soft(x):
                                    ->         return np.log1p(np.exp(SHARPNESS * x))
y = soft(x)
                                           SHARPNESS = 2.0

These are functions with a rule, or without derivative. What they read from outside is frozen, if it
is a number, a text or an array; imported, if it is of a library; copied, if it is a function of the
user's as well. Anything else is refused where it is read.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

import gast
import numpy as np

from srcad.emit.bundle import names_of
from srcad.emit.definitions import names_read, renamed, unannotated
from srcad.emit.printing.unparse import unparse
from srcad.emit.references import locate
from srcad.errors import SrcadError, error
from srcad.errors.location import INSTALLED
from srcad.frontend.reading.source import FunctionSource, get_source
from srcad.pipeline.standalone.frozen import frozen
from srcad.pipeline.standalone.imports import grouped, needs_srcad

_HEAD = "# Called as they are: they have rules, or no derivative."


@dataclass(frozen=True, slots=True)
class Carried:
    """A module's text, which imports what the copies need and not what is copied; the copies; what
    is left to be frozen of the objects that it refers to.
    """

    text: str
    lines: list[str]
    globals: Mapping[str, Any]


def carry(text: str, objects: Mapping[str, Any]) -> Carried:
    """Copy what a module's text imports of the user's functions, and those among `objects`.

    Raises:
        CacheError: E503, for what a function reads from outside and has no text.
    """
    tree = ast.parse(text)
    copies = _Copies(tree)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    kept = set()
    for node in imports:
        for each in node.names:
            if isinstance(node, ast.Import):
                kept.add(unparse(ast.Import([each])).strip())
            elif not copies.imported(node.module or "", each):
                kept.add(unparse(ast.ImportFrom(node.module, [each], 0)).strip())
    left = {}
    for name, obj in objects.items():
        if isinstance(obj, FunctionType):
            copies.add(obj, name)
        else:
            left[name] = obj
    if not copies.functions:
        return Carried(text, [], objects)
    head = grouped(kept | {unparse(node).strip() for node in copies.imports.values()})
    lines = text.splitlines()
    end = (imports[-1].end_lineno or 0) if imports else 0
    whole = [*head, *([] if imports else [""]), *lines[end:]]
    return Carried("".join(f"{line}\n" for line in whole), copies.lines(), left)


@dataclass(slots=True)
class _Copies:
    """What is copied so far. `names` are what objects are called, by their ids."""

    tree: ast.Module
    taken: set[str] = field(default_factory=set)
    names: dict[int, tuple[object, str]] = field(default_factory=dict)
    imports: dict[str, ast.stmt] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    functions: dict[str, ast.stmt] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.taken |= names_of(self.tree)
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.taken |= {each.asname or each.name.split(".")[0] for each in node.names}
        self.taken.add("np")
        self.names[id(np)] = (np, "np")

    def imported(self, module: str, alias: ast.alias) -> bool:
        """Copy what is imported, if it is a function of the user's; tells whether it was."""
        if module.split(".")[0] == "srcad" or _is_library(module):
            return False
        try:
            obj = getattr(importlib.import_module(module), alias.name, None)
        except ImportError:  # what compiles the module, where that is not installed
            return False
        if not isinstance(obj, FunctionType):
            return False
        try:
            self.copied(obj, alias.asname or alias.name)
        except SrcadError:
            if needs_srcad(module):
                raise
            return False  # it is there without srcad
        return True

    def copied(self, fn: FunctionType, name: str) -> None:
        """Copy a function, or nothing at all."""
        trial = _Copies(self.tree, *(each.copy() for each in self._parts()))
        trial.add(fn, name)
        self.taken, self.names, self.imports, self.constants, self.functions = trial._parts()

    def _parts(self) -> tuple[Any, ...]:
        return self.taken, self.names, self.imports, self.constants, self.functions

    def add(self, fn: FunctionType, name: str) -> None:
        """Copy a function under a name, with what it reads."""
        self.names[id(fn)] = (fn, name)
        source = get_source(fn)
        node = _plain(fn, source, name)
        inside = names_of(node)
        read = {word: self.value(word, fn, source, inside) for word in names_read(node)}
        others = {word: ast.Name(new) for word, new in read.items() if new and new != word}
        written = renamed(node, others)
        written.name = name
        self.functions[name] = written

    def value(
        self, word: str, fn: FunctionType, source: FunctionSource, inside: Collection[str]
    ) -> str:
        """What the value of a name is called in the module; "" for what Python has.

        Args:
            inside: the names in the function.
        """
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        if word in cells:
            found = cells[word].cell_contents
        elif word in fn.__globals__:
            found = fn.__globals__[word]
        elif hasattr(builtins, word):
            return ""
        else:
            raise _refused(word, source, "is not bound")
        known = self.names[id(found)][1] if id(found) in self.names else ""
        if known and (known == word or known not in inside):
            return known
        name = self.fresh(word, inside)
        if (text := frozen(found)) is not None:
            self.constants[name] = text
            return name
        self.names[id(found)] = (found, name)
        if isinstance(found, ModuleType) and _is_library(found.__name__):
            self.imports[name] = ast.Import([_alias(found.__name__, name)])
        elif isinstance(found, FunctionType) and not _is_library(found.__module__):
            self.add(found, name)
        elif (place := locate(found)) and len(place[1]) == 1 and not needs_srcad(place[0]):
            self.imports[name] = ast.ImportFrom(place[0], [_alias(place[1][0], name)], 0)
        else:
            raise _refused(word, source, f"is a `{type(found).__name__}`")
        return name

    def fresh(self, wish: str, inside: Collection[str]) -> str:
        """A new name of the module, which means nothing else inside of a function."""
        name, k = wish, 1
        while name in self.taken or (k > 1 and name in inside):
            k += 1
            name = f"{wish}_{k}"
        self.taken.add(name)
        return name

    def lines(self) -> list[str]:
        """The constants and the functions."""
        constants = [f"{name} = {text}" for name, text in self.constants.items()]
        head = [line for each in constants for line in each.splitlines()]
        parts = [unparse(node).strip("\n").splitlines() for node in self.functions.values()]
        bodies = [line for part in parts for line in ("", "", *part)]
        return ["", "", _HEAD, *head, *bodies]


def _alias(member: str, name: str) -> ast.alias:
    return ast.alias(member, None if member == name else name)


def _is_library(module: str) -> bool:
    """Whether a module is Python's own, or was installed."""
    top = module.split(".")[0]
    if top in sys.stdlib_module_names or top in ("numpy", "scipy", "numba"):
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return any(part in file for part in INSTALLED) and not needs_srcad(module)


def _plain(fn: FunctionType, source: FunctionSource, name: str) -> ast.FunctionDef:
    """The definition: without decorators, for it is what these were given, and without
    annotations; its defaults are what they are now.
    """
    node = gast.gast_to_ast(source.node)
    if isinstance(node, ast.Lambda):
        node = ast.FunctionDef(name, node.args, [ast.Return(node.body)], [], lineno=0)
    written = any(isinstance(each, ast.Global | ast.Nonlocal) for each in ast.walk(node))
    if not isinstance(node, ast.FunctionDef) or written or _uses_class(fn.__code__):
        raise _refused(fn.__name__, source, "writes what is outside of it, or is a method")
    node.decorator_list = []
    node = unannotated(node)
    arguments = node.args
    arguments.defaults = [_default(x, fn, source) for x in fn.__defaults__ or ()]
    given = fn.__kwdefaults__ or {}
    arguments.kw_defaults = [
        _default(given[each.arg], fn, source) if each.arg in given else None
        for each in arguments.kwonlyargs
    ]
    return node


def _uses_class(code: CodeType) -> bool:
    return "__class__" in code.co_freevars


def _default(value: Any, fn: FunctionType, source: FunctionSource) -> ast.expr:
    text = frozen(value)
    if text is None:
        raise _refused(fn.__name__, source, f"has a `{type(value).__name__}` for a default")
    return ast.parse(text, mode="eval").body


def _refused(word: str, source: FunctionSource, why: str) -> SrcadError:
    """The error for a name that a function reads, at the place where it does."""
    places = (n for n in gast.walk(source.node) if isinstance(n, gast.Name) and n.id == word)
    where = source.at(next(places, source.node))
    what = f"`{word}`, which `{source.fn.__name__}` reads and which {why},"
    if word == source.fn.__name__:
        what = f"`{word}`, which {why},"
    fix = "give it what it reads as arguments, or define it in an installed module without srcad"
    return error("E503", where, what=what, fix=fix)


__all__ = ["Carried", "carry"]
