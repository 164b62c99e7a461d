"""How wide an expression will print: near enough, before anything has its name."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.emit.syntax import form_of, member_of
from srcad.ir import Op, Value

Measure = Callable[[Value], int]


def width_of_op(op: Op, width_of: Measure) -> int:
    """Columns of the operation's expression, its nested operands as `width_of` says."""
    fn: Any = op.fn
    inside = sum(width_of_tree(arg, width_of) for arg in op.args)
    inside += sum(len(key) + 1 + width_of_tree(arg, width_of) for key, arg in op.kwargs.items())
    form = form_of(fn)
    if form in ("binary", "comparison"):
        return inside + 4
    if form == "unary":
        return inside + 1
    if fn is operator.getitem:
        return inside + 2
    if fn is np.transpose and not op.kwargs:
        return inside + 2
    n = len(op.args) + len(op.kwargs)
    label = member_of(fn)
    if label is None:
        label = "np." + str(getattr(fn, "__name__", None) or getattr(fn, "name", "function"))
    return inside + len(label) + 2 + 2 * max(0, n - 1)


def width_of_tree(tree: Any, width_of: Measure) -> int:
    """Columns of an argument."""
    if isinstance(tree, Value):
        return width_of(tree)
    if isinstance(tree, tuple | list):
        return 2 + sum(width_of_tree(item, width_of) + 2 for item in tree)
    if isinstance(tree, dict):
        return 2 + sum(len(repr(k)) + width_of_tree(v, width_of) + 4 for k, v in tree.items())
    if isinstance(tree, slice):
        ends = [end for end in (tree.start, tree.stop, tree.step) if end is not None]
        return 1 + sum(width_of_tree(end, width_of) for end in ends)
    if isinstance(tree, np.dtype | np.ndarray | type) or callable(tree):
        return len("np.float64")
    if isinstance(tree, np.generic):
        return len(str(tree))
    return 3 if tree is Ellipsis else len(repr(tree))
