"""Zero guarding: skips loops that only add multiples of a cotangent that is zero.

    t = g if c else 0.0                       t = g if c else 0.0
    for k in range(m):                        if c:
        y[k] += t * a[k]              ->          for k in range(m):
                                                      y[k] += t * a[k]

Most of the cotangents of a minimum or of a `where` are such zeros. What they would be multiplied by
may be infinite: they are zero all the same, as in the rules (`srcad.rules.core.product`). That
holds of cotangents alone: in the function itself zero times infinity is no number. So the loops
that are left out are those that add to what the transform named as a cotangent, and to nothing
else.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import NamedTuple

from srcad.ir import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.inplace import index_iadd, index_isub
from srcad.ir.nodes import Atom, CotangentName
from srcad.ir.walk import fresh_like, reads, statements, with_blocks, with_body, with_program
from srcad.ops import row_of


def guard_zeros(fn: Function) -> Function:
    """The function with loops under the condition that they add something."""
    return with_program(fn, _block(fn.body, {}))


class _Choice(NamedTuple):
    """When a value may differ from zero: where `cond` is true, or false."""

    cond: Atom
    is_true: bool


Choices = dict[Value, _Choice]


def _block(block: Block, choices: Choices) -> Block:
    choices = dict(choices)
    made: list[Stmt] = []
    for stmt in block.body:
        match stmt:
            case If():
                _learn(stmt, choices)
            case Op() if len(stmt.outs) == 1:
                factors = [a for a in _factors(stmt) if isinstance(a, Value) and a in choices]
                if factors:
                    choices[stmt.out] = choices[factors[0]]
        made.append(_chosen(stmt, choices))
    return with_body(block, made)


def _learn(stmt: If, choices: Choices) -> None:
    """A choice between a number and zero."""
    for out, a, b in zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=True):
        if _is_zero(b):
            choices[out] = _Choice(stmt.cond, True)
        elif _is_zero(a):
            choices[out] = _Choice(stmt.cond, False)


def _chosen(stmt: Stmt, choices: Choices) -> Stmt:
    """A loop under the condition that it adds something; the same inside of what is none such."""
    if isinstance(stmt, For) and _adds_to_cotangents(stmt):
        for choice in dict.fromkeys(choices[v] for v in reads(stmt) if v in choices):
            if _adds_nothing(stmt, {v for v, each in choices.items() if each == choice}):
                return _under(stmt, choice)
    return with_blocks(stmt, lambda block: _block(block, choices))


def _adds_to_cotangents(loop: For) -> bool:
    """Whether all that a loop writes or carries are cotangents."""
    ops = (s for s in statements(Block([], [loop], [])) if isinstance(s, Op))
    written = [op.args[0] for op in ops if destroys(op)]
    return all(isinstance(value.name, CotangentName) for value in (*written, *loop.outs))


def _under(loop: For, choice: _Choice) -> If:
    inner = tuple(fresh_like(out) for out in loop.outs)
    blocks = (
        Block([], [replace(loop, outs=inner)], list(inner)),
        Block([], [], list(loop.init)),
    )
    then, orelse = blocks if choice.is_true else blocks[::-1]
    return If(choice.cond, then, orelse, loop.outs, loop.loc)


def _adds_nothing(loop: For, zeros: set[Value]) -> bool:
    """Whether a loop changes nothing if some values are zero."""
    return _Idle(set(zeros)).is_idle(loop)


class _Idle:
    """Statements while some values are zero: which others are zero then, too, and which are the
    `same` as a value that a loop carries.
    """

    def __init__(self, zeros: set[Value]) -> None:
        self.zeros = zeros
        self.same: dict[Value, Atom] = {}

    def is_idle(self, stmt: Stmt) -> bool:
        """Whether a statement changes nothing but what it binds."""
        match stmt:
            case Op():
                return self.is_idle_op(stmt)
            case For():
                return self.is_idle_loop(stmt)
            case If():
                if not stmt.is_branch:
                    return False
                sides = (stmt.then, stmt.orelse)
                results = zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=True)
                if not all(self.is_idle(s) for side in sides for s in side.body):
                    return False
                self.zeros.update(out for out, a, b in results if self.is_zero(a, b))
                return True
        return False

    def is_idle_op(self, op: Op) -> bool:
        if destroys(op):
            return op.fn in (index_iadd, index_isub) and self.is_zero(op.args[2])
        row = row_of(op.fn)
        if op.effect or row.refuses:
            return False
        if row.adds and self.is_zero(op.args[1]):
            if self.is_zero(op.args[0]):
                self.zeros.add(op.out)
            else:
                self.same[op.out] = self.origin(op.args[0])
        elif any(self.is_zero(factor) for factor in _factors(op)):
            self.zeros.add(op.out)
        return True

    def is_idle_loop(self, loop: For) -> bool:
        if loop.exits or loop.ins or loop.seqs or loop.count is not None:
            return False
        if not all(self.is_idle(stmt) for stmt in loop.body.body):
            return False
        pairs = zip(loop.yielded, loop.carried, strict=True)
        if any(self.origin(yielded) is not param for yielded, param in pairs):
            return False
        self.same.update(zip(loop.outs, map(self.origin, loop.init), strict=True))
        return True

    def origin(self, atom: Atom) -> Atom:
        """The value that an atom is the same as."""
        return self.same.get(atom, atom) if isinstance(atom, Value) else atom

    def is_zero(self, *atoms: Atom) -> bool:
        return all(a in self.zeros if isinstance(a, Value) else _is_zero(a) for a in atoms)


def _factors(op: Op) -> tuple[Atom, ...]:
    """Atoms one of which being zero makes the result zero."""
    if op.fn is operator.mul:
        return op.args
    keeps_zero = op.fn in (operator.truediv, operator.neg) or row_of(op.fn).cast
    return op.args[:1] if keeps_zero else ()


def _is_zero(atom: Atom) -> bool:
    return isinstance(atom, int | float) and atom == 0


__all__ = ["guard_zeros"]
