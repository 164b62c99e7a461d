"""Every place in the user's source that a line of the emitted text computes for.

    z = np.tanh(x @ w) + 1       <- line 7, where `z` is, and line 6, whose product is nested in it
    z_bar = y_bar * scale        <- line 9 of `scaled`, and line 3, which calls it

Comments and messages name one place for each statement. A reader of both texts wants all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from srcad.emit.writer import Writer
from srcad.errors import Location
from srcad.ir import For, If, Op, Stmt, While
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import values_in

# For each line of the text; the place of the statement itself comes first.
Places = dict[int, tuple[Location, ...]]


def find_places(writers: Sequence[Writer], lines: Mapping[int, ast.stmt]) -> Places:
    """The places of each line.

    Args:
        lines: the statement that each line belongs to.
    """
    of_statement = {
        stmt: writer
        for writer in writers
        for stmt in (*writer.locations, *writer.origins, *writer.results)
    }
    found = {
        line: tuple(dict.fromkeys(_places(of_statement[stmt], stmt)))
        for line, stmt in lines.items()
        if stmt in of_statement
    }
    return {line: places for line, places in found.items() if places}


def _places(writer: Writer, stmt: ast.stmt) -> Iterator[Location]:
    yield from _chain(writer.locations.get(stmt))
    made_by = writer.origins.get(stmt)
    if made_by is not None:
        yield from _chain(made_by.loc)
        yield from _nested(writer, _head(writer, made_by))
    yield from _nested(writer, list(writer.results.get(stmt, ())))


def _chain(loc: Location | None) -> Iterator[Location]:
    """A place, and the calls that lead to it."""
    while loc is not None:
        yield loc
        loc = loc.caller


def _head(writer: Writer, stmt: Stmt) -> Any:
    """What the line of a statement computes; of a compound one, its head."""
    match stmt:
        case Op():
            return stmt.args, stmt.kwargs
        case If():
            is_ternary = stmt in writer.nesting.ternaries
            inside = (stmt.then.results, stmt.orelse.results) if is_ternary else ()
            return _condition(stmt), inside
        case For():
            return stmt.start, stmt.stop, stmt.step, stmt.init
        case While():
            return stmt.init, stmt.test.results if stmt in writer.nesting.inline_tests else ()
        case _:
            return ()


def _condition(stmt: If) -> Any:
    match stmt.cond:
        case Attempt():
            return ()
        case Context() as context:
            return context.args, context.kwargs
        case cond:
            return cond


def _nested(writer: Writer, tree: Any) -> Iterator[Location]:
    """The places of the operations that are printed inside an expression."""
    for op in _operations(writer, tree):
        yield from _chain(op.loc)


def _operations(writer: Writer, tree: Any) -> Iterable[Op]:
    for value in values_in(tree):
        op = writer.nesting.nested.get(value)
        if op is not None:
            yield op
            yield from _operations(writer, (op.args, op.kwargs))


__all__ = ["Places", "find_places"]
