"""The calls at which every rule is tested: cases made concrete for a dtype, and comparisons."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import srcad.rules.core.library  # noqa: F401 - fills the table
from srcad.rules import RULES, ZERO, Case, Rule
from srcad.rules.core.declaration.cases import draw
from srcad.rules.core.declaration.registration import shipped
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.table import name_of

UNARY = [((3, 4),), ((),), ((0, 3),), (np.float64,)]
BINARY = [
    ((3, 4), (3, 4)),
    ((3, 4), (4,)),
    ((4,), (3, 4)),
    ((3, 1), (1, 4)),
    ((2, 1, 3), (4, 3)),
    ((), (3,)),
    ((3,), np.float64),
    ((), ()),
    ((0, 4), (4,)),
    ((1, 4), (0, 4)),
]


def cases_of(rule: Rule) -> list[Case]:
    """The rule's own cases, and for elementwise functions of arrays the general ones."""
    fn = rule.fn
    inputs = len(rule.partials) or (fn.nin if isinstance(fn, np.ufunc) else max(1, len(rule.vjps)))
    general = [Case(*shapes) for shapes in {1: UNARY, 2: BINARY}.get(inputs, [])]
    if rule.kind == "elementwise" and None in rule.partials:
        return list(rule.cases)  # the others are constants that the rule chooses
    if rule.kind == "elementwise":
        takes_arrays = isinstance(fn, np.ufunc) or fn in OPERATORS.values() or not rule.cases
        return [*rule.cases, *(general if takes_arrays else [])]
    if rule.cases:
        return list(rule.cases)
    if isinstance(fn, np.ufunc) and rule.kind in ("zero", "nondiff"):
        return general
    return [Case(*[(3, 4)] * inputs)]


RULES.load_all()
# Not those that other tests state for functions of their own.
OURS = [rule for fn, rule in RULES.items() if fn in shipped]


def call_id(value: object) -> str:
    """A test id that is the same in every process."""
    if isinstance(value, Rule):
        return name_of(value.fn)
    return name_of(value) if callable(value) else repr(value)


@dataclass
class Call:
    """One concrete call: canonical arguments, and which of the inputs are varied."""

    rule: Rule
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    active: tuple[int, ...]
    rng: np.random.Generator

    def __call__(self, *args: Any) -> Any:
        return self.rule.fn(*args, **self.kwargs)

    def value(self) -> Any:
        return self(*self.args)

    def tangents(self) -> list[Any]:
        """A random tangent for each active input, `ZERO` for the others."""
        return [
            random_like(self.rng, a) if i in self.active else ZERO for i, a in enumerate(self.args)
        ]

    def jvp(self, ts: list[Any], y: Any) -> Any:
        return self.rule.jvp(ts, y, *self.args, **self.kwargs)

    def vjp(self, i: int, g: Any, y: Any) -> Any:
        return self.rule.vjps[i](g, y, *self.args, **self.kwargs)

    def with_args(self, args: Any) -> Call:
        return Call(self.rule, tuple(args), self.kwargs, self.active, self.rng)


def make_call(rule: Rule, case: Case, dtype: Any = np.float64) -> Call:
    """The case with random arrays of `dtype`; the same numbers each time."""
    rng = np.random.default_rng(zlib.crc32(f"{name_of(rule.fn)}{case!r}".encode()))
    args, options, active = draw(rule, case, rng, dtype)
    return Call(rule, args, options, active, rng)


def sequence_like(x: Any, items: Any) -> Any:
    """A list for a list; a tuple for a tuple, named (`np.linalg.slogdet`) or not."""
    return list(items) if isinstance(x, list) else tuple(items)


def random_like(rng: np.random.Generator, x: Any) -> Any:
    """Random numbers in the structure, shapes and dtypes of `x`; `ZERO` where it cannot vary."""
    if isinstance(x, list | tuple):
        return sequence_like(x, (random_like(rng, item) for item in x))
    if type(x) in (float, complex):
        return type(x)(random_like(rng, np.asarray(x)))
    if np.asarray(x).dtype.kind not in "fc":
        return ZERO
    t: Any = rng.standard_normal(np.shape(x))
    if np.asarray(x).dtype.kind == "c":
        t = t + 1j * rng.standard_normal(np.shape(x))
    if isinstance(x, np.generic):
        return x.dtype.type(t)
    return np.asarray(t, x.dtype)


def add(x: Any, h: complex, t: Any) -> Any:
    """`x + h t` in the type of `x`."""
    if t is ZERO:
        return x
    if isinstance(x, list | tuple):
        return sequence_like(x, (add(a, h, b) for a, b in zip(x, t, strict=True)))
    moved = x + h * t
    return np.asarray(moved) if isinstance(x, np.ndarray) else moved


def leaves(x: Any) -> list[Any]:
    """The arrays of a result or an input that may be a list or tuple of them."""
    return [a for item in x for a in leaves(item)] if isinstance(x, list | tuple) else [x]


def inner(a: Any, b: Any) -> float:
    """<a, b> over all leaves; `ZERO` counts as zero."""
    if a is ZERO or b is ZERO:
        return 0.0
    if isinstance(a, list | tuple):
        return sum((inner(x, y) for x, y in zip(a, b, strict=True)), start=0.0)
    return float(np.real(np.sum(np.asarray(a) * np.asarray(b))))


def is_single(x: Any) -> bool:
    """Whether a result is of single precision, so that only large steps show in it."""
    return any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(x))


def at_each_case(rule: Rule, check: Callable[[Call], None], dtype: Any = np.float64) -> None:
    """Run a check at all cases of a rule; a failure says at which."""
    for case in cases_of(rule):
        with at_call(rule, case):
            check(make_call(rule, case, dtype))


@contextmanager
def at_call(rule: Rule, case: Case) -> Iterator[None]:
    """A failure inside says at which call."""
    try:
        yield
    except Exception as wrong:
        wrong.add_note(f"{call_id(rule)} at {case}")
        raise
