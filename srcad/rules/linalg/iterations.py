"""Rules of systems that an iteration solves: `cg`, `gmres` and their kin (`srcad.runtime.sparse`).

A x = b:        b_bar = A^-T x_bar,                A_bar = -b_bar x^T where A has entries

The systems of the derivatives are solved by the same iteration, with its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.sparse import INDICES, INDPTR, SHAPE, real_dtype_of


def _type(data: Any, indices: Any, indptr: Any, b: Any, *rest: Any, **options: Any) -> Type:
    return ArrayType(np.result_type(real_dtype_of(data, b), np.float32), shape_of(as_type(b)))


def _types(*args: Any, **options: Any) -> tuple[Type, Type]:
    return _type(*args), NumberType(int)


def _solve(args: tuple[Any, ...], b: Any, info: Any, options: dict[str, Any]) -> Any:
    """Another system of the matrix in `args`."""
    data, indices, indptr, _, _, *rest = args
    return call(runtime.iterated_further, data, indices, indptr, b, info, *rest, **options)


def _solve_transposed(args: tuple[Any, ...], b: Any, info: Any, options: dict[str, Any]) -> Any:
    data, indices, indptr, _, _, near, shape, by_columns, solver = args
    data = np.transpose(data) if indices is None else data
    if near:
        near = (np.transpose(near[0]) if near[1] is None else near[0], *near[1:3], not near[3])
    turned = (near, (shape[1], shape[0]), not by_columns, solver)
    return call(runtime.iterated_further, data, indices, indptr, b, info, *turned, **options)


def _tangent(ts: Any, x: Any, info: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    _, indices, indptr, _, _, _, shape, by_columns, _ = args
    change = ts[3]
    if ts[0] is not ZERO:
        moved = (
            ts[0] @ x
            if indices is None
            else call(runtime.sparse_product, ts[0], indices, indptr, x, shape, by_columns)
        )
        change = -moved if change is ZERO else change - moved
    return ZERO if change is ZERO else _solve(args, change, info, options)


def _of_data(g: Any, x: Any, info: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The cotangent of the entries."""
    weights = _solve_transposed(args, g, info, options)
    if args[1] is None:
        return -np.outer(weights, x)
    return -call(runtime.sparse_outer, args[1], args[2], weights, x, args[7])


def _data(rng: np.random.Generator) -> Any:
    return np.array([4.0, 0.5, 3.0, 0.5, 5.0]) + 0.1 * rng.random(5)


def _dense(rng: np.random.Generator) -> Any:
    return 4 * np.eye(3) + rng.random((3, 3))


_TIGHT = {"rtol": 1e-6}  # the third iteration is exact; single precision must reach it
_NEAR = (np.full(3, 0.25), np.arange(3), np.arange(4), False)


def _iterated(
    of: Callable[..., Any], g: Any, y: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    return ZERO if g[0] is ZERO else of(g[0], y[0], y[1], args, options)


def _b_bar(g: Any, x: Any, info: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return _solve_transposed(args, g, info, options)


rule(
    runtime.iterated,
    jvp=lambda ts, y, data, indices, indptr, b, start, near, shape, by_columns, solver, **options: (
        _tangent(
            ts, y[0], y[1],
            (data, indices, indptr, b, start, near, shape, by_columns, solver), options,
        ),
        ZERO,
    ),
    data=lambda g, y, data, indices, indptr, b, start, near, shape, by_columns, solver, **options: (
        _iterated(
            _of_data, g, y,
            (data, indices, indptr, b, start, near, shape, by_columns, solver), options,
        )
    ),
    b=lambda g, y, data, indices, indptr, b, start, near, shape, by_columns, solver, **options: (
        _iterated(
            _b_bar, g, y,
            (data, indices, indptr, b, start, near, shape, by_columns, solver), options,
        )
    ),
    type_of=_types,
    cases=[
        Case(_data, INDICES, INDPTR, (3,), None, (), SHAPE, False, "gmres", **_TIGHT),
        Case(_data, INDICES, INDPTR, (3,), None, _NEAR, SHAPE, True, "bicgstab", **_TIGHT),
        Case(_dense, None, None, (3,), np.ones(3), (), SHAPE, False, "gmres", **_TIGHT),
    ],
)  # fmt: skip

rule(
    runtime.iterated_further,
    jvp=lambda ts, y, data, indices, indptr, b, info, near, shape, by_columns, solver, **options: (
        _tangent(
            ts, y, info, (data, indices, indptr, b, info, near, shape, by_columns, solver), options
        )
    ),
    data=lambda g, y, data, indices, indptr, b, info, near, shape, by_columns, solver, **options: (
        _of_data(
            g, y, info, (data, indices, indptr, b, info, near, shape, by_columns, solver), options
        )
    ),
    b=lambda g, y, data, indices, indptr, b, info, near, shape, by_columns, solver, **options: (
        _b_bar(
            g, y, info, (data, indices, indptr, b, info, near, shape, by_columns, solver), options
        )
    ),
    type_of=_type,
    cases=[
        Case(_data, INDICES, INDPTR, (3,), 0, _NEAR, SHAPE, False, "gmres", **_TIGHT),
        Case(_dense, None, None, (3,), 0, (), SHAPE, True, "gmres", **_TIGHT),
    ],
)  # fmt: skip
