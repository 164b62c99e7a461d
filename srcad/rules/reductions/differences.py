"""Differences along an axis, and sums over them: trapezoid, gradient, ediff1d, unwrap."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import dtype_of
from srcad.rules.core.broadcast import as_floats, cast_like
from srcad.rules.core.compose import known, raise_unless, raise_unless_equal
from srcad.rules.core.declaration.cases import places
from srcad.rules.core.facts import UncoveredError, float_type, normalize_axes, real_only
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import as_array, is_number, rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.reductions.cumulative import at


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = as_array(y)
    before, after = at(axis, slice(None, -1)), at(axis, slice(1, None))
    if x is None:
        return np.sum(dx * (y[after] + y[before]) / 2.0, axis=axis)
    x = as_array(x)
    if x.ndim == 1:
        width = np.diff(x)
        rank = rank_or_none(y)
        shape = [1] * y.ndim
        shape[axis] = -1
        width = np.reshape(width, shape) if rank != 1 else width
    else:
        width = np.diff(x, axis=axis)
    return np.sum(width * (y[after] + y[before]) / 2.0, axis=axis)


composed(
    np.trapezoid,
    _trapezoid,
    cases=(
        Case((5,)),
        Case((5,), (5,)),
        Case((3, 4), None, 0.5),
        Case((3, 4), None, float, axis=0),
        Case((3, 4), (4,)),
        Case((3, 4), (3,), axis=0),
        Case((2, 3, 4), (2, 3, 4), axis=1),
        Case((2, 3, 4), (3,), axis=-2),
    ),
)


# ---- gradient


_TOO_SMALL = (
    "Shape of array too small to calculate a numerical gradient, "
    "at least (edge_order + 1) elements are required."
)
_OTHER_LENGTH = "when 1d, distances must match the length of the corresponding dimension"


def _spacings(f: Any, spacing: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """What lies between the points along each axis: a number, or the widths of the steps."""
    if not spacing:
        return [1.0] * len(axes)
    if len(spacing) == 1 and rank_or_none(spacing[0]) == 0:
        return [spacing[0]] * len(axes)
    if len(spacing) != len(axes):
        raise TypeError("invalid number of arguments")
    return [_widths(f, h, axis) for h, axis in zip(spacing, axes, strict=True)]


def _widths(f: Any, h: Any, axis: int) -> Any:
    if rank_or_none(h) == 0:
        return h
    h = as_array(h)
    if h.ndim != 1:
        raise_unless(False, ValueError, "distances must be either scalars or 1d", beside=f)
        return 1.0
    n = h.shape[0]
    raise_unless_equal(n, f.shape[axis], ValueError, _OTHER_LENGTH, beside=f)
    raise_unless(n > 1, IndexError, "index 0 is out of bounds for axis 0 with size 0", beside=f)
    if dtype_of(type_of(h)) == np.dtype(bool):
        raise UncoveredError("distances between truth values")  # steps that NumPy cannot negate
    return np.diff(as_floats(h))


def _slope(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """Differences in the middle and at both ends; of the second order in the middle."""

    def part(start: int | None, stop: int | None) -> Any:
        return f[at(axis, slice(start, stop))]

    def along(w: Any) -> Any:
        return np.reshape(w, [-1 if i == axis else 1 for i in range(f.ndim)])

    raise_unless(f.shape[axis] > edge_order, ValueError, _TOO_SMALL, beside=f)
    uniform = rank_or_none(h) == 0
    if uniform:
        middle = (part(2, None) - part(None, -2)) / (2.0 * h)
        first = last = h
    else:
        before, after = along(h[:-1]), along(h[1:])
        both = before + after
        middle = (
            -after / (before * both) * part(None, -2)
            + (after - before) / (before * after) * part(1, -1)
            + before / (after * both) * part(2, None)
        )
        first, last = along(h[:1]), along(h[-1:])
    if edge_order == 1:
        start = (part(1, 2) - part(0, 1)) / first
        end = (part(-1, None) - part(-2, -1)) / last
    elif uniform:
        start = -1.5 / h * part(0, 1) + 2.0 / h * part(1, 2) + -0.5 / h * part(2, 3)
        end = 0.5 / h * part(-3, -2) + -2.0 / h * part(-2, -1) + 1.5 / h * part(-1, None)
    else:
        second, third = along(h[1:2]), along(h[-2:-1])
        start = _one_sided(part(0, 1), part(1, 2), part(2, 3), first, second)
        end = -_one_sided(part(-1, None), part(-2, -1), part(-3, -2), last, third)
    return np.concatenate((start, middle, end), axis=axis)


def _one_sided(a: Any, b: Any, c: Any, h: Any, k: Any) -> Any:
    """The slope at `a` by a parabola through it and its next two, at steps of `h` and `k`."""
    both = h + k
    return -(h + both) / (h * both) * a + both / (h * k) * b - h / (k * both) * c


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = as_array(f)
    f = f.astype(np.float64) if f.dtype.kind in "iu" else f  # of truth values NumPy refuses it
    axes = tuple(range(f.ndim)) if axis is None else _axes(axis, f.ndim)
    spacings = _spacings(f, varargs, axes)
    edge_order = known(edge_order, "`edge_order`")
    if edge_order < 1:
        raise UncoveredError("an `edge_order` below 1")
    raise_unless(edge_order <= 2, ValueError, "'edge_order' greater than 2 not supported", beside=f)
    found = tuple(
        cast_like(_slope(f, h, k, edge_order), f) for h, k in zip(spacings, axes, strict=True)
    )
    return found[0] if len(axes) == 1 else found


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(normalize_axes(each, rank)[0] for each in given)


composed(
    np.gradient,
    _gradient,
    domain=(0.5, 2.0),
    cases=(
        Case((6,)),
        Case((6,), float),
        Case((6,), places(6)),
        Case((3, 4)),
        Case((3, 4), axis=0),
        Case((4, 5), 0.5, float, axis=(1, 0)),
        Case((3, 5), places(3), 2.0),
        Case((3, 5), places(5), axis=-1, edge_order=2),
        Case((3, 5), edge_order=2),
        Case((2,)),
    ),
)


# ---- ediff1d, unwrap


def _fits(end: Any, x: Any) -> bool:
    own, dtype = (dtype_of(type_of(v)) for v in (end, x))
    if own is None or dtype is None:
        return False
    if is_number(end):
        return "biufc".find(own.kind) <= "biufc".find(dtype.kind)
    return np.can_cast(own, dtype, casting="same_kind")


def _end_of(end: Any, x: Any) -> Any:
    end = np.reshape(as_array(end), -1)
    return cast_like(end, x) if x.dtype.kind in "fc" else end.astype(x.dtype)


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    x = np.reshape(as_array(ary), -1)
    if x.dtype.kind == "b":
        raise TypeError("truth values are not subtracted")
    for end in (to_end, to_begin):
        if end is not None and not _fits(as_array(end), x):
            raise TypeError("`to_begin` and `to_end` must fit the dtype of the array")
    parts = [np.diff(x)]
    if to_begin is not None:
        parts.insert(0, _end_of(to_begin, x))
    if to_end is not None:
        parts.append(_end_of(to_end, x))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


composed(
    np.ediff1d,
    _ediff1d,
    cases=(Case((5,)), Case((2, 3)), Case((4,), (2,)), Case((4,), float, (2,)), Case((1,))),
)

rule(
    np.unwrap,
    jvp=lambda ts, y, p, discont=None, axis=-1, *, period=6.283185307179586: ts[0],
    p=lambda g, y, p, discont=None, axis=-1, *, period=6.283185307179586: g,
    type_of=real_only(float_type),
    note="added entries are constants",
    cases=(
        Case(lambda rng: np.cumsum(rng.uniform(0.5, 2.5, 7)) % 6.28),
        Case((3, 4), axis=0),
        Case((5,), period=1.5),
        Case((5,), discont=4.0),
    ),
)
