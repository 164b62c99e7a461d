"""Which parameters decide a sparsity pattern: by their values, not only by their shapes.

if t > 0:                       t, a condition
    y = x[i] * w                i, an index; not w, nor x, of which the shape is read

Where only the shape of a value is read, so are those of what it is computed from entry by entry.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcad.ir.interface import Interface, slots
from srcad.ir.nodes import Block, For, If, Op, Stmt, Value, While
from srcad.ir.types import Dim, shape_of
from srcad.ir.walk import all_reads, inputs, outputs, values_in
from srcad.ops import row_of
from srcad.runtime import index_sets

# Of these the shape of what stands at this position counts.
_LIKE: dict[Any, int] = {
    index_sets.own_places: 0,
    index_sets.no_places: 0,
    index_sets.spread_places: 1,
    index_sets.all_places: 0,
    index_sets.summed_places: 1,
    index_sets.within_places: 0,
    index_sets.lines_places: 0,
    index_sets.contracted_places: 0,
}


def deciding_params(interface: Interface, block: Block) -> tuple[str, ...]:
    """The names of the parameters on whose values the results of a block depend.

    What is captured counts, under a name that no parameter has.
    """
    found = _Needs(block.results)
    found.block(block)
    needed = {k for k, p in enumerate(block.params) if p in found.needed}
    names = [(p.name, p.tree) for p in interface.params]
    names += [(f"<captured {p.name}>", p.tree) for p in interface.captures]
    return tuple(name for name, tree in names if needed.intersection(slots(tree)))


class _Needs:
    """The values that are needed, found against the order of the program."""

    def __init__(self, targets: Iterable[Any]) -> None:
        self.needed = {v for v in targets if isinstance(v, Value)}
        self.shaped: set[Value] = set()  # of these the shape is needed

    def block(self, block: Block) -> None:
        for stmt in reversed(block.body):
            shaped = self.shaped.intersection(outputs(stmt))
            if shaped and not (isinstance(stmt, Op) and self.shape_of(stmt)):
                self.needed.update(shaped)
            if any(out in self.needed for out in outputs(stmt)):
                self.statement(stmt)

    def shape_of(self, op: Op) -> bool:
        """Need what the shape of the result follows from; False where that is not known here."""
        row = row_of(op.fn)
        if row.elementwise or row.entries in ("same", "each"):
            self.need_shape(op.args)
        elif row.entries in ("moved", "computed") or op.fn is operator.getitem:
            self.need_shape(op.args[:1])
            self.need((op.args[1:], op.kwargs))
        else:
            return False
        return True

    def need_shape(self, tree: Any) -> None:
        self.shaped.update(v for v in values_in(tree) if not has_lasting_shape(v))

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.op(stmt)
            case If():
                self.need(inputs(stmt))
                if not stmt.is_branch:  # what it reads decides whether it raises
                    self.need([*all_reads(stmt.then)])
                for block in (stmt.then, stmt.orelse):
                    self.hand_back(stmt.outs, block.results)
                    self.block(block)
            case For() | While():
                self.loop(stmt)
            case _:
                self.need(inputs(stmt))

    def op(self, op: Op) -> None:
        """The values that an operation reads, and those of which it reads the shape."""
        at = 0 if row_of(op.fn).shape_only else _LIKE.get(op.key)
        self.need([arg for k, arg in enumerate(op.args) if k != at])
        self.need(op.kwargs)
        if at is not None:
            self.need_shape(op.args[at])

    def loop(self, stmt: For | While) -> None:
        """What a loop needs, followed until nothing more is found."""
        params = stmt.carried
        self.need(stmt.leaves)
        if isinstance(stmt, For):
            self.need((stmt.start, stmt.stop, stmt.step))
        before = -1
        while len(self.needed) + len(self.shaped) != before:
            before = len(self.needed) + len(self.shaped)
            if isinstance(stmt, While):
                self.need(stmt.test.results)
                self.block(stmt.test)
                self.hand_back(stmt.test.params, stmt.init)
                self.hand_back(stmt.test.params, stmt.yielded)
            for targets in (stmt.outs, params):
                self.hand_back(targets, stmt.yielded)
                self.hand_back(targets, stmt.init)
            self.hand_back(stmt.seqs, stmt.written)
            self.block(stmt.body)
        if isinstance(stmt, For):
            self.hand_back(stmt.elements, stmt.ins)

    def hand_back(self, targets: Iterable[Value], sources: Iterable[Any]) -> None:
        """Need the source of each target that is needed."""
        for target, source in zip(targets, sources, strict=False):
            if target in self.needed or target in self.shaped:
                self.need(source)

    def need(self, tree: Any) -> None:
        self.needed.update(values_in(tree))


def has_lasting_shape(x: Any) -> bool:
    """Whether the shape of an atom follows from those of the parameters, and from their ints."""
    shape = shape_of(x.type) if isinstance(x, Value) else np.shape(x)
    return shape is not None and not any(isinstance(e, Dim) and "?" in e.symbol for e in shape)


__all__ = ["deciding_params"]
