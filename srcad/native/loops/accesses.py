"""Memory accesses: which entries of which arrays each statement reads and writes.

for j in range(n):                   write  t  (j,)
    t[j] = x[i, j + 1]        ->     read   x  (i, j + 1)
    s[0] += t[j]                     read   t  (j,)
                                     add    s  (0,)
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from srcad.ir import Block, For, If, Op, Stmt, Value, While
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, Place
from srcad.ir.inplace import index_set
from srcad.ir.kinds import is_array
from srcad.ir.types import shape_of
from srcad.ir.walk import blocks, outputs, statements, values_in
from srcad.native.scalarize.range_facts import learnt
from srcad.native.vectorised import AT, AT_COMMON, MATMUL_INTO, written_by
from srcad.once import cached_property
from srcad.ops import row_of

Kind = Literal["read", "write", "add", "change"]


def _kind_of_write(fn: Any) -> Kind | None:
    if fn is index_set:
        return "write"
    row = row_of(fn)
    if row.computes is None or row.by_entry is not None:
        return None
    return "add" if row.computes in (operator.add, operator.sub) else "change"


@dataclass(frozen=True, eq=False)
class Access:
    """What is done to an entry, and the loops around it, the outermost first."""

    kind: Kind
    memory: Value
    place: Place
    loops: tuple[For, ...]


@dataclass
class Accesses:
    """What statements do: to entries of arrays; `made` are arrays allocated there. `is_opaque` if
    something is done to arrays that has no such form.
    """

    found: list[Access] = field(default_factory=list)
    made: set[Value] = field(default_factory=set)
    is_opaque: bool = False

    def of(self, memory: Value) -> list[Access]:
        """What is done to one array."""
        return [access for access in self.found if access.memory is memory]

    def union(self, other: Accesses, same: dict[Value, Affine]) -> Accesses:
        """What both do, with the values that `other` names replaced by `same`."""
        moved = [
            replace(a, place=tuple(form and form.replaced(same) for form in a.place))
            for a in (other.found if same else ())
        ]
        both = Accesses([*self.found, *(moved or other.found)], self.made | other.made)
        both.is_opaque = self.is_opaque or other.is_opaque
        both.read = {m: None for m in (*self.read, *other.read) if m not in both.made}
        both.written = {m: None for m in (*self.written, *other.written) if m not in both.made}
        return both

    @cached_property
    def read(self) -> dict[Value, None]:
        """The arrays from outside that are read, in order."""
        kinds = ("read", "add", "change")
        return {a.memory: None for a in self.found if a.kind in kinds and a.memory not in self.made}

    @cached_property
    def written(self) -> dict[Value, None]:
        """The arrays from outside that are written, in order."""
        return {
            a.memory: None for a in self.found if a.kind != "read" and a.memory not in self.made
        }


class Places:
    """Finds the accesses in parts of one function.

    Args:
        products: matrix products are accesses too, to any entry of their arrays.
    """

    def __init__(self, body: Block, *, products: bool = False) -> None:
        self.forms, self.products = Forms(body), products
        self.marked = {
            op.out: op.args
            for op in statements(body)
            if isinstance(op, Op) and op.fn in (AT, AT_COMMON)
        }
        # What checks see to, as sums that are at least 0.
        self.facts: list[Affine] = []
        shapes: set[Value] = set()
        for op in body.body:
            if isinstance(op, Op):
                self.facts += learnt(op, self.forms, shapes)

    def of(self, index: Any) -> Place:
        """The sums that an index is made of; None for what is none."""
        if isinstance(index, Value) and index in self.marked:
            index = self.marked[index]
        return self.forms.place(index)

    def access(self, op: Op, loops: tuple[For, ...] = ()) -> Access | None:
        """What an operation does to an entry of an array; None if it is of another kind."""
        kind = "read" if op.fn is operator.getitem else _kind_of_write(op.fn)
        if kind is None or not is_array(op.args[0]):
            return None
        return Access(kind, op.args[0], self.of(op.args[1]), loops)

    def within(self, *body: Stmt) -> Accesses:
        """What statements do, their blocks included."""
        found = Accesses()
        self._collect(body, (), found)
        return found

    def _collect(self, body: Any, loops: tuple[For, ...], found: Accesses) -> None:
        for stmt in body:
            if isinstance(stmt, Op):
                self._collect_op(stmt, loops, found)
                continue
            inside = (*loops, stmt) if isinstance(stmt, For) else loops
            for inner in blocks(stmt):
                found.is_opaque |= any(map(is_array, inner.params))
                self._collect(inner.body, inside, found)
            found.is_opaque |= not isinstance(stmt, For | While | If)
            found.is_opaque |= any(map(is_array, outputs(stmt)))

    def _collect_op(self, op: Op, loops: tuple[For, ...], found: Accesses) -> None:
        access = self.access(op, loops)
        if op.fn is np.empty:
            found.made.update(op.outs)
        elif access is not None:
            found.found.append(access)
        elif written_by(op) and (self.products or op.fn is not MATMUL_INTO):
            written = written_by(op)
            for memory in filter(is_array, op.args):
                anywhere = (None,) * len(shape_of(memory.type) or ())
                kind: Kind = "change" if memory in written else "read"
                found.found.append(Access(kind, memory, anywhere, loops))
        elif not row_of(op.fn).measures:
            given = values_in((op.args, op.kwargs))
            found.is_opaque |= any(map(is_array, (*given, *op.outs)))
