"""Calls of rules at ties and at the bounds of their options, smooth or not.

Each case of each rule is called with entries that are equal, repeated, or zeros of both signs, and
with its options at their ends: the first and the last axis, no axis, as many degrees of freedom as
entries, the quantiles 0 and 1, each order and each mode. The value of the compiled call is the
function's own or is refused. Both modes agree with each other; where the function is smooth, with
differences; where it has a kink, the derivative lies between the slopes to both sides.

    python -m rules.bounds               # from tests/: all of them
    python -m rules.bounds ::97 5        # one in 97, from number 5
    python -m rules.bounds np.split      # those of one function
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from conformance.outcome import disagreement, run
from rules import edges as ed
from rules.calls import OURS, cases_of, is_single, leaves, make_call, random_like
from rules.campaigns import main
from rules.edges import UNCHECKED, Change, floats_of

import srcad
from srcad.rules.core.table import Case, Rule, name_of


def _repeated(x: np.ndarray) -> np.ndarray:
    """Each other entry is the one before it."""
    flat = x.flatten()
    flat[1::2] = flat[: flat.size // 2 * 2 : 2]
    return flat.reshape(x.shape)


def _signed(x: np.ndarray) -> np.ndarray:
    """Zeros, each other of which is negative, and one entry that is none."""
    flat = np.zeros_like(x).flatten()
    flat[1::2] = -flat[1::2]
    flat[-1:] = x.flatten()[-1:]
    return flat.reshape(x.shape)


CHANGES: dict[str, Change] = {
    "as it is": lambda x: x,
    "repeated": _repeated,
    "signed": _signed,
    "equal": np.ones_like,
    "whole": np.round,
    "one": lambda x: x[tuple(slice(0, 1) for _ in x.shape)],
}
_AXES = (0, -1, "first", "last", (), None, "all")
_ORDERS = (0, 1, 2, -1, -2, np.inf, -np.inf, None, "fro", "nuc", 0.5, 3)
_MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "edge", "symmetric", "linear_ramp")
_MODES += (
    "maximum",
    "minimum",
    "mean",
    "median",
    "full",
    "valid",
    "same",
    "clip",
    "raise",
    "interp",
)
_METHODS = (
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "hazen",
    "weibull",
    "closest_observation",
)
# What options become; what does not fit raises, as it does with NumPy.
BOUNDS: dict[str, tuple[Any, ...]] = {
    "axis": _AXES, "axes": ((0,), (-1,), (), None), "keepdims": (True,), "ddof": (0, 1, "n-1", "n"),
    "correction": (0, "n-1", "n"), "q": (0, 1, 0.5, 100, [0, 1], 0.25),
    "k": (0, 1, -1, "n-1", "n", "-n"), "kth": (0, -1, "n-1"), "n": (0, 1, 2, "n", "n+1"),
    "ord": _ORDERS, "order": (0, 1, 2, 3),
    "mode": _MODES, "method": _METHODS, "norm": ("ortho", "forward", "backward"),
    "offset": (0, 1, -1, "n-1", "n"), "side": ("left", "right"), "deg": (0, 1), "m": (0, 1, 2),
    "shift": (0, "n", "-n"), "repeats": (0, 1), "reps": (0, 1, ()), "decimals": (0, 1, -1),
    "axis1": (0, -1), "axis2": (0, -1), "initial": (0.0, 1.0, -1.0), "bias": (True,),
    "rowvar": (False,), "full": (True,), "lower": (True, False), "unbiased": (False,),
    "nan_policy": ("omit", "raise"), "b": (1.0, 0.0), "return_sign": (True,),
    "edge_order": (1, 2), "periodic": (True,), "size": (1, 3),
    "stable": (True,), "type": (1, 2, 3, 4), "decreasing": (True,), "increasing": (True,),
}  # fmt: skip


@cache
def _parameters(fn: Any) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return frozenset(("axis", "keepdims", "initial") if isinstance(fn, np.ufunc) else ())


@dataclass(frozen=True)
class Bound:
    """One call of one rule at a tie or at the bound of an option, or of a number of its call."""

    rule: Rule
    case: Case
    change: str
    option: Any = None
    to: Any = None

    def __str__(self) -> str:
        what = "" if self.option is None else f", {self.option}={self.to!r}"
        return f"{name_of(self.rule.fn)} at {self.case}, {self.change}{what}"

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any], list[int]]:
        """The arguments, the options, and the positions of the arguments that are arrays."""
        call = make_call(self.rule, self.case)
        floats = floats_of(call.args)
        change = CHANGES[self.change]
        args = [
            change(np.asarray(x)) if i in floats and not np.isscalar(x) else x
            for i, x in enumerate(call.args)
        ]
        options = dict(call.kwargs)
        to = self._to(np.shape(args[floats[0]]) if floats else ())
        if isinstance(self.option, str):
            options[self.option] = to
        elif self.option is not None:
            args[self.option] = to
        return tuple(args), options, floats

    def _to(self, shape: tuple[int, ...]) -> Any:
        n = shape[-1] if shape else 1
        named = {
            "first": -len(shape), "last": len(shape) - 1, "all": tuple(range(len(shape))), "n": n,
            "n-1": n - 1, "n+1": n + 1, "-n": -n,
        }  # fmt: skip
        return named.get(self.to, self.to) if isinstance(self.to, str) else self.to


def bounds() -> Iterator[Bound]:
    """All calls, in an order that stays."""
    for rule in OURS:
        if name_of(rule.fn).startswith(("srcad.", *UNCHECKED)):
            continue
        for case in cases_of(rule):
            yield from bounds_of(rule, case)


def bounds_of(rule: Rule, case: Case) -> Iterator[Bound]:
    """The calls of one case."""
    senseless = ed.SENSELESS.get(name_of(rule.fn), ())
    changes = [change for change in CHANGES if change not in senseless]
    yield from (Bound(rule, case, change) for change in changes)
    call = make_call(rule, case)
    names = [name for name in BOUNDS if name in call.kwargs or name in _parameters(rule.fn)]
    for name in names:
        for to in BOUNDS[name]:
            yield from (Bound(rule, case, change, name, to) for change in ("as it is", "repeated"))
    for k, x in enumerate(call.args):
        if type(x) is int:
            for to in (0, 1, -1, "n-1", "n"):
                yield Bound(rule, case, "as it is", k, to)


def fault_of(bound: Bound) -> tuple[str | None, str]:
    """What is wrong with a call, and what became of it."""
    args, options, given = bound.arguments()
    try:
        f = ed.function_of(bound.rule.fn, args, options, given)
    except SyntaxError:  # an option without a text
        return None, "not written"
    xs = tuple(args[i] for i in given)
    want = run(f, xs)
    got = run(srcad.compile(f, backend="numpy", cache=False), xs)
    fault = disagreement(want, got, xs)
    if fault is not None and inspect.ismethod(bound.rule.fn) and ed.is_near(want, got, False):
        fault = None  # a distribution's, which is written as a formula
    if fault is not None or got.raised is not None:
        return fault, "refused" if got.is_refusal else "raised"
    if "linalg" in name_of(bound.rule.fn) and bound.change != "as it is":
        return None, "alike"  # matrices lose their rank, or have one eigenvalue several times
    return _fault_of_derivatives(f, xs, want.value), "alike"


def _fault_of_derivatives(f: Any, xs: tuple[Any, ...], y: Any) -> str | None:
    parts = [np.asarray(part) for part in leaves(y)]
    if not xs or is_single(xs) or is_single(y) or any(part.dtype.kind != "f" for part in parts):
        return None
    if any(np.iscomplexobj(x) or not np.all(np.isfinite(x)) for x in (*xs, *parts)):
        return None
    rng = np.random.default_rng(0)
    ts, g = tuple(random_like(rng, x) for x in xs), random_like(rng, y)
    pushed = run(lambda *xs: srcad.jvp(f, xs, ts, backend="numpy")[1], xs)
    pulled = run(lambda *xs: ed.pulled(f, xs, g), xs)
    for way, each, like in (("jvp", pushed, y), ("vjp", pulled, list(xs))):
        if each.is_refusal or isinstance(each.raised, np.linalg.LinAlgError):
            return None
        if each.raised is not None:
            return f"{way} raises {each.said}"
        have = each.value if way == "jvp" else list(each.value)
        if fault := ed.misfit(have, like):
            return f"{way}: {fault}"
    if not all(np.all(np.isfinite(np.asarray(dot))) for dot in leaves(pushed.value)):
        return _infinite(f, xs, ts, pushed.value)
    forth = sum(
        np.sum(np.asarray(a) * b) for a, b in zip(leaves(g), leaves(pushed.value), strict=True)
    )
    back = sum(np.sum(np.asarray(a) * t) for a, t in zip(pulled.value, ts, strict=True))
    if not ed.close(back, forth):
        return f"vjp: {back!r} is not {forth!r}, that of jvp"
    return between(f, xs, ts, pushed.value)


def _infinite(f: Any, xs: Any, ts: Any, found: Any) -> str | None:
    """What is wrong with a derivative that is not finite: the slopes to both sides are."""
    slopes = _slopes(f, xs, ts)
    for dot, sides in zip(leaves(found), slopes or (), strict=False):
        if sides is not None:
            left, right, is_fine, _ = sides
            if np.any(is_fine & ~np.isfinite(dot)):
                return f"jvp: {dot!r} where slopes are {left!r} and {right!r}"
    return None


def between(f: Any, xs: Any, ts: Any, found: Any) -> str | None:
    """What is wrong with a derivative along `ts` where the function may have a kink."""
    slopes = _slopes(f, xs, ts)
    for dot, sides in zip(leaves(found), slopes or (), strict=False):
        if sides is None:
            continue
        left, right, is_fine, tol = sides
        is_between = (np.minimum(left, right) - tol <= dot) & (dot <= np.maximum(left, right) + tol)
        wrong = is_fine & ~is_between
        if np.any(wrong) and not _is_of_one_near(f, xs, ts, found, wrong):
            return f"jvp: {dot!r} is not between {left!r} and {right!r}"
    return None


def _is_of_one_near(f: Any, xs: Any, ts: Any, found: Any, wrong: Any) -> bool:
    """Whether a derivative lies between those of points near by: sums of maxima and minima have
    kinks both ways, and the slopes to both sides are not the steepest.
    """
    rng = np.random.default_rng(1)
    slopes = []
    for _ in range(40):
        near = tuple(x + 1e-3 * random_like(rng, x) for x in xs)
        slopes.append([s and (s[0] + s[1]) / 2 for s in _slopes(f, near, ts) or ()])
    for dot, sides in zip(leaves(found), zip(*slopes, strict=True), strict=False):
        if all(side is not None and np.shape(side) == np.shape(dot) for side in sides):
            low, high = np.min(sides, axis=0), np.max(sides, axis=0)
            tol = 1e-2 * (1.0 + np.max(np.abs(sides)))
            if np.shape(wrong) == np.shape(dot) and np.any(
                wrong & ~((low - tol <= dot) & (dot <= high + tol))
            ):
                return False
    return True


def _slopes(f: Any, xs: Any, ts: Any) -> list[Any] | None:
    """Of each part the slopes to the left and right, where they are those over other steps."""

    def at(h: float) -> list[np.ndarray]:
        moved = [x + h * t for x, t in zip(xs, ts, strict=True)]
        return [np.asarray(part) for part in leaves(f(*moved))]

    h = 1e-5
    try:
        points = [at(k * h) for k in (-4, -2, -1, 0, 1, 2, 4)]
    except Exception:  # at the end of the domain
        return None
    return [_sides(h, *parts) for parts in zip(*points, strict=True)]


def _sides(h: float, a2: Any, a: Any, b: Any, c: Any, d: Any, e: Any, e2: Any) -> Any:
    if c.dtype.kind != "f" or len({part.shape for part in (a2, a, b, c, d, e, e2)}) > 1:
        return None
    left, right = (3 * c - 4 * b + a) / (2 * h), (4 * d - 3 * c - e) / (2 * h)
    left2, right2 = (3 * c - 4 * a + a2) / (4 * h), (4 * e - 3 * c - e2) / (4 * h)
    scale = 1.0 + max(np.max(np.abs(x), initial=0.0) for x in (c, left, right))
    tol = 2e-4 * scale
    is_fine = (np.abs(left - left2) < tol) & (np.abs(right - right2) < tol)
    return left, right, is_fine, tol


if __name__ == "__main__":
    main(bounds(), fault_of)
