"""Which arrays may share storage: `x += v` writes into an array, so nobody else may see it.

A *root* of a value is what its storage may belong to: the value itself if it is fresh, the base of
a view, the inputs and initial values of what a branch or loop passes on.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType
from srcad.ir.walk import values_in
from srcad.rules import RULES

_VIEWS = frozenset((
    operator.getitem, np.transpose, np.reshape, np.ravel, np.swapaxes, np.moveaxis, np.squeeze,
    np.expand_dims, np.broadcast_to, np.broadcast_arrays, np.asarray, np.asanyarray,
    np.ascontiguousarray, np.real, np.imag, np.diagonal, np.diag, np.einsum, np.flip, np.fliplr,
    np.flipud, np.rot90, np.rollaxis, np.matrix_transpose, np.atleast_1d, np.atleast_2d,
    np.atleast_3d, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.conjugate,
    np.real_if_close, np.nan_to_num, np.trim_zeros,
))  # fmt: skip


class Sharing:
    """The roots of values, found from the ops that made them and told by branches and loops."""

    def __init__(self) -> None:
        self.producers: dict[Value, Op] = {}
        self._told: dict[Value, frozenset[Hashable]] = {}

    def note(self, op: Op) -> None:
        """Remember which op made its values."""
        self.producers.update(dict.fromkeys(op.outs, op))

    def tell(self, value: Value, roots: Iterable[Hashable]) -> None:
        """Note what the storage of a parameter or of a joined value may belong to."""
        if is_array(value):
            self._told[value] = self._told.get(value, frozenset()) | frozenset(roots)

    def roots(self, x: object) -> frozenset[Hashable]:
        """The roots of a value; none for constants and for what has no storage of its own."""
        if not isinstance(x, Value) or not is_array(x):
            return frozenset()
        if x in self._told:
            return self._told[x]
        op = self.producers.get(x)
        if op is None:
            return frozenset((x,))
        found = {root for base in _bases(op) for root in self.roots(base)}
        return frozenset(found or {x})


def is_array(value: Value) -> bool:
    """Whether a value has storage that can be written: an array, not a number or NumPy scalar."""
    return isinstance(value.type, ArrayType) and not value.type.scalar


def _bases(op: Op) -> Iterator[Value]:
    """The arguments whose storage the results of `op` may share."""
    if op.fn in _VIEWS or op.fn not in RULES or op.kwargs.get("copy", True) is not True:
        yield from values_in((op.args, op.kwargs))


def shares(a: frozenset[Any], b: frozenset[Any]) -> bool:
    """Whether two sets of roots have one in common."""
    return not a.isdisjoint(b)
