"""The syntax tree of a live function.

The function's code object decides which text it is, never a wrapper, a name or a guess: each
candidate that stands at the right line is compiled again, and its bytecode compared. So two lambdas
on one line are told apart, and a file that was edited after its import is refused (E102) instead of
being read as if it were the code that runs.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import linecache
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

import gast

from srcad import errors
from srcad.errors import Location, SrcadError
from srcad.errors.cells import cell_name
from srcad.frontend.patterns import without_match
from srcad.frontend.reading.binding import own_nodes
from srcad.frontend.reading.private_names import mangle
from srcad.frontend.reading.same_code import Candidate, Function, compiles_to, imported_names

_Span = tuple[int | None, int | None, int | None, int | None]

# Python's name for any text that `exec` or `-c` runs. Since 3.13 it has the lines of `-c`.
_UNNAMED = "<string>"
_MAX_ENTRIES = 512
_Key = TypeVar("_Key")
_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function with the tree and the text it was compiled from.

    `node` has the lines and columns of the file, and is shared: it is never changed. It may be an
    `AsyncFunctionDef`. `text` begins at the first decorator and is dedented.
    """

    node: gast.FunctionDef | gast.Lambda
    file: str
    first_line: int
    text: str
    fn: FunctionType

    def at(self, node: object) -> Location:
        """Location of one of the tree's nodes."""
        return Location.of(node, self.file, self.fn.__name__)


@dataclass(frozen=True, slots=True)
class _File:
    lines: list[str]
    tree: ast.Module
    begins: tuple[int, ...]  # the lines of the statements at the top
    imported: tuple[str, ...]  # names that imports bind at the top


_files: dict[str, _File] = {}
# By the code's identity: equal code may stand in two places. The code is held, so that its id stays
# taken; the function is not, so that its closure can go.
_known: dict[int, tuple[CodeType, gast.AST, int, str]] = {}


def get_source(fn: object) -> FunctionSource:
    """Source of a `def`, a lambda or a method, wherever its lines can be found.

    Raises:
        UnsupportedSyntax: E101 without source, E102 when the source is not that of the code.
    """
    if isinstance(fn, MethodType):
        fn = fn.__func__
    if not isinstance(fn, FunctionType):
        name = getattr(fn, "__name__", None) or type(fn).__name__
        raise errors.error("E101", what=f"`{name}`", notes=("it is not written in Python",))
    code = fn.__code__
    known = _known.get(id(code)) or _keep(_known, id(code), (code, *_look_up(fn)))
    _, node, first, text = known
    return FunctionSource(node, code.co_filename, first, text, fn)


def place_of_result(fn: Any) -> Location | None:
    """The `return` of a function; where it is defined, if it has several or cannot be read."""
    fn = inspect.unwrap(fn)
    if isinstance(fn, FunctionType | MethodType) and fn.__name__ != "<lambda>":
        with contextlib.suppress(SrcadError):
            source = get_source(fn)
            returns = [each for each in own_nodes(source.node) if isinstance(each, gast.Return)]
            if len(returns) == 1:
                return source.at(returns[0])
    return Location.of_function(fn)


def _look_up(fn: FunctionType) -> tuple[gast.AST, int, str]:
    """Tree, first line and text of a function."""
    code = fn.__code__
    # A text read earlier serves as long as it compiles to the code that runs, whatever has become
    # of the file since.
    file = _files.get(code.co_filename)
    found = _find(file, code) if file else None
    if found is None or file is None:
        file = _read(fn)
        found = _find(file, code) or _find_moved(file, code)
    if found is None:
        number = "E101" if code.co_filename == _UNNAMED else "E102"
        raise errors.error(number, what=f"`{fn.__name__}`", notes=(_defined_at(code),))
    first, text = _first_line(found.node), _text(file.lines, found.node)
    tree = gast.ast_to_gast(found.node)
    if "__" in text:
        mangle(tree, found.class_name)
    return without_match(tree), first, text


def _read(fn: FunctionType) -> _File:
    """Lines and tree of the file a function comes from, as they are now."""
    code = fn.__code__
    name = code.co_filename
    linecache.checkcache(name)
    if name.startswith("<frozen "):  # of Python's own library, which the interpreter holds
        name = str(fn.__globals__.get("__file__", name))
    # The globals lead to the module's loader: modules in a zip file have their lines there.
    lines = linecache.getlines(name, fn.__globals__)
    if not lines:
        raise errors.error("E101", what=f"`{fn.__name__}`", notes=(_defined_at(code),))
    old = _files.get(name)
    if old and old.lines == lines:
        return old
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError as problem:
        notes = (_defined_at(code), f"{name}:{problem.lineno}: {problem.msg}")
        raise errors.error("E102", what=f"`{fn.__name__}`", notes=notes) from None
    begins = tuple(_first_line(stmt) for stmt in tree.body)
    return _keep(_files, name, _File(list(lines), tree, begins, tuple(imported_names(tree))))


def _keep(memory: dict[_Key, _Entry], key: _Key, entry: _Entry) -> _Entry:
    """Remember an entry; of too many the oldest is forgotten."""
    if len(memory) >= _MAX_ENTRIES:
        memory.pop(next(iter(memory)), None)
    memory[key] = entry
    return entry


def _defined_at(code: CodeType) -> str:
    file = cell_name(code.co_filename) or code.co_filename
    return f"it was defined at {file}:{code.co_firstlineno}"


# Finding the node --------------------------------------------------------------------------------


def _find(file: _File, code: CodeType) -> Candidate | None:
    """The function at the code's first line that compiles to it."""
    found = list(_functions(_around(file, code.co_firstlineno), code.co_firstlineno))
    if len(found) > 1:
        spans = [(line, col, end, end_col) for line, end, col, end_col in code.co_positions()]
        found.sort(key=lambda candidate: _misfit(candidate.node, spans))
    return next((each for each in found if compiles_to(each, code, file.imported)), None)


def _find_moved(file: _File, code: CodeType) -> Candidate | None:
    """The function that compiles to the code although lines were added or removed above it."""
    every = _functions(file.tree.body, None)
    return next((each for each in every if compiles_to(each, code, file.imported)), None)


def _around(file: _File, line: int) -> list[ast.stmt]:
    """The statements at the top of a file that a line is of."""
    last = bisect_right(file.begins, line)
    first = last
    while first > 0 and _last_line(file.tree.body[first - 1]) >= line:
        first -= 1
    return file.tree.body[first:last]


def _functions(
    nodes: Iterable[ast.AST], line: int | None, class_name: str | None = None
) -> Iterator[Candidate]:
    """Functions in `nodes` that begin at `line`, or all of them; outer ones first."""
    for child in nodes:
        first = _first_line(child)
        if line is not None and first is not None and not first <= line <= _last_line(child):
            continue
        if isinstance(child, Function) and line in (None, first):
            yield Candidate(child, class_name)
        if isinstance(child, ast.ClassDef):  # its bases and decorators stand outside of it
            outside = (*child.decorator_list, *child.bases, *child.keywords)
            yield from _functions(outside, line, class_name)
            yield from _functions(child.body, line, child.name)
        else:
            yield from _functions(ast.iter_child_nodes(child), line, class_name)


def _first_line(node: Any) -> Any:
    """First line as a code object counts it, decorators included; None for nodes without place."""
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else getattr(node, "lineno", None)


def _last_line(node: Any) -> int:
    last: int = node.end_lineno
    return last


def _misfit(node: Function, spans: Iterable[_Span]) -> tuple[int, int]:
    """How badly a function's body fits the positions of some bytecode; smallest fits best.

    Of the bodies that hold all positions the smallest is the one: `lambda x: lambda y: y`.
    """
    body = node.body if isinstance(node.body, list) else [node.body]
    start = (body[0].lineno, body[0].col_offset)
    end = (body[-1].end_lineno or 0, body[-1].end_col_offset or 0)
    outside = 0
    for line, col, end_line, end_col in spans:
        # Entry instructions have no position, or an empty one.
        if None in (line, col, end_line, end_col) or (line, col) == (end_line, end_col):
            continue
        outside += not (start <= (line, col) and (end_line, end_col) <= end)
    return outside, (end[0] - start[0]) * 10_000 + end[1] - start[1]


# Text --------------------------------------------------------------------------------------------


def _text(lines: list[str], node: Function) -> str:
    first, last = _first_line(node), _last_line(node)
    own = lines[first - 1 : last]
    if not isinstance(node, ast.Lambda):
        return textwrap.dedent("".join(own))
    segment = ast.get_source_segment("".join(own), _shifted(node, first))
    return segment or ""


def _shifted(node: ast.Lambda, first: int) -> ast.Lambda:
    """A copy of the node that counts lines from its own first one."""
    moved = copy.copy(node)
    moved.lineno = 1
    moved.end_lineno = (node.end_lineno or first) - first + 1
    return moved
