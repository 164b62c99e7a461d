"""`check_rule`: one derivative rule, at the points its author chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.rules import RULES, Case
from srcad.rules.core.declaration.cases import draw_call
from srcad.rules.core.declaration.own_backward import is_adjoint_only
from srcad.rules.core.table import Rule, name_of, no_rule
from srcad.testing.gradients import check_grads, varies

# Less than the distance to a jump, most likely, and more than rounding.
_LITTLE = 1e-9


def check_rule(
    fn: Callable[..., Any], *args: Any, order: int = 1, seed: int = 0, **kwargs: Any
) -> None:
    """Check the rule of `fn` against differences of `fn`.

    Args:
        fn: a function with a rule.
        args, kwargs: the point; without any, the cases and the domain that the rule states.
        order, seed: as of `check_grads`.

    Raises:
        MissingRule: E201, `fn` has no rule.
        AssertionError: as `check_grads`.

    >>> import numpy as np
    >>> check_rule(np.arctan2, np.array([1.0, 2.0]), np.array([0.5, -1.0]))
    """
    rule = RULES.get(fn)
    if rule is None:
        raise no_rule(fn)
    if rule.kind == "nondiff":
        return
    rng = np.random.default_rng(seed)
    if rule.kind == "zero":
        _check_zero(rule, args, kwargs, rng)
        return
    if args or kwargs:
        inputs = range(len(args)) if rule.kind == "composed" else sorted(rule.vjps)
        positions = (i for i in inputs if i < len(args) and varies(args[i]))
        _check(fn, args, kwargs, tuple(positions), order, seed)
        return
    for case in rule.cases or [Case(*[(3, 4)] * max(1, len(rule.vjps)))]:
        drawn, options, varied = draw_call(rule, case, rng)
        _check(fn, drawn, options, varied, order, seed)


def _check_zero(rule: Rule, args: tuple[Any, ...], options: dict[str, Any], rng: Any) -> None:
    """A function with derivative zero does not change where its arguments change by little."""
    points = [(args, options)] if args or options else []
    for case in () if points else rule.cases or [Case((3, 4))]:
        drawn, made, _ = draw_call(rule, case, rng)
        points.append((drawn, made))
    for xs, made in points:
        moved = [x + x.dtype.type(_LITTLE) if varies(x) else x for x in map(_as_array, xs)]
        if not _equal(rule.fn(*xs, **made), rule.fn(*moved, **made)):
            raise AssertionError(
                f"{name_of(rule.fn)}: srcad gives zero, differences give more: "
                f"it changes when its arguments move by {_LITTLE}"
            )


def _as_array(x: Any) -> Any:
    return np.float64(x) if isinstance(x, float) else x


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return all(map(_equal, a, b))
    return bool(np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc"))


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
    modes = ("rev",) if is_adjoint_only(RULES[fn]) else ("fwd", "rev")
    check_grads(at_point, tuple(args[i] for i in varied), order=order, modes=modes, seed=seed)
