"""Pattern matching for algebraic laws, each stated as two functions.

    law(lambda a, b: a + (-b), lambda a, b: a - b)

Both sides are ordinary functions of arrays: a test runs them and compares. The left side is called
once, with holes for its parameters, which gives the pattern; the right side is called with staged
values where the pattern was found. A parameter named `c` or `c2` matches a constant number only,
one named `zeros` an array of zeros, any other any atom; `i` is an index.

A law applies only where the replacement has the type that the original had (`x * 1.0` of ints
stays).

*Classes.* EXACT: the same real numbers to the bit, NaN, infinities and the sign of zero included
(of complex numbers, what ACCURATE says). ACCURATE: as accurate as the original or better: another
sign of zero, zeros by construction instead of products with them, or another overflow at its very
edge. FAST: true in real arithmetic; used under `fast_math` only.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir.keys import freeze
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, rank_of
from srcad.ops import row_of
from srcad.rules.core.staged import Builder, Staged, type_of, unwrap

EXACT, ACCURATE, FAST = "exact", "accurate", "fast"

Bound = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hole:
    """A parameter of a law in its pattern."""

    name: str


@dataclass(frozen=True, slots=True)
class Term:
    """An operation in a pattern."""

    fn: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Law:
    """`pattern` may become `right(**holes)` where `when(**holes)` holds, if that is given.

    `once`: the inner operations of the left side must have no other use and stand in the same
    block, since the right side is no cheaper than the outer operation alone. `integers`: also true
    of integer arrays, which wrap around. `complexes`: also true of complex numbers, which NumPy and
    Python multiply by 1 as by 1 + 0j: infinity becomes no number. `derived`: only of what stands in
    derivatives: the user's own products with zeros are NaN where NumPy's are. `negates`: it moves a
    minus sign, which the integer 0 loses: `-(x / 0)` is not `x / (-0)`. `needs` tells at a glance
    which arguments must be what (see `kinds`). `gives`: the hole that the right side is, if it is
    one alone. `cases` are arguments for the test of laws whose parameters are not all numbers.
    """

    left: Callable[..., Any]
    right: Callable[..., Any]
    pattern: Term
    needs: tuple[tuple[int, Any], ...]
    gives: str
    once: bool
    accuracy: str
    when: Callable[..., bool] | None
    integers: bool
    complexes: bool
    derived: bool
    negates: bool
    cases: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        return inspect.getsource(self.left).strip()


class _Tracer(Builder):
    """Makes terms of the calls on its staged holes, without types."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def call(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        term: Any = Term(fn, unwrap(args), unwrap(kwargs))
        return Staged(term, self)


def _trace(side: Callable[..., Any]) -> tuple[Any, int]:
    tracer = _Tracer()
    holes: list[Any] = [Hole(name) for name in inspect.signature(side).parameters]
    made = side(*(Staged(hole, tracer) for hole in holes))
    return unwrap(made), tracer.count


def make_law(
    left: Callable[..., Any],
    right: Callable[..., Any],
    accuracy: str = EXACT,
    *,
    when: Callable[..., bool] | None = None,
    once: bool = False,
    shared: bool = False,
    integers: bool = False,
    complexes: bool = True,
    derived: bool = False,
    cases: tuple[tuple[Any, ...], ...] = (),
) -> Law:
    """A law: see `Law` for what the options mean.

    A right side of several operations asks for inner operations without other uses, unless they are
    `shared`: then the right side makes them again, for `cse` to find.
    """
    pattern, _ = _trace(left)
    made, size = _trace(right)
    negates = _negates(pattern) or _negates(made)
    once = once or (size > 1 and not shared)
    needs, gives = _needs(pattern), made.name if isinstance(made, Hole) else ""
    return Law(
        left, right, pattern, needs, gives, once, accuracy, when, integers, complexes, derived,
        negates, cases,
    )  # fmt: skip


def _negates(term: Any) -> bool:
    if not isinstance(term, Term):
        return False
    return term.fn is operator.neg or any(map(_negates, (*term.args, *term.kwargs.values())))


CONSTANT = object()
_NO_FACTORS = ("i", "k", "s")  # of laws that move a minus sign: indices, options, shapes


def _needs(pattern: Term) -> tuple[tuple[int, Any], ...]:
    made = [(k, a.fn) for k, a in enumerate(pattern.args) if isinstance(a, Term)]
    fixed = [k for k, a in enumerate(pattern.args) if not isinstance(a, Term | Hole)]
    fixed += [k for k, a in enumerate(pattern.args) if a in (Hole("c"), Hole("c2"))]
    return (*made, *((k, CONSTANT) for k in fixed))


@dataclass(slots=True)
class Program:
    """What the matcher looks at: how values are made, how often used, which in this block."""

    made: dict[Value, Op]
    uses: dict[Value, int]
    here: set[Value]


def kinds(op: Op, program: Program) -> list[Any]:
    """What each argument of `op` is made by: a function, `CONSTANT`, or None."""
    made = program.made
    return [(made[a].fn if a in made else None) if type(a) is Value else CONSTANT for a in op.args]


def match(law: Law, op: Op, program: Program) -> Bound | None:
    """The atoms in the holes of the law's left side where `op` has that form, else None."""
    bound: Bound = {}
    if not _match_call(law.pattern, op, bound, program, not law.once):
        return None
    if not law.integers and any(_is_integer_array(a) for name, a in bound.items() if name != "i"):
        return None
    if law.negates and any(
        _may_be_integer_zero(a) for name, a in bound.items() if name not in _NO_FACTORS
    ):
        return None
    if not law.complexes and any(map(_is_complex, bound.values())):
        return None
    if law.when is not None and not law.when(**bound):
        return None
    return bound


def _is_integer_array(atom: Any) -> bool:
    t = type_of(atom) if isinstance(atom, Value | np.ndarray | np.generic) else None
    return isinstance(t, ArrayType) and t.dtype.kind not in "fc"


def _may_be_integer_zero(atom: Any) -> bool:
    if isinstance(atom, Value):
        return isinstance(atom.type, NumberType) and atom.type.kind in (bool, int)
    return isinstance(atom, bool | int) and not atom


def _is_complex(atom: Any) -> bool:
    t = type_of(atom) if isinstance(atom, Value) else None
    if isinstance(t, NumberType):
        return t.kind is complex
    is_array = isinstance(t, ArrayType) and t.dtype.kind == "c"
    return is_array or isinstance(atom, complex | np.complexfloating)


def _match_call(term: Term, op: Op, bound: Bound, program: Program, reuse: bool) -> bool:
    if op.fn is not term.fn or len(op.args) != len(term.args):
        return False
    if (op.kwargs or term.kwargs) and op.kwargs.keys() != term.kwargs.keys():
        return False
    for pattern, atom in zip(term.args, op.args, strict=True):
        if not _match(pattern, atom, bound, program, reuse):
            return False
    return all(_match(p, op.kwargs[k], bound, program, reuse) for k, p in term.kwargs.items())


def _match(pattern: Any, atom: Any, bound: Bound, program: Program, reuse: bool) -> bool:
    kind = type(pattern)
    if kind is Hole:
        name = pattern.name
        if name in bound:
            return bool(freeze(bound[name]) == freeze(atom))
        if name in ("c", "c2") and not _is_constant(atom):
            return False
        if name == "zeros" and not _is_zeros(atom, program):
            return False
        bound[name] = atom
        return True
    if kind is Term:
        made = program.made.get(atom) if type(atom) is Value else None
        if made is None or made.effect:
            return False
        # A form that stays, because others use it, or that is made outside the loop, is no saving.
        if not reuse and (program.uses.get(atom, 0) > 1 or atom not in program.here):
            return False
        return _match_call(pattern, made, bound, program, reuse)
    return is_number(atom, pattern)


def _is_constant(atom: Any) -> bool:
    return isinstance(atom, int | float | np.floating) and not isinstance(atom, bool)


def _is_zeros(atom: Any, program: Program) -> bool:
    made = program.made.get(atom) if type(atom) is Value else None
    return made is not None and row_of(made.fn).makes_zeros


def is_number(atom: Any, number: Any) -> bool:
    """Whether `atom` is a constant with this value (and sign, if that is zero)."""
    if not isinstance(atom, int | float | complex | np.generic) or isinstance(
        atom, bool | np.bool_
    ):
        return False
    if atom != number:
        return False
    return bool(number) or isinstance(atom, complex) or math.copysign(1.0, atom) > 0


def rank(x: Any) -> int:
    """The number of axes of an atom; 99 where unknown."""
    found = rank_of(type_of(x))
    return 99 if found is None else found
