"""Functions of any number of numbers: `math.hypot(x, y, z)`, `math.log(x)`, `math.log(x, base)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.product import Chosen, over, times
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.zero import ZERO


def log_partial(log: Any) -> Any:
    """The partials of `log(x)` and `log(x, base)`, of `math` or of `cmath`."""

    def partial(i: int, y: Any, *args: Any) -> Any:
        if len(args) == 1:
            return over(args[0])
        x, base = args
        return over(base * call(log, base), -y) if i else over(x * call(log, base))

    return partial


def varargs(fn: Any, partial: Any, cases: Any, note: str = "", **about: Any) -> None:
    """The rule of a function of any number of numbers; `partial` is `(i, y, *args)`."""

    def jvp(ts: Any, y: Any, *args: Any) -> Any:
        terms = (times(t, _alone(partial(i, y, *args))) for i, t in enumerate(ts) if t is not ZERO)
        return cast_like(sum(terms, start=ZERO), y)

    def vjp(g: Any, y: Any, *args: Any, at: int) -> Any:
        return unbroadcast(times(g, partial(at, y, *args)), args[at])

    rule(fn, jvp=jvp, args=vjp, cases=cases, note=note, **about)


def _alone(partial: Any) -> Any:
    """A choice without the factor in place of it: `max(0.0, nan)` is 0, and so is its tangent."""
    return replace(partial, factor=None) if isinstance(partial, Chosen) else partial


__all__ = ["log_partial", "varargs"]
