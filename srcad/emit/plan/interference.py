"""Interference and liveness: which values must not share a variable, from a backward walk.

    h_2 = np.tanh(h @ w)      `h` is read below, so it lives here: h_2 and h clash
    h_bar = g * (1 - h * h)   `h` dies here: h_bar may take its variable

Two values clash if one is written while the other lives. A loop writes what it carries at its head
and at the end of its body, where everything that the next iteration reads lives. What lives at a
place is a whole number with a bit for each value (`srcad.ir.bits`): in a gradient most of the
forward sweep lives at each place of the reverse sweep.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcad.emit.plan.attempts import exception_of
from srcad.emit.plan.nesting import Nesting
from srcad.ir import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.bits import Bits
from srcad.ir.effects import destroys
from srcad.ir.nodes import Atom
from srcad.ir.regions import Attempt
from srcad.ir.walk import free_values, outputs, statements, values_in


@dataclass(slots=True)
class Clashes:
    """`living`: what lives where a value is written; two values clash if one is in the other's."""

    bits: Bits = field(default_factory=Bits)
    living: dict[Value, int] = field(default_factory=dict)

    def ignore(self, values: Iterable[Value]) -> None:
        """Let `values` clash with nothing."""
        mine = self.bits.of(values)
        if mine:
            self.living = {v: others & ~mine for v, others in self.living.items()}
            self.living.update((value, 0) for value in self.bits.values(mine))


def find_clashes(fn: Function, nesting: Nesting) -> Clashes:
    """For each value that has a variable, the values that must have other ones."""
    walker = _Walker(nesting)
    walker.function(fn, 0)
    return walker.clashes


class _Walker:
    """Methods take the values that live after a node and return those that live before it."""

    def __init__(self, nesting: Nesting) -> None:
        self.nesting = nesting
        self.clashes = Clashes()
        self.of = self.clashes.bits.of

    def reads(self, tree: object) -> int:
        return self.of(self.nesting.reads(tree))

    def clash(self, values: Iterable[Value], others: int) -> None:
        living = self.clashes.living
        for value in values:
            living[value] = living.get(value, 0) | others

    def function(self, fn: Function, outer: int) -> None:
        """`outer` are the variables of the functions around that must stay what they are."""
        closures = [s for s in statements(fn.body) if isinstance(s, Closure)]
        captured = self.of(v for s in closures for v in free_values(s.function.body))
        after = self.reads(fn.body.results) | captured | outer
        before = self.block(fn.body, after)
        self.clash(fn.params, before | self.of(fn.params))

    def block(self, block: Block, live: int) -> int:
        for stmt in reversed(block.body):
            live = self.statement(stmt, live)
        return live

    def statement(self, stmt: Stmt, after: int) -> int:
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
                free = self.of(free_values(stmt.function.body))
                self.clash([stmt.out], after)
                self.function(stmt.function, free)
                return after & ~self.of([stmt.out]) | free

    def operation(self, op: Op, live: int) -> int:
        nesting = self.nesting
        if any(out in nesting.nested for out in op.outs):
            return live
        outs = [out for out in op.outs if out not in nesting.stored]
        made = self.of(outs)
        self.clash(outs, live | made)
        live &= ~made
        read = self.reads((op.args, op.kwargs))
        if destroys(op):
            self.clash(outs, read & ~self.of(values_in(op.args[0])))
        return live | read

    def branch(self, stmt: If, after: int) -> int:
        outs = [out for out in stmt.outs if self.nesting.uses[out]]
        self.clash(outs, after | self.of(outs))
        rest = after & ~self.of(stmt.outs)
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

    def unbind_exception(self, stmt: If, after: int) -> None:
        """The variable of `except ... as e` is unbound at the end: nothing else is in it."""
        error = exception_of(stmt.orelse)
        if error is not None:
            others = self.of(out for each in statements(stmt.orelse) for out in outputs(each))
            self.clash([error], after | others | self.of(stmt.outs))

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

    def loop(self, stmt: For, after: int) -> int:
        of = self.of
        bounds = self.reads((stmt.start, stmt.stop, stmt.step, stmt.ins))
        inside = after & ~of(outputs(stmt)) | of(free_values(stmt.body))
        inside |= self.reads(stmt.ins)
        if (stmt.seqs and not stmt.exits) or stmt.ins:
            inside |= self.reads((stmt.start, stmt.step))
        made = made_by(stmt)
        throughout = inside | of([stmt.index, *made])
        results = [*stmt.yielded, *self.leaving(stmt, stmt.body)]
        start = self.block(stmt.body, throughout | self.reads(results))
        others = throughout | start & ~of(stmt.carried)
        carried = self.carry(others, stmt.carried, stmt.outs)
        self.clash(stmt.elements, carried | start | of(stmt.elements))
        self.clash([stmt.index], carried | bounds | start)
        for param, init in zip(stmt.carried, stmt.init, strict=True):
            self.clash([param], bounds & ~of(values_in(init)))
        self.clash(made, carried | bounds)
        mine = of((*stmt.body.params, *made))
        return (inside | start) & ~mine | bounds | self.reads(stmt.init)

    def while_loop(self, stmt: While, after: int) -> int:
        of = self.of
        made = made_by(stmt)
        inside = after & ~of((*stmt.outs, *made))
        inside |= of((*free_values(stmt.test), *free_values(stmt.body)))
        throughout = inside | of(made)
        results = [*stmt.yielded, *self.leaving(stmt, stmt.body)]
        body = self.block(stmt.body, throughout | self.reads(results))
        body &= ~of(stmt.body.params)
        tested = throughout | body | of(stmt.test.params) | self.reads(stmt.test.results)
        start = self.block(stmt.test, tested) & ~of(stmt.test.params)
        carried = self.carry(throughout | start, stmt.test.params, stmt.body.params, stmt.outs)
        self.clash(made, carried)
        return (inside | start) & ~of(made) | self.reads(stmt.init)

    def carry(self, others: int, *columns: Iterable[Value]) -> int:
        """Carried variables, each a row of `columns`, clash with `others` and with one another."""
        rows = list(zip(*columns, strict=True))
        mine = [self.of(row) for row in rows]
        everything = others
        for each in mine:
            everything |= each
        for row, each in zip(rows, mine, strict=True):
            self.clash(row, everything & ~each)
        return everything


def made_by(stmt: For | While) -> tuple[Value, ...]:
    """What a loop binds besides the values that it carries: its sequences and its count."""
    return outputs(stmt)[len(stmt.outs) :]
