"""Caller allocation: the caller passes buffers for results and large temporaries.

    def loss_1(x):                              def loss_1(x, y):
        n = x.shape[0]                              n = x.shape[0]
        y = np.empty((n,))                  ->      for i in range(n): y[i] = ...
        for i in range(n): y[i] = ...               return y
        return y
                                                y = loss_1(x, kernels.empty_like(x))
    y = loss_1(x)

That is possible where the extents follow from those of the arguments. What the caller takes is
memory of dead arrays (`srcad.kernels.recycled`), so that a gradient does not
wait for the system to clear pages, call after call.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.forms import Forms
from srcad.ir.types import ArrayType
from srcad.ir.walk import reads
from srcad.kernels.recycled import empty, empty_like
from srcad.native.boundary.caller_statements import Caller
from srcad.native.scalarize.temporaries import temporaries


def allocate_in_caller(fn: Function, caller: Caller) -> Function:
    """The function with parameters for its results and large temporaries, which the caller makes
    and passes.
    """
    inner, forms = temporaries(fn), Forms(fn.body)
    made: dict[Value, Value] = {}
    for op in fn.body.body:
        if not isinstance(op, Op) or op.fn is not np.empty:
            continue
        if op.out in inner or fn.body.results.count(op.out) == 1:
            array = _array(op, caller, forms)
            if array is not None:
                made[op.out] = array
    body = [
        s for s in fn.body.body if not (isinstance(s, Op) and s.fn is np.empty and s.out in made)
    ]
    params, numbers = _read_ones(fn, caller, body)
    caller.passed = [*numbers, *made.values()]
    return replace(fn, body=Block([*params, *made], body, fn.body.results))


def _read_ones(fn: Function, caller: Caller, body: list[Stmt]) -> tuple[list[Value], list[Value]]:
    """The parameters, and what the caller passes besides, without extents that only it reads."""
    first = len(fn.params) - len(caller.passed)
    read = {value for stmt in body for value in reads(stmt)}
    besides = zip(fn.params[first:], caller.passed, strict=True)
    kept = [(param, number) for param, number in besides if param in read]
    return [*fn.params[:first], *(p for p, _ in kept)], [number for _, number in kept]


def _array(op: Op, caller: Caller, forms: Forms) -> Value | None:
    """An array for a result, where its extents can be told by the caller."""
    shape = op.args[0]
    sums = [forms.of(n) for n in shape] if isinstance(shape, tuple) else [None]
    found = [form for form in sums if form is not None and caller.is_known(form)]
    if len(found) < len(sums):
        return None
    t = op.out.type
    assert isinstance(t, ArrayType)
    out = Value(op.out.name, t)
    like = caller.like(found, t.dtype)
    if like is not None:
        caller.body.append(Op(empty_like, (like,), {}, (out,), op.loc))
    else:
        extents = tuple(caller.extent(form) for form in found)
        args = (extents, t.dtype) if t.dtype != np.float64 else (extents,)
        caller.body.append(Op(empty, args, {}, (out,), op.loc))
    return out
