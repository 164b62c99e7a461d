"""Rows of tables: `kernels.embedding` and its transpose, `kernels.scatter_rows`."""

from __future__ import annotations

import numpy as np

from srcad import kernels
from srcad.ir.types import ArrayType, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import extents
from srcad.rules.core.facts import UncoveredError, as_type, shape_from
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case


def _embedding_type(table: object, ids: object) -> Type:
    rows, index = as_type(table), as_type(ids)
    dtype, which = dtype_of(rows), dtype_of(index)
    if dtype is None or which is None or which.kind not in "iu":
        raise UncoveredError("ids that are no integers")
    shape, outer = shape_of(rows), shape_of(index)
    whole = None if shape is None or outer is None else (*outer, *shape[1:])
    return ArrayType(dtype, whole)


def _scatter_type(values: object, shape: object, rows: object) -> Type:
    dtype = dtype_of(as_type(values))
    assert dtype is not None
    return ArrayType(dtype, shape_from(shape))


_ids = Case.made(lambda rng: np.array([[0, 2, 0], [3, -1, 2]]))

linear(
    kernels.embedding,
    table=lambda g, y, table, ids: call(kernels.scatter_rows, g, extents(table), ids),
    type_of=_embedding_type,
    cases=[Case((4, 3), _ids), Case((4,), _ids), Case((4, 2, 3), _ids)],
)
linear(
    kernels.scatter_rows,
    values=lambda g, y, values, shape, rows: call(kernels.embedding, g, rows),
    type_of=_scatter_type,
    cases=[Case((2, 3, 2), Case.made(lambda rng: (4, 2)), _ids)],
)
