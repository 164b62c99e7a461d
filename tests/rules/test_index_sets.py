"""Index sets of every rule at its cases: they cover the places that the derivative depends on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcad.ir.evaluate import evaluate
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import is_inexact
from srcad.ir.walk import map_tree
from srcad.rules import ZERO, Rule
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import Builder, type_of
from srcad.runtime import cut
from srcad.runtime.index_sets import own_places
from srcad.transform.sparsity.forms import push_sets, sets_of
from tests.rules.calls import OURS, Call, at_each_case, call_id, leaves


@pytest.mark.parametrize("rule", [r for r in OURS if r.jvp is not None], ids=call_id)
def test_sets_cover_the_derivative(rule: Rule):
    at_each_case(rule, check_sets)


def check_sets(call: Call) -> None:
    y = call.value()
    if call.rule.fn in (list, cut):  # sequences, which only loops have
        return
    for i in call.active:
        for j, leaf in enumerate(leaves(call.args[i])):
            if np.asarray(leaf).dtype.kind == "f":
                sets = sets_by(call, i, j, y)
                for k in range(np.size(leaf)):
                    for found, slope in zip(sets, slopes(call, i, j, k, y), strict=True):
                        assert np.shape(found) == np.shape(slope)
                        held = [k in s for s in np.asarray(found, object).flat]
                        exact = np.where(np.abs(slope) > noise(call, slope), slope, 0)
                        missing = np.flatnonzero(np.ravel(exact) * ~np.array(held, bool))
                        assert not missing.size, (call.args, call.kwargs, i, j, k)


def noise(call: Call, slope: Any) -> float:
    """What a slope may be by rounding alone: convolutions by Fourier transforms mix all entries."""
    by_fft = getattr(call.rule.fn, "__name__", "").endswith("convolve")
    return 1e-14 * float(np.max(np.abs(slope), initial=0.0)) if by_fft else 0.0


def sets_by(call: Call, i: int, j: int, y: Any) -> list[Any]:
    """The sets of each result, of what depends on leaf `j` of argument `i`."""
    values: list[Value] = []
    given: list[Any] = []

    def as_value(x: Any) -> Any:
        if isinstance(x, np.ndarray | np.inexact | float) and is_inexact(type_of(x)):
            values.append(Value("", type_of(x)))
            given.append(x)
            return values[-1]
        return x

    args = list(call.args)
    args[i] = map_tree(as_value, args[i])
    x = values[j]
    made = infer(call.rule.fn, tuple(args), call.kwargs)
    types = made if isinstance(made, list | tuple) else [made]
    outs = tuple(Value("", t) for t in types)
    own = Value("", sets_of(x.type))
    builder = Builder([])
    op = Op(call.rule.fn, tuple(args), call.kwargs, outs)
    sets = push_sets(builder, op, lambda a: own if a is x else None)
    body = Block([*values, *outs, own], builder.body, list(sets))
    return evaluate(Function("sets", body), *given, *leaves(y), own_places(given[j]))


def slopes(call: Call, i: int, j: int, k: int, y: Any) -> list[Any]:
    """The derivative of each result by entry `k` of leaf `j` of argument `i`."""
    at = -1

    def direction(x: Any) -> Any:
        nonlocal at
        at += 1
        t = np.zeros(np.shape(x), np.asarray(x).dtype)
        if at == j:
            t.reshape(-1)[k] = 1.0
        return t if isinstance(x, np.ndarray) else t[()]

    ts = [map_tree(direction, a) if n == i else ZERO for n, a in enumerate(call.args)]
    dots = call.jvp(ts, y)
    if dots is ZERO:
        return [np.zeros(np.shape(out)) for out in leaves(y)]
    pairs = zip(leaves(dots), leaves(y), strict=True)
    return [
        np.zeros(np.shape(out)) if dot is ZERO else np.broadcast_to(dot, np.shape(out))
        for dot, out in pairs
    ]
