"""Series of polynomials by their coefficients, the lowest degree first: `np.polynomial.*.*val`.

Clenshaw's recurrence (DLMF 3.11.15), as NumPy writes it, one step for each coefficient: programs
are specialised to their number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from srcad.ir.types import dtype_of
from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import Staged, as_array, type_of
from srcad.rules.core.table import Case

# From the last two sums, the next coefficient, the degree and x to the next two sums.
Step = Callable[[Any, Any, Any, int, Any], tuple[Any, Any]]


def _series(step: Step, end: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    def value(x: Any, c: Any, tensor: Any = True) -> Any:
        x, c = as_array(x), as_array(c)
        if not isinstance(x, Staged):
            x = np.asarray(x)
        if c.ndim != 1:
            raise UncoveredError("coefficients of several series")
        dtype = dtype_of(type_of(c))
        if dtype is not None and dtype.kind in "biu":
            c = c + 0.0
        n = known(c.shape[0], "the number of coefficients")
        if n == 1:
            return c[0] + 0 * x
        low, high = c[n - 2] + 0 * x, c[n - 1] + 0 * x
        for degree in range(n - 1, 1, -1):
            low, high = step(c[degree - 2], low, high, degree, x)
        return end(low, high, x)

    return value


_VALUES: dict[Any, tuple[Step, Callable[[Any, Any, Any], Any]]] = {
    polynomial.polyval: (
        lambda c, low, high, n, x: (c, low + high * x),
        lambda low, high, x: low + high * x,
    ),
    chebyshev.chebval: (
        lambda c, low, high, n, x: (c - high, low + high * (2 * x)),
        lambda low, high, x: low + high * x,
    ),
    legendre.legval: (
        lambda c, low, high, n, x: (
            c - high * ((n - 1) / n),
            low + high * x * ((2 * n - 1) / n),
        ),
        lambda low, high, x: low + high * x,
    ),
    laguerre.lagval: (
        lambda c, low, high, n, x: (
            c - high * ((n - 1) / n),
            low + high * ((2 * n - 1) - x) / n,
        ),
        lambda low, high, x: low + high * (1 - x),
    ),
    hermite.hermval: (
        lambda c, low, high, n, x: (c - high * (2 * (n - 1)), low + high * (2 * x)),
        lambda low, high, x: low + high * (2 * x),
    ),
    hermite_e.hermeval: (
        lambda c, low, high, n, x: (c - high * (n - 1), low + high * x),
        lambda low, high, x: low + high * x,
    ),
}
for _fn, (_step, _end) in _VALUES.items():
    composed(
        _fn, _series(_step, _end), cases=(Case((3,), (5,)), Case((2, 3), (2,)), Case((3,), (1,)))
    )
