"""Values that are a Python number on one path and a NumPy one of single precision on another.

    s = 0.5
    if c: s = x[0]              s: float32 in the program; where c is false a Python float runs
    y = np.full(3, s)           and y is float64 there: its dtype is unsure
    z = x * y                   x_bar = (z_bar * y).astype(np.float32)

Python numbers take the precision of what they are combined with, so operators give the same either
way. What makes an array of them does not. Where such an array meets one of which the dtype is sure,
`runtime.own_dtype` stands between: it is nothing, but casts the cotangent.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.ir.walk import map_tree, values_in
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.staged import Builder

Kind = Literal["number", "array"]

_NARROW = frozenset(map(np.dtype, (np.float16, np.float32, np.complex64)))
_WEAK_OPERATORS = frozenset(OPERATORS.values()) - {operator.matmul}


class Weak:
    """The values that may be Python numbers although their type is an array's, and the arrays
    made of them.
    """

    def __init__(self) -> None:
        self._numbers: set[Value] = set()
        self._unsure: set[Value] = set()

    def kinds(self, x: object) -> frozenset[Kind]:
        """What `x` may be instead of what its type says, and what a joined value may be for it."""
        if isinstance(x, float | complex) or _is_number(x) or x in self._numbers:
            return frozenset({"number"})
        return frozenset({"array"} if x in self._unsure else ())

    def meet(self, out: Value, kinds: Iterable[Kind]) -> None:
        """Note the value in which others of these kinds meet."""
        if _is_narrow(out):
            for kind in kinds:
                (self._numbers if kind == "number" else self._unsure).add(out)

    def note(self, op: Op) -> None:
        """Note what an operation makes of such values."""
        if not self._numbers:
            return
        arrays = [x for x in values_in((op.args, op.kwargs)) if isinstance(x.type, ArrayType)]
        unsure = any(x in self._unsure for x in arrays)
        if not unsure and not any(x in self._numbers for x in arrays):
            return
        narrow = {out for out in op.outs if _is_narrow(out)}
        if unsure or op.fn not in _WEAK_OPERATORS:
            self._unsure |= narrow
        elif all(x in self._numbers for x in arrays):
            self._numbers |= narrow

    def settled(self, fn: Any, arguments: Any, builder: Builder) -> Any:
        """The arguments of a call, those of a sure dtype kept from the cotangents of the others."""
        if not self._numbers:
            return arguments
        values = values_in(arguments)
        makes = fn not in _WEAK_OPERATORS and any(x in self._numbers for x in values)
        if not makes and not any(x in self._unsure for x in values):
            return arguments
        return map_tree(
            lambda x: builder.emit(runtime.own_dtype, (x,)) if self._is_sure(x) else x, arguments
        )

    def _is_sure(self, x: object) -> bool:
        known = isinstance(x, Value) and x not in self._numbers and x not in self._unsure
        return known and _is_narrow(x)  # type: ignore[arg-type]


def _is_number(x: object) -> bool:
    return (
        isinstance(x, Value) and isinstance(x.type, NumberType) and x.type.kind in (float, complex)
    )


def _is_narrow(x: Value) -> bool:
    return isinstance(x.type, ArrayType) and dtype_of(x.type) in _NARROW


__all__ = ["Weak"]
