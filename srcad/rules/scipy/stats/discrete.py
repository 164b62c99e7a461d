"""`scipy.stats`: distributions of counts, by their parameters.

Counts are not varied: derivatives by them are 0, as of all that jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from srcad.rules.core.registry import composed
from srcad.rules.core.table import Case
from srcad.rules.pointwise.arithmetic import is_number_equal
from srcad.rules.scipy import FROZEN
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.stats.distribution import checked, double, wide, with_signature

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Counts:
    """A distribution by the logarithm of its mass `(k, *shapes)`, for first <= k <= last.

    `valid(*shapes)` are conditions on the parameters; `held` are parameters that are not varied.
    """

    dist: Any
    log: Formula
    valid: Formula
    last: Formula | None = None
    first: int = 0
    held: Sequence[Any] = ()
    domain: tuple[float, float] = (0.2, 0.8)

    def logpmf(self, k: Any, *shapes: Any, loc: Any = 0) -> Any:
        k = _counted(k, loc)
        whole = np.floor(k)
        outside = (k < self.first) | (k > whole)  # which NaN is not: of it the mass is NaN
        if self.last is not None:
            outside = outside | (k > self.last(*shapes))
        found = self.log(np.where(outside, self.first, whole), *shapes)
        return checked(np.where(outside, -np.inf, found), (), self.valid(*shapes))

    def pmf(self, k: Any, *shapes: Any, loc: Any = 0) -> Any:
        return np.exp(self.logpmf(k, *shapes, loc=loc))

    def summed(self, formula: Formula, below: float, above: float) -> Formula:
        """A sum of masses by its formula, with constants below the first and from the last on."""

        def body(k: Any, *shapes: Any, loc: Any = 0) -> Any:
            k = np.floor(_counted(k, loc))
            is_below = k < self.first
            is_above = False if self.last is None else k >= self.last(*shapes)
            found = formula(np.where(is_below | is_above, self.first, k), *shapes)
            if is_above is not False:
                found = np.where(is_above, above, found)
            return checked(np.where(is_below, below, found), (), self.valid(*shapes))

        return body

    def state(self, name: str, body: Formula) -> None:
        """Put a body in the place of the method of this name."""
        names = [word.strip() for word in self.dist.shapes.split(",")]
        most = 1 if self.dist is stats.bernoulli else 5
        counts = Case.made(lambda rng: rng.integers(self.first + 1, most + 1, (3, 4)))
        varied = [()] * (len(names) - len(self.held))
        cases = (
            Case(counts, *self.held, *varied),
            Case(self.first + 1, *self.held, *varied),
            Case(counts, *self.held, *[(4,)] * len(varied), loc=0.0),
        )
        stated = with_signature(body, ["k", *names], loc=0)
        composed(getattr(self.dist, name), stated, cases=cases, domain=self.domain)


def _counted(k: Any, loc: Any) -> Any:
    k = double(wide(k))
    return k if is_number_equal(loc, 0) else k - loc


def _discrete(dist: Any, log: Formula, cdf: Formula, sf: Formula, **about: Any) -> None:
    """State the methods of a distribution of counts by formulas `(k, *shapes)`."""
    known = _Counts(dist, log, **about)
    FROZEN.add(dist)
    known.state("logpmf", known.logpmf)
    known.state("pmf", known.pmf)
    known.state("cdf", known.summed(cdf, 0, 1))
    known.state("sf", known.summed(sf, 1, 0))


def _is_probability(p: Any) -> list[Any]:
    return [p >= 0, p <= 1]


_discrete(
    stats.poisson,
    log=lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1) - mu,
    cdf=lambda k, mu: special.pdtr(k, mu),
    sf=lambda k, mu: special.pdtrc(k, mu),
    valid=lambda mu: [mu >= 0],
    domain=(0.7, 3.0),
)


def _log_binomial(k: Any, n: Any, p: Any) -> Any:
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)


_discrete(
    stats.binom,
    log=_log_binomial,
    cdf=lambda k, n, p: special.betaincc(k + 1, n - k, p),
    sf=lambda k, n, p: special.betainc(k + 1, n - k, p),
    valid=lambda n, p: [n >= 0, n == np.floor(n), *_is_probability(p)],
    last=lambda n, p: n,
    held=(5,),
)
_discrete(
    stats.bernoulli,
    log=lambda k, p: special.xlogy(k, p) + special.xlog1py(1 - k, -p),
    cdf=lambda k, p: 1 - p + 0 * k,
    sf=lambda k, p: p + 0 * k,
    valid=_is_probability,
    last=lambda p: 1,
)


def _log_nbinom(k: Any, n: Any, p: Any) -> Any:
    ways = special.gammaln(n + k) - special.gammaln(k + 1) - special.gammaln(n)
    return ways + n * np.log(p) + special.xlog1py(k, -p)


_discrete(
    stats.nbinom,
    log=_log_nbinom,
    cdf=lambda k, n, p: special.betainc(n, k + 1, p),
    sf=lambda k, n, p: special.betaincc(n, k + 1, p),
    valid=lambda n, p: [n > 0, p > 0, p <= 1],
    held=(2.5,),
)
_discrete(
    stats.geom,
    log=lambda k, p: special.xlog1py(k - 1, -p) + np.log(p),
    cdf=lambda k, p: -np.expm1(np.log1p(-p) * k),
    sf=lambda k, p: np.exp(np.log1p(-p) * k),
    valid=lambda p: [p > 0, p <= 1],
    first=1,
)
