"""The rule of the check of solutions, `srcad.runtime.at_solution`: the Jacobian passes through."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def _regular(rng: np.random.Generator) -> Any:
    return np.eye(3) + 0.1 * rng.normal(size=(3, 3))


rule(
    runtime.at_solution,
    jvp=lambda ts, y, jacobian, residual, x: ts[0],
    jacobian=lambda g, y, jacobian, residual, x: g,
    residual=lambda g, y, jacobian, residual, x: ZERO,
    x=lambda g, y, jacobian, residual, x: ZERO,
    type_of=lambda jacobian, residual, x: as_type(jacobian),
    cases=[Case(_regular, lambda rng: 1e-9 * rng.random(3), (3,))],
)
