"""Questions about dates, which are data: isnat, is_busday, busday_count, busday_offset."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import Type, shape_of
from srcad.rules.core.facts import array_or_scalar, as_type, broadcast_shapes, truth_type
from srcad.rules.core.registry import nondiff
from srcad.rules.core.table import Case


def _together(dtype: str) -> Any:
    """The type of what is asked of the first two arguments, entry by entry."""

    def type_of(a: object, b: object, *_: object, **__: object) -> Type:
        shape = broadcast_shapes(shape_of(as_type(a)), shape_of(as_type(b)))
        return array_or_scalar(np.dtype(dtype), shape)

    return type_of


_DATES = np.array([["2020-01-03", "2020-01-04"], ["2020-02-06", "2020-02-07"]], "M8[D]")


nondiff(np.isnat, cases=[Case(_DATES)])
nondiff(np.is_busday, type_of=truth_type, cases=[Case(_DATES)])
nondiff(np.busday_count, type_of=_together("int64"), cases=[Case(_DATES, _DATES)])
nondiff(
    np.busday_offset,
    type_of=_together("M8[D]"),
    cases=[Case(_DATES, np.array([1, 5]), roll="forward")],
)
