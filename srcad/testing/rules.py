"""`check_rule`: one derivative rule, at the points its author chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.rules import RULES, Case
from srcad.rules.cases import draw_call
from srcad.rules.table import name_of
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
        raise error("E201", None, what=f"`{name_of(fn)}`")
    if rule.kind in ("zero", "nondiff"):
        return
    rng = np.random.default_rng(seed)
    if args or kwargs:
        inputs = range(len(args)) if rule.kind == "composed" else sorted(rule.vjps)
        positions = (i for i in inputs if i < len(args) and _varies(args[i]))
        _check(fn, args, kwargs, tuple(positions), order, seed)
        return
    for case in rule.cases or [Case(*[(3, 4)] * max(1, len(rule.vjps)))]:
        drawn, options, varied = draw_call(rule, case, rng)
        _check(fn, drawn, options, varied, order, seed)


def _check(
    fn: Any, args: tuple[Any, ...], options: dict[str, Any], varied: tuple[int, ...],
    order: int, seed: int,
) -> None:  # fmt: skip
    def at_point(*inputs: Any) -> Any:
        full = list(args)
        for i, x in zip(varied, inputs, strict=True):
            full[i] = x
        return fn(*full, **options)

    at_point.__name__ = name_of(fn)
    check_grads(at_point, tuple(args[i] for i in varied), order=order, seed=seed)


def _varies(x: Any) -> bool:
    is_array = isinstance(x, np.ndarray | np.generic)
    return isinstance(x, float | complex) or (is_array and x.dtype.kind in "fc")
