"""Partial sinking: what the compiler computes of a value that some paths leave unbound is computed
where it is bound.

    if c: h = x                                if c: h, h_2 = x, astype(x, float64)
    for y in ys carrying h = astype(h):   ->   for y in ys carrying h = h_2:
        if d: h = y                                if d: h = y

A loop that carries arrays of two dtypes under one name converts them; a tangent is zero on a path
that does not vary it. That is no read of the program's: a path that has not bound the name raises
nothing. The results of such operations are marked `partial`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

from srcad.ir import UNDEFINED, Function, Op, Stmt, Value
from srcad.ir.definedness import Unbound
from srcad.ir.keys import freeze
from srcad.ir.walk import statements, values_in, with_program
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.shadow_values import Flag, ShadowValues
from srcad.rules.core.infer import infer


def sink_partial(fn: Function) -> Function:
    """The function without operations, of the compiler's own, on what may be unbound."""
    while marked := [stmt for stmt in statements(fn.body) if _is_marked(stmt)]:
        unbound = Unbound(fn)
        found = [op for op in marked if op.args[0] in unbound.values]
        if not found:
            for op in marked:  # of what is bound after all
                op.out.partial = False
            break
        # What is computed of another one's result comes after it.
        alike = [op for op in found if _what(op) == _what(found[0])]
        made = _Sunk(unbound, alike)
        rest = Rewriter()
        fn = with_program(fn, made.block(fn.body))
        rest.env.update(made.results())
        fn = rest.run(fn)
    return fn


def _is_marked(stmt: Stmt) -> TypeGuard[Op]:
    """Whether a statement computes something of one value, which may be unbound."""
    if not isinstance(stmt, Op) or len(stmt.outs) != 1 or not stmt.outs[0].partial:
        return False
    return bool(stmt.args) and not values_in((stmt.args[1:], stmt.kwargs))


def _what(op: Op) -> Any:
    """What an operation does with its first argument."""
    return op.fn, freeze((op.args[1:], op.kwargs))


class _Sunk(ShadowValues):
    """What an operation gives, beside each value that may be unbound."""

    def __init__(self, unbound: Unbound, ops: list[Op]) -> None:
        self.unbound = unbound
        self.ops = ops
        super().__init__(op.args[0] for op in ops)

    def results(self) -> dict[Value, Any]:
        """What stands for the results of the operations that are gone."""
        return {op.out: self.flags[op.args[0]] for op in self.ops}

    def sources(self, atom: Any) -> Iterable[Any] | None:
        return self.unbound.ends.get(atom) if atom in self.unbound.values else None

    def name(self, value: Value) -> str:
        return value.name

    def shadow(self, name: str, value: Value) -> Value:
        op = self.ops[0]
        return Value(name, infer(op.fn, (value, *op.args[1:]), op.kwargs), partial=True)

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        if atom is UNDEFINED or atom in self.flags:
            return self.flags.get(atom, UNDEFINED)
        op, out = self.ops[0], self.shadow("", atom)
        out.partial = False
        made.append(Op(op.fn, (atom, *op.args[1:]), op.kwargs, (out,), op.loc))
        return out

    def operation(self, op: Op) -> list[Stmt]:
        return [] if op in self.ops else [op]
