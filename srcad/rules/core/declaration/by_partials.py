"""Both modes of an elementwise function, by its partials.

y = tanh(x)                     y_dot = x_dot * (1 - y * y)
partial: 1 - y * y              x_bar = y_bar * (1 - y * y)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.rules.core.broadcast import divisible, promoted, unbroadcast
from srcad.rules.core.declaration.declared import given
from srcad.rules.core.product import Over, spread, times
from srcad.rules.core.table import Body, name_of
from srcad.rules.core.zero import ZERO

Partials = Sequence[Body | None]


def jvp_by(fn: Callable[..., Any], partials: Partials, note: str) -> Body:
    """The tangent: a term for each input that has one, spread over the result."""

    def jvp(ts: Any, y: Any, *xs: Any, **options: Any) -> Any:
        terms = []
        for p, t in zip(partials, ts, strict=True):
            if t is ZERO:
                continue
            if p is None:
                raise error("E202", None, what=f"`{name_of(fn)}`", notes=(note,) if note else ())
            terms.append(times(t, _partial_at(fn, partials, p, y, xs, options)))
        return spread(sum(terms, start=ZERO), y)

    return jvp


def vjps_by(fn: Callable[..., Any], partials: Partials) -> dict[int, Body]:
    """The cotangent of each input that has a partial, summed where the input was broadcast."""

    def vjp(partial: Body) -> Body:
        def x_bar(g: Any, y: Any, *xs: Any, at: int, **options: Any) -> Any:
            found = _partial_at(fn, partials, partial, y, xs, options)
            g = divisible(g, found.bottom, y) if isinstance(found, Over) else g
            return unbroadcast(times(g, found), xs[at])

        return x_bar

    return {
        i: functools.partial(vjp(partial), at=i)
        for i, partial in enumerate(partials)
        if partial is not None
    }


def _partial_at(
    fn: Callable[..., Any], partials: Partials, partial: Body, y: Any, xs: Any, options: Any
) -> Any:
    """The partial at these inputs; ints among them come as floats where they may vary."""
    operands = [promoted(x, y, as_ints=of_x is None) for x, of_x in zip(xs, partials, strict=True)]
    found = given(fn, partial(y, *operands, **options))
    # What is only multiplied with, or divided by, may stay as it is.
    plain = {id(new): x for new, x in zip(operands, xs, strict=True)}
    if isinstance(found, Over):
        return Over(*(plain.get(id(part), part) for part in (found.top, found.bottom)))
    return plain.get(id(found), found)


__all__ = ["jvp_by", "vjps_by"]
