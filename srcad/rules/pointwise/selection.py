"""Choosing between values: `where`, `select`, `choose`, `maximum`, `minimum`, `clip`.

Ties in `maximum` and `minimum` share evenly; an entry on a bound of `clip` counts as inside. A
branch of `where` that is not taken contributes exactly 0, whatever its derivative there
(`srcad.rules.core.product`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, Type, dtype_of, shape_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    broadcast_shapes,
    promote,
)
from srcad.rules.core.kinks import half_at_tie
from srcad.rules.core.masks import is_zero
from srcad.rules.core.product import Chosen, spread
from srcad.rules.core.registry import elementwise, rule
from srcad.rules.core.staged import Staged
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

# where


def _where_type(condition: object, x: object, y: object) -> Type:
    types = [as_type(a) for a in (condition, x, y)]
    return ArrayType(promote(*types[1:]), broadcast_shapes(*map(shape_of, types)))


def _where_jvp(ts: Any, y: Any, condition: Any, a: Any, b: Any) -> Any:
    a_dot, b_dot = (0 if t is ZERO else t for t in ts[1:])
    return spread(np.where(condition, a_dot, b_dot), y)


def _condition(*shape: int) -> Case.made:
    return Case.made(lambda rng: rng.random(shape) < 0.5)


rule(
    np.where,
    jvp=_where_jvp,
    x=lambda g, out, condition, x, y: unbroadcast(np.where(condition, g, 0), x),
    y=lambda g, out, condition, x, y: unbroadcast(np.where(condition, 0, g), y),
    type_of=_where_type,
    cases=(
        Case(_condition(3, 4), (3, 4), (3, 4)),
        Case(_condition(3, 4), (4,), float),
        Case(_condition(3, 1), (1, 4), (3, 4)),
        Case(_condition(3, 4), (3, 4), 0),
        Case(_condition(3, 4), 0.0, (3, 4)),
        Case(_condition(), (3,), ()),
        Case(_condition(), (), ()),
        Case(_condition(0, 4), (4,), (1, 4)),
    ),
)

# select: inputs are (condlist, choicelist, default)


def _normalize_select(condlist: Any, choicelist: Any, default: Any = 0) -> Arguments:
    return (list(condlist), list(choicelist), default), {}


def _select_type(condlist: Any, choicelist: Any, default: Any) -> Type:
    values = [as_type(a) for a in (*choicelist, default)]
    conditions = [as_type(a) for a in condlist]
    shape = broadcast_shapes(*map(shape_of, (*conditions, *values)))
    return ArrayType(promote(*values), shape)


def _select_jvp(ts: Any, y: Any, condlist: Any, choicelist: Any, default: Any) -> Any:
    chosen = [ZERO] * len(choicelist) if ts[1] is ZERO else ts[1]
    dots = [0 if t is ZERO else t for t in (*chosen, ts[2])]
    return spread(np.select(condlist, dots[:-1], dots[-1]), y)


def _select_vjp(g: Any, y: Any, condlist: Any, choicelist: Any, default: Any) -> list[Any]:
    """Each choice takes `g` where its condition is the first to hold."""
    return [
        unbroadcast(np.select(condlist[: k + 1], [*[0] * k, g], 0), choice)
        if isinstance(choice, Staged | np.ndarray | np.generic | float)
        else ZERO
        for k, choice in enumerate(choicelist)
    ]


rule(
    np.select,
    jvp=_select_jvp,
    choicelist=_select_vjp,
    default=lambda g, y, condlist, choicelist, default: unbroadcast(
        np.select(condlist, [0] * len(choicelist), g), default
    ),
    type_of=_select_type,
    normalize=_normalize_select,
    cases=(
        Case([_condition(3, 4), _condition(3, 4)], [(3, 4), (4,)], (3, 1)),
        Case([_condition(3, 4)], [(3, 4)], 0),
        Case([_condition(4), _condition(3, 1)], [(), (3, 4)], ()),
    ),
)

# choose: inputs are (a, choices), a list of arrays


def _normalize_choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Arguments:
    if out is not None or not isinstance(choices, list | tuple):
        raise TypeError("`choices` that is no list of arrays, or an `out`")
    return (a, list(choices)), {} if mode == "raise" else {"mode": mode}


def _choose_type(a: object, choices: Any, mode: str = "raise") -> Type:
    types = [as_type(each) for each in choices]
    dtype = np.result_type(*(dtype_of(t) or float for t in types))  # no number is weak here
    return array_or_scalar(dtype, broadcast_shapes(*map(shape_of, (as_type(a), *types))))


def _choose_jvp(ts: Any, y: Any, a: Any, choices: Any, mode: Any = "raise") -> Any:
    dots = [0.0 if t is ZERO else t for t in ts[1]]
    return spread(np.choose(a, dots, mode=mode), y)


def _choose_vjp(g: Any, y: Any, a: Any, choices: Any, mode: str = "raise") -> list[Any]:
    """Each choice takes `g` where `a`, which may be a list, is its number."""
    if isinstance(a, list | tuple) and any(isinstance(each, Staged) for each in a):
        a = np.stack(a)
    if mode == "wrap":
        a = np.mod(a, len(choices))
    elif mode == "clip":
        a = np.clip(a, 0, len(choices) - 1)
    return [
        unbroadcast(np.where(np.equal(a, k), g, 0), choice)
        if isinstance(choice, Staged | np.ndarray | np.generic | float)
        else ZERO
        for k, choice in enumerate(choices)
    ]


rule(
    np.choose,
    jvp=_choose_jvp,
    choices=_choose_vjp,
    type_of=_choose_type,
    normalize=_normalize_choose,
    cases=(
        Case(Case.made(lambda rng: rng.integers(0, 3, (3, 4))), [(3, 4), (4,), (3, 1)]),
        Case(Case.made(lambda rng: rng.integers(0, 2, 4)), [(4,), ()]),
        Case(Case.made(lambda rng: rng.integers(-3, 6, 4)), [(4,), ()], mode="wrap"),
        Case(Case.made(lambda rng: rng.integers(-3, 6, 4)), [(4,), ()], mode="clip"),
    ),
)

# maximum, minimum


def _share_above_zero(x: Any) -> Any:
    """0, ½ or 1: by the sign, which is cheaper than comparing twice."""
    return 0.5 * (np.sign(x) + 1)


def _greater(y: Any, a: Any, b: Any) -> Chosen:
    """The share of `a` in the greater of two."""
    factor = _share_above_zero(a) if is_zero(b) else half_at_tie(a == b, a > b, y)
    return Chosen(a >= b, half_at_tie(a == b, 1, y), factor)


def _less(y: Any, a: Any, b: Any) -> Chosen:
    """The share of `a` in the less of two."""
    return Chosen(a <= b, half_at_tie(a == b, 1, y), half_at_tie(a == b, a < b, y))


for _fn, _share in ((np.maximum, _greater), (np.minimum, _less)):
    elementwise(
        _fn,
        _share,
        lambda y, a, b, share=_share: share(y, b, a),
        note="ties share evenly",
    )


def _unless_missing(a: Any, b: Any, wins: Any, y: Any) -> Chosen:
    """The share of `a`, which the other replaces where it is NaN."""
    return Chosen(wins | np.isnan(b), half_at_tie(a == b, 1, y), leaves_nan=True)


elementwise(
    np.fmax,
    lambda y, a, b: _unless_missing(a, b, a >= b, y),
    lambda y, a, b: _unless_missing(b, a, b >= a, y),
    note="ties share evenly",
)
elementwise(
    np.fmin,
    lambda y, a, b: _unless_missing(a, b, a <= b, y),
    lambda y, a, b: _unless_missing(b, a, b <= a, y),
    note="ties share evenly",
)

# clip: inputs are (a, a_min, a_max), None for a bound that is not there


def _normalize_clip(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Arguments:
    return (a, a_min if min is None else min, a_max if max is None else max), {}


def _clip_type(a: object, a_min: object, a_max: object) -> Type:
    types = [as_type(x) for x in (a, a_min, a_max) if x is not None]
    if promote(*types).kind == "c":
        raise UncoveredError("complex arguments")
    return array_or_scalar(promote(*types), broadcast_shapes(*map(shape_of, types)))


def _inside(y: Any, a: Any, low: Any, high: Any) -> Any:
    if low is None:
        return 1 if high is None else a <= high
    return a >= low if high is None else (a >= low) & (a <= high)


def _below(y: Any, a: Any, low: Any, high: Any) -> Any:
    return a < low if high is None else (a < low) & (low <= high)


def _above(y: Any, a: Any, low: Any, high: Any) -> Any:
    return a > high if low is None else (a > high) | (low > high)


def _where_it_holds(condition: Any) -> Any:
    """The partial of what the result is where a condition holds."""

    def partial(y: Any, a: Any, low: Any, high: Any) -> Any:
        found = condition(y, a, low, high)
        return found if isinstance(found, int) else Chosen(found, factor=found)

    return partial


elementwise(
    np.clip,
    *map(_where_it_holds, (_inside, _below, _above)),
    type_of=_clip_type,
    normalize=_normalize_clip,
    cases=(
        Case((3, 4), -0.7, 0.6),
        Case((3, 4), None, 0.6),
        Case((3, 4), 0, None),
        Case((3, 4), min=-1.0, max=1),
        Case((3, 4), (4,), None),
        Case((3, 4), (3, 1), (3, 4)),
        Case((4,), (3, 1), 0.5),
        Case((3, 4), float, float),
        Case((), -0.7, 0.6),
        Case(np.float64, -0.7, 0.6),
        Case((0, 3), -0.7, 0.6),
    ),
    note="an entry on a bound counts as inside",
)
