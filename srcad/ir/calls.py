"""Functions that a program calls: which there are, and a copy of a program together with them.

    def f(x):                        called(main): g, f       each after those that it calls itself
        y = g(x)
        z = f(y)                     f calls itself: it is there once
        return z

A called function sees nothing of its caller: all that it reads is passed. It is no part of the
blocks that `srcad.ir.walk` walks through. Neither is one that is passed on to what calls it, as
its first argument or an option: `odeint(f, y0, t, (a, b))`, `fsolve(f, x0, (a,), fprime=g)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from srcad.ir.nodes import Block, Function, Op
from srcad.ir.walk import copy_block, statements


def calls(block: Block) -> Iterator[Op]:
    """The operations of `block` and the blocks inside that call an IR `Function`."""
    for stmt in statements(block):
        if isinstance(stmt, Op) and isinstance(stmt.fn, Function):
            yield stmt


def passes_function(op: Op) -> bool:
    """Whether `op` calls a library's function on an IR `Function`."""
    return bool(op.args) and isinstance(op.args[0], Function)


def _functions_of(op: Op) -> Sequence[Function]:
    """The IR functions that `op` calls or passes on."""
    if not op.kwargs and not isinstance(op.fn, Function) and not passes_function(op):
        return ()  # nearly every operation
    passed = [*op.args[:1], *op.kwargs.values()]
    return [x for x in (op.fn, *passed) if isinstance(x, Function)]


def called(fn: Function) -> list[Function]:
    """The functions that `fn` calls, directly or not, each after those that it calls itself."""
    seen: set[Function] = set()
    found: list[Function] = []

    def visit(block: Block) -> None:
        for stmt in statements(block):
            if not isinstance(stmt, Op):
                continue
            for callee in _functions_of(stmt):
                if callee not in seen:
                    seen.add(callee)
                    visit(callee.body)
                    found.append(callee)

    visit(fn.body)
    return found


def copy_program(fn: Function) -> Function:
    """A deep copy of `fn` and of the functions that it calls."""
    originals = [*called(fn), fn]
    copies = {
        f: Function(f.name, copy_block(f.body), f.interface, f.recomputed, f.native)
        for f in originals
    }
    for copy in copies.values():
        for stmt in statements(copy.body):
            if isinstance(stmt, Op) and passes_function(stmt):
                stmt.args = (copies[stmt.args[0]], *stmt.args[1:])
                stmt.kwargs = {
                    key: copies[x] if isinstance(x, Function) else x
                    for key, x in stmt.kwargs.items()
                }
            elif isinstance(stmt, Op) and isinstance(stmt.fn, Function):
                stmt.fn = copies[stmt.fn]
    return copies[fn]
