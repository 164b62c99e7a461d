"""Linear programs without what keeps 0 * inf out of their products.

    t = mul(y_dot, c)                           t = mul(y_dot, c)
    t_2 = where((y_dot == 0) & isnan(t), 0, t)
    z_dot = add(t_2, x_dot)             ->      z_dot = add(t, x_dot)

A NaN that was kept out is in what is computed of it, in each operation of a linear program. So the
results of the bare program are those of the other one where they hold no NaN.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Block, Op, Stmt, Value
from srcad.ir.walk import copy_statements, substitute, with_blocks


def without_masks(body: Sequence[Stmt], env: dict[Value, Any]) -> list[Stmt] | None:
    """A copy of a linear program without masks of products; None where it has none.

    Args:
        env: as of `copy_statements`.
    """
    count = 0

    def copied(body: Sequence[Stmt], env: dict[Value, Any]) -> list[Stmt]:
        nonlocal count
        made: dict[Value, Op] = {}
        found: list[Stmt] = []
        for stmt in body:
            if isinstance(stmt, Op):
                if (product := _masked(stmt, made)) is not None:
                    env[stmt.out] = env.get(product, product)
                    count += 1
                    continue
                made.update(dict.fromkeys(stmt.outs, stmt))
            (one,) = copy_statements([stmt], env)
            found.append(with_blocks(one, inside))
        return found

    def inside(block: Block) -> Block:
        env: dict[Value, Any] = {}
        return Block(block.params, copied(block.body, env), substitute(block.results, env))

    bare = copied(body, env)
    return bare if count else None


def _masked(op: Op, made: dict[Value, Op]) -> Value | None:
    """The product that is masked where a factor is 0 and it, or what it is made of, NaN."""
    if op.fn is not np.where or len(op.args) != 3:
        return None
    condition, zero, product = op.args
    both = _maker(condition, made)
    if type(zero) is not int or zero != 0 or both is None or both.fn is not operator.and_:
        return None
    is_zero, is_nan = (_maker(each, made) for each in both.args)
    if is_zero is None or is_nan is None or is_zero.fn is not operator.eq:
        return None
    is_mask = is_nan.fn is np.isnan and type(is_zero.args[1]) is int and is_zero.args[1] == 0
    return product if is_mask and isinstance(product, Value) else None


def _maker(atom: Atom, made: dict[Value, Op]) -> Op | None:
    return made.get(atom) if isinstance(atom, Value) else None


__all__ = ["without_masks"]
