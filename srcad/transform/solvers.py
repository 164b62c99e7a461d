"""Calls of solvers (of equations, of integrals, of differential equations), by their derivatives.

The modules with these derive the functions that solvers are passed, by the transformations that
call them here; so they enter what they do into a table (`srcad.transform.kinds` imports them).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from srcad.ir.nodes import Op
from srcad.rules.core.staged import Builder
from srcad.transform.forward.walk import Walk
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Solver:
    """Derivatives of the calls for which `is_one` is true: by tangents, and backwards."""

    is_one: Callable[[Op], bool]
    push: Callable[[Walk, Op, Builder], None]
    reverse: Callable[[Sweep, Op, list[Cotangent], Scope], None]


SOLVERS: list[Solver] = []


def solver_of(op: Op) -> Solver | None:
    """What differentiates a call of a solver; None for other operations."""
    return next((solver for solver in SOLVERS if solver.is_one(op)), None)


__all__ = ["SOLVERS", "Solver", "solver_of"]
