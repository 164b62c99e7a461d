"""`check_rule`: one derivative rule, at the points its author chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.rules import RULES
from srcad.testing.gradients import check_grads


def check_rule(
    fn: Callable[..., Any], *args: Any, order: int = 1, seed: int = 0, **kwargs: Any
) -> None:
    """Check the rule of `fn` against differences of `fn`.

    Args:
        args, kwargs: the point; without any, the cases and the domain that the rule states.

    Raises:
        MissingRule: E201, `fn` has no rule.
        AssertionError: as `check_grads`.

    >>> import numpy as np
    >>> check_rule(np.arctan2, np.array([1.0, 2.0]), np.array([0.5, -1.0]))
    """
    from srcad.rules import library as _  # noqa: F401 - fills the registry

    rule = RULES.get(fn)
    if rule is None:
        raise error("E201", None, what=f"`{getattr(fn, '__name__', fn)}`")
    if rule.kind in ("zero", "nondiff"):
        return
    rng = np.random.default_rng(seed)
    points = [(args, kwargs)] if args or kwargs else [case.draw(rule, rng) for case in rule.cases]
    for positional, options in points:
        active = [i for i in rule.vjps if i < len(positional) and _varies(positional[i])]

        def at(*xs: Any, where: Any = active, given: Any = positional, opts: Any = options) -> Any:
            full = list(given)
            for i, x in zip(where, xs, strict=True):
                full[i] = x
            return fn(*full, **opts)

        check_grads(at, tuple(positional[i] for i in active), order=order, seed=seed)


def _varies(x: Any) -> bool:
    return isinstance(x, float) or (isinstance(x, np.ndarray | np.generic) and x.dtype.kind == "f")
