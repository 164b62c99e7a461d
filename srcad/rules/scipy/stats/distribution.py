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
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, find_builder, is_number, type_of
from srcad.rules.core.table import Case
from srcad.rules.pointwise.arithmetic import is_number_equal
from srcad.rules.scipy import FROZEN

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of `scipy.stats`: the density's logarithm `(z, *shapes)`, and its support.

    Attributes:
        density: its own formula, where it is exact far out; else the exponential of `log`.
        lower, upper: the ends of the support: None, numbers, or functions of the shapes.
        inside: a point of the support's inside, or a function of the shapes.
        is_open: whether the lower end is not in the support.
        positive: whether the shapes must be positive.
        held: values of the shapes at which functions are tested that have no derivative by them.
        drawn: functions of a random generator that draw shapes, where the domain does not do.
    """

    dist: Any
    log: Formula
    density: Formula | None = None
    lower: Any = None
    upper: Any = None
    inside: Any = 0.5
    is_open: bool = False
    positive: bool = True
    held: Sequence[float] = ()
    drawn: Sequence[Any] = ()
    domain: tuple[float, float] = (0.6, 1.9)

    def logpdf(self, x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        """The density's logarithm."""
        found = self.masked(standardized(x, loc, scale), shapes, self.log, -np.inf, -np.inf)
        found = found if is_number_equal(scale, 1) else found - np.log(scale)
        return checked(found, shapes if self.positive else ())  # log(scale) tells of the scale

    def pdf(self, x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
        """The density."""
        if self.density is not None:
            found = self.by_z(self.density, 0, 0)(x, *shapes, loc=loc, scale=scale)
            return found if is_number_equal(scale, 1) else _array_or_number(found / scale)
        return np.exp(self.logpdf(x, *shapes, loc=loc, scale=scale))

    def by_z(self, formula: Formula, below: float, above: float) -> Formula:
        """A function of x by its formula, with constants below and above the support."""

        def body(x: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
            found = self.masked(standardized(x, loc, scale), shapes, formula, below, above)
            return checked(found, (scale, *(shapes if self.positive else ())))

        return body

    def quantile(self, formula: Formula) -> Formula:
        """A function of probabilities, NaN for what is none."""

        def body(q: Any, *shapes: Any, loc: Any = 0, scale: Any = 1) -> Any:
            q = double(q)
            x = formula(np.where((q < 0) | (q > 1), np.nan, q), *shapes)
            x = x if is_number_equal(scale, 1) else x * scale
            x = x if is_number_equal(loc, 0) else x + loc
            return checked(x, (scale, *(shapes if self.positive else ())))

        return body

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

    def state(self, name: str, body: Formula) -> None:
        """Put a body in the place of the method of this name."""
        names = [word.strip() for word in (self.dist.shapes or "").split(",") if word.strip()]
        is_density = name.endswith("pdf")
        is_quantile = name == "ppf"
        drawn = tuple(self.drawn) or ((),) * len(names)
        shapes = drawn if is_density or not self.held else tuple(self.held)
        points = (lambda rng: rng.uniform(0.2, 0.8, (3, 4))) if is_quantile else (3, 4)
        cases = [Case(points, *shapes, _small, _about_one)]
        if is_density or name == "cdf":
            cases += [Case(points, *shapes), Case(points, *shapes, scale=2.0)]
        stated = with_signature(body, ["q" if is_quantile else "x", *names], loc=0, scale=1)
        composed(getattr(self.dist, name), stated, cases=cases, domain=self.domain)


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
    **about: Any,
) -> None:
    """State the methods of a continuous distribution by formulas `(z, *shapes)`.

    Args:
        has_logs: whether `cdf` and `sf` are exact enough in the tails for their logarithms. Where
            one of them is above a half, its logarithm is that of what the other one leaves.
        about: see `Distribution`.
    """
    known = Distribution(dist, log, **about)
    FROZEN.add(dist)
    known.state("logpdf", known.logpdf)
    known.state("pdf", known.pdf)
    if cdf is not None and sf is not None:
        known.state("cdf", known.by_z(cdf, 0, 1))
        known.state("sf", known.by_z(sf, 1, 0))
        if has_logs:
            known.state("logcdf", known.by_z(logcdf or _log_of(cdf, sf), -np.inf, 0))
            known.state("logsf", known.by_z(logsf or _log_of(sf, cdf), 0, -np.inf))
    if ppf is not None:
        known.state("ppf", known.quantile(ppf))


def _log_of(formula: Formula, rest: Formula) -> Formula:
    """The logarithm of a probability, of which the other one leaves the `rest`."""

    def log(z: Any, *shapes: Any) -> Any:
        p = formula(z, *shapes)
        is_small = p < 0.5
        of_rest = np.log1p(-np.where(is_small, 0.0, rest(z, *shapes)))
        return np.where(is_small, np.log(np.where(is_small, p, 1.0)), of_rest)

    return log


def _at(x: Any, shapes: Any) -> Any:
    return x(*shapes) if callable(x) else x


_OVERFLOWING = frozenset(map(np.dtype, ("i1", "i2", "u1", "u2", "u4", "u8")))


def wide(x: Any) -> Any:
    """A parameter, in whose dtype SciPy computes: refused where that overflows."""
    dtype = dtype_of(type_of(x))
    if dtype in _OVERFLOWING:
        raise UncoveredError(f"{dtype}, in which SciPy overflows")
    return _real(x)


def _real(x: Any) -> Any:
    dtype = dtype_of(type_of(x))
    if dtype == np.dtype(bool):
        raise UncoveredError("truth values")  # some of SciPy's formulas raise then
    if dtype is not None and dtype.kind == "c":
        raise UncoveredError("complex numbers")  # of which SciPy drops the imaginary part
    return x


def double(x: Any) -> Any:
    """`x` as float64 numbers, in which `scipy.stats` computes."""
    if isinstance(x, list | tuple):
        x = as_array(x)
    t = type_of(_real(x))
    if isinstance(t, NumberType):
        return x
    return x if dtype_of(t) == np.float64 else np.astype(as_array(x), np.float64)


def standardized(x: Any, loc: Any, scale: Any) -> Any:
    """(x - loc) / scale, of which constants 0 and 1 leave nothing."""
    x = double(x)
    x = x if is_number_equal(loc, 0) else x - double(loc)
    if is_number(x):  # NumPy's from here on: a quotient by zero raises nothing
        builder = find_builder(x)
        x = np.float64(x) if builder is None else builder.call(np.float64, x)
    return x if is_number_equal(scale, 1) else x / double(scale)


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


def with_signature(body: Formula, inputs: Sequence[str], **options: Any) -> Formula:
    """`body`, called with inputs by position and options by name, as SciPy's method is called."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in inputs]
    parameters += [inspect.Parameter(n, kind, default=d) for n, d in options.items()]
    signature = inspect.Signature(parameters)

    def formula(*args: Any, **given: Any) -> Any:
        values = signature.bind(*args, **given).arguments
        chosen = {name: wide(values[name]) for name in options if name in values}
        return body(values[inputs[0]], *(wide(values[name]) for name in inputs[1:]), **chosen)

    formula.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    return formula


# Locations and scales that leave the points of a test in the support.
def _small(rng: Any) -> Any:
    return rng.uniform(0.05, 0.15)


def _about_one(rng: Any) -> Any:
    return rng.uniform(1.0, 1.2, 4)
