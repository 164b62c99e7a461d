"""Alias analysis after bufferisation: which reads a write in place may change.

v = x[1:]          v may share with x
z = x + 1          z is fresh: it shares only with what is made of it

A read moves past no write that may change it. Before bufferisation
`srcad.optimize.analysis.alias` asks which buffers may be written at all.
"""

from __future__ import annotations

from typing import Literal

from srcad.ir import Op, Value
from srcad.ir.effects import destroys
from srcad.ir.kinds import has_storage
from srcad.ir.walk import values_in
from srcad.ops.memory import memory_of

Kind = Literal["fresh", "input", "unknown"]


class Aliases:
    """Filled in program order; values are numbered as they appear."""

    def __init__(self) -> None:
        self.roots: dict[Value, frozenset[Value]] = {}
        self.kinds: dict[Value, Kind] = {}
        self.order: dict[Value, int] = {}

    def add(self, value: Value, kind: Kind) -> None:
        """A value that is the root of its own memory."""
        self.roots[value] = frozenset((value,))
        self.kinds[value] = kind
        self.order[value] = len(self.order)

    def add_op(self, op: Op) -> None:
        """The results of an operation."""
        if destroys(op):
            roots = self.roots[op.args[0]] if isinstance(op.args[0], Value) else frozenset()
        elif memory_of(op) == "fresh":
            roots = frozenset()
        else:
            shared = (self.roots[v] for v in values_in((op.args, op.kwargs)) if has_storage(v.type))
            roots = frozenset[Value]().union(*shared)
        for out in op.outs:
            if roots:
                self.roots[out] = roots
            else:
                self.add(out, "fresh")

    def may_change(self, read: Value, written: Value) -> bool:
        """Whether writing `written` in place may change what `read` holds.

        Inputs are never written: the pass that marks an operation as in place has seen to that.
        """
        theirs = self.roots[written]
        return any(self._shares(root, theirs) for root in self.roots[read])

    def _shares(self, root: Value, theirs: frozenset[Value]) -> bool:
        if root in theirs:
            return True
        kind = self.kinds[root]
        if kind == "input":
            return False
        for other in theirs:
            unknown, younger = self.kinds[other] == "unknown", self.order[other] > self.order[root]
            if kind == "fresh" and unknown and younger:
                return True
            if kind == "unknown" and (unknown or not younger):
                return True
        return False
