"""Functions that are called get all that they read as arguments.

    def f(x): ... w ...                 def f(x, w): ... w ...
    y = f(x)                      ->    y = f(x, w)

What a function reads of its surroundings is known when all functions that it calls are: those that
call each other get what any of them reads.
"""

from __future__ import annotations

from srcad.ir.calls import called, calls
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.walk import bound_in, copy_block, free_values, fresh_like, statements


def lift(call: Stmt, functions: list[Function]) -> dict[Function, tuple[Value, ...]]:
    """Close the open `functions` that `call` leads to; returns what each read.

    The list is empty afterwards.
    """
    around = Block([], [call], [])
    opened = [f for f in called(Function("", around)) if f in functions]
    functions.clear()
    read = _reads(opened)
    for block in (around, *(f.body for f in opened)):
        for op in calls(block):
            assert isinstance(op.fn, Function)
            op.args = (*op.args, *read.get(op.fn, ()))
    for f in opened:
        fresh = {value: fresh_like(value) for value in read[f]}
        inner = Block(f.body.params, f.body.body, f.body.results)
        f.body = copy_block(inner, fresh)
        f.body.params += fresh.values()
    return {f: tuple(values) for f, values in read.items()}


def _reads(functions: list[Function]) -> dict[Function, dict[Value, None]]:
    """The values from outside that each function reads, itself or by what it calls."""
    bound = {f: bound_in(f.body) for f in functions}
    found = {f: free_values(f.body) for f in functions}
    before = -1
    while before != (before := sum(map(len, found.values()))):
        for f in functions:
            for op in calls(f.body):
                assert isinstance(op.fn, Function)
                inner = found.get(op.fn, {})
                found[f].update((v, None) for v in inner if v not in bound[f])
    return found


def has_effects(fn: Function) -> bool:
    """Whether calling `fn` does more than return its results."""
    whole = [f.body for f in (fn, *called(fn))]
    return any(isinstance(s, Op) and s.effect for block in whole for s in statements(block))
