"""What is passed as an integer to compiled code is one: `k ** n` of integers may be a float."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from corpus.floats import power_that_is_a_float
from native.backends import both, compare, outcome

import srcad
from srcad.ir import Function, Op
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import statements
from srcad.native.scalarize.scalars.integer_guards import find_doubtful
from srcad.pipeline.natively import outlined
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request, plain_program
from srcad.pipeline.targets import NATIVE

ARGS = np.array([0.1, 0.2, 0.3]), 2, 2


def optimized(fn, args, request=None):
    """The program of a gradient before anything is compiled."""
    stages = {}
    request = request or Request("value_and_grad", fn, (0,), single=False)
    compile_request(request, args, frozenset(), stages.__setitem__)
    return stages["optimize"]


def doubtful(fn, *args):
    """Which operations make integers that may be floats."""
    program = optimized(fn, args)
    found = find_doubtful(program, is_program=True)
    ops = [stmt for stmt in statements(program.body) if isinstance(stmt, Op)]
    return [op.fn.__name__ for op in ops if not found.isdisjoint(op.outs)]


def test_powers_of_integers_are_asked_and_extents_are_not():
    assert doubtful(power_that_is_a_float, *ARGS) == ["pow", "add"]

    def sized(x, n):
        k = n * x.shape[0] - len(x) // 2
        return np.sum(x) * k

    assert doubtful(sized, ARGS[0], 3) == []


def test_parameters_of_functions_that_are_called_are_not_known():
    program = optimized(power_that_is_a_float, ARGS)
    assert find_doubtful(program, False) > find_doubtful(program, True)


def test_what_a_loop_carries_is_as_doubtful_as_what_it_becomes():
    def carried(x, k, n):
        s = 1
        for _ in range(2):
            s = s * k ** (n // 1)
            x = np.linalg.solve(np.eye(3), x)
        return np.sum(np.sin(x) * s)

    pair = both(Request("value_and_grad", carried, (0,), single=False), (ARGS[0], 2, 1), 3)
    assert compare(pair, (ARGS[0], 2, 1)) == "equal"
    assert compare(pair, (ARGS[0], 2, -1)) == "left"


def test_the_program_asks_before_it_calls():
    request = Request("value_and_grad", power_that_is_a_float, (0,), single=False)
    pair = both(request, ARGS, 3)
    assert "operator.index(scale)" in pair.text
    found, _ = outcome(pair.native, (ARGS[0], 3, -2))
    assert isinstance(found, TypeError)


def test_machine_code_does_not_cut_off_what_is_behind_the_point():
    pytest.importorskip("numba")
    native = srcad.grad(power_that_is_a_float, backend="native", cache=False)
    wanted = srcad.grad(power_that_is_a_float, backend="numpy", cache=False)
    for n in (2, -2, 1, -1):
        np.testing.assert_allclose(native(*ARGS[:2], n), wanted(*ARGS[:2], n), rtol=1e-12)


def changed(u, v, a, k, n):
    """Writes `u`, then makes a product, then asks whether `scale` is an integer."""
    scale = k**n
    u -= np.sin(u) * 0.1 * np.cos(u)
    product = a @ v
    v -= np.sin(product) * scale * np.cos(product)
    return None


def test_nothing_is_asked_when_something_is_written():
    u, v, a = ARGS[0], np.ones((2, 3)), np.array([[0.3, 0.2], [0.5, 0.1]])
    fn = optimized(changed, (u, v, a, 2, 2), Request("compile", changed, ()))
    native = outlined(fn, NATIVE, plain_program).program
    body = list(statements(native.body))
    asked = [k for k, op in enumerate(body) if isinstance(op, Op) and op.fn is operator.index]
    calls = [k for k, op in enumerate(body) if isinstance(op, Op) and writes(op)]
    assert not asked or not calls or min(calls) > max(asked)


def writes(op):
    """Whether an operation changes an array, itself or in compiled code."""
    if not isinstance(op.fn, Function):
        return op.fn in DESTROYS
    inner = (each for each in statements(op.fn.body) if isinstance(each, Op))
    return any(not isinstance(each.fn, Function) and each.fn in DESTROYS for each in inner)
