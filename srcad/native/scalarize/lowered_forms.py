"""Programs of functions that stand for calls in compiled loops (`library_expansion`).

    lowered(found_left, (a, v), read)      def found_left(a: f64[s0_0], v: f64): ...

Texts, truths, tuples and functions among the arguments are known while it is compiled: there is
another program for each. They go through the same stages as a user's function, once for each types
of arguments. Those stages are above this package, which is given them: `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np

from srcad.ir import Function, NumberType
from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.staged import type_of

# From a plain function and arguments to its program, with writes in place.
Read = Callable[[Callable[..., Any], list[Any]], Function]


def lowered(form: Callable[..., Any], args: Sequence[Any], read: Read) -> Function:
    """The program of a form for arguments of the types of these, with writes in place."""
    return _lowered(form, tuple(map(_kind_of, args)), read)


def is_known(arg: Any) -> bool:
    """Whether the program of a form is for this very argument."""
    return isinstance(arg, str | bool | tuple) or arg is None or callable(arg)


def _kind_of(arg: Any) -> Any:
    if is_known(arg):
        return _Known(arg)
    t = type_of(arg)
    return t.kind if isinstance(t, NumberType) else (dtype_of(t), len(shape_of(t) or ()))


@dataclass(frozen=True)
class _Known:
    value: Any


@cache
def _lowered(form: Callable[..., Any], kinds: tuple[Any, ...], read: Read) -> Function:
    extents = count(5)  # of examples: any but 1, and none equal to another
    program = read(form, [_example(kind, extents) for kind in kinds])
    given = [kind for kind in kinds if not isinstance(kind, _Known)]
    assert len(program.params) == len(given), "a form reads nothing from outside"
    return program


def _example(kind: Any, extents: Iterator[int]) -> Any:
    if isinstance(kind, _Known):
        return kind.value
    if isinstance(kind, type):
        return kind(3)
    dtype, rank = kind
    return np.ones(tuple(islice(extents, rank)), dtype) if rank else dtype.type(1)
