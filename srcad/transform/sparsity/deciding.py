"""Which parameters decide a sparsity pattern: by their values, not only by their shapes.

if t > 0:                       t, a condition
    y = x[i] * w                i, an index; not w, nor x
"""

from __future__ import annotations

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

    def block(self, block: Block) -> None:
        for stmt in reversed(block.body):
            if any(out in self.needed for out in outputs(stmt)):
                self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.needed.update(_read(stmt))
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

    def loop(self, stmt: For | While) -> None:
        """What a loop needs, followed until nothing more is found."""
        params = stmt.carried if isinstance(stmt, For) else stmt.body.params
        self.need(stmt.leaves)
        if isinstance(stmt, For):
            self.need((stmt.start, stmt.stop, stmt.step))
        before = -1
        while len(self.needed) != before:
            before = len(self.needed)
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
            if target in self.needed:
                self.need(source)

    def need(self, tree: Any) -> None:
        self.needed.update(values_in(tree))


def _read(op: Op) -> list[Value]:
    """The values that an operation reads, without those of which it reads the shape."""
    at = 0 if row_of(op.fn).shape_only else _LIKE.get(op.key)
    if at is not None and has_lasting_shape(op.args[at]):
        return values_in([arg for k, arg in enumerate(op.args) if k != at])
    return values_in((op.args, op.kwargs))


def has_lasting_shape(x: Any) -> bool:
    """Whether the shape of an atom follows from those of the parameters, and from their ints."""
    shape = shape_of(x.type) if isinstance(x, Value) else np.shape(x)
    return shape is not None and not any(isinstance(e, Dim) and "?" in e.symbol for e in shape)


__all__ = ["deciding_params"]
