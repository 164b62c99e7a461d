"""Values that are computed from constants alone, where one must be known while compiling.

for i in np.arange(3):          unrolled: i is getitem(arange(3), 0), which is 0
    y = y + layers[i] * x
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.memory.memory import Memory
from srcad.interrupts import raise_users_own
from srcad.ir.nodes import Function, Op, Value


def evaluated(x: Abstract, memory: Memory, *, warns: bool = True) -> Abstract:
    """`x`, which no input reaches, as a constant; where it may not warn, what would is refused.

    Raises:
        UnsupportedSyntax: E123, if NumPy refuses to compute it, or if it is an array.
    """
    if isinstance(x, tuple):
        return tuple(evaluated(item, memory, warns=warns) for item in x)
    if isinstance(x, ListObj):
        return ListObj([evaluated(item, memory, warns=warns) for item in x.items])
    if isinstance(x, slice):
        return slice(*(evaluated(part, memory, warns=warns) for part in (x.start, x.stop, x.step)))
    if not isinstance(x, Value):
        return x
    known: dict[Value, Any] = {}
    with np.errstate(all="ignore" if warns else "raise"):
        found = _compute(memory.read(x), memory, known)
    if isinstance(found, np.ndarray):
        raise error("E123", None, what=f"the array `{x.name or 'this'}`")
    return found


def _compute(x: Any, memory: Memory, known: dict[Value, Any]) -> Any:
    """An atom, by running the operations that make it."""
    if isinstance(x, tuple | list):
        return type(x)(_compute(item, memory, known) for item in x)
    if isinstance(x, dict):
        return {key: _compute(item, memory, known) for key, item in x.items()}
    if isinstance(x, slice):
        ends = (x.start, x.stop, x.step)
        return slice(*(_compute(part, memory, known) for part in ends))
    if not isinstance(x, Value):
        return x
    if x not in known:
        _run(memory.producers[x], memory, known)
    return known[x]


def _run(op: Op, memory: Memory, known: dict[Value, Any]) -> None:
    args = _compute(op.args, memory, known)
    kwargs = _compute(op.kwargs, memory, known)
    if isinstance(op.fn, Function):
        raise error("E123", op.loc, what=f"the result of `{op.fn.name}`")
    try:
        made = op.fn(*args, **kwargs)
    except Exception as problem:  # it is NumPy's, of any class
        raise_users_own(problem)
        raise error(
            "E123", op.loc, what="what raises when it is computed", notes=(str(problem),)
        ) from None
    results = made if len(op.outs) > 1 else (made,)
    known.update(zip(op.outs, results, strict=True))


__all__ = ["evaluated"]
