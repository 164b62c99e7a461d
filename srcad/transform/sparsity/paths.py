"""Both paths of a branch: its index sets are those of either, whichever the data take.

    if x[0] > 0:                           y_from = x_from[1:] | x_from[:-1]
        y = x[1:] * x[:-1]
    else:
        y = x[:-1] ** 2

A condition on shapes and ints is decided, for they are part of what a pattern is found for. One on
data is not: the paths stand one after the other, and where they meet their sets are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from srcad.ir.effects import CONTROL, destroys
from srcad.ir.keys import freeze
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Op, Stmt, Value, While
from srcad.ir.types import SeqType, is_inexact, shape_of
from srcad.ir.walk import fresh_like, inputs, map_values, outputs, statements, values_in
from srcad.ops import row_of
from srcad.rules.core.staged import Builder, type_of
from srcad.transform.sparsity.deciding import has_lasting_shape
from srcad.transform.sparsity.stores import push_again, push_either


class Paths:
    """What is known of a program whose paths are joined.

    `data`: the values that depend on what floats there are in the arguments, not on their shapes
    and on ints alone. `first`: the first value that is computed as one is. `branches`: those whose
    results values are.
    """

    def __init__(self, block: Block) -> None:
        found = _Data({p for p in block.params if is_inexact(p.type)})
        found.block(block)
        self.data = found.data
        self.first: dict[Value, Value] = {}
        self.branches: dict[Value, If] = {}
        known: dict[Any, Value] = {}
        for stmt in statements(block):
            if isinstance(stmt, If):
                self.branches.update(dict.fromkeys(stmt.outs, stmt))
            if isinstance(stmt, Op) and not stmt.effect and stmt.key is not None:
                key = (stmt.key, self._key((stmt.args, stmt.kwargs)))
                for k, out in enumerate(stmt.outs):
                    self.first[out] = known.setdefault((key, k), out)

    def join(self, stmt: If, count: int, builder: Builder) -> Sequence[Atom] | None:
        """Append both paths of a branch; the index sets where they meet, None if they do not.

        Args:
            count: of the results that are values; behind them are index sets.
        """
        paths, sets = (stmt.then, stmt.orelse), stmt.outs[count:]
        ends = [*zip(*(path.results[count:] for path in paths), strict=True)]
        if stmt.cond not in self.data or not sets or any(map(_must_be_taken, paths)):
            return None
        if not all(map(_have_one_form, ends, sets)):
            return None
        for each in (each for path in paths for each in statements(path)):
            if isinstance(each, Op):
                each.raises = False  # on one path of the function it is not computed
        known, first = self._decided_by(stmt.cond)
        if known is None:
            builder.body += stmt.then.body + stmt.orelse.body
            return self._push_results(builder, stmt, stmt.outs[:count])
        always, sometimes = paths if first else paths[::-1]
        builder.body += always.body
        alone, both = builder.nested(stmt.loc), builder.nested(stmt.loc)
        without = [push_again(alone, atom, always.body) for atom in always.results]
        both.body += sometimes.body
        values = (*map(fresh_like, stmt.outs[:count]),)
        found = [*values, *self._push_results(both, stmt, values)]
        blocks = Block([], alone.body, without), Block([], both.body, found)
        builder.body.append(If(known, *blocks if first else blocks[::-1], stmt.outs, stmt.loc))
        return sets

    def _push_results(self, builder: Builder, stmt: If, values: tuple[Value, ...]) -> list[Atom]:
        """Append the values that a branch gives, of which both paths have been appended; the sets
        beside them.
        """
        count, body = len(values), stmt.then.body + stmt.orelse.body
        a, b = (Block([], [], path.results[:count]) for path in (stmt.then, stmt.orelse))
        builder.body.append(If(stmt.cond, a, b, values, stmt.loc))
        ends = zip(stmt.then.results, stmt.orelse.results, stmt.outs, strict=True)
        found = []
        for *pair, out in [*ends][count:]:
            known = [atom for atom in pair if atom is not UNDEFINED]
            found.append(push_either(builder, known[0], known[-1], out, body, self._key))
        return found

    def _decided_by(self, cond: Atom) -> tuple[Atom, bool]:
        """What is no data and decides a condition where it is as told: `i > 0` of `i > 0 and x[i] >
        0`, which is false where it is false. None where there is no such part.
        """
        chosen = self.branches.get(cond)
        if chosen is None or not chosen.is_branch or chosen.cond in self.data:
            return None, False
        at, test = chosen.outs.index(cond), chosen.cond
        if chosen.orelse.results[at] in (False, test):  # the test itself, where it is false
            return test, False
        return (test, True) if chosen.then.results[at] in (True, test) else (None, False)

    def _key(self, tree: Any) -> Any:
        return freeze(map_values(lambda value: self.first.get(value, value), tree))


def _must_be_taken(path: Block) -> bool:
    """Whether a path may end the function, never end by itself, or change what is read later."""
    return any(
        isinstance(each, While) or (isinstance(each, Op) and (each.fn in CONTROL or destroys(each)))
        for each in statements(path)
    )


def _have_one_form(ends: tuple[Atom, ...], out: Value) -> bool:
    """Whether the index sets at the ends of both paths have one shape, whatever the data are."""
    shape, known = shape_of(out.type), [type_of(atom) for atom in ends if atom is not UNDEFINED]
    is_array = shape is not None and not isinstance(out.type, SeqType)
    return is_array and bool(known) and all(shape_of(t) == shape for t in known)


class _Data:
    """Marks values in program order."""

    def __init__(self, data: set[Value]) -> None:
        self.data = data

    def block(self, block: Block) -> None:
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                if not (row_of(stmt.fn).shape_only and has_lasting_shape(stmt.args[0])):
                    self.mark(outputs(stmt), inputs(stmt))
            case If():
                for block in (stmt.then, stmt.orelse):
                    self.block(block)
                    self.pass_on(block.results, stmt.outs)
                self.mark(stmt.outs, stmt.cond)
            case For() | While():
                self.loop(stmt)
            case _:
                self.mark(outputs(stmt), inputs(stmt))

    def loop(self, stmt: For | While) -> None:
        params = stmt.carried
        self.pass_on(stmt.init, params)
        if isinstance(stmt, For):
            self.pass_on(stmt.ins, stmt.elements)
        before = -1
        while len(self.data) != before:
            before = len(self.data)
            if isinstance(stmt, While):
                self.pass_on(stmt.init, stmt.test.params)
                self.pass_on(stmt.yielded, stmt.test.params)
                self.block(stmt.test)
                self.mark(params, stmt.test.results)
            else:
                self.mark(params, (stmt.start, stmt.stop, stmt.step))
            self.block(stmt.body)
            self.pass_on(stmt.yielded, params)
        self.pass_on(params, stmt.outs)
        self.pass_on(stmt.written, stmt.seqs)

    def pass_on(self, sources: Iterable[Any], targets: Iterable[Value]) -> None:
        """Mark each target whose source is marked."""
        for source, target in zip(sources, targets, strict=False):
            self.mark((target,), source)

    def mark(self, targets: Iterable[Value], sources: Any) -> None:
        """Mark the targets where one of the sources is marked."""
        if any(v in self.data for v in values_in(sources)):
            self.data.update(targets)


__all__ = ["Paths"]
