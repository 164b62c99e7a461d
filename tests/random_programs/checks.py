"""What must hold of a program and its derivatives, whatever the program is.

`find_fault` returns None, or the first law that does not hold, in words. A program that srcad
refuses (with an error of its own that has a place) is no fault; neither is one that Python itself
cannot run.
"""

from __future__ import annotations

import copy
import itertools
import linecache
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

import numpy as np
from random_programs.generator import Program

os.environ.setdefault("SRCAD_VERIFY", "1")  # read when srcad is imported, as in the tests

import srcad
from srcad.errors import InternalError, SrcadError
from srcad.ir.nodes import Function
from srcad.ir.types import dtype_of
from srcad.ir.walk import copy_block
from srcad.native.scalarize.scalars.weak_scalars import Kinds
from srcad.pipeline import stages
from srcad.pipeline.request import Request

Slope = Callable[[Sequence[Any], list[Any]], float]
SIZES = ((4, 3), (3, 5), (2, 2))
KEPT = 50  # modules that stay loaded
SWALLOWS = 1e14  # what has this size loses a hundredth of 1, or all, when 1 is added
ROUGH = 1e-3  # how far slopes may be off where a function computes in single precision
_serial = itertools.count()


class Fault(AssertionError):
    """A law that does not hold."""


class Unfit(Exception):
    """The program says nothing here: Python cannot run it, or its values are not finite."""


def load(source: str) -> Callable[..., Any]:
    """The function `f` of a module's text, known to `inspect.getsource`."""
    k = next(_serial)
    filename, module = f"<random program {k}>", ModuleType(f"random_program_{k}")
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    linecache.cache.pop(f"<random program {k - KEPT}>", None)
    sys.modules[module.__name__] = module  # as dataclasses and pickles need it
    sys.modules.pop(f"random_program_{k - KEPT}", None)
    exec(compile(source, filename, "exec"), module.__dict__)
    return module.f  # type: ignore[no-any-return]


def find_fault(
    program: Program, seed: int = 0, source: str | None = None, thorough: bool = True
) -> str | None:
    """The first fault found; raises `Unfit` or `SrcadError` for a program that is none.

    `thorough`: in single precision and to second order as well.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            f = load(program.source if source is None else source)
            calls = [program.arguments(seed + k, *size) for k, size in enumerate(SIZES)]
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                values = [f(*copy.deepcopy(args)) for args in calls]
        except Exception as problem:
            raise Unfit(repr(problem)) from problem
        if not all(np.ndim(v) == 0 and np.isfinite(v) and abs(v) < 1e6 for v in values):
            raise Unfit("a value that is not finite")
        try:
            checks = Checks(f, len(program.parameters), program.smooth, program.general)
            checks.thorough = thorough
            checks.run(calls)
        except Fault as fault:
            return str(fault)
        except InternalError as problem:
            return f"internal error: {problem}"
        except (SrcadError, np.linalg.LinAlgError):  # equal eigenvalues, for one
            raise
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}"
    return None


def _locals_in(call: Callable[[], Any], files: str = "") -> dict[np.dtype, float]:
    """The largest number of each dtype that functions hold while `call` runs, those in `files`."""
    largest: dict[np.dtype, float] = {}

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(files):
            return None
        for value in frame.f_locals.values():
            at = np.asarray(value) if isinstance(value, float | np.ndarray | np.number) else None
            if at is not None and at.dtype.kind in "fc":
                size = np.max(np.abs(at), initial=0, where=np.isfinite(at))
                largest[at.dtype] = max(largest.get(at.dtype, 0.0), float(size))
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        call()
    finally:
        sys.settrace(before)
    return largest


class Checks:
    """The laws, of one function whose first `n_varied` arguments vary."""

    thorough = True
    left_out = 0  # calls that were made before `run`, and are not among its own

    def __init__(self, f: Callable[..., Any], n_varied: int, smooth: bool, general: bool) -> None:
        self.f = f
        self.n = n_varied
        self.smooth = smooth
        self.general = general
        self.grad = srcad.value_and_grad(f, tuple(range(n_varied)), cache=False)

    def run(self, calls: Sequence[tuple[Any, ...]]) -> None:
        """All laws at the first arguments, the gradient at all."""
        rng = np.random.default_rng(0)
        with plain():
            unoptimised = srcad.grad(self.f, tuple(range(self.n)), cache=False)
            wanted = unoptimised(*calls[0])
        for args in calls:
            gradient = self.gradient(args)
            direction = self.direction(args, rng)
            self.against_differences(args, gradient, direction)
            if args is calls[0]:
                require(
                    all(map(close, gradient, wanted)), "optimised as unoptimised", gradient, wanted
                )
        programs = self.grad._specializer._specialisations
        # A program that knows how the sizes of its first call fit has a guard for that.
        guards = (guard for each in programs for guard in each.artifact.guards)
        fitted = any("].shape[" in g.path and "==" in g.path for g in guards)
        most = 2 + fitted if self.general else len(calls) + self.left_out
        require(self.grad.cache_info().misses <= most, "one program serves other sizes", 0, 0)
        for args in calls if self.thorough else calls[:1]:
            self.forward(args, rng)
        other = calls[min(1, len(calls) - 1)]  # Python may raise for all sizes but one
        if self.thorough:
            self.single_precision(other)
        if self.thorough and self.smooth:
            self.second_order(other, rng)

    def direction(self, args: tuple[Any, ...], rng: np.random.Generator) -> list[Any]:
        made = [rng.standard_normal(np.shape(x)) for x in args[: self.n]]
        return [x if x.ndim else float(x) for x in made]

    def gradient(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradient, with the laws of values and memory checked."""
        before = copy.deepcopy(args)
        value, gradient = self.grad(*args)
        require(
            all(same(a, b) for a, b in zip(args, before, strict=True)), "inputs unchanged", 0, 0
        )
        primal = self.f(*copy.deepcopy(args))
        self.require_value("the primal's value", value, primal, args)
        arrays = [g for g in gradient if isinstance(g, np.ndarray)]
        for k, g in enumerate(arrays):
            others = [*arrays[:k], *(x for x in args if isinstance(x, np.ndarray))]
            require(not any(np.shares_memory(g, x) for x in others), "fresh results", 0, 0)
        for x, g in zip(args, gradient, strict=False):
            require(
                np.shape(x) == np.shape(g), "the shape of the argument", np.shape(x), np.shape(g)
            )
            kinds = isinstance(g, np.ndarray) == isinstance(x, np.ndarray)
            require(kinds, "the kind of the argument", type(x), type(g))
        return tuple(gradient)

    def require_value(self, law: str, value: Any, primal: Any, args: Sequence[Any]) -> None:
        """The value is Python's, as far as Python's own does not move with the rounding of its
        arguments.
        """
        if close(value, primal, 1e-12):
            return
        for step in (2e-16, 1e-15):
            rest = copy.deepcopy(args[self.n :])
            moved = self.f(*rounded(copy.deepcopy(args[: self.n]), step), *rest)
            if abs(moved - primal) > 0.05 * abs(value - primal):
                return
        raise Fault(f"{law}: {value!r} is not {primal!r}")

    def along(self, args: tuple[Any, ...], direction: list[Any], step: float) -> float:
        moved = [x + step * d for x, d in zip(args, direction, strict=False)]
        return float(self.f(*moved, *copy.deepcopy(args[self.n :])))

    def slope(self, args: tuple[Any, ...], direction: list[Any], step: float) -> float:
        """Fourth-order central difference."""
        at = [self.along(args, direction, k * step) for k in (-2, -1, 1, 2)]
        return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)

    def against_differences(
        self, args: tuple[Any, ...], gradient: tuple[Any, ...], direction: list[Any]
    ) -> None:
        fine, coarse = (self.slope(args, direction, h) for h in (2e-5, 1e-4))
        got = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
        scale = max(1.0, abs(fine), *(float(np.max(np.abs(g), initial=0)) for g in gradient))
        if scale > 1e12:
            return  # a step moves the value beyond all bounds: its differences say nothing
        if math.isfinite(fine) and abs(fine - coarse) < 1e-6 * max(1.0, abs(fine)):
            is_near = abs(got - fine) < 2e-5 * scale
            if not is_near and self.is_noise(self.reverse, args, direction, abs(got - fine)):
                return
            if not is_near and self.is_swallowed(args):
                return
            if not is_near and self.is_single(args):
                is_near = abs(got - fine) < ROUGH * scale
            require(is_near, "the gradient as differences", got, fine)

    def is_noise(
        self, slope: Slope, args: tuple[Any, ...], direction: list[Any], gap: float
    ) -> bool:
        """Whether rounding moves a slope as far as it is off: the inverse of a matrix is no better
        than its condition, nor is what is left of large numbers.
        """
        got = slope(args, direction)
        for step in (2e-16, 1e-13, 1e-10):
            moved = [*rounded(args[: self.n], step), *args[self.n :]]
            if abs(slope(moved, rounded(direction, step)) - got) > 0.05 * gap:
                return True
        return False

    def is_swallowed(self, args: tuple[Any, ...]) -> bool:
        """Whether the reverse sweep adds and subtracts what is so large that a cotangent near 1
        is lost in it: the adjoint of `u - u`, of which no rounding of the arguments tells.
        """
        found = _locals_in(lambda: self.grad(*copy.deepcopy(args)), "<srcad")
        return found.get(np.dtype(float), 0.0) > SWALLOWS

    def is_single(self, args: tuple[Any, ...]) -> bool:
        """Whether the function computes anything in single precision."""
        found = _locals_in(lambda: self.f(*copy.deepcopy(args)))
        return not found.keys().isdisjoint(map(np.dtype, ("f4", "c8")))

    def reverse(self, args: Sequence[Any], direction: list[Any]) -> float:
        """The slope by the gradient."""
        _, gradient = self.grad(*args)
        return sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=False))

    def forward(self, args: tuple[Any, ...], rng: np.random.Generator) -> None:
        direction = self.direction(args, rng)
        rest = list(map(still, args[self.n :]))

        def pushed(xs: Sequence[Any], along: list[Any]) -> tuple[Any, Any]:
            return srcad.jvp(self.f, tuple(xs), (*along, *rest), cache=False)

        value, tangent = pushed(args, direction)
        primal = self.f(*copy.deepcopy(args))
        self.require_value("the primal's value in jvp", value, primal, args)
        along = self.reverse(args, direction)
        if not close(along, float(tangent), 1e-7):
            gap = abs(along - float(tangent))
            is_noise = self.is_noise(lambda *at: float(pushed(*at)[1]), args, direction, gap)
            is_noise = is_noise or self.is_swallowed(args)
            is_noise = is_noise or (self.is_single(args) and close(along, float(tangent), ROUGH))
            require(is_noise, "forward as reverse", tangent, along)
            return
        if self.thorough:
            self.pulled_back(args, direction, primal, float(tangent))

    def pulled_back(
        self, args: tuple[Any, ...], direction: list[Any], primal: Any, tangent: float
    ) -> None:
        again, pullback = srcad.vjp(self.f, *args, cache=False)
        self.require_value("the primal's value in vjp", again, primal, args)
        bars = pullback(0.7)
        back = sum(float(np.sum(g * d)) for g, d in zip(bars, direction, strict=False))
        is_close = close(back, 0.7 * tangent, 1e-7)
        require(
            is_close or (self.is_single(args) and close(back, 0.7 * tangent, ROUGH)),
            "jvp and vjp are transposes",
            tangent,
            back / 0.7,
        )
        twice = pullback(0.7)
        require(
            all(same(a, b) for a, b in zip(bars[: self.n], twice, strict=False)),
            "pullback twice",
            0,
            0,
        )

    def single_precision(self, args: tuple[Any, ...]) -> None:
        """Gradients of float32 arrays are float32, and near those in double precision."""
        single = [
            x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == float else x
            for x in args
        ]
        double = [
            x.astype(float) if isinstance(x, np.ndarray) and x.dtype == np.float32 else x
            for x in single
        ]
        try:
            with np.errstate(over="raise"):
                self.f(*copy.deepcopy(single))
        except FloatingPointError:
            return  # beyond the range of float32
        except Exception as problem:  # what is written is not cast, for one
            is_raised = self.raises(single, type(problem))
            require(is_raised, "Python raises in single precision", 0, problem)
            return
        value, gradient = self.grad(*single)
        precise, wanted = self.grad(*double)
        if not self.smooth or abs(value - precise) > 1e-3 * max(1, abs(precise)):
            return
        rounded = [x * (1 + 2e-6) if k < self.n else x for k, x in enumerate(double)]
        if not all(close(g, w, 5e-4) for g, w in zip(self.grad(*rounded)[1], wanted, strict=True)):
            return  # rounding decides
        for x, g, w in zip(single, gradient, wanted, strict=False):
            is_kept = np.asarray(g).dtype == np.asarray(x).dtype
            if self.general and not is_kept:
                require(self.mixes_numbers(single), "the dtype of the argument", g, x)
            require(close(g, w, 2e-2), "float32 as float64", g, w)

    def raises(self, args: Sequence[Any], cls: type[Exception]) -> bool:
        """Whether the gradient raises such an exception, or is refused."""
        try:
            self.grad(*args)
        except InternalError:
            raise
        except (SrcadError, cls):
            return True
        return False

    def mixes_numbers(self, args: Sequence[Any]) -> bool:
        """Whether a name is a number of Python's on one path and a single one on another: what is
        computed of it is in double precision or in single, by the path.
        """
        found: dict[str, Any] = {}
        request = Request("grad", self.f, tuple(range(self.n)), single=False)
        stages.compile_request(request, args, frozenset(), found.__setitem__)
        return any(dtype_of(v.type) == np.float32 for v in Kinds(found["lower"]).loose)

    def second_order(self, args: tuple[Any, ...], rng: np.random.Generator) -> None:
        direction, v = self.direction(args, rng), self.direction(args, rng)
        inner = srcad.grad(self.f, tuple(range(self.n)))

        def projected(*xs: Any) -> Any:
            gradient = inner(*xs)
            return sum([np.sum(g * w) for g, w in zip(gradient, v, strict=True)])

        outer = Checks.__new__(Checks)
        outer.f, outer.n, outer.smooth = projected, self.n, True
        outer.grad = srcad.value_and_grad(projected, tuple(range(self.n)), cache=False)
        _, gradient = outer.grad(*args)
        outer.against_differences(args, gradient, direction)


@contextmanager
def plain() -> Any:
    """Compile without optimising."""
    optimised = stages.optimized
    stages.optimized = lambda _, fn: Function(fn.name, copy_block(fn.body), fn.interface)  # type: ignore[assignment]
    try:
        yield
    finally:
        stages.optimized = optimised


def require(held: bool, law: str, got: Any, want: Any) -> None:
    if not held:
        raise Fault(f"{law}: {got!r} is not {want!r}")


def rounded(numbers: Sequence[Any], step: float) -> list[Any]:
    """Numbers and arrays rounded otherwise, each in its own way."""
    return [x * (1 + step * k) for k, x in enumerate(numbers, 1)]


def still(x: Any) -> Any:
    """A tangent of zero, of a structure with words and None in it."""
    if isinstance(x, dict):
        return {key: still(each) for key, each in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(map(still, x))
    if isinstance(x, np.ndarray):
        return x if x.dtype.kind == "U" else np.zeros(x.shape)
    if hasattr(x, "__dict__") and not callable(x):
        made = copy.copy(x)
        made.__dict__ = still(vars(x))
        return made
    return 0.0 if isinstance(x, float) else x


def same(a: Any, b: Any) -> bool:
    """Equal to the bit."""
    if isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict) or (hasattr(b, "__dict__") and not callable(b)):
        a, b = (x if isinstance(x, dict) else vars(x) for x in (a, b))
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    is_number = isinstance(a, float) or (isinstance(a, np.ndarray) and a.dtype.kind in "fc")
    return bool(np.array_equal(a, b, equal_nan=is_number) if np.ndim(a) else a == b or a != a)


def close(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    scale = max(1.0, float(np.max(np.abs(b), initial=0)))
    return bool(np.shape(a) == np.shape(b) and np.all(np.abs(a - b) <= tolerance * scale))
