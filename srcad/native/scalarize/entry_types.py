"""Types of the entries that loops compute, and the signal that something has no form as loops."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.errors import Location
from srcad.ir import ArrayType, NumberType

INT = NumberType(int)
# Integers of few bits. (Those of 64 bits without a sign are not compiled: with signed ones Numba
# makes floats of them.)
NARROW: Final = frozenset(
    map(np.dtype, (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32))
)


class Unsuited(Exception):  # noqa: N818 - a signal, not an error
    """The program has no form as loops here; NumPy runs it. `at` is the number of the statement of
    the function's body that has none, `loc` the place in the user's text where it is known better.
    It `follows` where what another statement has made is in the way, which stays for a reason of
    its own.
    """

    at: int = 0
    loc: Location | None = None
    follows: bool = False


def scalar(dtype: Any) -> ArrayType:
    """The type of one entry."""
    return ArrayType(np.dtype(dtype), (), True)
