"""Which values must not share a variable, found by walking the printed program backwards.

    h_2 = np.tanh(h @ w)      `h` is read below, so it lives here: h_2 and h clash
    h_bar = g * (1 - h * h)   `h` dies here: h_bar may take its variable

Two values clash if one is written while the other lives. A loop writes what it carries at its head
and at the end of its body, where everything that the next iteration reads lives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from srcad.emit.aliases import is_inplace
from srcad.emit.attempts import exception_of
from srcad.emit.nest import Nesting
from srcad.ir import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.nodes import Atom
from srcad.ir.regions import Attempt
from srcad.ir.walk import free_values, outputs, statements, values_in

Values = set[Value]
Clashes = dict[Value, Values]


def find_clashes(fn: Function, nesting: Nesting) -> Clashes:
    """For each value that has a variable, the values that must have other ones."""
    walker = _Walker(nesting)
    walker.function(fn, set())
    return walker.clashes


class _Walker:
    """Methods take the values that live after a node and return those that live before it."""

    def __init__(self, nesting: Nesting) -> None:
        self.nesting = nesting
        self.clashes: Clashes = defaultdict(set)

    def reads(self, tree: object) -> Values:
        return set(self.nesting.reads(tree))

    def clash(self, values: Iterable[Value], others: Values) -> None:
        for value in values:
            self.clashes[value] |= others
            for other in others:
                self.clashes[other].add(value)
            self.clashes[value].discard(value)

    def each(self, values: Iterable[Value]) -> None:
        """Values that are written together clash with one another."""
        together = set(values)
        self.clash(together, together)

    def function(self, fn: Function, outer: Values) -> None:
        """`outer` are the variables of the functions around that must stay what they are."""
        closures = [s for s in statements(fn.body) if isinstance(s, Closure)]
        captured = {v for s in closures for v in free_values(s.function.body)}
        after = self.reads(fn.body.results) | captured | outer
        before = self.block(fn.body, after)
        self.clash(fn.params, before | set(fn.params))

    def block(self, block: Block, live: Values) -> Values:
        live = set(live)
        for stmt in reversed(block.body):
            live = self.statement(stmt, live)
        return live

    def statement(self, stmt: Stmt, after: Values) -> Values:
        match stmt:
            case Op():
                return self.operation(stmt, after)
            case If():
                return self.branch(stmt, after)
            case For():
                return self.loop(stmt, after)
            case While():
                return self.while_loop(stmt, after)
            case Closure():
                free = set(free_values(stmt.function.body))
                self.clash([stmt.out], after)
                self.function(stmt.function, free)
                return (after - {stmt.out}) | free

    def operation(self, op: Op, live: Values) -> Values:
        nesting = self.nesting
        if any(out in nesting.nested for out in op.outs):
            return live
        outs = [out for out in op.outs if out not in nesting.stored]
        self.clash(outs, live | set(outs))
        live.difference_update(outs)
        read = self.reads((op.args, op.kwargs))
        if is_inplace(op):
            self.clash(outs, read.difference(values_in(op.args[0])))
        live |= read
        return live

    def branch(self, stmt: If, after: Values) -> Values:
        outs = [out for out in stmt.outs if self.nesting.uses[out]]
        self.clash(outs, after | set(outs))
        rest = after.difference(stmt.outs)
        before = self.reads(stmt.cond)
        for block in (stmt.orelse, stmt.then):
            pairs = zip(stmt.outs, block.results, strict=True)
            results = [result for out, result in pairs if self.nesting.uses[out]]
            results += self.leaving(stmt, block)
            before |= self.block(block, rest | self.reads(results))
            if isinstance(stmt.cond, Attempt):
                rest |= before  # what the handler reads lives while the body runs
                self.unbind_exception(stmt, after)
        return before

    def unbind_exception(self, stmt: If, after: Values) -> None:
        """The variable of `except ... as e` is unbound at the end: nothing else is in it."""
        error = exception_of(stmt.orelse)
        if error is not None:
            others = {out for each in statements(stmt.orelse) for out in outputs(each)}
            self.clash([error], after | others | set(stmt.outs))

    def leaving(self, stmt: If | For | While, block: Block) -> list[Atom]:
        """The flag that is read at the end of `block`, if there is one."""
        if not isinstance(stmt, If):
            flags = stmt.leaves
        elif stmt in self.nesting.breaks:
            flags = [self.nesting.breaks[stmt][block is stmt.orelse]]
        else:
            return []
        last = block.body[-1] if block.body else None
        return flags if last not in self.nesting.breaks else []

    def loop(self, stmt: For, after: Values) -> Values:
        bounds = self.reads((stmt.start, stmt.stop, stmt.step, stmt.ins))
        inside = after.difference(outputs(stmt)) | set(free_values(stmt.body))
        inside |= self.reads(stmt.ins)
        if (stmt.seqs and not stmt.exits) or stmt.ins:
            inside |= self.reads((stmt.start, stmt.step))
        made = made_by(stmt)
        throughout = inside | {stmt.index, *made}
        results = [*stmt.turned, *self.leaving(stmt, stmt.body)]
        start = self.block(stmt.body, throughout | self.reads(results))
        carried = self.carry(throughout | start.difference(stmt.carried), stmt.carried, stmt.outs)
        self.clash(stmt.elements, carried | start | set(stmt.elements))
        self.clash([stmt.index], carried | bounds | start)
        for param, init in zip(stmt.carried, stmt.init, strict=True):
            self.clash([param], bounds.difference(values_in(init)))
        self.clash(made, carried | bounds)
        mine = (*stmt.body.params, *made)
        return (inside | start).difference(mine) | bounds | self.reads(stmt.init)

    def while_loop(self, stmt: While, after: Values) -> Values:
        made = made_by(stmt)
        inside = after.difference(stmt.outs, made)
        inside |= {*free_values(stmt.test), *free_values(stmt.body)}
        throughout = inside | made
        results = [*stmt.turned, *self.leaving(stmt, stmt.body)]
        body = self.block(stmt.body, throughout | self.reads(results))
        body.difference_update(stmt.body.params)
        tested = throughout | body | set(stmt.test.params) | self.reads(stmt.test.results)
        start = self.block(stmt.test, tested).difference(stmt.test.params)
        carried = self.carry(throughout | start, stmt.test.params, stmt.body.params, stmt.outs)
        self.clash(made, carried)
        return (inside | start).difference(made) | self.reads(stmt.init)

    def carry(self, others: Values, *columns: Iterable[Value]) -> Values:
        """Carried variables, each a row of `columns`, clash with `others` and with one another."""
        rows = list(zip(*columns, strict=True))
        everything = others.union(*rows)
        for row in rows:
            self.clash(row, everything.difference(row))
        return everything


def made_by(stmt: For | While) -> Values:
    """What a loop binds besides the values that it carries: its sequences and its count."""
    return set(outputs(stmt)[len(stmt.outs) :])
