"""Which form a call has: what it is called with, and options.

np.tril(a, k=1)      (triangle, (a, 1, True))        the form, and what it is called with
np.tril(a, 1.5)      None
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcad.ir import Op, Value
from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.staged import call, find_builder, type_of, unwrap
from srcad.runtime.effects import ensure

Form = Callable[..., Any]


class NoFormError(Exception):
    """A formula does not cover what it was given."""


@dataclass(frozen=True)
class Formula:
    """A form without loops, which is applied to the very arguments and their extents."""

    fn: Form


Chosen = tuple[Form | Formula, tuple[Any, ...]]
Choice = Callable[[Op], Chosen | None]

FLOAT: Final = np.dtype(np.float64)
SINGLE: Final = np.dtype(np.float32)
INT: Final = np.dtype(np.int64)
BOOL: Final = np.dtype(bool)
COMPLEX: Final = np.dtype(np.complex128)
KINDS: Final = (FLOAT, SINGLE, COMPLEX, INT)
RANKS: Final = (1, 2, 3, 4)


def must(cond: Any) -> None:
    """In a formula: have NumPy run the call where this is not true, as for its exception.

    Raises:
        NoFormError: it is known not to be true.
    """
    builder = find_builder((cond,))
    if builder is None and not cond:
        raise NoFormError
    if builder is not None and unwrap(cond) is not True:
        builder.body.append(
            Op(ensure, (unwrap(cond),), {}, (), builder.loc, effect=True, raises=True)
        )


def must_agree(n: Any, m: Any) -> None:
    """The same where two extents differ; what a formula is made of may broadcast one of 1."""
    must(call(operator.eq, n, m))


def emitted(near: Any, fn: Any, *args: Any) -> Any:
    """In a formula: a call that is left to compiled code though all of its arguments are known."""
    builder = find_builder((near,))
    return call(fn, *args) if builder is None else builder.call(fn, *args)


def options(op: Op, inputs: int, **defaults: Any) -> tuple[Any, ...] | None:
    """The options of a call, by name or after its inputs; None if there are others."""
    found = dict(zip(defaults, op.args[inputs:], strict=False)) | op.kwargs
    if found.keys() - defaults.keys() or len(op.args) - inputs > len(defaults):
        return None
    return tuple((defaults | found).values())


def is_array(x: Any, dtype: np.dtype, *ranks: int) -> bool:
    """Whether an atom is an array, or a number, of a dtype and so many axes."""
    if not isinstance(x, Value) and type(x) is not float:
        return False
    t = type_of(x)
    shape = shape_of(t)
    return shape is not None and len(shape) in ranks and dtype_of(t) == dtype


def is_any(x: Any, dtypes: tuple[np.dtype, ...], *ranks: int) -> bool:
    """Whether an atom is an array, or a number, of one of these dtypes and so many axes."""
    return any(is_array(x, dtype, *ranks) for dtype in dtypes)


def rank(x: Any) -> int:
    """The number of axes of an atom; -1 if that is not known."""
    shape = shape_of(type_of(x)) if isinstance(x, Value) else ()
    return -1 if shape is None else len(shape)


def of_floats(form: Form, *ranks: int) -> Choice:
    """A form for arrays in double precision of so many axes, without options."""

    def choose(op: Op) -> Chosen | None:
        is_fit = len(op.args) == len(ranks) and not op.kwargs
        if not is_fit or not all(map(is_array, op.args, [FLOAT] * len(ranks), ranks)):
            return None
        return form, op.args

    return choose


def by_rank(choices: dict[int, Choice]) -> Choice:
    """A choice by the number of axes of the first argument."""

    def choose(op: Op) -> Chosen | None:
        choice = choices.get(rank(op.args[0])) if op.args else None
        return None if choice is None else choice(op)

    return choose
