"""`check_grads`: every derivative srcad gives of a function, against finite differences of the
function.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.arguments.trees import flatten, leaves, paths, unflatten
from srcad.api.products import jvp, vjp
from srcad.api.transformations import grad
from srcad.testing.lines import Tolerance, disagreeing_lines

# Entries of one argument that are checked one by one; the others are covered by random directions.
MAX_ENTRIES = 64

_STEP = {np.dtype(np.float64): 1e-3, np.dtype(np.float32): 3e-2}
_TOLERANCE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 2e-2}


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    *,
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    seed: int = 0,
    by_line: bool = False,
) -> None:
    """Compare derivatives of `f` at `args` with central differences of `f`, and the modes with each
    other.

    Args:
        f: any function that srcad differentiates; real and complex numbers, arrays and containers
            of these in and out.
        args: a tuple of arguments; those without such numbers are held fixed. Complex ones are
            moved along the real and along the imaginary axis.
        order: also derivatives of derivatives, up to this order.
        modes: "fwd" (jvp), "rev" (vjp), or both.
        atol: absolute tolerance; by default 1e-6 in float64 and 2e-2 in float32, times the size of
            the result.
        rtol: relative tolerance, with the same defaults.
        seed: of the directions and cotangents that are drawn.
        by_line: look at each operation by itself first, whose difference along a random direction
            is known from runs beside `args`: names the lines whose own derivative is wrong. The
            function is run by srcad's interpreter, a few times, up to where the runs take different
            paths; in loops the first iterations are looked at.

    Raises:
        AssertionError: names the argument, the entry and both numbers; with `by_line` file and
            line, the operation, the variable and both numbers.

    >>> import numpy as np
    >>> check_grads(lambda x: np.sum(np.sin(x)), (np.array([0.1, 0.7]),))
    """
    unknown = set(modes) - {"fwd", "rev"}
    if unknown:
        raise ValueError(f"modes: expected 'fwd' or 'rev', got {sorted(unknown)[0]!r}")
    args = tuple(args)
    check = _Check(f, args, np.random.default_rng(seed), atol, rtol)
    if by_line:
        check.lines(modes)
    if "rev" in modes:
        check.reverse()
    if "fwd" in modes:
        check.forward()
    if order > 1:
        weights = check.weights
        positions = tuple(i for i, x in enumerate(args) if any(map(varies, leaves(x))))

        def weighted(*inputs: Any) -> Any:
            total = 0.0
            for y, w in zip(_results(f(*inputs)), weights, strict=True):
                total = total + np.sum(np.real(y * w) if np.iscomplexobj(w) else y * w)
            return total

        check_grads(
            grad(weighted, positions), args, order=order - 1, modes=modes,
            atol=atol, rtol=rtol, seed=seed + 1,
        )  # fmt: skip


def _results(y: Any) -> Any:
    """The results in a flat tuple, written so that srcad can read it."""
    if isinstance(y, tuple | list):
        flat: tuple[Any, ...] = ()
        for item in y:
            flat = (*flat, *_results(item))
        return flat
    if isinstance(y, dict):
        flat = ()
        for key in sorted(y):
            flat = (*flat, *_results(y[key]))
        return flat
    return (y,)


def varies(x: Any) -> bool:
    """Whether a leaf is an inexact number or array."""
    is_array = isinstance(x, np.ndarray | np.generic)
    return isinstance(x, float | complex) or (is_array and x.dtype.kind in "fc")


class _Check:
    """The differences of one function at one point."""

    def __init__(
        self, f: Any, args: tuple[Any, ...], rng: np.random.Generator, atol: Any, rtol: Any
    ) -> None:
        self.f, self.args, self.rng = f, args, rng
        self.flat, self.structure = flatten(args)
        self.names = paths(args)
        moved = [np.asarray(x).real.dtype for x in self.flat if varies(x)]
        dtype = min(moved, key=lambda d: d.itemsize, default=np.dtype(np.float64))
        self.step = _STEP.get(dtype, 1e-3)
        self.rtol = _TOLERANCE.get(dtype, 1e-6) if rtol is None else rtol
        self.y = f(*copy.deepcopy(args))  # which `f` may change
        self.weights = [self.draw(y) for y in leaves(self.y)]
        sizes = (float(np.max(np.abs(y), initial=0)) for y in leaves(self.y) if varies(y))
        size = max(sizes, default=0.0)
        self.atol = self.rtol * max(1.0, size) if atol is None else atol

    def draw(self, x: Any) -> Any:
        """A random array like `x`; zero where `x` carries no derivative."""
        shape = np.shape(x)
        drawn: Any = self.rng.uniform(-1, 1, shape) if varies(x) else np.zeros(shape)
        if varies(x) and np.iscomplexobj(x):
            drawn = drawn + 1j * self.rng.uniform(-1, 1, shape)
        return drawn.astype(np.asarray(x).dtype) if isinstance(x, np.ndarray) else drawn[()]

    def value(self, flat: list[Any]) -> float:
        """The weighted sum of all results."""
        results = leaves(self.f(*unflatten(self.structure, flat)))
        weighed = zip(results, self.weights, strict=True)
        return float(sum(_inner(y, w) for y, w in weighed if varies(y)))

    def difference(self, direction: list[Any]) -> float:
        """The derivative of `value` along a direction, by a central difference of fourth order."""
        h = self.step

        def at(factor: float) -> float:
            return self.value(
                [
                    _moved(x, d, factor * h) if varies(x) else copy.copy(x)
                    for x, d in zip(self.flat, direction, strict=True)
                ]
            )

        return (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h)

    def directions(self) -> list[tuple[str, list[Any]]]:
        """Single entries of each argument, and then a random direction, with their names."""
        found: list[tuple[str, list[Any]]] = []
        for i, x in enumerate(self.flat):
            if not varies(x):
                continue
            entries = list(np.ndindex(np.shape(x)))
            if len(entries) > MAX_ENTRIES:
                chosen = self.rng.choice(len(entries), MAX_ENTRIES, replace=False)
                entries = [entries[j] for j in sorted(chosen)]
            for entry in entries:
                where = f"argument {self.names[i]}" + (f", entry {entry}" if entry else "")
                for part, step in _STEPS if np.iscomplexobj(x) else (("", 1.0),):
                    one = [_zeros_like(other) for other in self.flat]
                    one[i][entry] = step
                    found.append((where + part, one))
        found.append(("a random direction", [self.draw(x) for x in self.flat]))
        return found

    def reverse(self) -> None:
        """The cotangents of the arguments, entry by entry."""
        structure = flatten(self.y)[1]
        _, pullback = vjp(self.f, *self.args)
        bars = _aligned(pullback(unflatten(structure, list(self.weights))), self.flat)
        for where, direction in self.directions():
            found = sum(
                _inner(b, d)
                for b, d, x in zip(bars, direction, self.flat, strict=True)
                if varies(x)
            )
            self.compare("rev", where, found, self.difference(direction))

    def forward(self) -> None:
        """The derivative along directions."""
        for where, direction in self.directions():
            tangents = [
                np.asarray(d, np.asarray(x).dtype) if isinstance(x, np.ndarray) else d
                for x, d in zip(self.flat, direction, strict=True)
            ]
            _, y_dot = jvp(self.f, self.args, unflatten(self.structure, tangents))
            found = sum(
                _inner(t, w)
                for t, w in zip(_aligned(y_dot, leaves(self.y)), self.weights, strict=True)
                if varies(t)
            )
            self.compare("fwd", where, found, self.difference(direction))

    def lines(self, modes: Sequence[str]) -> None:
        """Each operation by itself, along a random direction."""
        direction = [self.draw(x) for x in self.flat]

        def moved(by: float) -> Any:
            pairs = zip(self.flat, direction, strict=True)
            flat = [_moved(x, d, by) if varies(x) else x for x, d in pairs]
            return unflatten(self.structure, flat)

        # Values on the way may be steeper than the result is.
        tolerance = Tolerance(self.step / 10, 10 * self.rtol, 10 * self.rtol)
        wrong = disagreeing_lines(self.f, moved, modes, tolerance, self.rng)
        if wrong:
            raise AssertionError("\n".join(wrong))

    def compare(self, mode: str, where: str, found: float, wanted: float) -> None:
        close = abs(found - wanted) <= self.atol + self.rtol * abs(wanted)
        if not close:
            name = getattr(self.f, "__name__", "the function")
            raise AssertionError(
                f"{name}, mode {mode!r}, {where}: "
                f"srcad gives {found!r}, differences give {wanted!r}"
            )


_STEPS = ((", real part", 1.0), (", imaginary part", 1j))


def _inner(a: Any, b: Any) -> float:
    """Re(sum(a * b)): what a cotangent means."""
    product = np.asarray(a) * b
    return float(np.sum(product.real, dtype=float))


def _zeros_like(x: Any) -> Any:
    return np.zeros(np.shape(x), complex if np.iscomplexobj(x) else float)


def _moved(x: Any, direction: Any, by: float) -> Any:
    moved = x + np.asarray(direction) * by
    return np.asarray(moved, x.dtype) if isinstance(x, np.ndarray) else type(x)(moved)


def _aligned(tree: Any, like: list[Any]) -> list[Any]:
    """The leaves of a result, which has None where an argument carries no derivative."""
    flat = leaves(tree, nones=True)
    return flat if len(flat) == len(like) else leaves(tree)


__all__ = ["check_grads"]
