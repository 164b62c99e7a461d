"""What the entries of a laid list may be in Python, and the arrays that hold them.

[0.0] * n              floats                            an array of floats, read as `float(x[i])`
    xs[i] = a[i]       NumPy's as well                   a second array has the marks of these
[0] * n                ints                              an array of ints
    xs[i] = 0.5        ints and floats                   an array of floats

A list begins with the kinds of what it is made of. Where another one is stored, the function is
lowered again, and the list made at that place may hold it from the beginning.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.nodes import Block, For, If, Value, While
from srcad.ir.types import NumberType, dtype_of, rank_of
from srcad.ir.walk import statements
from srcad.rules.core.joined_kinds import FLOATS, Kind, is_numpys

_HOLDS = "laid with: "
_DTYPES = map(np.dtype, (bool, int, float, complex, np.float32, np.complex64))
_NAMES: dict[Kind, str] = {
    **{kind: kind.__name__ for kind in (bool, int, float, complex)},
    **{(dtype, True): f"NumPy's {dtype}" for dtype in _DTYPES},
}
_SMALL = 2**20


def known_kinds(session: Session, origin: str, kinds: Collection[Kind]) -> frozenset[Kind]:
    """The kinds of what is held by the lists made at a place, as far as it has turned out."""
    statics = session.inputs.statics
    return frozenset(kinds) | {kind for kind in _NAMES if _key(origin, kind) in statics}


def hold(form: Laid, kinds: Collection[Kind]) -> None:
    """Lower again if a list may not hold numbers of these kinds."""
    new = frozenset(kinds) - form.kinds
    if not new:
        return
    if not form.origins or dtype_of_kinds(form.kinds | new) is None:
        form.decline()
    raise NeedStatic(frozenset(_key(origin, kind) for origin in form.origins for kind in new))


def hold_alike(a: Laid, b: Laid) -> None:
    """Lower again if one of two lists that meet may hold more than the other."""
    for form, other in ((a, b), (b, a)):
        hold(form, other.kinds)


def _key(origin: str, kind: Kind) -> str:
    return f"{_HOLDS}{_NAMES.get(kind, '')}: {origin}"


def is_held(kind: Kind) -> bool:
    """Whether lists hold numbers of a kind."""
    return kind in _NAMES


def kinds_of_number(session: Session, x: Abstract) -> frozenset[Kind] | None:
    """The kinds that a number may have; None where `x` is none, or no list holds it."""
    is_number = isinstance(x, Value | bool | int | float | complex | np.generic)
    if not is_number or (isinstance(x, Value) and rank_of(x.type) != 0):
        return None
    found = session.kinds.of(session.atom(x))
    return found if found is not None and found <= _NAMES.keys() else None


def dtype_of_kinds(kinds: frozenset[Kind]) -> np.dtype[Any] | None:
    """The dtype of an array that holds numbers of these kinds; None where there is none."""
    if len(kinds) == 1:
        (kind,) = kinds
        return kind[0] if is_numpys(kind) else np.dtype(kind)
    numpys = {kind[0] for kind in kinds if is_numpys(kind)} or {np.dtype(float)}
    if len(numpys) > 1 or not {kind for kind in kinds if not is_numpys(kind)} <= {int, float}:
        return None
    (dtype,) = numpys
    return dtype if dtype.kind == "f" else None


def has_marks(kinds: frozenset[Kind]) -> bool:
    """Whether a second array says which numbers are NumPy's: the others raise on their own."""
    return len(set(map(is_numpys, kinds))) > 1


def is_told(kinds: frozenset[Kind]) -> bool:
    """Whether the array, with its marks, tells of each number what it is in Python."""
    return len(kinds) == 1 or kinds == FLOATS


def is_held_exactly(session: Session, form: Laid, x: Abstract) -> bool:
    """Whether an array holds a number as it is: Python's ints have no bound, so those that are
    stored grow by no more than a step each time; in single precision, Python's numbers are
    constants.

    D[i][j] = D[i - 1][j] + 1      n = xs[i] + xs[i - 1]; xs[i + 1] = n
    """
    kinds = session.kinds.of(session.atom(x))
    if form.marks is not None and dtype_of_kinds(form.kinds) == np.float32:
        is_numpy = kinds is not None and all(map(is_numpys, kinds))
        return is_numpy or (not isinstance(x, Value) and (x != x or np.float32(x) == x))
    return kinds is not None and _is_slow(session, x)


def are_held_exactly(numbers: Value, dtype: np.dtype[Any] | None) -> bool:
    """Whether an array of this dtype holds all the numbers of another one as they are."""
    own = dtype_of(numbers.type)
    return own is not None and dtype is not None and np.can_cast(own, dtype)


def _is_slow(session: Session, x: Abstract, seen: frozenset[Value] = frozenset()) -> bool:
    """Whether a number is an entry of an array, or little more, where it is an int."""
    if int not in (session.kinds.of(session.atom(x)) or (int,)) or _is_small(session, x):
        return True
    if x in seen:
        return True
    seen |= {x}
    op = session.memory.producers.get(x)
    if op is None:
        ends = _ends(session, x)
        return bool(ends) and all(_is_slow(session, end, seen | {x}) for end in ends)
    if op.kwargs:
        return False
    if op.fn in (operator.add, operator.sub):
        pairs = (op.args, op.args[::-1])
        return any(_is_slow(session, a, seen) and _is_small(session, b) for a, b in pairs)
    if op.fn in (min, max, abs, operator.neg):
        return all(_is_slow(session, a, seen) for a in op.args)
    if op.fn in (int, float, runtime.as_listed) and isinstance(op.args[0], Value):
        op = session.memory.producers.get(op.args[0])
    return op is not None and op.fn is operator.getitem


def _ends(session: Session, x: Value) -> tuple[Any, ...]:
    """What meets in the result of a branch or loop before, or in what a loop carries."""
    for body in (session.builder.body, *session.around[::-1]):
        for stmt in statements(Block([], body, [])):
            if isinstance(stmt, If) and x in stmt.outs:
                k = stmt.outs.index(x)
                return stmt.then.results[k], stmt.orelse.results[k]
            if isinstance(stmt, For | While):
                for values in (stmt.outs, stmt.carried if isinstance(stmt, For) else ()):
                    if x in values:
                        k = tuple(values).index(x)
                        return stmt.init[k], stmt.yielded[k]
    return ()


def _is_small(session: Session, x: Abstract) -> bool:
    """Whether an int is a constant, an extent, an index, or the product of two."""
    if not isinstance(x, Value):
        return not isinstance(x, int) or abs(x) <= _SMALL
    if isinstance(x.type, NumberType) and x.type.extent is not None:
        return True
    op = session.memory.producers.get(x)
    is_known = op is not None and op.fn in (operator.add, operator.sub, operator.mul)
    return op is not None and is_known and all(map(_is_extent, op.args))


def _is_extent(x: Abstract) -> bool:
    if isinstance(x, Value):
        return isinstance(x.type, NumberType) and x.type.extent is not None
    return isinstance(x, int) and abs(x) <= _SMALL


__all__ = [
    "are_held_exactly", "dtype_of_kinds", "has_marks", "hold", "hold_alike", "is_held",
    "is_held_exactly", "is_told", "kinds_of_number", "known_kinds",
]  # fmt: skip
