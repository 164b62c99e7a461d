"""Functions with a rule that says how they run for all samples at once.

    rule(solve, vjp=..., batched=solve_all)

y = solve(a, b: f64[k])       a_all = broadcast_to(a, (n, k, k))
                              y = solve_all(a_all, b: f64[n, k])       checked: n samples, its dtype
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Op, Value
from srcad.ir.types import dtype_of, rank_of
from srcad.ir.walk import values_in
from srcad.rules import RULES
from srcad.transform.jacobians.batch import Batch, NotBatched


def is_batched(op: Op, is_derived: bool) -> bool:
    """Whether the rule of an operation has a function for all samples, which serves here: where
    derivatives are taken, it has a rule itself.
    """
    found = None if op.effect or op.fn not in RULES else RULES[op.fn].batched
    return found is not None and (not is_derived or found in RULES)


def by_batched(batch: Batch, op: Op) -> dict[Value, Value]:
    """The results of that function with the axis."""
    if any(map(batch.has_axis, values_in(op.kwargs))):
        raise NotBatched
    args = tuple(batch.of(x) if _is_numeric(x) else x for x in op.args)
    builder, fn = batch.builder, RULES[op.fn].batched
    assert fn is not None
    outs = {out: Value(out.name, batch.type_with_axis(out.type)) for out in op.outs}
    builder.body.append(Op(fn, args, op.kwargs, tuple(outs.values()), op.loc))
    return {out: _checked(batch, made) for out, made in outs.items()}


def _is_numeric(x: Any) -> bool:
    return isinstance(x, Value | bool | int | float | complex | np.ndarray | np.generic)


def _checked(batch: Batch, x: Value) -> Value:
    """`x`, which raises where it is no array of that dtype with a row for each sample."""
    kind = {"dtype": str(dtype_of(x.type)), "rank": rank_of(x.type), "count": batch.count}
    made: Value = batch.builder.emit(runtime.as_tried, (x, "ndarray"), kind, x.name)
    made.type = x.type
    return made


__all__ = ["by_batched", "is_batched"]
