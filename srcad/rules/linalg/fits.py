"""Rules of fits that an iteration finds: `lsqr` and `lsmr` (`srcad.runtime.sparse`).

x minimises |A x - b|^2 + damp^2 |x - s|^2, where s is the start:

N x = A^T b + damp^2 s                  with N = A^T A + damp^2, r = b - A x
N x_dot = A_dot^T r - A^T A_dot x + A^T b_dot - 2 damp damp_dot (x - s) + damp^2 s_dot
w = N^-1 x_bar:     b_bar = A w,     A_bar = r w^T - (A w) x^T where A has entries

The systems with N are solved by the same iteration, with its tolerance (Golub & Pereyra 1973, of
columns that are independent).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays
from srcad.rules.core.facts import as_type, unknown_extent
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_scalar, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.sparse import real_dtype_of


@dataclass(frozen=True, slots=True)
class _System:
    """The matrix of a fit."""

    data: Any
    indices: Any
    indptr: Any
    damp: Any
    ended: Any
    shape: Any
    by_columns: bool
    solver: str
    options: Mapping[str, Any]

    def times(self, x: Any, data: Any = None) -> Any:
        """`A @ x`, or that of a matrix with other entries."""
        data = self.data if data is None else data
        if self.indices is None:
            return data @ x
        form = (self.indices, self.indptr, x, self.shape, self.by_columns)
        return call(runtime.sparse_product, data, *form)

    def transposed(self, y: Any, data: Any = None) -> Any:
        """`A.T @ y`, or that of a matrix with other entries."""
        data = self.data if data is None else data
        if self.indices is None:
            return np.transpose(data) @ y
        form = (self.indices, self.indptr, y, self.shape[::-1], not self.by_columns)
        return call(runtime.sparse_product, data, *form)

    def outer(self, y: Any, x: Any) -> Any:
        """`y x^T` where the matrix has entries."""
        if self.indices is None:
            return np.outer(y, x)
        return call(runtime.sparse_outer, self.indices, self.indptr, y, x, self.by_columns)

    def solved(self, v: Any) -> Any:
        """`N^-1 v`."""
        form = (self.damp, self.ended, self.shape, self.by_columns, self.solver)
        return call(
            runtime.normal_solve, self.data, self.indices, self.indptr, v, *form, **self.options
        )


def _system(
    data: Any, indices: Any, indptr: Any, damp: Any, ended: Any, shape: Any, by_columns: Any,
    solver: Any, options: Mapping[str, Any],
) -> _System:  # fmt: skip
    """The matrix as the solver takes it: `lsqr` leaves out what damps it by less than 0."""
    damp = np.maximum(damp, 0.0) if solver == "lsqr" else damp
    return _System(data, indices, indptr, damp, ended, shape, by_columns, solver, options)


def _total(*parts: Any) -> Any:
    known = [part for part in parts if part is not ZERO]
    return sum(known[1:], known[0]) if known else ZERO


def _in_dtype_of(x: Any, found: Any) -> Any:
    dtype = dtype_of_arrays(type_of(x)).type
    if found is ZERO or dtype is np.float64:
        return found
    return call(dtype, found) if is_scalar(x) else call(np.asarray, found, dtype=dtype)


def _moved(x: Any, start: Any) -> Any:
    """By how much the solution differs from the start."""
    return x if start is None else x - start


def _fit_tangent(
    ts: Any, y: Any, data: Any, indices: Any, indptr: Any, b: Any, damp: Any, start: Any,
    shape: Any, by_columns: Any, solver: Any, **options: Any,
) -> Any:  # fmt: skip
    x, ended, _ = y
    of = _system(data, indices, indptr, damp, ended, shape, by_columns, solver, options)
    change = [ZERO] * 4
    if ts[0] is not ZERO:
        change[0] = of.transposed(b - of.times(x), ts[0]) - of.transposed(of.times(x, ts[0]))
    if ts[3] is not ZERO:
        change[1] = of.transposed(ts[3])
    if ts[4] is not ZERO:
        change[2] = -2 * of.damp * ts[4] * _moved(x, start)
    if ts[5] is not ZERO:
        change[3] = of.damp**2 * ts[5]
    total = _total(*change)
    return (ZERO if total is ZERO else _in_dtype_of(x, of.solved(total))), ZERO, ZERO


def _fit_cotangents(
    g: Any, y: Any, data: Any, indices: Any, indptr: Any, b: Any, damp: Any, start: Any,
    shape: Any, by_columns: Any, solver: Any, **options: Any,
) -> Any:  # fmt: skip
    if g[0] is ZERO:
        return ZERO, ZERO, ZERO, ZERO
    x, ended, _ = y
    of = _system(data, indices, indptr, damp, ended, shape, by_columns, solver, options)
    w = of.solved(g[0])
    along = of.times(w)
    of_data = of.outer(b - of.times(x), w) - of.outer(along, x)
    of_damp, of_start = -2 * of.damp * (w @ _moved(x, start)), of.damp**2 * w
    return of_data, along, of_damp, of_start


def _normal_tangent(
    ts: Any, z: Any, data: Any, indices: Any, indptr: Any, v: Any, damp: Any, ended: Any,
    shape: Any, by_columns: Any, solver: Any, **options: Any,
) -> Any:  # fmt: skip
    of = _system(data, indices, indptr, damp, ended, shape, by_columns, solver, options)
    change = [ts[3], ZERO, ZERO]
    if ts[0] is not ZERO:
        change[1] = -of.transposed(of.times(z), ts[0]) - of.transposed(of.times(z, ts[0]))
    if ts[4] is not ZERO:
        change[2] = -2 * of.damp * ts[4] * z
    total = _total(*change)
    return ZERO if total is ZERO else of.solved(total)


def _normal_cotangents(
    g: Any, z: Any, data: Any, indices: Any, indptr: Any, v: Any, damp: Any, ended: Any,
    shape: Any, by_columns: Any, solver: Any, **options: Any,
) -> Any:  # fmt: skip
    of = _system(data, indices, indptr, damp, ended, shape, by_columns, solver, options)
    w = of.solved(g)
    of_data = -of.outer(of.times(z), w) - of.outer(of.times(w), z)
    return of_data, w, -2 * of.damp * (w @ z)


def _part(k: int, cotangents: Callable[..., Any]) -> Callable[..., Any]:
    """One of the cotangents."""

    def body(
        g: Any, y: Any, data: Any, indices: Any, indptr: Any, right: Any, damp: Any, rest: Any,
        shape: Any, by_columns: Any, solver: Any, **options: Any,
    ) -> Any:  # fmt: skip
        form = (damp, rest, shape, by_columns, solver)
        found = cotangents(g, y, data, indices, indptr, right, *form, **options)[k]
        return _in_dtype_of((data, right, damp, rest)[k], found)

    return body


def _columns(data: Any, indices: Any, shape: Any) -> Any:
    known = shape_of(as_type(data)) if indices is None else shape
    columns = known[1] if isinstance(known, tuple) else None
    return columns if indices is None or isinstance(columns, int) else unknown_extent()


def _fit_types(
    data: Any, indices: Any, indptr: Any, b: Any, damp: Any, start: Any, shape: Any,
    by_columns: Any, solver: Any, **options: Any,
) -> tuple[Type, ...]:  # fmt: skip
    is_double = solver == "lsmr" or start is None  # by the zeros that it starts with
    dtype = real_dtype_of(data, b, *(() if is_double else (start, damp)))
    dtype = np.dtype(float) if is_double else dtype
    n = _columns(data, indices, shape)
    return ArrayType(dtype, (n,)), NumberType(int), NumberType(int)


def _normal_type(data: Any, indices: Any, indptr: Any, v: Any, *rest: Any, **options: Any) -> Type:
    return ArrayType(np.dtype(float), shape_of(as_type(v)))


def _entries(rng: np.random.Generator) -> Any:
    return np.array([4.0, 0.5, 3.0, 0.5, 5.0, 1.0]) + 0.1 * rng.random(6)


def _dense(rng: np.random.Generator) -> Any:
    return np.eye(4, 3) + 0.2 * rng.random((4, 3))


_INDICES, _INDPTR, _SHAPE = np.array([0, 2, 1, 0, 2, 1]), np.array([0, 2, 3, 5, 6]), (4, 3)
_TIGHT = {"atol": 1e-14, "btol": 1e-14}

rule(
    runtime.fitted_by_iteration,
    jvp=_fit_tangent,
    data=_part(0, _fit_cotangents),
    right=_part(1, _fit_cotangents),
    damp=_part(2, _fit_cotangents),
    rest=_part(3, _fit_cotangents),
    type_of=_fit_types,
    cases=[
        Case(_entries, _INDICES, _INDPTR, (4,), 0.0, None, _SHAPE, False, "lsqr", **_TIGHT),
        Case(_dense, None, None, (4,), (), None, _SHAPE, False, "lsmr", **_TIGHT),
        Case(_dense, None, None, (4,), (), (3,), _SHAPE, False, "lsqr", **_TIGHT),
    ],
)
rule(
    runtime.normal_solve,
    jvp=_normal_tangent,
    data=_part(0, _normal_cotangents),
    right=_part(1, _normal_cotangents),
    damp=_part(2, _normal_cotangents),
    type_of=_normal_type,
    cases=[
        Case(_entries, _INDICES, _INDPTR, (3,), 0.0, 1, _SHAPE, False, "lsqr", **_TIGHT),
        Case(_dense, None, None, (3,), (), 2, _SHAPE, False, "lsmr", **_TIGHT),
    ],
)
