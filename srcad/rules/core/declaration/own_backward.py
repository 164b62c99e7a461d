"""Functions with a forward and a backward of their own: the adjoint reads what the forward kept.

    rule(solve, fwd=fwd, bwd=bwd)
                                        y, (lu,) = fwd(a, b)
    y = solve(a, b)              ->     y_2 = attached(y, lu, a, b, backward=bwd)

`attached` gives its first argument. Its cotangent with respect to `a` and `b` is `bwd((lu,), g)`;
what `fwd` is made of is not differentiated. When all derivatives are made, the simplifier takes it
out (`srcad.optimize.simplify.detach_backwards`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.ir.walk import map_tree
from srcad.rules.core.declaration.declared import one_for_each
from srcad.rules.core.sequences import refilled
from srcad.rules.core.staged import Staged, call
from srcad.rules.core.table import Body, Rule, name_of
from srcad.rules.core.zero import ZERO


@dataclass(frozen=True, eq=False)
class Backward:
    """The backward of one call of `fn`: what `attached` needs besides values.

    `residuals` is their tree, in which each array is its place among those `kept`; `results` counts
    the results, `several` where they are in a tuple.
    """

    fn: Callable[..., Any]
    body: Body
    residuals: Any
    kept: int
    results: int
    several: bool


@dataclass(frozen=True)
class _Place:
    index: int


class OwnForward:
    """The body of a composed function: the forward, and the backward attached to its result."""

    def __init__(self, fn: Callable[..., Any], fwd: Body, bwd: Body) -> None:
        self.fn, self.fwd, self.bwd = fn, fwd, bwd
        self.__signature__ = inspect.signature(fwd)

    def __call__(self, /, *xs: Any, **options: Any) -> Any:
        """The result, with the backward attached."""
        found = self.fwd(*xs, **options)
        if not isinstance(found, tuple | list) or len(found) != 2:
            note = "fwd= gives the result and what bwd= needs: `return y, residuals`"
            raise error("E605", None, what=f"`{name_of(self.fn)}`", notes=(note,))
        y, residuals = found
        several = isinstance(y, tuple | list)
        ys = tuple(y) if several else (y,)
        kept: list[Any] = []

        def place(leaf: Any) -> Any:
            if not isinstance(leaf, Staged):
                return leaf
            kept.append(leaf)
            return _Place(len(kept) - 1)

        tree = map_tree(place, residuals)
        backward = Backward(self.fn, self.bwd, tree, len(kept), len(ys), several)
        made = call(runtime.attached, *ys, *kept, *xs, backward=backward)
        return refilled(y, made) if several else made


def attached_type(*types: Any, backward: Any = None) -> Any:
    """The types of the results."""
    return types[: backward.results] if backward.several else types[0]


def attached_vjp(g: Any, y: Any, *args: Any, backward: Any = None) -> tuple[Any, ...]:
    """Cotangents of the inputs by the user's backward, none of what it reads."""
    first = backward.results + backward.kept
    kept, xs = args[backward.results : first], args[first:]
    residuals = map_tree(
        lambda p: kept[p.index] if isinstance(p, _Place) else p, backward.residuals
    )
    bars = one_for_each(backward.fn, backward.body(residuals, g), len(xs))
    return (*[ZERO] * first, *bars)


def is_adjoint_only(rule: Rule) -> bool:
    """Whether a rule states reverse mode alone."""
    if rule.kind == "composed":
        return isinstance(rule.body, OwnForward)
    return rule.kind == "general" and rule.jvp is None


__all__ = ["OwnForward", "attached_type", "attached_vjp", "is_adjoint_only"]
