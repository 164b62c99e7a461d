"""Functions at points where they have no derivative, or a formula for it fails.

Each is a scalar function of one array with the gradient that srcad gives at a point, by convention
where there is none. `second` is the Hessian's diagonal there, where it says something. The file is
also run with the `numpy` of other systems (tests/oracle), so it takes everything from `np`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy as real_np

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Kink:
    """A function, a point, and what is right there; `why` is what the documents say of it."""

    f: Callable[..., Any]
    x: Any
    gradient: Any
    second: Any
    why: str


KINKS: list[Kink] = []


def at(x: Sequence[Any], gradient: Sequence[Any], second: Any = None, why: str = "") -> Any:
    """Enter a function into the table."""

    def enter(f: Any) -> Any:
        point, first = real_np.array(x, float), real_np.array(gradient, float)
        diagonal = None if second is None else real_np.array(second, float)
        KINKS.append(Kink(f, point, first, diagonal, why))
        return f

    return enter


# ---- ties


@at([1, 3, 3], [0, 0.5, 0.5], [0, 0, 0], "ties share evenly")
def max_of_ties(x):
    return np.max(x)


@at([1, 1, 3], [0.5, 0.5, 0], [0, 0, 0], "ties share evenly")
def min_of_ties(x):
    return np.min(x)


@at([2, 2, 2], [1 / 3] * 3, [0, 0, 0], "ties share evenly")
def max_of_equal(x):
    return np.max(x)


@at([2, 3], [0.5, 1], [0, 0], "ties share evenly")
def maximum_with_constant(x):
    return np.sum(np.maximum(x, 2.0))


@at([0, -1, 1], [0.5, 0, 1], [0, 0, 0], "ties share evenly")
def relu_by_maximum(x):
    return np.sum(np.maximum(x, 0))


@at([2, 2], [0.5, 0.5], [0, 0], "ties share evenly")
def minimum_of_two(x):
    return np.minimum(x[0], x[1])


@at([2, 2, 5], [1, 2, 3], [0, 0, 0], "in the order of argsort")
def sort_of_ties(x):
    return np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0]))


@at([3, 3, 1], [0.5, 0.5, -1], [0, 0, 0], "ties share evenly")
def ptp_of_ties(x):
    return np.ptp(x)


@at([0, 1, 0.5, -1, 2], [1, 1, 1, 0, 0], [0] * 5, "a bound counts as inside")
def clip_at_bounds(x):
    return np.sum(np.clip(x, 0.0, 1.0))


# ---- absolute values and norms


@at([0, -2], [0, -1], [0, 0], "0, the middle of the slopes")
def abs_at_zero(x):
    return np.sum(np.abs(x))


@at([0, 0], [0, 0], [0, 0], "0, the least subgradient")
def norm_at_zero(x):
    return np.linalg.norm(x)


@at([0, 0], [0, 0], [0, 0], "by the chain rule: 2 * norm * 0")
def squared_norm_at_zero(x):
    return np.linalg.norm(x) ** 2


@at([0, 0], [0, 0], [0, 0], "0")
def norm_one_at_zero(x):
    return np.linalg.norm(x, 1)


@at([2, -2, 1], [0.5, -0.5, 0], [0, 0, 0], "ties share evenly")
def norm_max_of_ties(x):
    return np.linalg.norm(x, np.inf)


@at([0, 0], [0, 0], [0, 0], "0")
def norm_max_at_zero(x):
    return np.linalg.norm(x, np.inf)


@at([0, 0], [0, 0], [0, 0], "0")
def hypot_at_zero(x):
    return np.hypot(x[0], x[1])


@at([0, 0], [0, 0], [0, 0], "(0, 0)")
def arctan2_at_zero(x):
    return np.arctan2(x[0], x[1])


@at([0, -1], [0, -1], [0, 0], "0, the middle of the slopes")
def copysign_at_zero(x):
    return np.sum(np.copysign(x, 1.0))


# ---- roots, powers, logarithms


@at([0, 4], [INF, 0.25], None, "the one-sided slope, infinite")
def sqrt_at_zero(x):
    return np.sum(np.sqrt(x))


@at([0, 8], [INF, 1 / 12], None, "the slope, infinite")
def cbrt_at_zero(x):
    return np.sum(np.cbrt(x))


@at([0, 2], [INF, 0.5], None, "the one-sided slope, infinite")
def log_at_zero(x):
    return np.sum(np.log(x))


@at([0, 3], [0, 0], [0, 0], "the constant 1")
def power_zero(x):
    return np.sum(x**0)


@at([0, 3], [0, 0], [0, 0], "the constant 1")
def power_zero_from_array(x):
    return np.sum(x ** np.array([0.0, 0.0]))


@at([0, 3], [1, 1], [0, 0], "as for x")
def power_one(x):
    return np.sum(x ** np.array([1.0, 1.0]))


@at([0, 3], [0, 6], [2, 2], "as for x * x")
def power_two(x):
    return np.sum(x ** np.array([2.0, 2.0]))


@at([-2, -1], [12, 3], [-12, -6], "as for x * x * x")
def power_of_negative_base(x):
    return np.sum(np.power(x, 3.0))


@at([-2, -1], [12, 3], [-12, -6], "as for x * x * x")
def power_of_negative_base_by_array(x):
    return np.sum(x ** np.array([3.0, 3.0]))


@at([1, 2, 0], [0, 0, 0], [0, 0, 0], "0: the constant 0, and 1 at 0")
def zero_to_the_power(x):
    return np.sum(0.0**x)


@at([1, 2, 0], [0, 0, 0], [0, 0, 0], "0: the constant 0, and 1 at 0")
def zeros_to_the_power(x):
    return np.sum(np.zeros(3) ** x)


@at([0, 0.5], [0, 0.5**0.5 * (1 - 0.6931471805599453)], None, "0 at 0")
def power_of_itself(x):
    return np.sum(x**x)


# ---- products


@at([2, 0, 3], [0, 6, 0], [0, 0, 0], "the product of the others")
def prod_with_a_zero(x):
    return np.prod(x)


@at([0, 0, 3], [0, 0, 0], [0, 0, 0], "the product of the others")
def prod_with_two_zeros(x):
    return np.prod(x)


@at([2, 0, 3], [1, 8, 0], [0, 0, 0], "exact")
def cumprod_with_a_zero(x):
    return np.sum(np.cumprod(x))


# ---- statistics


@at([2, 2, 2], [0, 0, 0], [0, 0, 0], "0, the least subgradient")
def std_of_constant(x):
    return np.std(x)


@at([2, 2, 2], [0, 0, 0], [4 / 9] * 3, "exact")
def var_of_constant(x):
    return np.var(x)


@at([2, 2, 2], [0, 0, 0], [0, 0, 0], "by the chain rule: 2 * std * 0")
def squared_std_of_constant(x):
    return np.std(x) ** 2


# ---- sums of exponentials


@at([-INF, 0], [0, 1], None, "exact")
def logaddexp_of_nothing(x):
    return np.logaddexp(x[0], x[1])


@at([-INF, -INF], [1, 1], None, "each as if it were alone")
def logaddexp_of_nothings(x):
    return np.logaddexp(x[0], x[1])


@at([0, 0], [0.5, 0.5], [0.25, 0.25], "exact")
def logaddexp_of_ties(x):
    return np.logaddexp(x[0], x[1])


@at([1000, 0], [1, 0], [0, 0], "exact, no overflow")
def logaddexp_of_large(x):
    return np.logaddexp(x[0], x[1])


# ---- masked branches: strong zeros


@at([0, 4, -1], [0, 0.25, 0], [0, -1 / 32, 0], "a branch not taken gives 0")
def sqrt_where_positive(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


@at([0, 2, -1], [1, 0.5, 1], [0, -0.25, 0], "a branch not taken gives 0")
def log_where_positive(x):
    return np.sum(np.where(x > 0, np.log(x), x))


@at([0, 2], [1, -0.25], [0, 0.25], "a branch not taken gives 0")
def reciprocal_where_nonzero(x):
    return np.sum(np.where(x == 0, x, 1 / x))


@at([0, 2], [0, 0], [0, 0], "0/0 in a branch not taken gives 0")
def quotient_where_nonzero(x):
    return np.sum(np.where(x != 0, x / x, 1.0))


@at([0, 3], [0, 1], [0, 0], "a branch not taken gives 0")
def norm_where_nonzero(x):
    return np.sum(np.where(x > 0, np.sqrt(x * x), 0.0))


@at([0, 2], [0, 1 + 0.6931471805599453], [0, 0.5], "a branch not taken gives 0")
def xlogx_where_positive(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


@at([-1, 4], [0, 0.25], [0, -1 / 32], "what is not the maximum has no part")
def sqrt_of_positive_part(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0)))


@at([2, 0], [0, -1], [0, 0], "what a bound replaced has no part")
def angle_of_clipped(x):
    return np.sum(np.arccos(np.clip(x, -1.0, 1.0)))


@at([-1, 4], [0, 0.25], [0, -1 / 32], "what a truth value left out has no part")
def sqrt_of_masked(x):
    return np.sum(np.sqrt(x * (x > 0)))


@at([0, 4], [0, 0.25], [0, -1 / 32], "what is not the maximum has no part")
def maximum_of_sqrt(x):
    return np.sum(np.maximum(np.sqrt(x), 1.0))


@at([800, 1], [1, 2.718281828459045], [0, 2.718281828459045], "an overflow not taken gives 0")
def exp_where_small(x):
    return np.sum(np.where(x < 700, np.exp(x), x))


@at([INF, 1], [0, 1], [0, 0], "a branch not taken gives 0")
def infinite_where_finite(x):
    return np.sum(np.where(np.isfinite(x), x, 0.0))


@at([NAN, 2], [0, 4], [0, 2], "a branch not taken gives 0")
def nan_where_number(x):
    return np.sum(np.where(np.isnan(x), 0.0, x * x))


@at([0, 2], [0, 0.5], [0, -0.25], "entries not selected give 0")
def log_of_chosen(x):
    return np.sum(np.log(x[x > 0]))


# ---- infinities


@at([INF, 1], [1, 0], [0, 0], "the largest entry")
def max_of_infinity(x):
    return np.max(x)


@at([INF, INF], [0.5, 0.5], [0, 0], "ties share evenly")
def max_of_infinities(x):
    return np.max(x)


# ---- others


@at([0, 1], [0, -1], [-3.289868133696453, 2], "exact: 0, and -pi**2 / 3")
def sinc_at_zero(x):
    return np.sum(np.sinc(x))


@at([3, 4], [1, 1], [0, 0], "as for x - (x // y) * y")
def mod_at_a_multiple(x):
    return np.sum(x % 1.5)


@at([2, 3], [0, 0], [0, 0], "0, at jumps too")
def floor_at_an_integer(x):
    return np.sum(np.floor(x))


@at([0, 2], [0, 0], [0, 0], "0, at the jump too")
def sign_at_zero(x):
    return np.sum(np.sign(x))


@at([1, -1], [INF, INF], None, "the one-sided slope, infinite")
def arcsin_at_its_ends(x):
    return np.sum(np.arcsin(x))


@at([NAN, INF, 1], [0, 0, 1], [0, 0, 0], "0 where the value was replaced")
def nan_to_num(x):
    return np.sum(np.nan_to_num(x))


# ---- matrices


@at([1, 1], [1, 1], None, "symmetric functions of eigenvalues are smooth")
def eigenvalues_that_are_equal(x):
    return np.sum(np.linalg.eigvalsh(np.diag(x)))


@at([1, 1], [2, 2], None, "symmetric functions of eigenvalues are smooth")
def squares_of_equal_eigenvalues(x):
    return np.sum(np.linalg.eigvalsh(np.diag(x)) ** 2)


@at([2, 0, 3], [0, 6, 0], [0, 0, 0], "exact")
def det_of_singular(x):
    return np.linalg.det(np.diag(x))


@at([2, 2], [1, 1], None, "symmetric functions of singular values are smooth")
def singular_values_that_are_equal(x):
    return np.sum(np.linalg.svd(np.diag(x), compute_uv=False))


@at([1, 1, 1, 1], [0, 0.5, 0.5, 0], [0, 0, 0, 0], "the two middle entries in order")
def median_of_ties(x):
    return np.median(x)


@at([5, 1, 3], [0, 0, 1], [0, 0, 0], "the selected entry")
def quantile_at_an_entry(x):
    return np.quantile(x, 0.5)


@at([0, 1, 2], [1, 1, 1], [0, 0, 0], "the slope to the right")
def interp_at_knots(x):
    return np.sum(np.interp(x, np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 2, 3])))
