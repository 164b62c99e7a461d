"""`scipy.optimize.linprog`, read in its place.

linprog(c, A, b).x      x, fun, status, nit, holds = linear_program(c, A, b, ...)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime


def _end(given: Any, missing: float) -> Any:
    return missing if given is None else given


def linprog(c: Any, a_ub: Any, b_ub: Any, a_eq: Any, b_eq: Any, bounds: Any, options: Any) -> Any:
    """The solution, the smallest value, how the search ended, what is left of each constraint."""
    c = np.array(c, dtype=float).ravel()
    n = c.shape[0]
    if len(bounds) == 2 and not isinstance(bounds[0], list | tuple):
        lower = np.full(n, _end(bounds[0], -np.inf), dtype=float)
        upper = np.full(n, _end(bounds[1], np.inf), dtype=float)
    else:
        lower = np.array([_end(pair[0], -np.inf) for pair in bounds], dtype=float)
        upper = np.array([_end(pair[1], np.inf) for pair in bounds], dtype=float)
    none, nothing = np.zeros((0, n)), np.zeros(0)
    a_ub = none if a_ub is None else np.array(a_ub, dtype=float)
    a_eq = none if a_eq is None else np.array(a_eq, dtype=float)
    b_ub = nothing if b_ub is None else np.array(b_ub, dtype=float).ravel()
    b_eq = nothing if b_eq is None else np.array(b_eq, dtype=float).ravel()
    x, fun, status, nit, _ = runtime.linear_program(
        c, a_ub, b_ub, a_eq, b_eq, lower, upper, **options
    )
    return x, fun, status, nit, b_ub - a_ub @ x, b_eq - a_eq @ x
