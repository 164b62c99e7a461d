"""Calls of rules at their edges: what NumPy gives, and derivatives against differences.

Each case of each rule is varied: one entry, none, equal entries, entries at whole numbers, numbers
and nested lists in place of arrays, ints and truth values, other axes. The value of the compiled
call must be the function's own, exactly, or be refused; both modes must agree with differences of
the function where these agree with each other from both sides.

    python -m rules.edges               # from tests/: all of them
    python -m rules.edges ::97          # one in 97
    python -m rules.edges ::97 5        # one in 97, from number 5
    python -m rules.edges np.split      # those of one function
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from conformance.outcome import Outcome, disagreement, run
from rules.calls import OURS, cases_of, is_single, leaves, make_call, random_like
from rules.campaigns import main

import srcad
from srcad.rules.core.table import Case, Rule, name_of

Change = Callable[[np.ndarray], Any]
# What becomes of each array among the arguments.
CHANGES: dict[str, Change] = {
    "as it is": lambda x: x,
    "one": lambda x: x[tuple(slice(0, 1) for _ in x.shape)],
    "none": lambda x: x[:0] if x.ndim else x,
    "none inside": lambda x: x[..., :0] if x.ndim else x,
    "one first": lambda x: x[:1] if x.ndim else x,
    "equal": np.ones_like,
    "whole": np.round,
    "zero": np.zeros_like,
    "list": lambda x: x.tolist(),
    "ints": lambda x: np.round(x).astype(int),
    "truths": lambda x: x > 0,
    "single": lambda x: x.astype(np.complex64 if x.dtype.kind == "c" else np.float32),
    "columns": np.asfortranarray,
    "reversed": lambda x: x[::-1] if x.ndim else x,
}
# What one array becomes that stands beside the others, which vary.
BESIDE: dict[str, Change] = {
    "ints": lambda x: np.round(4 * x.real).astype(int),
    "bytes": lambda x: np.round(90 * np.abs(x)).astype(np.uint8),
    "small ints": lambda x: np.round(20 * x.real).astype(np.int8),
    "truths": lambda x: x.real > 0,
    "single": lambda x: x.astype(np.complex64 if x.dtype.kind == "c" else np.float32),
    "list": lambda x: x.tolist(),
    "complex": lambda x: x * (0.8 + 0.6j),
}
# Of the changes of all arrays those that are made to one alone as well, which varies.
ALONE = ("one", "one first", "none", "equal", "zero", "columns", "reversed")
# What becomes of each axis among the options.
AXES: tuple[Callable[[Any], Any], ...] = (
    lambda axis: axis, lambda axis: -1, lambda axis: (0,), lambda axis: -3, lambda axis: None,
)  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """One call of one rule at an edge."""

    rule: Rule
    case: Case
    change: str
    axis: int
    beside: int | None = None  # which of the arrays alone is changed

    def __str__(self) -> str:
        beside = "" if self.beside is None else f", beside {self.beside}"
        return f"{name_of(self.rule.fn)} at {self.case}, {self.change}, axis {self.axis}{beside}"

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any], list[int]]:
        """The arguments, the options, and the positions of the arguments that are arrays."""
        call = make_call(self.rule, self.case)
        floats = floats_of(call.args)
        if self.beside is None:
            change, changed, given = CHANGES[self.change], floats, floats
        else:
            change, changed = BESIDE.get(self.change), [floats[self.beside]]
            given = floats if change is None else [i for i in floats if i not in changed]
            change = change or CHANGES[self.change]
        args = tuple(
            change(np.asarray(x)) if i in changed and not np.isscalar(x) else x
            for i, x in enumerate(call.args)
        )
        options = dict(call.kwargs)
        if "axis" in options:
            options["axis"] = AXES[self.axis](options["axis"])
        return args, options, given


def floats_of(args: tuple[Any, ...]) -> list[int]:
    """The positions of the arguments that vary."""
    return [i for i, x in enumerate(args) if _is_float(x)]


def _is_float(x: Any) -> bool:
    return np.asarray(x).dtype.kind in "fc" if isinstance(x, np.ndarray | float) else False


# Functions of which the derivative raises NumPy's ValueError where there is nothing to derive.
LOUD = ("np.histogram", "scipy.signal.correlate", "scipy.signal.convolve", "scipy.signal.lfilter")
# Where entries are equal or whole, rules with a note follow their convention, and matrices lose
# their rank or have one eigenvalue several times.
TIES = ("equal", "whole", "zero", "ints")
# Knots that do not increase give nonsense; of a diagonal longer than the array NumPy reads what is
# behind it. A complex multiple of a matrix is not Hermitian.
SENSELESS = {
    "np.interp": ("reversed",), "np.einsum": ("none",), "scipy.linalg.eigh": ("complex",),
    "scipy.linalg.solve_sylvester": ("none",),  # arbitrary memory
}  # fmt: skip
# Arbitrary memory; densities that SciPy refuses outside of their domain, unlike the formula.
UNCHECKED = ("np.empty", "scipy.stats.dirichlet", "scipy.stats.multinomial")


def edges() -> Iterator[Edge]:
    """All calls, in an order that stays; a change that leaves the arguments as another does gives
    none.
    """
    for rule in OURS:
        if name_of(rule.fn).startswith(("srcad.", *UNCHECKED)):
            continue
        for case in cases_of(rule):
            seen: set[Any] = set()
            for edge in edges_of(rule, case):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    text = _text(edge.arguments())
                if text not in seen:
                    seen.add(text)
                    yield edge


def edges_of(rule: Rule, case: Case) -> Iterator[Edge]:
    """The calls of one case."""
    for change in CHANGES:
        if change not in SENSELESS.get(name_of(rule.fn), ()):
            axes = AXES if "axis" in case.kwargs else AXES[:1]
            yield from (Edge(rule, case, change, k) for k in range(len(axes)))
    count = len(floats_of(make_call(rule, case).args))
    if count > 1:
        senseless = SENSELESS.get(name_of(rule.fn), ())
        changes = [change for change in (*BESIDE, *ALONE) if change not in senseless]
        yield from (Edge(rule, case, change, 0, k) for k in range(count) for change in changes)


def _text(x: Any) -> Any:
    """What tells arguments apart: of arrays their entries and how they lie in memory."""
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape, x.strides, x.tobytes()
    if isinstance(x, list | tuple):
        return type(x).__name__, *map(_text, x)
    return type(x).__name__, repr(x)


_numbers = itertools.count()


def function_of(
    fn: Any, args: tuple[Any, ...], options: Any, given: list[int], body: str = "return {call}"
) -> Any:
    """A function of the arguments at `given`, with the others as they are. `body`: what it does
    with the call.
    """
    names = [f"x{i}" if i in given else f"C{i}" for i in range(len(args))]
    text = [*names, *(f"{key}={value!r}" for key, value in options.items())]
    body = body.format(*given, call=f"fn({', '.join(text)})")
    source = f"def f({', '.join(f'x{i}' for i in given)}):\n    {body}\n"
    namespace = {"fn": fn, "np": np, **{f"C{i}": x for i, x in enumerate(args)}}
    namespace["array"], namespace["__name__"] = np.array, "edge"
    filename = f"<edge {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


def fault_of(edge: Edge) -> tuple[str | None, str]:
    """What is wrong with a call, and what became of it."""
    args, options, given = edge.arguments()
    try:
        f = function_of(edge.rule.fn, args, options, given)
    except SyntaxError:  # an option without a text
        return None, "not written"
    xs = tuple(args[i] for i in given)
    want = run(f, xs)
    got = run(srcad.compile(f, backend="numpy", cache=False), xs)
    fault = disagreement(want, got, xs)
    is_formula = inspect.ismethod(edge.rule.fn)
    if fault is not None and is_formula and is_near(want, got, edge.change == "single"):
        fault = None  # a distribution's, which is written as a formula
    if fault is not None or got.raised is not None:
        return fault, "refused" if got.is_refusal else "raised"
    if edge.change in TIES and (edge.rule.note or "linalg" in name_of(edge.rule.fn)):
        return None, "alike"
    fault = _fault_of_derivative(f, xs, want.value)
    if fault and edge.change.startswith("none") and name_of(edge.rule.fn).startswith(LOUD):
        fault = None if "raises ValueError" in fault else fault
    return fault, "alike"


def is_near(want: Outcome, got: Outcome, single: bool) -> bool:
    """Whether two results differ in their last digits only."""
    if got.raised is not None or want.raised is not None or type(want.value) is not type(got.value):
        return False
    a, b = np.asarray(want.value), np.asarray(got.value)
    tol = 1e-4 if single else 1e-9
    return a.dtype == b.dtype and np.allclose(a, b, rtol=tol, atol=tol, equal_nan=True)


def _fault_of_derivative(f: Any, xs: tuple[Any, ...], y: Any) -> str | None:
    arrays = [x for x in xs if isinstance(x, np.ndarray | float) and _is_float(x)]
    parts = [np.asarray(part) for part in leaves(y)]
    if len(arrays) < len(xs) or not xs or not any(part.dtype.kind in "fc" for part in parts):
        return None
    rng = np.random.default_rng(0)
    ts = tuple(random_like(rng, x) for x in xs)
    slope = _slope(f, xs, ts, y)
    if slope is None:
        return None
    pushed = run(lambda *xs: srcad.jvp(f, xs, ts, backend="numpy")[1], xs)
    if pushed.is_refusal or is_undetermined(pushed):
        return None
    if pushed.raised is not None:
        return f"jvp raises {pushed.said}"
    if fault := misfit(pushed.value, y):
        return f"jvp: {fault}"
    for want, dot in zip(slope, leaves(pushed.value), strict=True):
        if want is not None and not close(dot, want):
            return f"jvp: {dot!r} is not {want!r}"
    g = random_like(rng, y)
    pulled_back = run(lambda *xs: pulled(f, xs, g), xs)
    if pulled_back.is_refusal or is_undetermined(pulled_back):
        return None
    if pulled_back.raised is not None:
        return f"vjp raises {pulled_back.said}"
    if fault := misfit(list(pulled_back.value), list(xs)):
        return f"vjp: {fault}"
    seeds = [part if want is not None else 0.0 for part, want in zip(leaves(g), slope, strict=True)]
    if any(want is None for want in slope):
        return None
    forth = sum(np.sum(np.asarray(a) * b).real for a, b in zip(seeds, slope, strict=True))
    back = sum(np.sum(np.asarray(a) * t).real for a, t in zip(pulled_back.value, ts, strict=True))
    return None if close(back, forth) else f"vjp: {back!r} is not {forth!r}"


def is_undetermined(outcome: Outcome) -> bool:
    """Whether srcad refused at run time: vectors of one eigenvalue, factors that are not square."""
    said = str(outcome.raised)
    refused = isinstance(outcome.raised, np.linalg.LinAlgError) and "derivative" in said
    return refused or said == "expected square matrix"


def misfit(derivative: Any, x: Any) -> str | None:
    """In what a derivative does not have the shapes of what it belongs to."""
    have, want = ([np.shape(part) for part in leaves(each)] for each in (derivative, x))
    return None if have == want else f"shapes {have} are not {want}"


def pulled(f: Any, xs: tuple[Any, ...], g: Any) -> Any:
    y, pullback = srcad.vjp(f, *xs, backend="numpy")
    return pullback(_as(y, g))


def _as(y: Any, g: Any) -> Any:
    """The cotangent in the containers of the result, zeros where it cannot vary."""
    if isinstance(y, list | tuple):
        items = [_as(a, b) for a, b in zip(y, g, strict=True)]
        return y._make(items) if hasattr(y, "_make") else type(y)(items)
    return g if np.asarray(y).dtype.kind in "fc" else np.zeros_like(y)


def _slope(f: Any, xs: tuple[Any, ...], ts: tuple[Any, ...], y: Any) -> list[Any] | None:
    """The derivative of each part along `ts`, None of one that is not smooth; None if none is."""
    if is_single(xs) or is_single(y):
        return None

    def at(h: float) -> list[np.ndarray]:
        moved = [x + h * t for x, t in zip(xs, ts, strict=True)]
        return [np.asarray(part) for part in leaves(f(*moved))]

    h = 1e-5
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            points = [at(k * h) for k in (-2, -1, 0, 1, 2)]
        except Exception:  # at the end of the domain
            return None
        found = [_smooth(h, *each) for each in zip(*points, strict=True)]
    return found if any(each is not None for each in found) else None


def _smooth(h: float, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """The slope by differences, None where those to both sides, or over other steps, do not agree:
    the cube root is as steep on both sides of 0, and steeper over shorter ones.
    """
    if c.dtype.kind not in "fc" or not (a.shape == b.shape == c.shape == d.shape == e.shape):
        return None
    left, right = (3 * c - 4 * b + a) / (2 * h), (4 * d - 3 * c - e) / (2 * h)
    middle, wider = (d - b) / (2 * h), (e - a) / (4 * h)
    tol = {"rtol": 1e-4, "atol": 1e-4 * (1.0 + np.max(np.abs(c), initial=0.0))}
    alike = np.allclose(left, right, **tol) and np.allclose(middle, wider, **tol)
    return middle if alike and np.all(np.isfinite(middle)) else None


def close(a: Any, b: Any) -> bool:
    scale = 1.0 + float(np.max(np.abs(b), initial=0.0))
    return bool(np.allclose(a, b, rtol=2e-4, atol=2e-4 * scale))


if __name__ == "__main__":
    main(edges(), fault_of)
