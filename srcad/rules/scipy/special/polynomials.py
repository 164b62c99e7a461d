"""`scipy.special`: orthogonal polynomials `eval_*`, in the argument, not in degree or parameters.

DLMF 18.9(iii): the derivative of each is a multiple of one of lower degree, exact at the ends of
the interval too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.types import dtype_of
from srcad.rules.core.product import times
from srcad.rules.core.registry import elementwise
from srcad.rules.core.staged import type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.orders import at, at_each

_INSIDE = (-0.7, 0.7)
_UNIT = (0.25, 0.75)
_NOTE = "not with respect to the degree or the parameters"


def _lower(n: Any, value: Callable[[Any], Any]) -> Any:
    """The partial `value(n - 1)` of degree n; none of degree 0."""
    if isinstance(n, int):
        return value(n - 1) if n > 0 else ZERO
    dtype = dtype_of(type_of(n))
    if dtype is not None and dtype.kind in "iu":
        return (n > 0) * value(np.maximum(n - 1, 0))
    return value(n - 1)  # a real degree: a function of Legendre, say


def _polynomial(fn: Any, partial: Any, parameters: tuple[Any, ...], domain: Any = _INSIDE) -> None:
    held = [None] * (fn.nin - 1)
    whole = [*at_each(0, *parameters), *at(3, *parameters), Case(2, *parameters, (3, 4))]
    elementwise(fn, *held, partial, domain=domain, cases=whole, note=_NOTE)


def _gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    """C_n^alpha' / (2 alpha)."""
    return _lower(n, lambda k: special.eval_gegenbauer(k, alpha + 1, x))


_polynomial(
    special.eval_jacobi,
    lambda y, n, alpha, beta, x: _lower(
        n,
        lambda k: 0.5 * (k + alpha + beta + 2) * special.eval_jacobi(k, alpha + 1, beta + 1, x),
    ),
    (0.5, 1.5),
)
_polynomial(
    special.eval_sh_jacobi,
    lambda y, n, p, q, x: _lower(n, lambda k: n * special.eval_sh_jacobi(k, p + 2, q + 1, x)),
    (2.5, 1.5),
    _UNIT,
)
_polynomial(
    special.eval_gegenbauer,
    lambda y, n, alpha, x: times(2 * alpha, _gegenbauer(n, alpha, x)),
    (1.5,),
)
_polynomial(special.eval_legendre, lambda y, n, x: _gegenbauer(n, 0.5, x), ())
_polynomial(
    special.eval_sh_legendre, lambda y, n, x: times(2, _gegenbauer(n, 0.5, 2 * x - 1)), (), _UNIT
)

# Chebyshev's, of the four scalings
_polynomial(
    special.eval_chebyt,
    lambda y, n, x: _lower(n, lambda k: n * special.eval_chebyu(k, x)),
    (),
)
_polynomial(special.eval_chebyu, lambda y, n, x: times(2, _gegenbauer(n, 1, x)), ())
_polynomial(
    special.eval_chebyc,
    lambda y, n, x: _lower(n, lambda k: n * special.eval_chebys(k, x)),
    (),
)
_polynomial(special.eval_chebys, lambda y, n, x: _gegenbauer(n, 1, 0.5 * x), ())
_polynomial(
    special.eval_sh_chebyt,
    lambda y, n, x: _lower(n, lambda k: 2 * n * special.eval_sh_chebyu(k, x)),
    (),
    _UNIT,
)
_polynomial(
    special.eval_sh_chebyu, lambda y, n, x: times(4, _gegenbauer(n, 1, 2 * x - 1)), (), _UNIT
)

# Laguerre's and Hermite's
_polynomial(
    special.eval_laguerre,
    lambda y, n, x: _lower(n, lambda k: -special.eval_genlaguerre(k, 1, x)),
    (),
)
_polynomial(
    special.eval_genlaguerre,
    lambda y, n, alpha, x: _lower(n, lambda k: -special.eval_genlaguerre(k, alpha + 1, x)),
    (0.5,),
)
_polynomial(
    special.eval_hermite,
    lambda y, n, x: _lower(n, lambda k: 2 * n * special.eval_hermite(k, x)),
    (),
)
_polynomial(
    special.eval_hermitenorm,
    lambda y, n, x: _lower(n, lambda k: n * special.eval_hermitenorm(k, x)),
    (),
)
