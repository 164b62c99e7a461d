"""Rules of products with sparse matrices, and of systems of them (`srcad.runtime.sparse`).

y = A x:        x_bar = A^T y_bar,                 A_bar = y_bar x^T where A has entries
A x = b:        b_bar = A^-T x_bar,                A_bar = -b_bar x^T where A has entries
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays
from srcad.rules.core.facts import UncoveredError, as_type, unknown_extent
from srcad.rules.core.registry import nondiff, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

INDICES, INDPTR = np.array([0, 2, 1, 0, 2]), np.array([0, 2, 3, 5])
SHAPE = (3, 3)


def real_dtype_of(*arrays: Any) -> np.dtype[Any]:
    """The dtype of a result of real arrays."""
    dtype = dtype_of_arrays(*map(as_type, arrays))
    if dtype.kind == "c":
        raise UncoveredError("complex arguments")
    return dtype


def _sum(a: Any, b: Any) -> Any:
    if a is ZERO or b is ZERO:
        return b if a is ZERO else a
    return a + b


def _product_type(
    data: Any, indices: Any, indptr: Any, x: Any, shape: Any, by_columns: Any
) -> ArrayType:
    known = shape_of(x)
    rest = known[1:] if known is not None else None
    rows = shape[0] if isinstance(shape, tuple) else None
    rows = rows if isinstance(rows, int) else unknown_extent()
    return ArrayType(real_dtype_of(data, x), None if rest is None else (rows, *rest))


def _product_jvp(
    ts: Any, y: Any, data: Any, indices: Any, indptr: Any, x: Any, shape: Any, by_columns: Any
) -> Any:
    parts = [ZERO, ZERO]
    if ts[0] is not ZERO:
        parts[0] = call(runtime.sparse_product, ts[0], indices, indptr, x, shape, by_columns)
    if ts[3] is not ZERO:
        parts[1] = call(runtime.sparse_product, data, indices, indptr, ts[3], shape, by_columns)
    return _sum(*parts)


def _times_transposed(
    g: Any, data: Any, indices: Any, indptr: Any, shape: Any, by_columns: Any
) -> Any:
    flipped = (shape[1], shape[0])
    return call(runtime.sparse_product, data, indices, indptr, g, flipped, not by_columns)


rule(
    runtime.sparse_product,
    jvp=_product_jvp,
    data=lambda g, y, data, indices, indptr, x, shape, by_columns: call(
        runtime.sparse_outer, indices, indptr, g, x, by_columns
    ),
    x=lambda g, y, data, indices, indptr, x, shape, by_columns: _times_transposed(
        g, data, indices, indptr, shape, by_columns
    ),
    type_of=_product_type,
    cases=[
        Case((5,), INDICES, INDPTR, (3,), SHAPE, False),
        Case((5,), INDICES, INDPTR, (3, 2), SHAPE, True),
    ],
)


def _outer_jvp(ts: Any, y: Any, indices: Any, indptr: Any, g: Any, x: Any, by_columns: Any) -> Any:
    parts = [ZERO, ZERO]
    if ts[2] is not ZERO:
        parts[0] = call(runtime.sparse_outer, indices, indptr, ts[2], x, by_columns)
    if ts[3] is not ZERO:
        parts[1] = call(runtime.sparse_outer, indices, indptr, g, ts[3], by_columns)
    return _sum(*parts)


def _outer_vjp(bar: Any, indices: Any, indptr: Any, g: Any, x: Any, by_columns: Any) -> Any:
    """The cotangent of g: the matrix with the entries `bar`, times x."""
    shape = (g.shape[0], x.shape[0])
    return call(runtime.sparse_product, bar, indices, indptr, x, shape, by_columns)


rule(
    runtime.sparse_outer,
    jvp=_outer_jvp,
    g=lambda bar, y, indices, indptr, g, x, by_columns: _outer_vjp(
        bar, indices, indptr, g, x, by_columns
    ),
    x=lambda bar, y, indices, indptr, g, x, by_columns: _outer_vjp(
        bar, indices, indptr, x, g, not by_columns
    ),
    type_of=lambda indices, indptr, g, x, by_columns: ArrayType(
        real_dtype_of(g, x), (shape_of(indices) or (unknown_extent(),))[:1]
    ),
    cases=[
        Case(INDICES, INDPTR, (3,), (3,), False),
        Case(INDICES, INDPTR, (3, 2), (3, 2), True),
    ],
)


def _solve_type(
    data: Any, indices: Any, indptr: Any, b: Any, shape: Any, by_columns: Any, factored: Any = False
) -> ArrayType:
    return ArrayType(np.result_type(real_dtype_of(data, b), np.float32), shape_of(b))


def _solve_jvp(
    ts: Any, y: Any, data: Any, indices: Any, indptr: Any, b: Any, shape: Any, by_columns: Any,
    factored: Any = False,
) -> Any:  # fmt: skip
    change = ts[3]
    if ts[0] is not ZERO:
        moved = call(runtime.sparse_product, ts[0], indices, indptr, y, shape, by_columns)
        change = -moved if change is ZERO else change - moved
    if change is ZERO:
        return ZERO
    return _solved(data, indices, indptr, change, shape, by_columns, factored)


def _solved(data: Any, indices: Any, indptr: Any, b: Any, *options: Any) -> Any:
    found = call(runtime.sparse_solve, data, indices, indptr, b, *options)
    return call(runtime.regular, found, data, b)


def _solved_transposed(
    g: Any, data: Any, indices: Any, indptr: Any, shape: Any, by_columns: Any, factored: Any
) -> Any:
    flipped = (shape[1], shape[0])
    return _solved(data, indices, indptr, g, flipped, not by_columns, factored)


rule(
    runtime.sparse_solve,
    jvp=_solve_jvp,
    data=lambda g, y, data, indices, indptr, b, shape, by_columns, factored=False: -call(
        runtime.sparse_outer, indices, indptr,
        _solved_transposed(g, data, indices, indptr, shape, by_columns, factored), y, by_columns,
    ),
    b=lambda g, y, data, indices, indptr, b, shape, by_columns, factored=False: (
        _solved_transposed(g, data, indices, indptr, shape, by_columns, factored)
    ),
    type_of=_solve_type,
    cases=[
        Case(lambda rng: 1.0 + rng.random(5), INDICES, INDPTR, (3,), SHAPE, False),
        Case(lambda rng: 1.0 + rng.random(5), INDICES, INDPTR, (3, 2), SHAPE, True, True),
    ],
)  # fmt: skip


def _triangular(*args: Any) -> Any:
    data, _, _, b, *_ = args
    return call(runtime.regular, call(runtime.solve_triangular, *args), data, b)


def _turned(g: Any, args: tuple[Any, ...]) -> Any:
    """The system of the transposed matrix."""
    data, indices, indptr, _, shape, by_columns, lower, unit = args
    flipped = (shape[1], shape[0])
    return _triangular(data, indices, indptr, g, flipped, not by_columns, not lower, unit)


def _triangular_jvp(
    ts: Any, y: Any, data: Any, indices: Any, indptr: Any, b: Any, shape: Any, by_columns: Any,
    lower: Any, unit: Any,
) -> Any:  # fmt: skip
    change = ts[3]
    if ts[0] is not ZERO:
        entries = _below(ts[0], indices, indptr, by_columns, lower, unit)
        moved = call(runtime.sparse_product, entries, indices, indptr, y, shape, by_columns)
        change = -moved if change is ZERO else change - moved
    if change is ZERO:
        return ZERO
    return _triangular(data, indices, indptr, change, shape, by_columns, lower, unit)


def _below(x: Any, indices: Any, indptr: Any, by_columns: Any, lower: Any, unit: Any) -> Any:
    """What is of the entries that the solver reads: those of the triangle, without a unit's."""
    kept = call(runtime.in_triangle, indices, indptr, by_columns, lower, unit)
    return np.where(kept, x, 0.0)


def _triangular_bar(g: Any, y: Any, args: tuple[Any, ...]) -> Any:
    _, indices, indptr, _, _, by_columns, lower, unit = args
    found = -call(runtime.sparse_outer, indices, indptr, _turned(g, args), y, by_columns)
    return _below(found, indices, indptr, by_columns, lower, unit)


_LOWER = (np.array([0, 1, 0, 1, 2]), np.array([0, 1, 2, 5]))


def _lower(rng: np.random.Generator) -> Any:
    return 1.0 + rng.random(5)


rule(
    runtime.solve_triangular,
    jvp=_triangular_jvp,
    data=lambda g, y, data, indices, indptr, b, shape, by_columns, lower, unit: _triangular_bar(
        g, y, (data, indices, indptr, b, shape, by_columns, lower, unit)
    ),
    b=lambda g, y, data, indices, indptr, b, shape, by_columns, lower, unit: _turned(
        g, (data, indices, indptr, b, shape, by_columns, lower, unit)
    ),
    type_of=lambda data, indices, indptr, b, *rest: _solve_type(
        data, indices, indptr, b, *rest[:2]
    ),
    cases=[
        Case(_lower, *_LOWER, (3,), SHAPE, False, True, False),
        Case(_lower, *_LOWER, (3, 2), SHAPE, True, False, False),
    ],
)
nondiff(
    runtime.in_triangle,
    type_of=lambda indices, *rest: ArrayType(np.dtype(bool), shape_of(as_type(indices))),
    cases=[Case(INDICES, INDPTR, False, True, True)],
)


def _form_type(dense: Any, by_columns: Any) -> tuple[ArrayType, ...]:
    n, entries = shape_of(as_type(dense)) or (unknown_extent(),) * 2, unknown_extent()
    major = n[1] if by_columns else n[0]
    ends = major + 1 if isinstance(major, int) else unknown_extent()
    index = np.dtype(np.int32)
    kept = ArrayType(real_dtype_of(dense), (entries,))
    return kept, ArrayType(index, (entries,)), ArrayType(index, (ends,))


_DENSE = np.array([[1.0, 0.0], [2.0, 3.0]])
nondiff(
    runtime.sparse_form,
    type_of=_form_type,
    cases=[Case(_DENSE, False), Case(_DENSE, True)],
)
# By a dense matrix that varies there is no derivative: an entry that is 0 may move, too.
rule(
    runtime.entries_of_fixed,
    jvp=lambda ts, y, data, dense: ts[0],
    data=lambda g, y, data, dense: g,
    type_of=lambda data, dense: as_type(data),
    cases=[Case((3,), _DENSE)],
)


def _factors(rng: np.random.Generator) -> Any:
    from scipy import sparse
    from scipy.sparse import linalg

    return linalg.splu(sparse.csc_matrix(np.eye(3) + rng.random((3, 3))))


def _other_way(trans: str) -> str:
    return "T" if trans == "N" else "N"


rule(
    runtime.factored_solve,
    jvp=lambda ts, y, factors, b, trans: call(runtime.factored_solve, factors, ts[1], trans),
    b=lambda g, y, factors, b, trans: call(runtime.factored_solve, factors, g, _other_way(trans)),
    type_of=lambda factors, b, trans: as_type(b),
    cases=[
        Case(Case.made(_factors), (3,), "N"),
        Case(Case.made(_factors), (3, 2), "T"),
    ],
)


def _places_type(rows: Any, columns: Any, shape: Any, by_columns: Any) -> tuple[ArrayType, ...]:
    ints, extent = np.dtype(np.int64), unknown_extent()
    count = (shape_of(rows) or (unknown_extent(),))[:1]
    ends = shape[1] if by_columns else shape[0]
    more = ends + 1 if isinstance(ends, int) else unknown_extent()
    return ArrayType(ints, count), ArrayType(ints, (extent,)), ArrayType(ints, (more,))


nondiff(
    runtime.sparse_places,
    type_of=_places_type,
    cases=[Case(np.array([0, 2, 0]), np.array([1, 1, 1]), Case.made(lambda rng: (3, 2)), False)],
)
