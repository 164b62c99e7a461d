"""Loops that are left early: what lowering makes of them, and the text that comes out."""

import numpy as np
import pytest

import srcad
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.ir.nodes import For, If, Value, While
from srcad.ir.types import NumberType
from srcad.ir.walk import statements
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics

FLAG = Value("left", NumberType(bool))


def lowered(fn, *args):
    return lower_with_statics(Request("primal", fn), args, frozenset())[0].function


def of_kind(fn, *kinds):
    return [stmt for stmt in statements(fn.body) if isinstance(stmt, kinds)]


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        ((False, False, False), None),
        ((True, False, False), "continue"),
        ((True, True, False), "break"),
        ((True, True, True), "return"),
        ((True, FLAG, False), "maybe"),
    ],
)
def test_flags_tell_an_outcome_and_back(flags, kind):
    found = outcome_of(flags, 1.0)
    assert (None if found is None else found.kind) == kind
    assert flags_of(found) == flags


def test_what_raises_leaves_nothing():
    assert flags_of(Outcome("raise")) == (False, False, False)


def search(xs):
    s = 0.0
    for x in xs:
        if x > 1.0:
            break
        s = s + x * x
    else:
        s = s * 2
    return s


def newton(a):
    x = a
    for _ in range(50):
        step = (x * x - a) / (2 * x)
        if abs(step) < 1e-3:
            return step
        x = x - step
    return x


def test_a_loop_that_is_left_says_so_with_its_last_result():
    (loop,) = of_kind(lowered(search, np.ones(3)), For)
    assert loop.exits
    assert len(loop.body.results) == len(loop.outs) + 1


def test_a_loop_that_is_not_left_has_no_flag():
    def f(x, n):
        for i in range(n):
            if i > 2:
                continue
            x = x * i
        return x

    (loop,) = of_kind(lowered(f, 2.0, 3), For)
    assert not loop.exits


def test_break_and_return_need_one_flag_each_only_where_both_are():
    def f(x, n):
        for _ in range(n):
            x = x * 2
            if x > 9.0:
                return x
            if x > 7.0:
                break
        return -x

    (loop,) = of_kind(lowered(f, 2.0, 3), For)
    names = [out.name for out in loop.outs]
    assert names.count("returned") == 1
    (loop,) = of_kind(lowered(newton, 2.0), For)
    assert [out.name for out in loop.outs].count("returned") == 0


def test_an_endless_loop_is_left_for_sure():
    def f(x):
        while True:
            x = x * 0.5
            if x < 1.0:
                return x

    program = lowered(f, 2.0)
    (loop,) = of_kind(program, While)
    assert loop.exits
    assert loop.test.results == [True]
    assert not any(isinstance(stmt, If) for stmt in program.body.body)


def test_a_reversed_range_that_is_left_counts_down():
    def f(x, n):
        for i in reversed(range(1, n, 3)):
            x = x + i
            if x > 4:
                break
        return x

    (loop,) = of_kind(lowered(f, 2.0, 9), For)
    assert loop.exits
    assert not loop.reverse
    assert loop.step == -3


def test_turns_of_an_unrolled_loop_stand_inside_each_other():
    def f(ws, x):
        for w in ws:
            x = x * w
            if x > 4:
                break
        return x

    program = lowered(f, [1.0, 2.0, 3.0], 2.0)
    assert not of_kind(program, For)
    outer = [stmt for stmt in program.body.body if isinstance(stmt, If)][-1]
    assert any(isinstance(stmt, If) for stmt in outer.orelse.body)


def test_statements_after_a_nested_exit_are_lowered_once():
    def f(x):
        if x > 0:
            if x > 1:
                return x
            x = x * 2
        if x > 0.5:
            if x > 0.7:
                return x * 3
            x = x * 2
        return np.sin(x)

    program = lowered(f, 2.0)
    sines = [s for s in statements(program.body) if getattr(s, "fn", None) is np.sin]
    assert len(sines) == 1


def test_emitted_text(golden):
    golden("exits_search.py", srcad.grad(search).source(np.ones(3)))
    golden("exits_newton.py", srcad.grad(newton).source(3.0))
