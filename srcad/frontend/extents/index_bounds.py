"""What ints are made of, and what they are at least: indices of loops around, extents, arguments.

for i in range(n):                 i >= 0, n - 1 - i >= 0
    for j in range(i):             j >= 0, i - 1 - j >= 0:  i - j is at least 1
"""

from __future__ import annotations

import operator

from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.extents.guarded_ints import is_natural_sum, told
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Op, Value
from srcad.ir.types import Dim, Extent, NumberType
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import type_of

_DEEPEST = 12  # loops inside each other, of which each says what its index is


def affine_of(session: Session, x: Abstract) -> Affine:
    """An int as the sum of others and a number: two that are the same extent are one."""
    if not isinstance(x, Value):
        return Affine(x)
    op = session.memory.producers.get(x)
    if x not in session.spans and isinstance(op, Op) and not op.kwargs and len(op.args) == 2:
        a, b = op.args
        if is_python_int(a) and is_python_int(b):
            if op.fn in (operator.add, operator.sub):
                first, second = affine_of(session, a), affine_of(session, b)
                return first + second if op.fn is operator.add else first - second
            if op.fn is operator.mul and int in (type(a), type(b)):
                return affine_of(session, a) * b if type(b) is int else affine_of(session, b) * a
    extent = x.type.extent if isinstance(x.type, NumberType) else None
    if isinstance(extent, Dim) and extent.floor >= 0:
        return Affine.of(session.extent_values.setdefault(extent.symbol, x)) - (
            extent.minus - _minus(session.extent_values[extent.symbol])
        )
    return Affine.of(x)


def _minus(x: Value) -> int:
    extent = x.type.extent if isinstance(x.type, NumberType) else None
    return extent.minus if isinstance(extent, Dim) else 0


def extent_of(session: Session, count: Abstract) -> Extent | None:
    """The extent of an array with as many entries as an int says, none where it is negative: the
    same for the same sum of arguments, or the same value.
    """
    t = type_of(count)
    if not isinstance(t, NumberType) or t.extent is not None:
        return t.extent if isinstance(t, NumberType) else None
    found = told(session.inputs, session.memory.producers, count)
    if found is None and not (isinstance(count, Value) and t.kind is int):
        return None
    return session.counts.setdefault(count if found is None else found[0], unknown_extent())


def is_natural(session: Session, x: Affine) -> bool:
    """Whether a sum is at least 0, whatever the loops around have come to; of arguments that is a
    guard.
    """
    for _ in range(_DEEPEST):
        index = next((v for v, _ in reversed(x.terms) if v in session.spans), None)
        if index is None:
            break
        k, (least, greatest) = x.coefficient(index), session.spans[index]
        x = x + ((least if k > 0 else greatest) - Affine.of(index)) * k
    if x.number is not None:
        return x.number >= 0
    if any(v in session.spans for v, _ in x.terms):
        return False
    known = [(k, _least(v)) for v, k in x.terms]
    if all(k > 0 and least is not None for k, least in known):
        total = x.const + sum(k * (least or 0) for k, least in known)
        if total >= 0:
            return True
    return is_natural_sum(session.inputs, session.memory.producers, x)


def _least(x: Value) -> int | None:
    extent = x.type.extent if isinstance(x.type, NumberType) else None
    return max(0, extent.floor) if isinstance(extent, Dim) and extent.floor >= 0 else None


__all__ = ["affine_of", "extent_of", "is_natural"]
