"""Argument scalarisation: passes the extents of an array of which a function reads no entry.

    h_2 = ascontiguousarray(h)                      t = h.shape
    h_bar = loss_1(y, h_2)                          h_bar = loss_1(y, t[1])

    def loss_1(y, h):                       ->      def loss_1(y, n):
        t = h.shape
        n = t[1]

An array that lies otherwise than in C's order would be copied to be measured.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.kinds import is_array
from srcad.ir.types import TupleType, shape_of
from srcad.ir.walk import reads, values_in
from srcad.native.boundary.caller_statements import Caller
from srcad.native.scalarize.loop_builder import INT
from srcad.native.threads.work_estimate import axes_read


def scalarize_arguments(fn: Function, caller: Caller) -> Function:
    """The function of extents, which its caller measures and passes."""
    axes, sources = axes_read(fn), caller.args
    params: list[Value] = []
    passed: list[Any] = []
    before: list[Stmt] = []
    dropped: set[Value] = set()
    for param, arg in zip(fn.params, caller.arguments, strict=True):
        extents = _extents(fn, param, axes) if param in sources and is_array(param) else None
        if extents is None:
            params.append(param)
            passed.append(arg)
            continue
        whole = Value("", TupleType((INT,) * len(shape_of(param.type) or ())))
        if extents:
            before.append(Op(np.shape, (sources[param],), {}, (whole,)))
        for value, axis in extents.items():
            extent = Value("", INT)
            before.append(Op(operator.getitem, (whole, axis), {}, (extent,)))
            params.append(value)
            passed.append(extent)
        dropped |= {param, *extents}
    if not dropped:
        return fn
    body = [s for s in fn.body.body if not _measures(s, dropped)]
    caller.own, caller.passed, caller.measures = passed, [], before
    return replace(fn, body=Block(params, body, fn.body.results))


def _extents(
    fn: Function, param: Value, axes: Mapping[Value, tuple[Value, int]]
) -> dict[Value, int] | None:
    """The extents that are read of an array, and along which axes; None if more is read."""
    extents = {v: axis for v, (p, axis) in axes.items() if p is param}
    ops = [s for s in fn.body.body if isinstance(s, Op) and s.fn is np.shape]
    shapes = {op.out for op in ops if op.args == (param,)}
    taken = {param, *shapes}
    if not taken.isdisjoint(values_in(fn.body.results)):
        return None
    for stmt in fn.body.body:
        if not _measures(stmt, {param, *extents}) and not taken.isdisjoint(reads(stmt)):
            return None
    return extents


def _measures(stmt: Stmt, found: set[Value]) -> bool:
    """Whether a statement takes the shape of an array or an extent of it."""
    if not isinstance(stmt, Op) or not stmt.outs:
        return False
    if stmt.fn is np.shape:
        return stmt.args[0] in found
    return stmt.fn is operator.getitem and stmt.out in found
