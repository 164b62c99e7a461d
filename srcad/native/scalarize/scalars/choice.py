"""One of several numbers.

where(c, a, b)          a if c else b
max(a, b)               b if b > a else a
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.ir import Block, If, NumberType, Op, Value
from srcad.native.scalarize.loop_builder import Code, Unsuited

Writer = Callable[[Code, Sequence[Any], Any], Any]


def select(code: Code, cond: Any, a: Any, b: Any, t: Any) -> Any:
    """`a if cond else b`."""
    if not isinstance(cond, Value):
        return a if cond else b
    out = code.value("", t)
    code.add(If(cond, Block([], [], [a]), Block([], [], [b]), (out,)))
    return out


def extreme_of(is_first: Any) -> Writer:
    """`min` and `max` of numbers of Python's: the first, unless a later one is less, or greater."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        t = op.out.type
        # By what the program says: an entry of a tape is one of an array here.
        kinds = {x.type if isinstance(x, Value) else NumberType(type(x)) for x in op.args}
        if kinds != {t} or t == NumberType(bool):
            raise Unsuited("the extreme of numbers of several kinds")
        best = operands[0]
        for x in operands[1:]:
            is_better = code.op(is_first, (x, best), NumberType(bool))
            best = select(code, is_better, x, best, t)
        return best

    return write
