"""Which calls of NumPy's functions become operators: `np.add(x, y)` of arrays is `x + y`.

A function stays where the operator gives another number, or another class of number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.frontend.abstract.number_kinds import NumberKinds
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, dtype_of
from srcad.ir.walk import values_in
from srcad.rules.core.joined_kinds import is_numpys
from srcad.rules.core.operators import OPERATORS


def is_operator(fn: Any, args: Sequence[Any], kinds: NumberKinds) -> bool:
    """Whether a call without keywords is that of an operator."""
    if fn not in OPERATORS or _is_mixed(args) or _is_complex_power(fn, args):
        return False
    if fn in (np.equal, np.not_equal) and not _are_comparable(fn, args):
        return False
    several = [kinds.of(x) for x in args if isinstance(x, Value)]  # two lists have other operators
    return any(found and all(map(is_numpys, found)) for found in several)


def is_power_of_bools(fn: Any, args: Sequence[Any]) -> bool:
    """Whether booleans are raised to a Python int, which makes them ints only as a function."""
    if fn is not np.power or not isinstance(args[0], Value):
        return False
    base, exponent = args[0].type, args[1]
    kind = getattr(exponent.type, "kind", None) if isinstance(exponent, Value) else type(exponent)
    return kind is int and isinstance(base, ArrayType) and base.dtype.kind == "b"


def _is_complex_power(fn: Any, args: Any) -> bool:
    """Whether NumPy's function and Python's operator round differently: zeros differ in sign."""
    dtypes = (dtype_of(v.type) for v in values_in(args))
    return fn is np.power and any(d is not None and d.kind == "c" for d in dtypes)


def _are_comparable(fn: Any, args: Sequence[Any]) -> bool:
    """Whether NumPy's function compares such kinds: it raises of texts and numbers, which the
    operator finds unequal.
    """
    dtypes = [_dtype_beside(x) for x in args]
    if len(dtypes) != 2 or any(dtype is None for dtype in dtypes):
        return True
    try:
        fn.resolve_dtypes((*dtypes, None))
    except TypeError:
        return False
    return True


def _dtype_beside(x: Any) -> np.dtype[Any] | None:
    """The dtype of an operand, of a sequence that of its first item; None where it is not known."""
    while isinstance(x, list | tuple) and x:
        x = x[0]
    if isinstance(x, Value):
        return dtype_of(x.type) or (np.dtype("U1") if x.type == ObjectType("str") else None)
    is_constant = isinstance(x, bool | int | float | complex | str | bytes | np.generic)
    return np.asarray(x).dtype if is_constant else None


def _is_mixed(args: Sequence[Any]) -> bool:
    """Whether a Python complex meets NumPy scalars: the operator gives a Python complex."""
    numbers = [x.type if isinstance(x, Value) else x for x in args]
    is_complex = (x == NumberType(complex) or type(x) is complex for x in numbers)
    return any(is_complex) and all(not isinstance(x, ArrayType) or x.scalar for x in numbers)


__all__ = ["is_operator", "is_power_of_bools"]
