"""Which operations can raise at run time, as far as a `try` around them has to know.

shape(x), transpose(x), add(1.5, k)      never
everything else                          perhaps: NumPy raises what `np.errstate` tells it to
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from srcad.ir.nodes import Block, If, Op, Value
from srcad.ir.regions import Context
from srcad.ir.types import NumberType, TupleType
from srcad.ir.walk import statements
from srcad.runtime.effects import raise_, reraise

_FACTS: Final[frozenset[Any]] = frozenset({np.shape, np.ndim, np.size, np.transpose, np.asarray})
_NUMERIC: Final[frozenset[Any]] = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.not_),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
        operator.truth,
    }
)

# What `np.errstate` and filters of warnings may be told without making an exception.
SILENT: Final = ("ignore", "warn", "default")
FILTERS: Final = (warnings.simplefilter, warnings.filterwarnings)


def may_raise(op: Op) -> bool:
    """Whether the operation may raise, for all that its types tell."""
    if op.effect:
        return True
    if op.fn in _FACTS:
        return False
    if op.fn is operator.getitem and isinstance(op.args[0], Value):
        return not (isinstance(op.args[0].type, TupleType) and isinstance(op.args[1], int))
    # An int that changes at run time may be too large for a float.
    kinds = {_kind(arg) for arg in op.args if not _is_small(arg)}
    return op.fn not in _NUMERIC or len(kinds) != 1 or None in kinds


def _is_small(atom: Any) -> bool:
    return type(atom) in (int, bool) and abs(atom) < 2**53


def _kind(atom: Any) -> type | None:
    """The class of a Python number; None for everything else. Bools count as ints."""
    is_number = isinstance(atom, Value) and isinstance(atom.type, NumberType)
    kind = atom.type.kind if is_number else type(atom)
    return int if kind is bool else kind if kind in (int, float) else None


def raising_ops(block: Block) -> Iterator[Op]:
    """The operations in `block`, at any depth, that may raise."""
    return (stmt for stmt in statements(block) if isinstance(stmt, Op) and may_raise(stmt))


def never_ends(block: Block) -> bool:
    """Whether every path through `block` raises."""
    last = block.body[-1] if block.body else None
    if isinstance(last, If):
        if isinstance(last.cond, Context):
            return never_ends(last.then)
        return never_ends(last.then) and never_ends(last.orelse)
    return isinstance(last, Op) and last.fn in (raise_, reraise)


def is_strict(stmt: If) -> bool:
    """Whether a `with` makes exceptions of floating-point errors or of warnings.

    The derivative does not run in it: it might raise there where the function does not.
    """
    cond = stmt.cond
    assert isinstance(cond, Context)
    if cond.manager is np.errstate:
        return any(mode not in SILENT for mode in cond.kwargs.values())
    filters = [op for op in stmt.then.body if isinstance(op, Op) and op.fn in FILTERS]
    return any(not op.args or op.args[0] not in SILENT for op in filters)
