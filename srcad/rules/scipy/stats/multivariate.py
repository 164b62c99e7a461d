"""`scipy.stats`: the multivariate normal distribution, by Cholesky's factor, and Dirichlet's.

A singular covariance matrix is an error, as with SciPy's `allow_singular=False`. The point of a
Dirichlet distribution has all its coordinates and is taken to be one of the simplex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcad.ir.types import shape_of
from srcad.rules.core.axes import is_one
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.scipy import FROZEN
from srcad.rules.scipy.stats.distribution import double

_LOG_2PI = math.log(2 * math.pi)


def _logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    if allow_singular is not False:
        raise UncoveredError("`allow_singular=True`")
    x = double(x)
    if rank_or_none(cov) != 2 or rank_or_none(x) in (0, None):
        raise UncoveredError("anything but a covariance matrix and points with coordinates")
    if rank_or_none(x) == 1:
        x = x[:, None] if is_one(cov, 0) else x[None]
    if mean is not None:
        if rank_or_none(mean) != 1 or is_one(mean, 0) != is_one(cov, 0):
            raise UncoveredError("a mean that is not a vector with a coordinate for each variable")
        x = x - double(mean)
    factor = np.linalg.cholesky(double(cov))
    z = np.linalg.solve(factor, np.reshape(x, (-1, x.shape[-1])).T)
    # SciPy leaves out axes of one entry.
    shape = tuple(x.shape[k] for k in range(x.ndim - 1) if not is_one(x, k))
    distance = np.reshape(np.sum(z * z, axis=0), shape)
    log_det = np.sum(np.log(np.diagonal(factor)))
    return -0.5 * (x.shape[-1] * _LOG_2PI + distance) - log_det


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
