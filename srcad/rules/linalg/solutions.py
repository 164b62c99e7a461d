"""Rules of the checks of solutions: what is checked passes through, a Jacobian as a rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, ObjectType, shape_of
from srcad.rules.core.facts import as_type, unknown_extent
from srcad.rules.core.registry import nondiff
from srcad.rules.core.table import Case
from srcad.rules.linalg.checks import checks


def _regular(rng: np.random.Generator) -> Any:
    return np.eye(3) + 0.1 * rng.normal(size=(3, 3))


checks(runtime.at_solution, Case(_regular, lambda rng: 1e-9 * rng.random(3), (3,)))

nondiff(
    runtime.beside_solution,
    type_of=lambda jacobian, residual, x: as_type(x),
    cases=[Case(_regular, lambda rng: 1e-9 * rng.random(3), (3,))],
)

checks(runtime.isolated, Case(_regular, _regular))
checks(runtime.regular, Case((3,), (5,), (3,)))


def _tables(method: str) -> tuple[ArrayType, ...]:
    return tuple(ArrayType(np.dtype(float), np.shape(x)) for x in runtime.rk_table(method))


nondiff(runtime.rk_table, type_of=_tables, cases=[Case("RK23"), Case("RK45"), Case("DOP853")])


_TEXT, _VECTOR = ObjectType("str"), ArrayType(np.dtype(float), (unknown_extent(),))
_TOLD = {
    "active_mask": _VECTOR, "grad": _VECTOR, "jac": _VECTOR, "message": _TEXT,
    "optimality": ArrayType(np.dtype(float), (), scalar=True),
}  # fmt: skip


def _told(found: Any, name: str) -> Any:
    return _TOLD.get(name, NumberType(int))


nondiff(
    runtime.told,
    type_of=_told,
    cases=[Case({"message": "done"}, "message"), Case({"nit": 3}, "nit")],
)


def _masks(x: Any, slope: Any, lower: Any, upper: Any) -> tuple[ArrayType, ArrayType]:
    mask = ArrayType(np.dtype(bool), shape_of(as_type(x)))
    return mask, mask


nondiff(
    runtime.at_bounds,
    type_of=_masks,
    cases=[Case(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.0, -1.0]), np.zeros(3), np.ones(3))],
)
