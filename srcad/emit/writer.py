"""What the writers of statements share: blocks, copies between variables not shared, places.

[y = x * 2 -> y]                a block, whose result goes to z              y = x * 2
                                                                             z = y
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from types import EllipsisType
from typing import Any

from srcad.emit.operations import Expressions
from srcad.emit.plan.comments import annotate
from srcad.emit.references import STORE
from srcad.errors import Location
from srcad.ir import UNDEFINED, Block, If, Op, Stmt, Value
from srcad.ir.walk import outputs, values_in
from srcad.runtime.effects import commit

SourceText = Callable[[Location], str]
Store = Callable[[ast.expr], ast.stmt]
# What is stored when a value is bound; under None what is stored when the block begins.
Stores = dict[Value | None, list[Store]]


class Writer:
    """Writes the blocks of one function, their statements by `write`.

    `locations` says where each comes from.
    """

    def __init__(
        self,
        expressions: Expressions,
        demanded: set[Value],
        source: SourceText,
        write: Callable[[Stmt, Stores], list[ast.stmt]],
    ) -> None:
        self.expressions = expressions
        self.nesting = expressions.nesting
        self.names = expressions.names
        self.demanded = demanded
        self.source = source
        self.write = write
        self.locations: dict[ast.stmt, Location] = {}
        self.origins: dict[ast.stmt, Stmt] = {}
        self.results: dict[ast.stmt, Sequence[Any]] = {}  # of what is returned
        # The first statement after `commit()`, where there is one; `...` for what comes next.
        self.border: ast.stmt | EllipsisType | None = None

    # Blocks

    def block(self, block: Block, stores: Stores | None = None) -> list[ast.stmt]:
        """The statements of a block, each followed by the `stores` of what it binds."""
        stores = stores or {}
        written = self.stores(stores, [None, *block.params])
        tried: list[ast.stmt] = []  # what the statement before became
        for stmt in block.body:
            made = self.write(stmt, stores)
            made += self.stores(stores, outputs(stmt))
            self.at(stmt, made)
            self.begin_writing(stmt, made)
            if stmt in self.nesting.elses and made:
                written[len(written) - len(tried) :] = []
                made = [*_merge_else(tried, made[0]), *made[1:]]
            written += made
            tried = made
        return written

    def begin_writing(self, stmt: Stmt | None, made: list[ast.stmt]) -> None:
        """Note where the caller's arrays are written first."""
        if isinstance(stmt, Op) and stmt.fn is commit:
            self.border = ...
        elif self.border is ... and made:
            self.border = made[0]

    def stores(self, stores: Stores, values: Iterable[Value | None]) -> list[ast.stmt]:
        """The `stores` of these values, which are bound now."""
        return [
            store(self.expressions.tree(value))
            for value in values
            if value is None or value not in self.nesting.stored
            for store in stores.get(value, ())
        ]

    def suite(self, stmt: Stmt, written: list[ast.stmt]) -> list[ast.stmt]:
        """A block inside `stmt`: with its comments, and with `pass` if it is empty."""
        return annotate(written, self.locations, self.source, stmt.loc) or [ast.Pass()]

    # Copies

    def copies(self, pairs: Iterable[tuple[Value, Any]]) -> list[ast.stmt]:
        """`target = source` for each pair, all at once, where they are not one variable."""
        moves: list[tuple[str, ast.expr, set[str]]] = []
        for target, source in pairs:
            if source is UNDEFINED and target not in self.demanded:
                continue
            value = self.expressions.tree(source)
            if isinstance(value, ast.Name) and value.id == self.names[target]:
                continue
            read = {self.names[v] for v in self.nesting.reads(source)}
            moves.append((self.names[target], value, read))
        return _in_parallel(moves)

    # Branches

    def side(self, stmt: If, block: Block) -> list[ast.stmt]:
        """The statements of one of the two blocks of `stmt`."""
        return [*self.block(block), *self.moves(stmt, block)]

    def moves(self, stmt: If, block: Block) -> list[ast.stmt]:
        """What a branch yields, moved to the variables of the results."""
        pairs = zip(stmt.outs, block.results, strict=True)
        moves = self.copies([(out, r) for out, r in pairs if self.nesting.uses[out]])
        self.at(stmt, moves)
        return moves

    def conditional(self, stmt: If, then: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
        """`if cond: then`, `else: orelse`, as far as there is something in them."""
        cond = self.expressions.tree(stmt.cond)
        if not then and not orelse:
            return []
        if not then:
            cond, then, orelse = negated(cond), orelse, []
        is_elif = len(orelse) == 1 and isinstance(orelse[0], ast.If)
        return [
            ast.If(
                cond,
                self.suite(stmt, then),
                orelse if is_elif or not orelse else self.suite(stmt, orelse),
            )
        ]

    def at(self, stmt: Stmt, written: Sequence[ast.stmt]) -> None:
        """Note that what is written comes from `stmt`, or from what is nested in it."""
        loc = stmt.loc or self.place_of((stmt.args, stmt.kwargs) if isinstance(stmt, Op) else ())
        for each in written:
            self.origins.setdefault(each, stmt)
            if loc is not None:
                self.locations.setdefault(each, loc)

    def place_of(self, tree: Any) -> Location | None:
        """Where the first operation that is nested in an expression comes from."""
        for value in values_in(tree):
            op = self.nesting.nested.get(value)
            if op is not None:
                found = op.loc or self.place_of((op.args, op.kwargs))
                if found is not None:
                    return found
        return None

    def at_results(self, results: Sequence[Any], returned: ast.stmt) -> None:
        """Note where what is computed in a `return` comes from."""
        self.results[returned] = results
        place = self.place_of(list(results))
        if place is not None:
            self.locations.setdefault(returned, place)


def assign(targets: list[str], value: ast.expr) -> ast.Assign:
    """`target = value`, or `a, b = value`."""
    stored: list[ast.expr] = [ast.Name(target, STORE) for target in targets]
    whole = stored[0] if len(stored) == 1 else ast.Tuple(stored, STORE)
    return ast.Assign([whole], value, lineno=0)


def negated(cond: ast.expr) -> ast.expr:
    """`not cond`."""
    if isinstance(cond, ast.UnaryOp) and isinstance(cond.op, ast.Not):
        return cond.operand
    return ast.UnaryOp(ast.Not(), cond)


def _merge_else(tried: list[ast.stmt], branch: ast.stmt) -> list[ast.stmt]:
    """`branch` on the success of the `try` that was written as its `else` and in its handler."""
    assert isinstance(branch, ast.If)
    then, orelse = branch.body, branch.orelse
    if isinstance(branch.test, ast.UnaryOp):
        then, orelse = orelse, then
    if not tried:  # nothing was left to try
        return _without_pass(then)
    (attempt,) = tried
    assert isinstance(attempt, ast.Try)
    (handler,) = attempt.handlers
    handler.body = [*_without_pass(handler.body), *_without_pass(orelse)] or [ast.Pass()]
    attempt.orelse = _without_pass(then)
    return [attempt]


def _without_pass(body: list[ast.stmt]) -> list[ast.stmt]:
    return [stmt for stmt in body if not isinstance(stmt, ast.Pass)]


def _in_parallel(moves: list[tuple[str, ast.expr, set[str]]]) -> list[ast.stmt]:
    """One assignment for the moves that read what others write, one each for the rest."""

    def touches(a: int, b: int) -> bool:
        return a != b and (moves[a][0] in moves[b][2] or moves[b][0] in moves[a][2])

    tangled = [i for i in range(len(moves)) if any(touches(i, j) for j in range(len(moves)))]
    written: list[ast.stmt] = [
        assign([target], value) for i, (target, value, _) in enumerate(moves) if i not in tangled
    ]
    if tangled:
        values = ast.Tuple([moves[i][1] for i in tangled], ast.Load())
        written.append(assign([moves[i][0] for i in tangled], values))
    return written
