"""What a function returns is its caller's alone: no parameter, no view of one, no buffer returned twice.

    return w, g, g                      w_2 = copy(w)
                                        g_2 = copy(g)
                                        return w_2, g, g_2

    x_bar = broadcast_to(g, shape(x))   x_bar = full(shape(x), g)
    return x_bar                        return x_bar

A gradient may be written by who receives it, and a broadcast array cannot be written at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.nodes import Block, Closure, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.optimize.alias import OUTSIDE, Aliases, find_aliases
from srcad.rules.staged import type_of


def fresh(fn: Function) -> Function:
    """The program with copies of results that would share storage with something else."""
    if not any(isinstance(r, Value) and _is_array(r) for r in fn.body.results):
        return fn
    return Function(fn.name, _owned(fn.body, find_aliases(fn)), fn.interface)


def _is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and not value.type.scalar


def _owned(block: Block, facts: Aliases) -> Block:
    """The body of a function, its results made independent."""
    body = [_inner(stmt, facts) for stmt in block.body]
    made = {out: k for k, stmt in enumerate(body) for out in _outs(stmt)}
    uses = ...
    return Block(block.params, body, block.results)
