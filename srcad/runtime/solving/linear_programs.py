"""`scipy.optimize.linprog`, and which of its constraints decide the solution."""

from __future__ import annotations

from typing import Any

import numpy as np


def linear_program(
    c: Any, a_ub: Any, b_ub: Any, a_eq: Any, b_eq: Any, lower: Any, upper: Any, **options: Any
) -> tuple[Any, ...]:
    """`x`, `fun`, `status` and `nit` of `scipy.optimize.linprog`, and which rows hold `x`.

    The rows are those of `a_ub`, those of `a_eq`, the lower and the upper bounds. One that has a
    multiplier holds the solution, so does each equation.

    Raises:
        RuntimeError: there is no solution, or it was not found.
    """
    from scipy import optimize

    bounds = np.stack((lower, upper), axis=1)
    found = optimize.linprog(c, a_ub, b_ub, a_eq, b_eq, bounds, **options)
    if not found.success:
        raise RuntimeError(f"linprog: {found.message}")
    dtype = np.result_type(c, a_ub, b_ub, a_eq, b_eq, lower, upper)
    kinds = (found.ineqlin, found.eqlin, found.lower, found.upper)
    multipliers = np.concatenate([np.abs(np.ravel(kind.marginals)) for kind in kinds])
    holds = multipliers > 1e-9 * np.max(multipliers, initial=0.0)
    holds[len(b_ub) : len(b_ub) + len(b_eq)] = True
    x = found.x.astype(dtype)
    return x, float(found.fun), int(found.status), int(found.nit), holds


def active_rows(x: Any, holds: Any, rows: Any, ends: Any) -> Any:
    """The constraints that decide a solution: as many as there are unknowns.

    Raises:
        numpy.linalg.LinAlgError: it lies on more, so that a small change decides which of them
            matter; or some of them do not hold it, so that there are other solutions.
    """
    size = 1.0 + np.where(np.isfinite(ends), np.abs(ends), 0.0)
    active = holds | (np.abs(rows @ x - ends) <= 1e-7 * size)
    _require(len(x), int(np.count_nonzero(active)), int(np.count_nonzero(holds)))
    return np.flatnonzero(active)


def unmoved(c: Any, x: Any, holds: Any, rows: Any, ends: Any) -> Any:
    """How a solution moves with the costs: not at all.

    Raises:
        numpy.linalg.LinAlgError: there are other solutions, of which the costs choose.
    """
    _require(len(x), len(x), int(np.count_nonzero(holds)))
    return np.zeros_like(c)


def _require(n: int, n_active: int, n_holding: int) -> None:
    if n_active != n or n_holding < n:
        raise np.linalg.LinAlgError(
            f"the derivative of a linear program was asked for where there is none: its solution "
            f"of {n} unknowns lies on {n_active} constraints, of which {n_holding} hold it"
        )
