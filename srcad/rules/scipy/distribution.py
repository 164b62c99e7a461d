"""Distributions of `scipy.stats`: their methods as formulas, stated for location 0 and scale 1.

distribution(stats.expon, log=lambda z: -z, lower=0, cdf=lambda z: -np.expm1(-z), ...)
stats.expon.logpdf(x, scale=s)  ->  z = x / s;  np.where(z < 0, -np.inf, -z) - np.log(s)

`composed` puts the formulas in place of the calls. Outside of the support densities are 0 (-inf)
and distribution functions 0 or 1, with derivative 0; there a formula is evaluated at a point inside
so that it cannot spoil anything. Impossible parameters give NaN, as in SciPy. Results are float64.

The bodies state no rule of their own: derivatives come from those of `scipy.special`. Where these
have none by a parameter (`gamma.cdf` by its shape), E202 says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.rules.registry import composed
from srcad.rules.scipy import FROZEN
from srcad.rules.staged import as_array, type_of
from srcad.rules.table import Case

Formula = Callable[..., Any]


def distribution(
    dist: Any,
    *,
    log: Formula,
    cdf: Formula | None = None,
    sf: Formula | None = None,
    logcdf: Formula | None = None,
    logsf: Formula | None = None,
    ppf: Formula | None = None,
    has_logs: bool = True,
    lower: Any = None,
    upper: Any = None,
    inside: Any = 0.5,
    is_open: bool = False,
    positive: bool = True,
    held: Sequence[float] = (),
    drawn: Sequence[Any] = (),
    domain: tuple[float, float] = (0.6, 1.9),
) -> None:
    """State the methods of a continuous distribution by formulas `(z, *shapes)`.

    Args:
        has_logs: whether `cdf` and `sf` are exact enough in the tails for their logarithms.
        lower, upper: the ends of the support: None, numbers, or functions of the shapes.
        inside: a point of the support's inside, or a function of the shapes.
        is_open: whether the lower end is not in the support.
        positive: whether the shapes must be positive.
        held: values of the shapes at which functions are tested that have no derivative by them.
        drawn: functions of a random generator that draw shapes, where the domain does not do.
    """
    ends = _Support(lower, upper, inside, is_open)
    names = [name.strip() for name in (dist.shapes or "").split(",") if name.strip()]

    def density(z: Any, shapes: Any, scale: Any) -> Any:
        found = ends.masked(z, shapes, log, -np.inf, -np.inf)
        return found if is_constant(scale, 1) else found - np.log(scale)

    def state(name: str, body: Formula, first: str, varies: bool) -> None:
        fn = getattr(dist, name)
        shapes = tuple(drawn) or ((),) * len(names) if varies or not held else tuple(held)
        points = (lambda rng: rng.uniform(0.2, 0.8, (3, 4))) if first == "q" else (3, 4)
        cases = [Case(points, *shapes, _small, _about_one)]
        if varies or name == "cdf":
            cases += [Case(points, *shapes), Case(points, *shapes, scale=2.0)]
        composed(
            fn, with_signature(body, [first, *names], loc=0, scale=1), cases=cases, domain=domain
        )

    def by_z(formula: Formula, below: float, above: float) -> Formula:
        def body(x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
            z = standardized(x, loc, scale)
            found = ends.masked(z, shapes, formula, below, above)
            return checked(found, (scale, *(shapes if positive else ())))

        return body

    def logpdf(x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        found = density(standardized(x, loc, scale), shapes, scale)
        return checked(found, shapes if positive else ())  # log(scale) tells of the scale

    def quantile(q: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        q = double(q)
        outside = (q < 0) | (q > 1)
        z = np.where(outside, np.nan, ppf(np.where(outside, 0.5, q), *shapes))  # type: ignore[misc]
        x = z if is_constant(scale, 1) else z * scale
        return checked(
            x if is_constant(loc, 0) else x + loc, (scale, *(shapes if positive else ()))
        )

    FROZEN.add(dist)
    state("logpdf", logpdf, "x", True)
    state("pdf", lambda *args, **options: np.exp(logpdf(*args, **options)), "x", True)
    if cdf is not None and sf is not None:
        state("cdf", by_z(cdf, 0, 1), "x", False)
        state("sf", by_z(sf, 1, 0), "x", False)
    if cdf is not None and sf is not None and has_logs:
        state("logcdf", by_z(logcdf or _log_of(cdf), -np.inf, 0), "x", False)
        state("logsf", by_z(logsf or _log_of(sf), 0, -np.inf), "x", False)
    if ppf is not None:
        state("ppf", quantile, "q", False)


def _log_of(formula: Formula) -> Formula:
    return lambda z, *shapes: np.log(formula(z, *shapes))


class _Support:
    """Where a density is not zero, and a point in it."""

    def __init__(self, lower: Any, upper: Any, inside: Any, is_open: bool) -> None:
        self.lower, self.upper, self.inside, self.is_open = lower, upper, inside, is_open

    def masked(self, z: Any, shapes: Any, formula: Formula, below: float, above: float) -> Any:
        """The formula where it holds, a constant below and above."""
        low, high, inside = (_at(x, shapes) for x in (self.lower, self.upper, self.inside))
        if low is None and high is None:
            return formula(z, *shapes)
        is_below = False if low is None else z <= low if self.is_open else z < low
        is_above = False if high is None else z > high
        outside = is_below if is_above is False else is_above | is_below
        found = formula(np.where(outside, inside, z), *shapes)
        if is_above is not False:
            found = np.where(is_above, above, found)
        return found if is_below is False else np.where(is_below, below, found)


def _at(x: Any, shapes: Any) -> Any:
    return x(*shapes) if callable(x) else x


def double(x: Any) -> Any:
    """`x` as float64 numbers, in which `scipy.stats` computes."""
    if isinstance(x, list | tuple):
        x = as_array(x)
    t = type_of(x)
    if isinstance(t, NumberType):
        return x
    return x if dtype_of(t) == np.float64 else np.astype(as_array(x), np.float64)


def standardized(x: Any, loc: Any, scale: Any) -> Any:
    """(x - loc) / scale, of which constants 0 and 1 leave nothing."""
    x = double(x)
    x = x if is_constant(loc, 0) else x - double(loc)
    return x if is_constant(scale, 1) else x / double(scale)


def checked(y: Any, parameters: Sequence[Any], also: Sequence[Any] = ()) -> Any:
    """`y`, NaN where a parameter is not positive or a condition does not hold."""
    conditions = [p > 0 for p in parameters if not (type(p) in (int, float) and p > 0)]
    conditions += [condition for condition in also if condition is not True]
    if not conditions:
        return _array_or_number(y)
    valid = conditions[0]
    for condition in conditions[1:]:
        valid = valid & condition
    return _array_or_number(np.where(valid, y, np.nan))


def _array_or_number(y: Any) -> Any:
    """A scalar where the rank is 0, as SciPy gives it."""
    t = type_of(y)
    is_array = isinstance(t, ArrayType) and t.shape == () and not t.scalar
    return y[()] if is_array else y


def is_constant(x: Any, number: int) -> bool:
    """Whether `x` is this constant."""
    return type(x) in (int, float) and x == number


def with_signature(body: Formula, inputs: Sequence[str], **options: Any) -> Formula:
    """`body`, called with inputs by position and options by name, as SciPy's method is called."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in inputs]
    parameters += [inspect.Parameter(n, kind, default=d) for n, d in options.items()]
    signature = inspect.Signature(parameters)

    def formula(*args: Any, **given: Any) -> Any:
        values = signature.bind(*args, **given).arguments
        chosen = {name: values[name] for name in options if name in values}
        return body(*(values[name] for name in inputs), **chosen)

    formula.__signature__ = signature  # type: ignore[attr-defined]
    return formula


# Locations and scales that leave the points of a test in the support.
def _small(rng: Any) -> Any:
    return rng.uniform(0.05, 0.15)


def _about_one(rng: Any) -> Any:
    return rng.uniform(1.0, 1.2, 4)
