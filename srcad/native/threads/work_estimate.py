"""Work estimate: what a function computes, as a sum of products of the extents that it is given.

    for i in range(n):
        for j in range(m + 1):          6 * n * m
            y[i, j] = x[i, j] * c

Smaller terms are left out; extents that depend on the data count as a few.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.analysis.cost import FEW, FUNCTION
from srcad.ir import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.native.scalarize.loop_builder import INT
from srcad.native.vectorised import is_elementary

# The factors of a product, each the number of an extent, in order; and how often it is there.
Sum = dict[tuple[int, ...], int]


def axes_read(fn: Function) -> dict[Value, tuple[Value, int]]:
    """The extents of its parameters that a function reads: of which one, along which axis."""
    ops = [stmt for stmt in fn.body.body if isinstance(stmt, Op)]
    shapes = {op.out: op.args[0] for op in ops if op.fn is np.shape and op.args[0] in fn.params}
    return {
        op.out: (shapes[op.args[0]], op.args[1])
        for op in ops
        if op.fn is operator.getitem and isinstance(op.args[0], Value) and op.args[0] in shapes
    }


class Extents:
    """The integers that a function is given: its parameters, and extents of arrays among them."""

    def __init__(self, fn: Function) -> None:
        self.forms = Forms(fn.body)
        # Where each comes from: a parameter, or an array parameter and an axis.
        self.sources: dict[Value, tuple[Value, int | None]] = {
            **{p: (p, None) for p in fn.params if is_python_int(p)},
            **axes_read(fn),
        }
        self.numbers = {value: k for k, value in enumerate(self.sources)}

    def size(self, form: Affine | None) -> Sum:
        """The sum of an integer."""
        if form is None:
            return {(): FEW}
        found: Sum = {(): form.const} if form.const else {}
        for value, k in form.terms:
            known = self.numbers.get(value)
            key = () if known is None else (known,)
            found[key] = found.get(key, 0) + (k if known is not None else k * FEW)
        return found

    def product(self, extents: Sequence[Any]) -> Sum:
        """The product of integers."""
        found: Sum = {(): 1}
        for n in extents:
            found = times(found, self.size(self.forms.of(n)))
        return found

    def iterations(self, loop: For, around: Sequence[For] = ()) -> Sum:
        """How many iterations a loop makes, at most; `around` are those outside it."""
        start, stop = self.forms.of(loop.start), self.forms.of(loop.stop)
        if start is None or stop is None or type(loop.step) is not int:
            return {(): FEW}
        count = stop - start if loop.step > 0 else start - stop
        for outer in reversed(around):
            count = self.most(count, outer)
        return self.size(count)

    def most(self, count: Affine, loop: For) -> Affine:
        """The greatest value of a sum over the iterations of a loop."""
        k = count.coefficient(loop.index)
        start, stop = self.forms.of(loop.start), self.forms.of(loop.stop)
        if not k or start is None or stop is None:
            return count
        ends = (start, stop - 1) if loop.step > 0 else (stop + 1, start)
        return count.replaced({loop.index: ends[k > 0]})


class Work:
    """What statements compute; if they are those of a loop which threads share, of what these have
    no even parts of, a half.
    """

    def __init__(self, extents: Extents, shared: For | None = None) -> None:
        self.extents, self.shared = extents, shared

    def of(self, block: Block, around: Sequence[For]) -> Sum:
        """The steps of a block."""
        total: Sum = {}
        for stmt in block.body:
            total = plus(total, self.statement(stmt, around))
        return total

    def statement(self, stmt: Stmt, around: Sequence[For]) -> Sum:
        """The steps of a statement."""
        match stmt:
            case Op():
                return {(): steps(stmt)}
            case For():
                inside = self.of(stmt.body, (*around, stmt))
                return self.even(times(self.extents.iterations(stmt, around), inside), stmt)
            case If():
                return larger(self.of(stmt.then, around), self.of(stmt.orelse, around))
        return {(): FEW}

    def even(self, work: Sum, loop: For) -> Sum:
        """The work of a loop inside a shared one: if it has more iterations from one iteration to
        the next, it is half of the most that there is, of which the last thread has three quarters.
        """
        forms, shared = self.extents.forms, self.shared
        ends = [forms.of(end) for end in (loop.start, loop.stop)]
        if shared is None or not any(f is not None and f.coefficient(shared.index) for f in ends):
            return work
        return {key: n // 4 for key, n in work.items()}


def steps(op: Op) -> int:
    """The steps of an operation."""
    if is_elementary(op.fn):
        return FUNCTION
    dtype = dtype_of(op.outs[0].type) if op.outs else np.dtype(float)
    return 0 if dtype is None or dtype == np.dtype(int) else 1


def plus(a: Sum, b: Sum) -> Sum:
    """The sum of two."""
    return {key: n for key in {**a, **b} if (n := a.get(key, 0) + b.get(key, 0))}


def larger(a: Sum, b: Sum) -> Sum:
    """The larger of two, about: product by product."""
    return {key: max(a.get(key, 0), b.get(key, 0)) for key in {**a, **b}}


def times(a: Sum, b: Sum) -> Sum:
    """The product of two."""
    found: Sum = {}
    for x, n in a.items():
        for y, m in b.items():
            key = tuple(sorted((*x, *y)))
            found[key] = found.get(key, 0) + n * m
    return found


def leading(total: Sum, many: float = math.inf) -> Sum:
    """The terms that are no factors of larger ones, or are there `many` times as often."""
    kept = {key: n for key, n in total.items() if n > 0}
    return {
        key: n
        for key, n in kept.items()
        if not any(divides(key, k) and n < many * kept[k] for k in kept)
    }


def divides(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether a product has the factors of another, and more."""
    rest = list(b)
    for k in a:
        if k not in rest:
            return False
        rest.remove(k)
    return bool(rest)


def degree(total: Sum) -> int:
    """The most extents that are multiplied."""
    return max((len(key) for key, n in total.items() if n > 0), default=0)


def as_atom(
    total: Sum, extents: Extents, operation: Callable[..., Value], given: dict[Value, Any]
) -> Any:
    """The sum as code of a caller, which passes `given` for the parameters."""
    made: dict[int, Any] = {}

    def extent(number: int) -> Any:
        if number not in made:
            value = list(extents.sources)[number]
            param, axis = extents.sources[value]
            if axis is None:
                made[number] = given[param]
            else:
                shape = operation(np.shape, (given[param],), None)
                made[number] = operation(operator.getitem, (shape, axis), INT)
        return made[number]

    result: Any = None
    for key, n in total.items():
        factors = [*([abs(n)] if abs(n) > 1 or not key else []), *map(extent, key)]
        term = factors[0]
        for factor in factors[1:]:
            term = operation(operator.mul, (term, factor), INT)
        if result is None:
            result = term if n > 0 else operation(operator.neg, (term,), INT)
        else:
            result = operation(operator.add if n > 0 else operator.sub, (result, term), INT)
    return 0 if result is None else result
