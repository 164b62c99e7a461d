"""Whether a value is bound is told by the branch or the loop's range that binds it, or by a flag
beside it: compiled code has a zero where nothing is bound.

    for v in x:                         last_is_bound = False
        if v > 0: last = v              for v in x:
    ensure_bound(last)          ->          if v > 0: last, last_is_bound = v, True
    y = last + 1.0                      if not last_is_bound: raise UnboundLocalError
                                        y = last + 1.0
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from srcad.ir import UNDEFINED, Block, Function, If, Op, Stmt, Value
from srcad.ir.definedness import Unbound, is_question, range_test
from srcad.ir.walk import statements
from srcad.optimize.shadow_values import BOOL, Flag, ShadowValues
from srcad.runtime.effects import raise_, unassigned


def answered(fn: Function) -> Block:
    """The body of `fn`, where `ensure_bound` is a test of a flag."""
    asked = [stmt.args[0] for stmt in statements(fn.body) if is_question(stmt)]
    return _Flags(Unbound(fn), asked).block(fn.body) if asked else fn.body


class _Flags(ShadowValues):
    """The flags of values that may be unbound."""

    def __init__(self, unbound: Unbound, asked: Iterable[Value]) -> None:
        self.unbound = unbound
        super().__init__(asked)

    def sources(self, atom: Any) -> Iterable[Any] | None:
        is_flagged = atom in self.unbound.values and not self.unbound.told(atom)
        return self.unbound.ends[atom] if is_flagged else None

    def name(self, value: Value) -> str:
        return f"{value.name}_is_bound"

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        if atom is UNDEFINED:
            return False
        if not isinstance(atom, Value):
            return True
        told = self.unbound.told(atom) if atom in self.unbound.values else None
        if told is None:
            return self.flags.get(atom, True)
        if told[1:] == (True,):
            return told[0]
        out = Value("", BOOL)
        made.append(Op(*_test(told), {}, (out,)))
        return out

    def operation(self, op: Op) -> list[Stmt]:
        return self.question(op) if is_question(op) else [op]

    def question(self, op: Op) -> list[Stmt]:
        """Raise if a value is not bound."""
        value, *other = op.args
        what = tuple(other) or (UnboundLocalError, unassigned(value.name))
        refusal = Op(raise_, what, {}, (), op.loc, effect=True)
        made: list[Stmt] = []
        flag = self.moved(value, value, made)
        if flag is False:
            return [refusal]
        nothing, raised = Block([], [], []), Block([], [refusal], [])
        return [*made, If(flag, nothing, raised, (), op.loc)] if flag is not True else []


def _test(told: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The operation that is true where a value is bound, and what it is applied to."""
    return (operator.not_, (told[0],)) if len(told) == 2 else range_test(told)
