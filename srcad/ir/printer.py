"""IR as text, for people, golden tests and bug reports. Deterministic: names, and extents of which
nothing is known, are numbered by appearance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from srcad.ir.calls import called
from srcad.ir.nodes import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import UNKNOWN, Type


def show(fn: Function) -> str:
    """The program as indented text.

    def f(x: f64[x0]):
        y: f64[x0] = sin(x)
        return y

    Functions that it calls come first; numbers tell apart those of one name.
    """
    return "".join(f"{line}\n" for line in show_lines(fn))


class Line(str):
    """A line of a program's text; `stmt` is the statement that it shows, or shows a part of."""

    stmt: Stmt | None = None


def show_lines(fn: Function) -> list[str]:
    """The lines of `show`; those of statements are a `Line`."""
    functions = [*called(fn), fn]
    labels: dict[Function, str] = {}
    for each in functions:
        k = sum(other.name == each.name for other in labels)
        labels[each] = each.name if k == 0 else f"{each.name}_{k + 1}"
    extents: dict[str, str] = {}
    texts = [_show(each, labels, extents) for each in functions]
    return texts[0] + [line for text in texts[1:] for line in ("", *text)]


def _show(fn: Function, labels: Mapping[Function, str], extents: dict[str, str]) -> list[str]:
    printer = _Printer(labels, extents)
    head = f"def {labels[fn]}({printer.bind(fn.params)}):"
    return [head, *printer.block(fn.body, 1, "return")]


class _Printer:
    def __init__(self, labels: Mapping[Function, str], extents: dict[str, str]) -> None:
        self.labels = labels
        self.extents = extents
        self.names: dict[Value, str] = {}
        self.taken: set[str] = set()

    def name(self, value: Value) -> str:
        if value not in self.names:
            base = value.name or "t"
            name, k = base, 1
            while name in self.taken:
                k += 1
                name = f"{base}_{k}"
            self.taken.add(name)
            self.names[value] = name
        return self.names[value]

    def bind(self, values: Any) -> str:
        return ", ".join(f"{self.name(v)}: {self.type(v.type)}" for v in values)

    def type(self, t: Type) -> str:
        return UNKNOWN.sub(self.extent, str(t))

    def extent(self, found: re.Match[str]) -> str:
        return self.extents.setdefault(found.group(), f"?{len(self.extents) + 1}")

    def tree(self, tree: Any) -> str:
        if isinstance(tree, Value):
            return self.name(tree)
        if isinstance(tree, tuple):
            items = ", ".join(map(self.tree, tree))
            return f"({items},)" if len(tree) == 1 else f"({items})"
        if isinstance(tree, list):
            return f"[{', '.join(map(self.tree, tree))}]"
        if isinstance(tree, slice):
            parts = [tree.start, tree.stop] + ([] if tree.step is None else [tree.step])
            return ":".join("" if p is None else self.tree(p) for p in parts)
        if tree is UNDEFINED or isinstance(tree, bool | int | float | complex | str | None):
            return repr(tree)
        if isinstance(tree, np.ndarray):
            return f"<array {tree.dtype}{list(tree.shape)}>"
        if isinstance(tree, Function):
            return self.labels[tree]
        return getattr(tree, "__name__", None) or repr(tree)

    def trees(self, items: Any) -> str:
        return ", ".join(map(self.tree, items))

    def block(self, block: Block, depth: int, last: str) -> list[str]:
        lines = [line for stmt in block.body for line in self.stmt(stmt, depth)]
        if block.results or last == "return":
            lines.append("    " * depth + f"{last} {self.trees(block.results)}".rstrip())
        return lines or ["    " * depth + "pass"]

    def stmt(self, stmt: Stmt, depth: int) -> list[str]:
        """The lines of a statement; those of the ones inside it are marked already."""
        lines = self._stmt(stmt, depth)
        for k, line in enumerate(lines):
            if not isinstance(line, Line):
                lines[k] = marked = Line(line)
                marked.stmt = stmt
        return lines

    def _stmt(self, stmt: Stmt, depth: int) -> list[str]:
        pad = "    " * depth
        match stmt:
            case Op():
                name = getattr(stmt.fn, "__name__", repr(stmt.fn))
                if isinstance(stmt.fn, Function):
                    name = self.labels[stmt.fn]
                kwargs = [f"{k}={self.tree(v)}" for k, v in stmt.kwargs.items()]
                call = f"{name}({', '.join([*map(self.tree, stmt.args), *kwargs])})"
                return [pad + (f"{self.bind(stmt.outs)} = {call}" if stmt.outs else call)]
            case If():
                head, other = self.heads(stmt.cond)
                lines = [pad + head, *self.block(stmt.then, depth + 1, "yield")]
                if other:
                    lines += [pad + other, *self.block(stmt.orelse, depth + 1, "yield")]
            case For():
                bounds = self.trees((stmt.start, stmt.stop, stmt.step))
                word = "for reversed" if stmt.reverse else "for"
                head = f"{word} {self.bind([stmt.index])} in range({bounds})"
                head += f" carrying ({self.bind(stmt.carried)}) = ({self.trees(stmt.init)})"
                if stmt.ins:
                    head += f" reading ({self.bind(stmt.elements)}) of ({self.trees(stmt.ins)})"
                lines = [pad + head + ":", *self.iteration(stmt, depth + 1)]
            case While():
                carried = f"({self.bind(stmt.body.params)}) = ({self.trees(stmt.init)})"
                lines = [pad + f"while carrying {carried}:"]
                lines += [pad + f"  test({self.bind(stmt.test.params)}):"]
                lines += self.block(stmt.test, depth + 1, "yield")
                lines += [pad + "  do:", *self.iteration(stmt, depth + 1)]
            case Closure():
                inner = stmt.function
                head = f"{pad}{self.name(stmt.out)} = def {inner.name}({self.bind(inner.params)}):"
                return [head, *self.block(inner.body, depth + 1, "return")]
        return [*lines, *self.results(stmt, pad)]

    def iteration(self, stmt: For | While, depth: int) -> list[str]:
        """The body; `yield a, b leaving flag` where the loop exits."""
        if not stmt.exits:
            return self.block(stmt.body, depth, "yield")
        lines = [line for inner in stmt.body.body for line in self.stmt(inner, depth)]
        made = self.trees([*stmt.yielded, *stmt.written])
        leaving = f"leaving {self.trees(stmt.leaves)}"
        return [*lines, "    " * depth + " ".join(filter(None, ("yield", made, leaving)))]

    def heads(self, cond: Any) -> tuple[str, str]:
        """The lines above the blocks of an `If`; the second is empty where there is no block."""
        if isinstance(cond, Attempt):
            return "try:", f"except {self.tree(cond.exceptions)}:"
        if isinstance(cond, Context):
            kwargs = [f"{k}={self.tree(v)}" for k, v in cond.kwargs.items()]
            inside = ", ".join([*map(self.tree, cond.args), *kwargs])
            return f"with {self.tree(cond.manager)}({inside}):", ""
        return f"if {self.tree(cond)}:", "else:"

    def results(self, stmt: If | For | While, pad: str) -> list[str]:
        made = self.bind(stmt.outs)
        if isinstance(stmt, For | While) and stmt.seqs:
            made += f" collecting {self.bind(stmt.seqs)}"
        if isinstance(stmt, For | While) and stmt.count is not None:
            made += f" counting {self.bind([stmt.count])}"
        return [pad + f"-> {made}"] if made else []
