"""Arrays that are known while compiling are passed to compiled functions as all others are.

    t = matmul(x, <constant>)           w = asarray(<constant>)
                                  ->    t = matmul(x, w)

The caller has them: they are made once, when the module is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir import Block, Op, Stmt, Value
from srcad.ir.walk import map_tree
from srcad.native.scalarize.scalars import scalar_ops
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.staged import type_of


def bind_constants(run: Sequence[Stmt]) -> tuple[Sequence[Stmt], list[Op]]:
    """The statements with values in the place of constant arrays, and what binds these before."""
    walk = _Binding()
    block = walk.block(Block([], list(run), []))
    return (block.body, walk.bindings) if walk.bindings else (run, [])


class _Binding(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[int, Value] = {}
        self.bindings: list[Op] = []

    def sub(self, tree: Any) -> Any:
        """`tree` with values for constant arrays; the same object where there are none."""
        return map_tree(self.bound, tree) if _has_array(tree) else tree

    def bound(self, atom: Any) -> Any:
        if not _has_array(atom):
            return atom
        if id(atom) not in self.values:
            value = self.values[id(atom)] = Value("", type_of(atom))
            self.bindings.append(Op(np.asarray, (atom,), {}, (value,)))
        return self.values[id(atom)]


def _has_array(tree: Any) -> bool:
    if isinstance(tree, np.ndarray):
        return tree.ndim > 0 and scalar_ops.is_number_type(type_of(tree))
    if isinstance(tree, dict):
        return any(map(_has_array, tree.values()))
    if isinstance(tree, slice):
        return any(map(_has_array, (tree.start, tree.stop, tree.step)))
    return isinstance(tree, tuple | list) and any(map(_has_array, tree))


__all__ = ["bind_constants"]
