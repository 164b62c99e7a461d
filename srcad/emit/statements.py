"""Statements: operations as assignments, branches, and copies between variables not shared.

If(c, [y = x * 2 -> y], [-> 0.0])           if c:
                                                y = x * 2
                                            else:
                                                y = 0.0
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType
from typing import Any

from srcad.emit import loops
from srcad.emit.attempts import merge_else, write_region
from srcad.emit.inplace import write_in_place
from srcad.emit.loops import Stores
from srcad.emit.operations import Expressions
from srcad.emit.plan.aliases import is_inplace
from srcad.emit.plan.comments import annotate
from srcad.emit.references import STORE
from srcad.errors import Location
from srcad.ir import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import blocks, inputs, outputs, statements, values_in
from srcad.runtime.effects import caught, commit, ensure, ensure_bound, raise_, reraise, unassigned
from srcad.runtime.saved import pack

SourceText = Callable[[Location], str]


class Writer:
    """Writes the statements of one function; `locations` says where each comes from."""

    def __init__(
        self,
        expressions: Expressions,
        demanded: set[Value],
        source: SourceText,
        write_closure: Callable[[Writer, Closure], ast.stmt],
    ) -> None:
        self.expressions = expressions
        self.nesting = expressions.nesting
        self.names = expressions.names
        self.demanded = demanded
        self.source = source
        self.write_closure = write_closure
        self.locations: dict[ast.stmt, Location] = {}
        self.origins: dict[ast.stmt, Stmt] = {}
        # The first statement behind `commit()`, where there is one; `...` for what comes next.
        self.border: ast.stmt | EllipsisType | None = None

    # Blocks

    def block(self, block: Block, stores: Stores | None = None) -> list[ast.stmt]:
        """The statements of a block, each followed by the `stores` of what it binds."""
        stores = stores or {}
        written = self.stores(stores, [None, *block.params])
        tried: list[ast.stmt] = []  # what the statement before became
        for stmt in block.body:
            made = self._statement(stmt, stores)
            made += self.stores(stores, outputs(stmt))
            self.at(stmt, made)
            self.begin_writing(stmt, made)
            if stmt in self.nesting.elses and made:
                written[len(written) - len(tried) :] = []
                made = [*merge_else(tried, made[0]), *made[1:]]
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

    def _statement(self, stmt: Stmt, stores: Stores) -> list[ast.stmt]:
        match stmt:
            case Op():
                return self._operation(stmt, stores)
            case If():
                return self._branch(stmt) if stmt.is_branch else write_region(self, stmt)
            case For():
                return loops.write_for(self, stmt)
            case While():
                return loops.write_while(self, stmt)
            case Closure():
                return [self.write_closure(self, stmt)]

    # Operations

    def _operation(self, op: Op, stores: Stores) -> list[ast.stmt]:
        if any(out in self.nesting.nested for out in op.outs):
            return []
        if is_inplace(op) and not op.outs:
            return [write_in_place(op, self.names[op.args[0]], self.expressions)]
        if is_inplace(op):
            target = self.names[op.out]
            return [
                *self.copies([(op.out, op.args[0])]),
                write_in_place(op, target, self.expressions),
            ]
        if op.fn in (caught, commit):
            return []  # `except ... as e`; a border that is the compiler's alone
        if op.fn is reraise:
            return [ast.Raise(self.expressions.tree(op.args[0]))]
        if op.fn is ensure:
            cond, *message = (self.expressions.tree(arg) for arg in op.args)
            return [ast.Assert(cond, message[0] if message else None)]
        if op.fn is ensure_bound:
            return self._bound(op.args[0])
        if op.fn is raise_:
            raised, *args = op.args
            return [
                ast.Raise(self.expressions.call(self.expressions.tree(raised), tuple(args), {}))
            ]
        value = self.expressions.operation(op)
        if not any(self.nesting.uses[out] for out in op.outs) and (op.effect or not op.outs):
            return [ast.Expr(value)]
        if len(op.outs) == 1 and op.out in self.nesting.stored:
            return [store(value) for store in stores[op.out]]
        return [assign([self.names[out] for out in op.outs], value)]

    def _bound(self, value: Value) -> list[ast.stmt]:
        """What raises where a value is `None` since nothing is bound; Python does if it is not."""
        if value not in self.demanded:
            return []
        name = ast.Name(self.names[value], ast.Load())
        said = ast.Constant(unassigned(name.id))
        raised = ast.Raise(ast.Call(self.expressions.tree(UnboundLocalError), [said], []))
        return [ast.If(ast.Compare(name, [ast.Is()], [ast.Constant(None)]), [raised], [])]

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

    def _branch(self, stmt: If) -> list[ast.stmt]:
        used = [i for i, out in enumerate(stmt.outs) if self.nesting.uses[out]]
        if stmt in self.nesting.ternaries:
            results = (stmt.cond, stmt.then.results[0], stmt.orelse.results[0])
            test, first, second = (self.expressions.tree(r) for r in results)
            return (
                [assign([self.names[stmt.outs[0]]], ast.IfExp(test, first, second))] if used else []
            )
        sides = [[*self.block(b), *self.moves(stmt, b)] for b in (stmt.then, stmt.orelse)]
        return self.conditional(stmt, *sides)

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


def find_demanded(fn: Function, names: dict[Value, str]) -> set[Value]:
    """The values that are read on every path, so that where they are unbound they must be `None`.

    An operation reads a partial value only under its condition; a copy, a store to a tape, saving
    and the result of the function do so always. So does a question, unless the next statement reads
    what it asks for: there Python raises, if it is a name that some path assigns.
    """
    demanded = {*values_in(fn.body.results), *_not_read_next(fn.body), *_never_assigned(fn.body)}
    flows: dict[Value, list[Value]] = defaultdict(list)  # these are demanded if the first is
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and stmt.fn is pack:
            demanded.update(values_in(stmt.args))
        if isinstance(stmt, Closure):
            demanded.update(values_in(stmt.function.body.results))
        if isinstance(stmt, For | While):
            demanded.update(values_in([stmt.written, stmt.leaves]))
        for out, param, source in _moves(stmt):
            if not isinstance(source, Value):
                continue
            if names.get(source) == names.get(out):
                flows[out].append(source)
                flows[param].append(source)
                flows[source] += (out, param)
            else:
                demanded.add(source)
    waiting = list(demanded)
    while waiting:
        new = [value for value in flows.get(waiting.pop(), ()) if value not in demanded]
        demanded.update(new)
        waiting += new
    return demanded


def _not_read_next(block: Block) -> Iterator[Value]:
    """What is asked for ahead of something else than what reads it."""
    waiting: list[Value] = []
    for stmt in block.body:
        if isinstance(stmt, Op) and stmt.fn is ensure_bound:
            waiting += stmt.args
            continue
        read = values_in(inputs(stmt)) if isinstance(stmt, Op) else []
        yield from (value for value in waiting if value not in read)
        waiting = []
        for inner in blocks(stmt):
            yield from _not_read_next(inner)
    yield from waiting


def _never_assigned(block: Block) -> list[Value]:
    """What is asked for though no path assigns it: its name would be looked for elsewhere."""
    asked = [s.args[0] for s in statements(block) if isinstance(s, Op) and s.fn is ensure_bound]
    if not asked:
        return []
    sources: dict[Value, list[Any]] = defaultdict(list)
    for stmt in statements(block):
        for out, param, source in _moves(stmt):
            sources[out].append(source)
            sources[param].append(source)
    empty = set(sources)
    while True:
        left = {
            value
            for value in empty
            if all(s is UNDEFINED or (isinstance(s, Value) and s in empty) for s in sources[value])
        }
        if left == empty:
            return [value for value in asked if value in empty]
        empty = left


def _moves(stmt: Stmt) -> Iterable[tuple[Value, Value, Any]]:
    match stmt:
        case For() | While():
            params = stmt.carried if isinstance(stmt, For) else stmt.body.params
            for sources in (stmt.init, stmt.turned):
                yield from zip(stmt.outs, params, sources, strict=True)
        case If():
            for block in blocks(stmt):
                yield from zip(stmt.outs, stmt.outs, block.results, strict=True)
        case _:
            pass
