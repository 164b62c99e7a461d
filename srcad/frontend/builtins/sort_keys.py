"""Keys that are sorted as one array: whether Python compares each two of them as NumPy does there.

sorted([x[0], 1, x[1]])                 1 is compared as the float 1.0, which is the same
sorted([np.float32(x[0]), y])           Python compares in single precision, the array in double
sorted([2**53 + 1, y])                  Python compares the int itself
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.frontend.abstract.number_kinds import NumberKinds
from srcad.frontend.abstract.objects import Abstract
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, Type
from srcad.rules.core.joined_kinds import is_numpys
from srcad.rules.core.staged import type_of

_NARROW = frozenset(map(np.dtype, (np.float16, np.float32)))
_WIDE = frozenset([int, np.dtype(np.int64), np.dtype(np.uint64)])
_PYTHONS = (bool, int, float)
_EXACT = 2**53  # up to here each int is a float


def kind_of_number(x: Abstract) -> Any:
    """The class of a number of Python's, the dtype of one of NumPy's; None of all else."""
    is_known = isinstance(x, Value) or type(x) in _PYTHONS
    return kind_of_type(type_of(x)) if is_known else None


def kind_of_type(t: Type) -> Any:
    """The same by its type."""
    if isinstance(t, NumberType):
        return t.kind if t.kind in _PYTHONS else None
    if isinstance(t, ArrayType) and t.scalar and t.dtype.kind in "biuf":
        return t.dtype
    return None


def compare_as_joined(several: NumberKinds, keys: Sequence[Abstract]) -> bool:
    """Whether Python compares any two of the keys as they are compared in one array of them."""
    known = [x for x in keys if not isinstance(x, Value)]
    kinds = [kind_of_number(x) for x in keys if isinstance(x, Value)]
    joined = {kind for x in keys if x in several for kind in several.of(x) or ()}
    possible = {kind[0] if is_numpys(kind) else kind for kind in joined}.union(kinds)
    is_float = [kind is float or getattr(kind, "kind", "") == "f" for kind in kinds]
    if any(is_float) or any(type(x) is float for x in known):
        wide = [kind for kind in kinds if kind in _WIDE]
        if len(wide) > 1 or {int, float} <= {*kinds}:  # in a list a dtype is equal to its class
            return False
        if any(_is_beyond(x) for x in known if type(x) is int or wide):
            return False
    elif np.dtype(np.uint64) in {*kinds}:  # with signed ints an array has floats
        signed = [k for k in kinds if k is int or getattr(k, "kind", "") == "i"]
        return not signed and not any(type(x) is int for x in known)
    narrow = possible & _NARROW
    return not narrow or (
        possible.isdisjoint((int, float)) and all(_fits(x, narrow) for x in known)
    )


def _is_beyond(x: Any) -> bool:
    return math.isfinite(x) and abs(x) > _EXACT


def _fits(x: Any, narrow: set[Any]) -> bool:
    """Whether a number is the same in each of the narrow dtypes."""
    return all(math.isnan(x) or float(dtype.type(x)) == x for dtype in narrow)
