"""Numbers that the arguments alone say: what is asked of them is known, and is made a guard.

x.shape[0] > 0          holds, with the guard `A[0].shape[0] > 0`: a program of its own where not
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from srcad.frontend.reading.capture import Inputs
from srcad.ir.affine import Affine
from srcad.ir.nodes import Op, Value
from srcad.ir.types import Dim, NumberType

Producers = Mapping[Value, Op]


def is_less(inputs: Inputs, producers: Producers, a: object, b: object) -> bool | None:
    """Whether `a < b` in this call, of ints that are constants or that the arguments alone say,
    which becomes a guard; None of others.
    """
    least = _least(b)
    if type(a) is int and least is not None and a < least:
        return True
    first, second = (told(inputs, producers, x) for x in (a, b))
    if first is None or second is None:
        return None
    holds = first[1] < second[1]
    if isinstance(a, Value) or isinstance(b, Value):
        inputs.guard(f"{first[0]} < {second[0]}", "equals", holds)
    return holds


def holds(
    inputs: Inputs, producers: Producers, fn: Callable[..., bool], a: object, b: object
) -> bool | None:
    """Whether a comparison holds in this call, of numbers that are constants or arguments, which
    becomes a guard; None of others.
    """
    first, second = (_told_number(inputs, producers, x) for x in (a, b))
    if first is None or second is None:
        return None
    result = bool(fn(first[1], second[1]))
    inputs.guard(COMPARED[fn](first[0], second[0]), "equals", result)
    return result


def _told_number(inputs: Inputs, producers: Producers, x: object) -> tuple[str, float] | None:
    if type(x) is float:
        return (repr(x), x) if math.isfinite(x) else None
    if isinstance(x, Value) and x.type == NumberType(float) and x in inputs.paths:
        path = inputs.paths[x]
        return path, float(inputs.samples[path])
    return told(inputs, producers, x)


def is_natural_sum(inputs: Inputs, producers: Producers, x: Affine) -> bool:
    """Whether a sum of ints that the arguments alone say is at least 0 in this call, which becomes
    a guard; False of other sums.
    """
    known = [(told(inputs, producers, value), k) for value, k in x.terms]
    texts, total = [str(x.const)], x.const
    for found, k in known:
        if found is None:
            return False
        texts.append(f"{k} * ({found[0]})")
        total += k * found[1]
    inputs.guard(f"{' + '.join(texts)} >= 0", "equals", total >= 0)
    return total >= 0


def _least(x: object) -> int | None:
    """What the extent of an array is at least, whatever the arguments are; None of other values."""
    extent = x.type.extent if isinstance(x, Value) and isinstance(x.type, NumberType) else None
    return max(0, extent.floor) if isinstance(extent, Dim) else None


def told(inputs: Inputs, producers: Producers, x: object) -> tuple[str, int] | None:
    """An int as an expression of the arguments, and what it is in this call."""
    if type(x) is int:
        return f"({x})" if x < 0 else str(x), x
    if not isinstance(x, Value) or not isinstance(x.type, NumberType) or x.type.kind is not int:
        return None
    path, extent = inputs.paths.get(x), x.type.extent
    if path is not None:
        return path, int(inputs.samples[path])
    if isinstance(extent, int):
        return str(extent), extent
    if isinstance(extent, Dim):
        for place, symbol in inputs.extents.items():
            if symbol == extent.symbol:
                known = max(0, inputs.sizes[place] - extent.minus)
                return f"max(0, {place} - {extent.minus})" if extent.minus else place, known
    made = producers.get(x)
    write = None if made is None else _WRITTEN.get(made.key)
    if made is None or write is None or len(made.args) != 2:
        return None
    parts = [told(inputs, producers, arg) for arg in made.args]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    compute: Any = made.fn
    texts, numbers = zip(*found, strict=True)
    return write(*texts), compute(*numbers)


# How a comparison is written.
COMPARED: Final[dict[Any, Any]] = {
    operator.lt: "{} < {}".format,
    operator.le: "{} <= {}".format,
    operator.gt: "{} > {}".format,
    operator.ge: "{} >= {}".format,
}
# How an operation with two operands is written.
_WRITTEN: Final[dict[Any, Any]] = {
    operator.add: "({} + {})".format,
    operator.sub: "({} - {})".format,
    operator.mul: "({} * {})".format,
    min: "min({}, {})".format,
    max: "max({}, {})".format,
}


__all__ = ["COMPARED", "holds", "is_less", "is_natural_sum", "told"]
