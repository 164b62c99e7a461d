"""The user's functions that a program is made from, line by line, and which statement a line is of.

    12  def loss(w, x):                group 0
    13      y = np.tanh(               group 1
    14          x @ w                  group 1
    15      )                          group 1
    16      for k in range(3):         group 2
    17          y = y * y              group 3

A *group* is a statement, or the head of a compound one: what lights up as one.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcad.errors import Location, SrcadError
from srcad.frontend.reading.source import get_source

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the user's; `group` is None where no statement begins or goes on."""

    line: int
    text: str
    group: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """A function of the user's."""

    name: str
    file: str
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """Name and file, as errors name it."""
        return f"{self.name}, {Location(self.file, 1).short_file}"


class Sources:
    """The functions around some places; the one of `primal` comes first.

    `statements` has the statement that each line belongs to, by file and line.
    """

    def __init__(self, primal: Callable[..., Any], places: Iterable[Location]) -> None:
        self.listings: list[Listing] = []
        self.statements: dict[tuple[str, int], ast.AST] = {}
        self._groups: dict[tuple[str, int], int] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self._n = 0
        self._add_primal(primal)
        for place in places:
            self._add(place)

    @property
    def groups(self) -> int:
        """How many there are."""
        return self._n

    def group(self, place: Location) -> int | None:
        """The statement at a place; None where its source is not to be had."""
        return self._groups.get((place.file, place.line))

    def groups_of(self, places: Iterable[Location]) -> tuple[int, ...]:
        """The statements at some places, each once."""
        found = dict.fromkeys(self.group(place) for place in places)
        return tuple(group for group in found if group is not None)

    def _add_primal(self, primal: Callable[..., Any]) -> None:
        try:
            source = get_source(function_of(primal))
        except SrcadError:  # of a function without source; its callees may have one
            return
        node: Any = source.node
        first = source.first_line
        self._list(source.file, source.fn.__name__, (first, node.end_lineno or first))

    def _add(self, place: Location) -> None:
        if (place.file, place.line) in self._groups or any(
            listing.file == place.file and listing.rows[0].line <= place.line <= _last(listing)
            for listing in self.listings
        ):
            return
        tree = self._tree(place.file)
        if tree is None:
            return
        around = [node for node in ast.walk(tree) if _is_around(node, place.line)]
        functions = [node for node in around if isinstance(node, _Definition)]
        if functions:
            node = min(functions, key=lambda node: (node.end_lineno or 0) - node.lineno)
            self._list(place.file, getattr(node, "name", "<lambda>"), _extent(node))
        elif around:
            self._list(place.file, place.function or "<module>", (place.line, place.line))

    def _list(self, file: str, name: str, extent: _Span) -> None:
        """Add the lines of a function."""
        lines = linecache.getlines(file)
        heads = dict(_statements(self._tree(file), extent, lines))
        inner = [k for k, each in enumerate(self.listings) if _is_inside(each, file, extent)]
        for k in reversed(inner):
            del self.listings[k]
        rows = []
        seen: dict[_Span, int] = {}
        for line in range(extent[0], min(extent[1], len(lines)) + 1):
            around = [span for span in heads if span[0] <= line <= span[1]]
            group = None
            if around:
                span = min(around, key=lambda span: span[1] - span[0])
                known = self._groups.get((file, line))
                group = seen.setdefault(span, self._n if known is None else known)
                self._n = max(self._n, group + 1)
                self._groups[file, line] = group
                self.statements[file, line] = heads[span]
            rows.append(Row(line, lines[line - 1].rstrip("\n"), group))
        if rows:
            self.listings.append(Listing(name, file, tuple(rows)))

    def _tree(self, file: str) -> ast.Module | None:
        if file not in self._trees:
            try:
                self._trees[file] = ast.parse("".join(linecache.getlines(file)))
            except SyntaxError:  # lines of a cell that are no Python: `%timeit`
                self._trees[file] = None
        return self._trees[file]


def function_of(primal: Any) -> Any:
    """What a callable object, or a partial, runs."""
    while hasattr(primal, "func"):
        primal = primal.func
    if not hasattr(primal, "__code__") and not hasattr(primal, "__func__"):
        return type(primal).__call__
    return primal


def _last(listing: Listing) -> int:
    return listing.rows[-1].line


def _is_inside(listing: Listing, file: str, extent: _Span) -> bool:
    first = listing.rows[0].line
    return listing.file == file and extent[0] <= first and _last(listing) <= extent[1]


def _is_around(node: ast.AST, line: int) -> bool:
    first = getattr(node, "lineno", None)
    return first is not None and first <= line <= (getattr(node, "end_lineno", None) or first)


def _extent(node: _Definition) -> _Span:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return first, node.end_lineno or node.lineno


def _statements(
    tree: ast.Module | None, extent: _Span, lines: Sequence[str]
) -> Iterator[tuple[_Span, ast.AST]]:
    """The lines of each statement that overlaps an extent; of a compound one those of its head."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            first, last = _head(node, lines)
            if first <= extent[1] and last >= extent[0]:
                yield (first, last), node


def _head(node: Any, lines: Sequence[str]) -> _Span:
    first = getattr(node, "lineno", None) or node.pattern.lineno
    bodies = [getattr(node, name, None) for name in ("body", "cases")]
    inner = next((body[0] for body in bodies if isinstance(body, list) and body), None)
    if inner is None:
        return first, node.end_lineno or first
    begins = min([_line_of(inner), *(each.lineno for each in getattr(inner, "decorator_list", []))])
    heads = (
        child.end_lineno or child.lineno
        for name, child in _children(node)
        if name not in ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")
    )
    last = max(first, min(max([first, *heads]), begins - 1))
    while last + 1 < begins and lines[last].strip()[:1] in tuple(")]}"):
        last += 1
    return first, last


def _line_of(node: Any) -> int:
    line: int = node.lineno if hasattr(node, "lineno") else node.pattern.lineno
    return line


def _children(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """What stands in the fields of a node and has a place."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                for inner in ast.walk(child):
                    if hasattr(inner, "end_lineno"):
                        yield name, inner


__all__ = ["Listing", "Row", "Sources", "function_of"]
