"""Statements of a flat program as statements of C.

For(0, n, 1, init=[0.0])                       s = 0.0;
    -> add(s, getitem(x, i))          ->       for (int64_t i = 0; i < n; i++) {
                                                   s = s + x[i];
                                               }
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from srcad.errors import Location
from srcad.ir import UNDEFINED, For, If, Op, Stmt, Value, While
from srcad.ir.kinds import has_axes
from srcad.native.c.expressions import CHOICE, OR, PLUS, UNARY, Text
from srcad.native.c.nodes import Assign, Comment, Line, Nest, Node, assigned, checked_once, words
from srcad.native.c.operations import Operations
from srcad.native.scalarize.loop_builder import Unsuited


@dataclass
class Printer(Operations):
    """Prints the statements of one function."""

    # Blocks

    def block(self, body: Sequence[Stmt], around: Location | None = None) -> list[Node]:
        """The statements of a block, with the user's lines; no check that was made already."""
        return checked_once(self.lines(body, around))

    def lines(self, body: Sequence[Stmt], around: Location | None) -> list[Node]:
        """The statements of a block, with the user's lines."""
        made: list[Node] = []
        last = _line(around)
        for stmt in body:
            self.place = _place(stmt.loc)
            nodes = self.statement(stmt)
            line = _line(stmt.loc)
            if nodes and line is not None and line != last:
                last = line
                assert stmt.loc is not None
                text = self.source(stmt.loc.shown).strip()
                made += [Comment(text)] if text else []
            made += nodes
        return made

    def statement(self, stmt: Stmt) -> list[Node]:
        """One statement."""
        match stmt:
            case Op():
                return self.operation(stmt)
            case If():
                return self.branch(stmt)
            case For():
                return self.loop(stmt)
            case While():
                return self.while_loop(stmt)
        raise Unsuited("a function inside")

    # Copies

    def moves(self, pairs: Iterable[tuple[Value, Any]]) -> list[Node]:
        """`target = source` for each pair, all at once, where they are not one variable."""
        found: list[tuple[str, str]] = []
        for target, source in pairs:
            if source is UNDEFINED or not self.is_read(target):
                continue
            if has_axes(target):
                if self.names[target] == self.text(source):
                    continue
                raise Unsuited("an array that is one of several")
            name, text = self.variable(target), self.text(source)
            if text != name:
                found.append((name, text))
        return _in_parallel(found, self)

    def is_read(self, value: Value) -> bool:
        """Whether a variable is wanted: a value of it is read."""
        return self.names[value] in self.read

    # Branches and loops

    def branch(self, stmt: If) -> list[Node]:
        """`if`, or an assignment of `c ? a : b`."""
        if stmt in self.nesting.ternaries:
            (out,) = stmt.outs
            if not self.is_read(out):
                return []
            cond, a, b = (
                self.e.of(x) for x in (stmt.cond, stmt.then.results[0], stmt.orelse.results[0])
            )
            text = f"{cond.within(OR)} ? {a.within(CHOICE + 1)} : {b.within(CHOICE)}"
            return [Assign(self.variable(out), text)]
        test = self.e.of(stmt.cond)
        sides = []
        for block in (stmt.then, stmt.orelse):
            body = self.block(block.body, stmt.loc)
            sides.append(body + self.moves(zip(stmt.outs, block.results, strict=True)))
        then, orelse = sides
        if not then and not orelse:
            return []
        head = test.text
        if not then:
            head, then, orelse = f"!{test.within(UNARY)}", orelse, []
        return [Nest(f"if ({head})", tuple(then), tuple(orelse))]

    def loop(self, stmt: For) -> list[Node]:
        """`for`."""
        self.see_to_one_variable(stmt.outs, stmt.carried)
        made = self.moves(zip(stmt.outs, stmt.init, strict=True))
        body = self.counted(stmt, made) if stmt.exits else []
        start, stop = self.e.of(stmt.start), self.e.of(stmt.stop)
        self.depth += 1
        body += self.iteration(stmt)
        self.depth -= 1
        changed = set(assigned(body))
        index = self.names[stmt.index]
        if index in changed:
            counter = self.fresh("at", "int64_t")
            del self.types[counter]
            body.insert(0, Assign(self.variable(stmt.index), counter))
        else:
            counter = index
        end = self.steady(stop, changed, made, "end")
        step = self.steady(self.e.of(stmt.step), changed, made, "step")
        head = f"int64_t {counter} = {start.text}; "
        head += f"{_test(counter, stmt.step, end, step)}; {_advance(counter, stmt.step, step)}"
        return [*made, Nest(f"for ({head})", tuple(body), is_loop=True)]

    def see_to_one_variable(self, *columns: Sequence[Value]) -> None:
        """What a loop carries is one variable: before it, in each iteration, and after it."""
        for values in zip(*columns, strict=True):
            if len({self.names[value] for value in values}) > 1:
                raise Unsuited("a number that a loop makes another type of")

    def steady(self, text: Text, changed: set[str], made: list[Node], wish: str) -> Text:
        """An expression that a loop does not change: of other variables, or kept in one."""
        if words(text.text).isdisjoint(changed):
            return text
        name = self.fresh(wish, "int64_t")
        made.append(Assign(name, text.text))
        return Text(name)

    def while_loop(self, stmt: While) -> list[Node]:
        """`while`, with a `break` where the test takes statements."""
        self.see_to_one_variable(stmt.outs, stmt.test.params, stmt.body.params)
        made = self.moves(zip(stmt.outs, stmt.init, strict=True))
        counted = self.counted(stmt, made)
        head = "while (true)"
        body: list[Node] = []
        self.depth += 1
        if stmt in self.nesting.inline_tests:
            head = f"while ({self.text(stmt.test.results[0])})"
        else:
            body = self.block(stmt.test.body, stmt.loc)
            cond = self.e.of(stmt.test.results[0]).within(UNARY)
            body.append(Nest(f"if (!{cond})", (Line("break;"),)))
        iteration = self.iteration(stmt)
        body += [*counted, *iteration] if stmt.exits else [*iteration, *counted]
        self.depth -= 1
        return [*made, Nest(head, tuple(body), is_loop=True)]

    def iteration(self, stmt: For | While) -> list[Node]:
        """The body, what it yields moved to the variables carried, and the way out."""
        body = self.block(stmt.body.body, stmt.loc)
        moves = self.moves(zip(stmt.outs, stmt.yielded, strict=True))
        if not stmt.exits or stmt.leaves[0] is False:
            return body + moves
        leave = self.text(stmt.leaves[0])
        if not words(leave).isdisjoint(assigned(moves)):
            name = self.fresh("leave", "bool")
            moves.insert(0, Assign(name, leave))
            leave = name
        return [*body, *moves, Nest(f"if ({leave})", (Line("break;"),))]

    def counted(self, stmt: For | While, made: list[Node]) -> list[Node]:
        """`count = count + 1`, if iterations are counted; `made` gets the start."""
        if stmt.count is None or not self.is_read(stmt.count):
            return []
        count = self.variable(stmt.count)
        made.append(Assign(count, "0"))
        return [Assign(count, f"{count} + 1")]


def _in_parallel(moves: list[tuple[str, str]], printer: Printer) -> list[Node]:
    """Assignments in an order in which none writes what a later one reads; by way of new variables
    where there is none.
    """
    waiting, made = list(moves), []
    while waiting:
        free = [move for move in waiting if not _is_read(move[0], waiting)]
        if not free:
            kept = [printer.fresh(f"next_{name}", printer.types[name]) for name, _ in waiting]
            made += [Assign(new, text) for new, (_, text) in zip(kept, waiting, strict=True)]
            return [
                *made,
                *(Assign(name, new) for new, (name, _) in zip(kept, waiting, strict=True)),
            ]
        made.append(Assign(*free[0]))
        waiting.remove(free[0])
    return list(made)


def _is_read(name: str, moves: Sequence[tuple[str, str]]) -> bool:
    return any(name in words(text) for target, text in moves if target != name)


def _test(counter: str, step: Any, end: Text, by: Text) -> str:
    if type(step) is int:
        if step < 0 and end.text == "-1":
            return f"{counter} >= 0"
        return f"{counter} {'<' if step > 0 else '>'} {end.within(PLUS)}"
    return f"{by.text} > 0 ? {counter} < {end.within(PLUS)} : {counter} > {end.within(PLUS)}"


def _advance(counter: str, step: Any, by: Text) -> str:
    if type(step) is int and abs(step) == 1:
        return f"{counter}{'++' if step > 0 else '--'}"
    return f"{counter} += {by.text}"


def _line(loc: Location | None) -> tuple[str, int] | None:
    return None if loc is None else (loc.shown.file, loc.shown.line)


def _place(loc: Location | None) -> str:
    """`model.py:12: `, for messages."""
    if loc is None or loc.shown.file.startswith("<"):
        return ""
    return f"{loc.shown.file.rsplit('/', 1)[-1]}:{loc.shown.line}: "


__all__ = ["Printer"]
