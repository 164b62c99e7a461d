"""`scipy.stats`: distributions of counts, by their parameters.

Counts are not varied: derivatives by them are 0, as of all that jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import special, stats

from srcad.rules.registry import composed
from srcad.rules.scipy import FROZEN
from srcad.rules.scipy.distribution import checked, double, is_constant, with_signature
from srcad.rules.table import Case

Formula = Callable[..., Any]


def _discrete(
    dist: Any,
    log: Formula,
    cdf: Formula,
    sf: Formula,
    valid: Formula,
    last: Formula | None = None,
    first: int = 0,
    counts: Sequence[Any] = (),
    domain: tuple[float, float] = (0.2, 0.8),
) -> None:
    """State a distribution by formulas `(k, *shapes)` for `first` <= k <= `last`.

    `valid(*shapes)` are conditions on the parameters; `counts` are parameters that are not varied.
    """
    shapes = [name.strip() for name in dist.shapes.split(",")]

    def prepared(k: Any, loc: Any) -> Any:
        k = double(k)
        return k if is_constant(loc, 0) else k - loc

    def logpmf(k: Any, *params: Any, loc: Any = 0) -> Any:
        k = prepared(k, loc)
        whole = np.floor(k)
        outside = (k < first) | (k != whole)
        if last is not None:
            outside = outside | (k > last(*params))
        found = log(np.where(outside, first, whole), *params)
        return checked(np.where(outside, -np.inf, found), (), valid(*params))

    def summed(formula: Formula, below: float, above: float) -> Formula:
        def body(k: Any, *params: Any, loc: Any = 0) -> Any:
            k = np.floor(prepared(k, loc))
            outside = k < first
            if last is not None:
                is_last = k >= last(*params)
                found = formula(np.where(outside | is_last, first, k), *params)
                found = np.where(is_last, above, found)
            else:
                found = formula(np.where(outside, first, k), *params)
            return checked(np.where(outside, below, found), (), valid(*params))

        return body

    def state(name: str, body: Formula) -> None:
        most = 1 if dist is stats.bernoulli else 5
        held = [Case.made(lambda rng: rng.integers(first + 1, most + 1, (3, 4)))]
        varied = [()] * (len(shapes) - len(counts))
        fn = getattr(dist, name)
        cases = (
            Case(*held, *counts, *varied),
            Case(first + 1, *counts, *varied),
            Case(*held, *counts, *[(4,)] * len(varied), loc=0.0),
        )
        composed(fn, with_signature(body, ["k", *shapes], loc=0), cases=cases, domain=domain)

    FROZEN.add(dist)
    state("logpmf", logpmf)
    state("pmf", lambda *args, **options: np.exp(logpmf(*args, **options)))
    state("cdf", summed(cdf, 0, 1))
    state("sf", summed(sf, 1, 0))


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
    counts=(5,),
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
    counts=(2.5,),
)
_discrete(
    stats.geom,
    log=lambda k, p: special.xlog1py(k - 1, -p) + np.log(p),
    cdf=lambda k, p: -np.expm1(np.log1p(-p) * k),
    sf=lambda k, p: np.exp(np.log1p(-p) * k),
    valid=lambda p: [p > 0, p <= 1],
    first=1,
)
