import operator

import numpy as np
import pytest
from optimize.passes import SPECIAL, check_pass
from transform.programs import FLOAT, INT, array, program

import srcad
from srcad import runtime
from srcad.ir import For, show
from srcad.optimize.simplify.loop_invariants import hoist_invariants

X = np.array(SPECIAL)
VECTOR, MATRIX = array("n"), array("n", "n")
ARGS = (X, np.eye(7) - 0.5, 3)


def test_invariant_operations_move_out_of_nested_loops(golden):
    def written(b, x, w, n):
        def outer(i, h):
            def inner(j, k):
                return k + np.exp(x) * 2.0 + np.transpose(w) @ h, np.tanh(k)

            total, _ = b.loop((0, n, 1), [h], inner)
            return total + np.shape(x)[0]

        return b.loop((0, n, 1), [x], outer)

    fn = program(written, x=VECTOR, w=MATRIX, n=INT)
    golden("optimize_hoist.txt", check_pass(hoist_invariants, fn, ARGS, (*ARGS[:2], 0)))


def test_what_may_raise_or_costs_waits_for_a_loop_that_runs():
    def written(b, x, w, n, bounds):
        def body(i, h):
            row = w[n]
            ratio = b.call(operator.truediv, 1, n)
            return h + w @ x + row * ratio

        return b.loop(bounds, [x], body)

    unknown = program(lambda b, x, w, n: written(b, x, w, n, (0, n, 1)), x=VECTOR, w=MATRIX, n=INT)
    assert hoist_invariants(unknown) is unknown
    sure = program(lambda b, x, w, n: written(b, x, w, n, (0, 2, 1)), x=VECTOR, w=MATRIX, n=INT)
    text = check_pass(hoist_invariants, sure, ARGS)
    loop = hoist_invariants(sure).body.body[-1]
    assert isinstance(loop, For)
    assert [op.fn for op in loop.body.body] == [operator.add, operator.add], text
    never = program(lambda b, x, w, n: written(b, x, w, n, (2, 2, 1)), x=VECTOR, w=MATRIX, n=INT)
    assert hoist_invariants(never) is never


def test_operands_that_might_not_fit_wait():
    def written(b, x, y, n):
        return b.loop((0, n, 1), [x], lambda i, h: h + np.sum(x * y))

    fn = program(written, x=VECTOR, y=array("m"), n=INT)
    assert hoist_invariants(fn) is fn


def test_nothing_that_raises_passes_an_effect():
    def written(b, x, w):
        def body(i, h):
            b.call(runtime.unbroadcast, h, (1,))
            b.builder.body[-1].effect = True
            return h + w @ x

        return b.loop((0, 2, 1), [x], body)

    fn = program(written, x=VECTOR, w=MATRIX)
    assert hoist_invariants(fn) is fn, show(fn)


def test_allocations_and_branches_stay():
    def written(b, x, n, s):
        def body(i, h):
            fresh = np.zeros_like(x)
            return b.branch(s > 0, lambda: h + fresh, lambda: h + np.exp(x))

        return b.loop((0, n, 1), [x], body)

    text = show(hoist_invariants(program(written, x=VECTOR, n=INT, s=FLOAT)))
    loop = text[text.index("for ") :]
    assert "zeros_like" in loop
    assert "exp" in loop
    assert "gt" not in loop


def test_the_test_of_a_while_runs_at_least_once(golden):
    def written(b, x, w):
        return b.turns(
            [0, x],
            lambda k, h: k < np.sum(w @ w) * 0.0 + 2.0,
            lambda k, h: (k + 1, h + np.exp(x) + w @ x),
        )

    fn = program(written, x=VECTOR, w=MATRIX)
    golden("optimize_hoist_while.txt", check_pass(hoist_invariants, fn, ARGS[:2]))


def sums_of_quotients(x, n):
    total = 0.0
    with np.errstate(all="raise"):
        for _ in range(n):
            total += np.sum(1.0 / x)
    return total


def test_where_arithmetic_raises_it_waits_for_a_turn():
    gradient = srcad.value_and_grad(sums_of_quotients)
    value, x_bar = gradient(np.zeros(2), 0)
    assert value == 0.0
    np.testing.assert_array_equal(x_bar, [0.0, 0.0])
    with pytest.raises(FloatingPointError):
        gradient(np.zeros(2), 1)


def sums_of_powers(x, k, n):
    for _ in range(n):
        x = x + np.power(2, k)
    return x * 1.0


@pytest.mark.parametrize("transformed", [srcad.compile, srcad.grad])
def test_an_integer_power_of_numbers_waits_for_an_iteration(transformed):
    f = transformed(sums_of_powers)
    assert f(1.0, -1, 0) == 1.0
    with pytest.raises(ValueError, match="negative integer powers"):
        f(1.0, -1, 1)


def sums_of_narrow_integers(x, n):
    narrow = np.int8(n)
    for _ in range(n):
        x = x + narrow * 200
    return x * 1.0


@pytest.mark.parametrize("transformed", [srcad.compile, srcad.grad])
def test_an_int_that_a_dtype_has_no_room_for_waits_for_an_iteration(transformed):
    f = transformed(sums_of_narrow_integers)
    assert f(1.0, 0) == 1.0
    with pytest.raises(OverflowError):
        f(1.0, 1)
