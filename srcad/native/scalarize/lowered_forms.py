"""Programs of functions that stand for calls in compiled loops (`library_expansion`).

    lowered(found_left, (f64[s0_0], f64), read)      def found_left(a: f64[s0_0], v: f64): ...

They go through the same stages as a user's function, once for each types of arguments. Those stages
are above this package, which is given them: `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np

from srcad.ir import Function, NumberType
from srcad.ir.types import dtype_of, shape_of

# From a plain function and arguments to its program, with writes in place.
Read = Callable[[Callable[..., Any], list[Any]], Function]


def lowered(form: Callable[..., Any], types: tuple[Any, ...], read: Read) -> Function:
    """The program of a form for arguments of these types, with writes in place."""
    kinds = [t.kind if isinstance(t, NumberType) else (dtype_of(t), _rank(t)) for t in types]
    return _lowered(form, tuple(kinds), read)


def _rank(t: Any) -> int:
    return len(shape_of(t) or ())


@cache
def _lowered(form: Callable[..., Any], kinds: tuple[Any, ...], read: Read) -> Function:
    extents = count(5)  # of examples: any but 1, and none equal to another
    program = read(form, [_example(kind, extents) for kind in kinds])
    assert len(program.params) == len(kinds), "a form reads nothing from outside"
    return program


def _example(kind: Any, extents: Iterator[int]) -> Any:
    if isinstance(kind, type):
        return kind(3)
    dtype, rank = kind
    return np.ones(tuple(islice(extents, rank)), dtype) if rank else dtype.type(1)
