"""`scipy.integrate.dblquad`, `tplquad`, `nquad`: integrals of integrals, as SciPy computes them.

    dblquad(f, a, b, low, high)    quad(lambda x: quad(f, low(x), high(x), (x,))[0], a, b)

The outermost tells the largest of all errors (`runtime.iterated_quad`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed
from srcad.frontend.builtins.object_calls import is_callable
from srcad.frontend.dispatch import Args, call
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.nested.parameters import name_of, parameters_of
from srcad.frontend.solvers.quadrature import integral

Limits = Callable[[Frame, Args], tuple[Abstract, Abstract]]
_TOLERANCES = ("epsabs", "epsrel", "limit")
_USUAL = 1.49e-8


def dblquad(
    frame: Frame, func: Abstract, a: Abstract, b: Abstract, gfun: Abstract, hfun: Abstract,
    args: Abstract = (), epsabs: Abstract = _USUAL, epsrel: Abstract = _USUAL,
) -> Abstract:  # fmt: skip
    """The integral of `func(y, x, *args)` for y from `gfun(x)` to `hfun(x)`, x from `a` to `b`."""
    what = "scipy.integrate.dblquad"
    limits = [_of_outer((gfun, hfun), 1), _constant(a, b)]
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return _iterated(frame, what, func, limits, [options] * 2, items_of(frame, args, "`args`"))


def tplquad(
    frame: Frame, func: Abstract, a: Abstract, b: Abstract, gfun: Abstract, hfun: Abstract,
    qfun: Abstract, rfun: Abstract, args: Abstract = (),
    epsabs: Abstract = _USUAL, epsrel: Abstract = _USUAL,
) -> Abstract:  # fmt: skip
    """The integral of `func(z, y, x, *args)` for z from `qfun(x, y)` to `rfun(x, y)`, y from
    `gfun(x)` to `hfun(x)`, x from `a` to `b`.
    """
    what = "scipy.integrate.tplquad"
    limits = [_of_outer((qfun, rfun), 2), _of_outer((gfun, hfun), 1), _constant(a, b)]
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return _iterated(frame, what, func, limits, [options] * 3, items_of(frame, args, "`args`"))


def nquad(
    frame: Frame, func: Abstract, ranges: Abstract, args: Abstract = None, opts: Abstract = None,
    full_output: Abstract = False,
) -> Abstract:  # fmt: skip
    """The integral of `func(x0, x1, ..., *args)`, where `ranges[0]` are the limits of x0, the
    innermost; they may be a function of all variables further out, and of `args`.
    """
    what = "scipy.integrate.nquad"
    if full_output:
        raise error("E203", None, what=f"`{what}` with `full_output=`", fix="leave it out")
    limits = [_limits(frame, each) for each in items_of(frame, ranges, "`ranges`")]
    if opts is None or isinstance(opts, DictObj):
        options = [_options(what, opts)] * len(limits)
    else:
        options = [_options(what, each) for each in items_of(frame, opts, "`opts`")]
    if len(options) != len(limits) or not limits:
        fix = "give a range, and a dict of options, for each variable"
        raise error("E203", None, what=f"`{what}` with these `ranges=` and `opts=`", fix=fix)
    passed = [] if args is None else items_of(frame, args, "`args`")
    return _iterated(frame, what, func, limits, options, passed)


def _options(what: str, x: Abstract) -> dict[str, Abstract]:
    """The options of one integral, as `quad` takes them."""
    found = {} if x is None else x.items if isinstance(x, DictObj) else None
    if found is None or not set(found) <= set(_TOLERANCES):
        fix = f"give a dict of {', '.join(_TOLERANCES)}, or split the range"
        raise error("E203", None, what=f"`{what}` with these `opts=`", fix=fix)
    return dict(found)


def _limits(frame: Frame, x: Abstract) -> Limits:
    """The limits of one variable: two numbers, or a function of those further out."""

    def pair(frame: Frame, x: Abstract) -> tuple[Abstract, Abstract]:
        items = items_of(frame, x, "a range")
        if len(items) != 2:
            raise error("E132", None, what="a range of other than two limits")
        return items[0], items[1]

    if is_callable(frame, x):
        return lambda frame, xs: pair(frame, call(frame, x, xs))
    return lambda frame, xs: pair(frame, x)


def _constant(low: Abstract, high: Abstract) -> Limits:
    return lambda frame, xs: (low, high)


def _of_outer(ends: tuple[Abstract, Abstract], n: int) -> Limits:
    """Limits that are numbers, or functions of the `n` variables further out, the outermost
    first.
    """

    def limits(frame: Frame, xs: Args) -> tuple[Abstract, Abstract]:
        given = xs[:n][::-1]
        low, high = (call(frame, end, given) if is_callable(frame, end) else end for end in ends)
        return low, high

    return limits


def _iterated(
    frame: Frame, what: str, func: Abstract, limits: list[Limits],
    options: list[dict[str, Abstract]], args: list[Abstract],
) -> Abstract:  # fmt: skip
    """The integral over all variables, of which the last is the outermost."""
    params = parameters_of(func)

    def level(frame: Frame, k: int, xs: Args) -> Abstract:
        """The integral over the variables up to the k-th, for those further out, and the args."""
        low, high = limits[k](frame, xs)
        inner = func if k == 0 else Closed(_first(k - 1), name_of(func), (func,), params[k:])
        own: Any = runtime.inner_quad if k < len(limits) - 1 else runtime.iterated_quad
        return integral(frame, f"`{what}`", own, inner, (low, high), xs, options[k])

    def _first(k: int) -> Callable[..., Abstract]:
        def value(frame: Frame, *xs: Abstract) -> Abstract:
            found: Any = level(frame, k, xs)
            return found[0]

        return value

    return level(frame, len(limits) - 1, tuple(args))


__all__ = ["dblquad", "nquad", "tplquad"]
