"""`scipy.special`: logistic functions, logarithms with limits, entropies, powers, degrees.

Limits: `xlogy(0, y)` is 0, and so are its partials at `x = y = 0`, as in PyTorch; `kl_div` and
`rel_entr` have the partials of their limits where `x` is 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type, float_type, real_only
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import over
from srcad.rules.core.registry import elementwise, nondiff, zero
from srcad.rules.core.table import Case
from srcad.rules.pointwise.arithmetic import base_partial, exponent_partial
from srcad.rules.scipy.linalg.options import result_dtype
from srcad.rules.scipy.special.functions import special

LN2, LN10 = math.log(2), math.log(10)
DEGREE = math.pi / 180
_UNIT = (0.3, 0.7)
_POSITIVE = (0.5, 3.0)

# The logistic function and its kin; they saturate at 0 without overflow.
elementwise(special.expit, lambda y, x: y * (1 - y))
elementwise(special.logit, lambda y, x: over(x * (1 - x)), domain=_UNIT)
elementwise(special.log_expit, lambda y, x: special.expit(-x))
if hasattr(special, "softplus"):  # SciPy 1.15 and newer
    elementwise(
        special.softplus,
        lambda y, x: special.expit(x),
        type_of=real_only(float_type),
        cases=(Case((3, 4)), Case(()), Case((0, 3))),
    )

# Exponentials, powers, roots: ufuncs of their own, not NumPy's
elementwise(special.exp2, lambda y, x: y * LN2)
elementwise(special.exp10, lambda y, x: y * LN10, domain=(-1.5, 1.0))
elementwise(special.expm1, lambda y, x: y + 1)
elementwise(special.log1p, lambda y, x: over(1 + x), domain=(-0.5, 2.0))
elementwise(special.cbrt, lambda y, x: over(3 * y * y), domain=_POSITIVE)
elementwise(
    special.powm1,
    lambda out, x, y: base_partial(out + 1, x, y),
    lambda out, x, y: exponent_partial(out + 1, x, y),
    domain=_POSITIVE,
)


def exprel_slope(x: Any) -> Any:
    """The derivative of (exp(x) - 1) / x = M(1, 2, x); DLMF 13.3.15."""
    return 0.5 * special.hyp1f1(2, 3, x)


elementwise(special.exprel, lambda y, x: exprel_slope(x))
elementwise(special.cosm1, lambda y, x: -np.sin(x))

# Degrees
elementwise(special.sindg, lambda y, x: DEGREE * special.cosdg(x), domain=(20, 70))
elementwise(special.cosdg, lambda y, x: -DEGREE * special.sindg(x), domain=(20, 70))
elementwise(special.tandg, lambda y, x: DEGREE * (1 + y * y), domain=(20, 70))
elementwise(special.cotdg, lambda y, x: -DEGREE * (1 + y * y), domain=(20, 70))
elementwise(
    special.radian,
    lambda y, d, m, s: DEGREE,
    lambda y, d, m, s: DEGREE / 60,
    lambda y, d, m, s: DEGREE / 3600,
    cases=(Case((3, 4), (4,), (3, 1)), Case((), (), ())),
)
zero(special.round)


# x log y and what is made of it
def _log(x: Any, y: Any) -> Any:
    """log(y); 0 where `x` and `y` are 0."""
    return np.log(np.where((x == 0) & (y == 0), 1, y))


def _log1p(x: Any, y: Any) -> Any:
    return np.log1p(np.where((x == 0) & (y == -1), 0, y))


def _ratio(x: Any, y: Any) -> Any:
    """x / y; 0 where `x` is 0, also over 0."""
    return over(np.where(x == 0, 1, y), x)


_XLOGY = "0 at (0, 0), by both arguments"
elementwise(
    special.xlogy,
    lambda out, x, y: _log(x, y),
    lambda out, x, y: _ratio(x, y),
    domain=_POSITIVE,
    note=_XLOGY,
)
elementwise(
    special.xlog1py,
    lambda out, x, y: _log1p(x, y),
    lambda out, x, y: _ratio(x, 1 + y),
    domain=_POSITIVE,
    note="0 at (0, -1), by both arguments",
)
elementwise(special.entr, lambda y, x: -1 - np.log(x), domain=_POSITIVE, note="inf at 0")


def _log_ratio(x: Any, y: Any) -> Any:
    """log(x / y); 0 at (0, 0)."""
    return np.log(np.where(x == y, 1, x) / np.where(x == y, 1, y))


elementwise(
    special.rel_entr,
    lambda out, x, y: 1 + _log_ratio(x, y),
    lambda out, x, y: over(np.where(x == 0, 1, y), -x),
    domain=_POSITIVE,
    note="(1, 0) at (0, 0)",
)
elementwise(
    special.kl_div,
    lambda out, x, y: _log_ratio(x, y),
    lambda out, x, y: 1 - x / np.where(x == 0, 1, y),
    domain=_POSITIVE,
    note="(0, 1) at (0, 0)",
)


# Transformations of Box and Cox: log(x) exprel(u) with u = lambda log(x)
def _boxcox_slope(log: Any, lmbda: Any) -> Any:
    return log * log * exprel_slope(lmbda * log)


elementwise(
    special.boxcox,
    lambda y, x, lmbda: x ** (lmbda - 1),
    lambda y, x, lmbda: _boxcox_slope(np.log(x), lmbda),
    domain=_POSITIVE,
    cases=(Case((3, 4), 0), Case((3, 4), 2), Case((3, 4), 0.0)),
)
elementwise(
    special.boxcox1p,
    lambda y, x, lmbda: (1 + x) ** (lmbda - 1),
    lambda y, x, lmbda: _boxcox_slope(np.log1p(x), lmbda),
    domain=_POSITIVE,
    cases=(Case((3, 4), 0), Case((3, 4), 2)),
)


def _inverse_slope(x: Any, y: Any, lmbda: Any) -> Any:
    """The derivative of x = (1 + lambda y)^(1 / lambda) by lambda.

    log(1 + u) / u is F(1, 1; 2; -u), its derivative -F(2, 2; 3; -u) / 2 (DLMF 15.4.1, 15.5.1).
    """
    return -0.5 * x * y * y * special.hyp2f1(2, 2, 3, -lmbda * y)


elementwise(
    special.inv_boxcox,
    lambda x, y, lmbda: x / (1 + lmbda * y),
    lambda x, y, lmbda: _inverse_slope(x, y, lmbda),
    domain=(0.3, 1.5),
    cases=(Case((3, 4), 0), Case((3, 4), 2)),
)
elementwise(
    special.inv_boxcox1p,
    lambda x, y, lmbda: (1 + x) / (1 + lmbda * y),
    lambda x, y, lmbda: _inverse_slope(1 + x, y, lmbda),
    domain=(0.3, 1.5),
    cases=(Case((3, 4), 0), Case((3, 4), 2)),
)

# Losses
elementwise(
    special.huber,
    lambda y, delta, r: np.maximum(np.abs(r) - delta, 0),
    lambda y, delta, r: np.clip(r, -delta, delta),
    cases=(Case(1.0, lambda rng: rng.uniform(-3, 3, (3, 4))),),
    domain=(0.5, 3.0),
)
elementwise(
    special.pseudo_huber,
    lambda y, delta, r: y * y / (delta * delta * np.hypot(delta, r)),
    lambda y, delta, r: r * delta / nonzero(np.hypot(delta, r)),
    cases=(Case(1.5, (3, 4)),),
    domain=_POSITIVE,
)


# Lambert's W, and omega: W(exp(z))
def _lambertw_type(z: object, k: object = 0, tol: object = 1e-8) -> Any:
    if type(k) is not int or type(tol) is not float:
        raise UncoveredError("a branch or a tolerance that is no number of Python's")
    t = as_type(z)
    return array_or_scalar(result_dtype(special.lambertw, dtype_of(t) or float), shape_of(t))


elementwise(
    special.lambertw,
    lambda y, z, k=0, tol=1e-8: over(np.exp(y) * (1 + y)),
    type_of=_lambertw_type,
    domain=_POSITIVE,
    cases=(
        Case((3, 4)),
        Case(()),
        Case((0, 3)),
        Case(lambda rng: rng.uniform(-0.3, -0.1, 4), k=-1),
    ),
)
elementwise(special.wrightomega, lambda y, z: over(1 + y, y))

nondiff(special.gammasgn)
