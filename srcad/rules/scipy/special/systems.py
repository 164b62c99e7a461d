"""Functions of one variable with several results, each with its derivative: `airy`, `sici`.

system(special.airy, lambda y, z: (y[1], z * y[0], y[3], z * y[2]))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.declaration.constants import DOMAIN
from srcad.rules.core.facts import TypeFunction
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import rule
from srcad.rules.core.table import Case, name_of
from srcad.rules.core.zero import ZERO

_CASES = (Case((3, 4)), Case(()), Case((0, 3)))


def system(
    fn: Callable[..., Any],
    slopes: Callable[..., Sequence[Any]],
    cases: Sequence[Case] = _CASES,
    domain: tuple[float, float] = DOMAIN,
    type_of: TypeFunction | None = None,
    note: str = "",
) -> None:
    """Declare the derivatives `slopes(y, *parameters, x)` of each result by the last argument."""
    name = list(inspect.signature(slopes).parameters)[-1]

    def jvp(ts: Any, y: Any, *xs: Any) -> Any:
        if any(t is not ZERO for t in ts[:-1]):
            raise error("E202", None, what=f"`{name_of(fn)}`")
        found = slopes(y, *xs)
        return tuple(spread(times(ts[-1], s), out) for s, out in zip(found, y, strict=True))

    def vjp(g: Any, y: Any, *xs: Any) -> Any:
        pairs = zip(g, slopes(y, *xs), strict=True)
        total = sum((times(g_k, s) for g_k, s in pairs if g_k is not ZERO), start=ZERO)
        return unbroadcast(total, xs[-1])

    bodies = {name: _with_names(vjp, ("g",), slopes)}
    rule(fn, jvp=jvp, cases=cases, domain=domain, type_of=type_of, note=note, **bodies)


def _with_names(body: Any, first: tuple[str, ...], like: Any) -> Any:
    """`body` with the parameters of `like` after `first`, as the table shows them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [*first, *inspect.signature(like).parameters]
    body.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    return body
