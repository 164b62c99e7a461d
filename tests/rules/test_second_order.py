"""Second derivatives of every rule: the tangent of what its vjp emits against differences of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcad.ir.evaluate import evaluate
from srcad.ir.nodes import Block, Function, Value
from srcad.ir.types import is_inexact
from srcad.rules import ZERO, Case, Rule
from srcad.rules.staged import Builder, type_of, unwrap
from srcad.transform.tangent import build_tangent
from tests.rules.calls import (
    Call,
    add,
    all_calls,
    call_id,
    is_single,
    leaves,
    make_call,
    random_like,
)
from tests.rules.facts_check import FactChecker

VARIED = [
    (rule, case) for rule, case in all_calls() if rule.kind in ("elementwise", "linear", "general")
]


def vjp_program(call: Call) -> tuple[Function, list[Any]]:
    """The program `(g, *inputs) -> cotangents` of a rule, and numbers to run it on."""
    checker = FactChecker("symbolic")
    y = call.value()
    xs_s, y_s = checker.primal(call, y)
    g_s = checker.stage(random_like(call.rng, y), "g", y_s)
    params = list(checker.numbers)
    made = {v.value for v in leaves(y_s)}
    builder: Builder = checker.builder
    outs = builder.emit(call.rule.fn, tuple(unwrap(xs_s)), call.kwargs)
    y_s = builder.wrap(outs)
    bars = [call.rule.vjps[i](g_s, y_s, *xs_s, **call.kwargs) for i in call.active]
    results = [unwrap(bar) for tree in bars for bar in leaves(tree) if bar is not ZERO]
    inputs = [p for p in params if p not in made]
    fn = Function("vjp", Block(inputs, builder.body, results))
    return fn, [checker.numbers[p] for p in inputs]


@pytest.mark.parametrize(("rule", "case"), VARIED, ids=call_id)
def test_the_tangent_of_the_vjp_agrees_with_differences(rule: Rule, case: Case):
    call = make_call(rule, case)
    fn, numbers = vjp_program(call)
    dots = [Value(f"{p.name}_dot", p.type) if is_inexact(p.type) else ZERO for p in fn.params]
    tangent = build_tangent(fn, dots)
    kept = [t for t in tangent.tangents if t is not ZERO]
    moving = [d for d in dots if d is not ZERO]
    program = Function("jvp", Block([*tangent.params, *moving], tangent.body, kept))
    ts = [
        random_like(call.rng, x) if d is not ZERO else ZERO
        for x, d in zip(numbers, dots, strict=True)
    ]
    got = iter(evaluate(program, *numbers, *(t for t in ts if t is not ZERO)))

    single = is_single(call.value())
    step, tol = (0.1, 1e-4) if single else (1e-4, 1e-6)

    def at(h: float) -> list[Any]:
        return evaluate(fn, *(add(x, h, t) for x, t in zip(numbers, ts, strict=True)))

    points = zip(at(-2 * step), at(-step), at(step), at(2 * step), strict=True)
    for (a, b, c, d), dot, result in zip(points, tangent.tangents, fn.body.results, strict=True):
        if not is_inexact(type_of(result)):
            continue
        want = np.asarray(a - 8 * b + 8 * c - d) / (12 * step)
        found = np.zeros(np.shape(want)) if dot is ZERO else next(got)
        np.testing.assert_allclose(found, want, rtol=tol, atol=tol)
