"""Rules of linear programs (`srcad.runtime.solving.linear_programs`).

Where the solution is one vertex, and no other constraint meets it, its n active constraints decide
it, also next to there:

    B x = d:    x_dot = B^-1 (d_dot - B_dot x),     d_bar = B^-T x_bar,     B_bar = -d_bar x^T

The costs choose the vertex, and move nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import as_type, unknown_extent
from srcad.rules.core.registry import nondiff, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.sparse import real_dtype_of


def _program_type(c: Any, *rest: Any, **options: Any) -> tuple[Type, ...]:
    holds = ArrayType(np.dtype(bool), (unknown_extent(),))
    solution = ArrayType(real_dtype_of(c, *rest), shape_of(as_type(c)))
    return solution, NumberType(float), NumberType(int), NumberType(int), holds


def _constraints(y: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `active_rows` and `unmoved` take."""
    _, a_ub, b_ub, a_eq, b_eq, lower, upper = args
    whole = call(np.eye, lower.shape[0])
    rows = np.concatenate((a_ub, a_eq, whole, whole))
    ends = np.concatenate((b_ub, b_eq, lower, upper))
    return y[0], y[4], rows, ends


def _joined(parts: list[Any], like: list[Any]) -> Any:
    """The tangents of arrays that are joined."""
    if all(part is ZERO for part in parts):
        return ZERO
    pairs = zip(parts, like, strict=True)
    return np.concatenate([np.zeros_like(x) if part is ZERO else part for part, x in pairs])


def _moved(ts: Any, y: Any, args: tuple[Any, ...]) -> Any:
    """The tangent of the solution."""
    x, c = y[0], args[0]
    square = call(np.zeros, (c.shape[0], c.shape[0]))
    moves = _joined([ts[1], ts[3], ZERO, ZERO], [args[1], args[3], square, square])
    change = _joined([ts[2], *ts[4:]], [args[2], *args[4:]])
    given = _constraints(y, args)
    still = ZERO if ts[0] is ZERO else call(runtime.unmoved, c, *given)
    if moves is ZERO and change is ZERO:
        return still
    active = call(runtime.active_rows, *given)
    found = change if change is ZERO else change[active]
    if moves is not ZERO:
        moved = moves[active] @ x
        found = -moved if found is ZERO else found - moved
    found = call(np.linalg.solve, given[2][active], found)
    return found if still is ZERO else found + still


def _jvp(ts: Any, y: Any, *args: Any) -> Any:
    c, x_dot = args[0], _moved(ts, y, args)
    x_dot = x_dot if x_dot is ZERO else cast_like(x_dot, y[0])
    fun_dot = ZERO if ts[0] is ZERO else ts[0] @ y[0]
    if x_dot is not ZERO:
        fun_dot = c @ x_dot if fun_dot is ZERO else fun_dot + c @ x_dot
    return x_dot, fun_dot, ZERO, ZERO, ZERO


def _x_bar(g: Any, c: Any) -> Any:
    """The cotangent of the solution: of itself, and of the smallest value."""
    if g[1] is ZERO:
        return g[0]
    return g[1] * c if g[0] is ZERO else g[0] + g[1] * c


def _c_bar(g: Any, y: Any, *args: Any) -> Any:
    still = call(runtime.unmoved, args[0], *_constraints(y, args))
    return still if g[1] is ZERO else still + g[1] * y[0]


def _ends_bar(g: Any, y: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """The cotangents of all ends, and which of them are active."""
    given = _constraints(y, args)
    active = call(runtime.active_rows, *given)
    weights = call(np.linalg.solve, np.transpose(given[2][active]), _x_bar(g, args[0]))
    return call(runtime.scatter, weights, given[3].shape, active), active


def _part(k: int, args: tuple[Any, ...]) -> slice:
    """Where the ends of the k-th kind of constraints lie."""
    ends = [x.shape[0] for x in (args[2], args[4], args[5], args[6])]
    start: Any = 0
    for end in ends[:k]:
        start = start + end
    return slice(start, start + ends[k])


def _end(k: int) -> Callable[..., Any]:
    def body(g: Any, y: Any, *args: Any) -> Any:
        return _ends_bar(g, y, args)[0][_part(k, args)]

    return body


def _rows(k: int) -> Callable[..., Any]:
    def body(g: Any, y: Any, *args: Any) -> Any:
        return -np.outer(_ends_bar(g, y, args)[0][_part(k, args)], y[0])

    return body


def _bar(k: int, of: Callable[..., Any]) -> Callable[..., Any]:
    """The vjp by the k-th input."""

    def body(
        g: Any, y: Any, c: Any, a_ub: Any, b_ub: Any, a_eq: Any, b_eq: Any, lower: Any, upper: Any,
        **options: Any,
    ) -> Any:  # fmt: skip
        args = (c, a_ub, b_ub, a_eq, b_eq, lower, upper)
        if g[0] is ZERO and g[1] is ZERO:
            return ZERO
        return cast_like(of(g, y, *args), args[k])

    return body


def _near(*entries: Any) -> Callable[[np.random.Generator], Any]:
    return lambda rng: np.array(entries) + 0.01 * rng.random(np.shape(entries))


_A = ((1.0, 2.0), (3.0, 1.0))
_X = np.array([1.6, 1.2])
_NONE: Any = (np.zeros((0, 2)), np.zeros(0))
_GIVEN = (
    _X,
    np.array([True, True, False, False, False, False]),
    np.concatenate((_A, np.eye(2), np.eye(2))),
    np.array([4.0, 6.0, 0.0, 0.0, 9.0, 9.0]),
)
_BOUNDS = (_near(0.0, 0.0), _near(9.0, 9.0))

rule(
    runtime.linear_program,
    jvp=lambda ts, y, c, a_ub, b_ub, a_eq, b_eq, lower, upper, **options: _jvp(
        ts, y, c, a_ub, b_ub, a_eq, b_eq, lower, upper
    ),
    c=_bar(0, _c_bar),
    a_ub=_bar(1, _rows(0)),
    b_ub=_bar(2, _end(0)),
    a_eq=_bar(3, _rows(1)),
    b_eq=_bar(4, _end(1)),
    lower=_bar(5, _end(2)),
    upper=_bar(6, _end(3)),
    type_of=_program_type,
    cases=[
        Case(_near(-1.0, -1.0), _near(*_A), _near(4.0, 6.0), *_NONE, *_BOUNDS),
        Case(
            _near(-1.0, 2.0), _near((1.0, 2.0)), _near(4.0), _near((1.0, 1.0)), _near(3.0),
            *_BOUNDS,
        ),
    ],
)  # fmt: skip

nondiff(
    runtime.active_rows,
    type_of=lambda x, holds, rows, ends: ArrayType(np.dtype(np.int64), shape_of(as_type(x))),
    cases=[Case(*_GIVEN)],
)
nondiff(runtime.unmoved, type_of=lambda c, *rest: as_type(c), cases=[Case(_X, *_GIVEN)])
