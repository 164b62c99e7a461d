"""`scipy.stats`: the multivariate normal distribution, by Cholesky's factor, and Dirichlet's.

A singular covariance matrix is an error, unless `allow_singular=True`: then its pseudo-inverse and
the product of its positive eigenvalues take part, as in SciPy, and its derivative is that along
matrices of the same rank. The point of a Dirichlet distribution has all its coordinates and is
taken to be one of the simplex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from srcad.ir.types import shape_of
from srcad.rules.core.axes import is_one
from srcad.rules.core.compose import known, raise_unless
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import find_builder, rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.scipy import FROZEN
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.stats.distribution import double

_LOG_2PI = math.log(2 * math.pi)
# Of the largest eigenvalue: less counts as zero (`scipy.stats._multivariate._eigvalsh_to_eps`).
_LEAST = 1e6 * np.finfo(float).eps


def _logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    x = double(x)
    if rank_or_none(cov) != 2 or rank_or_none(x) in (0, None):
        raise UncoveredError("anything but a covariance matrix and points with coordinates")
    if rank_or_none(x) == 1:
        x = x[:, None] if is_one(cov, 0) else x[None]
    if mean is not None:
        if rank_or_none(mean) != 1 or is_one(mean, 0) != is_one(cov, 0):
            raise UncoveredError("a mean that is not a vector with a coordinate for each variable")
        x = x - double(mean)
    # SciPy leaves out axes of one entry.
    shape = tuple(x.shape[k] for k in range(x.ndim - 1) if not is_one(x, k))
    rows = np.reshape(x, (-1, x.shape[-1]))
    if known(allow_singular, "`allow_singular`"):
        return -np.reshape(_singular_cost(rows, _symmetric(double(cov))), shape)
    factor = np.linalg.cholesky(double(cov))
    z = np.linalg.solve(factor, rows.T)
    distance = np.reshape(np.sum(z * z, axis=0), shape)
    log_det = np.sum(np.log(np.diagonal(factor)))
    return -0.5 * (x.shape[-1] * _LOG_2PI + distance) - log_det


def _symmetric(cov: Any) -> Any:
    """The matrix of the lower triangle, which is what SciPy reads."""
    return np.tril(cov) + np.tril(cov, -1).T


def _singular_cost(x: Any, cov: Any) -> Any:
    """`-logpdf` of rows; infinite where one is no combination of the columns of the matrix."""
    rank, log_det, least = _spectrum(cov)
    inverse = np.linalg.pinv(cov, rcond=_LEAST)
    outside = np.linalg.norm(x - x @ inverse @ cov, axis=-1)
    distance = np.sum((x @ inverse) * x, axis=-1)
    return np.where(outside < 1e3 * least, 0.5 * (rank * _LOG_2PI + distance + log_det), np.inf)


def _spectrum(cov: Any) -> Any:
    """The number of positive eigenvalues, the logarithm of their product, the least that counts."""
    values = np.linalg.eigvalsh(cov)
    least = _LEAST * np.max(np.abs(values))
    raise_unless(
        np.min(values) >= -least,
        ValueError,
        "The input matrix must be symmetric positive semidefinite.",
        beside=cov,
    )
    is_kept = values > least
    log_det = np.sum(np.where(is_kept, np.log(np.where(is_kept, values, 1.0)), 0.0))
    return np.count_nonzero(is_kept), log_det, least


def _entropy(mean: Any = None, cov: Any = 1) -> Any:
    if rank_or_none(cov) != 2 or (mean is not None and rank_or_none(mean) != 1):
        raise UncoveredError("anything but a covariance matrix and a mean that is a vector")
    rank, log_det, _ = _spectrum(double(cov))
    return 0.5 * (rank * (_LOG_2PI + 1.0) + log_det)


def _definite(rng: Any) -> Any:
    a = rng.standard_normal((3, 3))
    return a @ a.T + 3 * np.eye(3)


_normal_cases = (
    Case((3,), (3,), Case.made(_definite)),
    Case((4, 3), (3,), Case.made(_definite)),
    Case((4, 3), None, Case.made(_definite)),
    Case((2, 4, 3), (3,), cov=Case.made(_definite)),
    Case((1, 4, 3), (3,), cov=Case.made(_definite)),
    Case((1, 1), (1,), Case.made(lambda rng: np.array([[2.5]]))),
    Case((4,), (1,), Case.made(lambda rng: np.array([[2.5]]))),
)


def _dirichlet(x: Any, alpha: Any) -> Any:
    x, alpha = double(x), double(alpha)
    extents, parameters = shape_of(type_of(x)), shape_of(type_of(alpha))
    if not extents or not parameters or (extents[0] == 1) != (parameters[0] == 1):
        raise UncoveredError("points without their last coordinate")
    inside = "the point must lie within the normal simplex"
    raise_unless(np.min(alpha) > 0, ValueError, "All parameters must be greater than 0", beside=x)
    raise_unless(np.min(x) >= 0, ValueError, inside, beside=x)
    raise_unless(np.max(x) <= 1, ValueError, inside, beside=x)
    is_off = np.abs(np.sum(x, 0) - 1.0) > 10e-10
    if find_builder(x) is not None:  # differences are taken beside the simplex
        raise_unless(np.logical_not(np.any(is_off)), ValueError, inside, beside=x)
    log_beta = np.sum(special.gammaln(alpha)) - special.gammaln(np.sum(alpha))
    return np.sum(special.xlogy(alpha - 1, x.T), axis=-1) - log_beta


def _on_simplex(rng: Any) -> Any:
    return rng.dirichlet(np.ones(3), 4).T


composed(stats.multivariate_normal.logpdf, _logpdf, cases=_normal_cases)
composed(
    stats.multivariate_normal.pdf,
    lambda x, mean=None, cov=1, allow_singular=False: np.exp(_logpdf(x, mean, cov, allow_singular)),
    cases=_normal_cases,
)
composed(
    stats.multivariate_normal.entropy,
    _entropy,
    cases=[Case((3,), Case.made(_definite)), Case(None, cov=Case.made(_definite))],
)
_dirichlet_cases = (
    Case(Case.made(lambda rng: rng.dirichlet(np.ones(3))), (3,)),
    Case(Case.made(_on_simplex), (3,)),
)
composed(stats.dirichlet.logpdf, _dirichlet, domain=(0.6, 2.0), cases=_dirichlet_cases)
composed(
    stats.dirichlet.pdf,
    lambda x, alpha: np.exp(_dirichlet(x, alpha)),
    domain=(0.6, 2.0),
    cases=_dirichlet_cases,
)
FROZEN.update({stats.multivariate_normal, stats.dirichlet})
