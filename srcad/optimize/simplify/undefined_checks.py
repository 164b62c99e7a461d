"""Definedness checks: raises as Python does where a path may have left a value unbound.

    for v in x: last = v * v            for v in x: last = v * v
    y = last + 1.0              ->      ensure_bound(last)
                                        y = last + 1.0

In the text for NumPy it is a name, unbound or `None`; compiled code has flags
(`srcad.native.scalarize.bound_flags`).
It runs ahead of the derivative, which may not need what the function reads, and once more ahead of
stores, where what was simplified reads less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from srcad.ir import Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.definedness import Held, Unbound, behind, inside, is_question
from srcad.ir.walk import (
    outputs,
    reached,
    statements,
    values_in,
    with_blocks,
    with_body,
    with_program,
)
from srcad.runtime.checkpoints.states import Checkpoints
from srcad.runtime.effects import ensure_bound
from srcad.runtime.saved import pack

_SAVING = (pack, Checkpoints.record)


def check_undefined(fn: Function) -> Function:
    """The function with `ensure_bound` ahead of each read of what may be unbound, nowhere else."""
    return _checked(fn, Unbound(fn))


def _checked(fn: Function, unbound: Unbound) -> Function:
    made = fn
    if unbound.values:
        made = with_program(fn, _asking(fn.body, frozenset(), unbound, is_last=True))
    if not any(map(is_question, statements(made.body))):
        return fn
    # What is made of something that was asked for need not be asked for itself.
    return with_program(made, _pruned(made.body, frozenset(), Unbound(made)))


def read_perhaps_unbound(fn: Function) -> frozenset[Value]:
    """The values that are read where a path may have left them unbound, and those that such a one
    is made of.
    """
    unbound = Unbound(fn)
    found = {stmt.args[0] for stmt in statements(_checked(fn, unbound).body) if is_question(stmt)}
    return frozenset(reached(found, lambda value: unbound.ends.get(value, ())))


def _question(value: Value, at: Stmt) -> Op:
    return Op(ensure_bound, (value,), {}, (), at.loc, effect=True)


def _asking(block: Block, held: Held, unbound: Unbound, *, is_last: bool) -> Block:
    """A block that asks, for its results too if it is the last: at its end, for what raises or
    acts before comes first. The program may have asked for them itself.
    """
    made: list[Stmt] = []
    bound_at = {value: stmt for stmt in block.body for value in outputs(stmt)} if is_last else {}

    def ask(values: Iterable[Value], at: Stmt) -> None:
        nonlocal held
        for value in values:
            if value in unbound.values and not unbound.is_there(value, held):
                made.append(_question(value, at))
                held = behind(made[-1], held)

    for stmt in block.body:
        tests = stmt.test if isinstance(stmt, While) else None

        def within(inner: Block, around: Held, tests: Block | None = tests) -> Block:
            return _asking(inner, around, unbound, is_last=inner is tests)

        ask(values_in(_read(stmt)), stmt)
        made.append(_changed(stmt, held, within))
        held = behind(stmt, held)
    for value in values_in(block.results):
        if value in bound_at:
            ask([value], bound_at[value])
    return with_body(block, made)


def _read(stmt: Stmt) -> Any:
    """What a statement reads itself, ahead of its blocks; what it moves or saves is not read."""
    match stmt:
        case Op() if stmt.fn not in _SAVING and not is_question(stmt):
            return (stmt.args, stmt.kwargs)
        case If():
            return stmt.cond
        case For():
            return (stmt.start, stmt.stop, stmt.step)
    return ()


def _pruned(block: Block, held: Held, unbound: Unbound) -> Block:
    """A block that asks for nothing that is there."""
    made: list[Stmt] = []
    for stmt in block.body:
        if is_question(stmt) and unbound.is_there(stmt.args[0], held):
            continue
        made.append(_changed(stmt, held, lambda b, around: _pruned(b, around, unbound)))
        held = behind(stmt, held)
    return with_body(block, made)


def _changed(stmt: Stmt, held: Held, change: Callable[[Block, Held], Block]) -> Stmt:
    """A statement with other blocks, made of each and of what is known in it."""
    if isinstance(stmt, Op):
        return stmt
    around = {id(block): known for block, known in inside(stmt, held)}
    return with_blocks(stmt, lambda block: change(block, around[id(block)]))
