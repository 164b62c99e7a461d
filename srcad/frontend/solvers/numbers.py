"""What solvers are given and what they get back, in the form that they work with: float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.library.in_place import as_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.staged import type_of

_REAL = np.dtype(float)


def as_number(frame: Frame, what: str, x: Abstract) -> Any:
    """A real number as a Python float."""
    x = _real(frame, what, x)
    if rank_of(type_of(x)) != 0:
        raise error("E132", None, what=f"{what} of what is no real number")
    return frame.session.emit(float, (x,))


def as_numbers(frame: Frame, what: str, x: Abstract) -> Any:
    """A real number as a Python float, what is array-like as an array."""
    x = _real(frame, what, x)
    return as_number(frame, what, x) if rank_of(type_of(x)) == 0 else as_doubles(frame, what, x)


def as_doubles(frame: Frame, what: str, x: Abstract) -> Any:
    """What is real as an array, of one entry where it is a number."""
    x = _real(frame, what, x)
    known = isinstance(x, Value) and dtype_of(x.type) == _REAL
    return x if known else frame.session.emit(np.array, (x,), {"dtype": float})


def as_vector(frame: Frame, what: str, x: Abstract) -> Any:
    """A number, a list or an array as a vector."""
    x = as_doubles(frame, what, x)
    if rank_of(x.type) not in (0, 1):
        raise error("E132", None, what=f"{what} of what is no real vector")
    return frame.session.emit(np.reshape, (x, (1,))) if rank_of(x.type) == 0 else x


def _real(frame: Frame, what: str, x: Abstract) -> Any:
    x = as_array(frame, x)
    dtype = dtype_of(type_of(x))
    if dtype is None or dtype.kind not in "biuf":
        raise error("E132", None, what=f"{what} of what is not real")
    return x


__all__ = ["as_doubles", "as_number", "as_numbers", "as_vector"]
