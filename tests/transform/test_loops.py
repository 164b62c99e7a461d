"""Branches and loops in both modes and second order, against differences of the primal."""

import math
import operator

import numpy as np
import pytest
from transform.programs import FLOAT, INT, SCALAR, array, check, grad, program

from srcad.ir import UNDEFINED, ArrayType, Block, Dim, If, Value
from srcad.ir.evaluate import evaluate
from srcad.rules.core.staged import unwrap
from srcad.transform.kinds import gradient

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_numbers():
    """Numbers do not depend on which tests ran before: some decide near where branches change."""
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


SUM = (0.0,)


def scalar(x):
    return np.float64(x)


# ---- branches


@pytest.mark.parametrize("a", [0.7, 0.2])
def test_branch(a):
    fn = program(
        lambda b, x, a: b.branch(a > 0.5, lambda: np.sum(np.sin(x) * x), lambda: np.sum(x) * a),
        x=array("n"),
        a=FLOAT,
    )
    check(fn, RNG.random(3), a)


@pytest.mark.parametrize("a", [0.7, 0.2])
def test_branch_that_adds_to_a_cotangent(a):
    def f(b, x, a):
        y = np.exp(x)
        z = b.branch(a > 0.5, lambda: np.sum(y * y), lambda: a * 2.0)
        return z * np.sum(y)

    check(program(f, x=array("n"), a=FLOAT), RNG.random(3), a)


@pytest.mark.parametrize("a", [0.7, 0.2])
def test_branch_whose_results_are_outer_values(a):
    fn = program(
        lambda b, x, y, a: np.prod(b.branch(a > 0.5, lambda: (x, y), lambda: (y, x))[0] * y),
        x=array("n"),
        y=array("n"),
        a=FLOAT,
    )
    check(fn, RNG.random(3) + 0.5, RNG.random(3) + 0.5, a)


@pytest.mark.parametrize("a", [0.2, 0.7, 3.0])
def test_nested_branches_with_local_values(a):
    def f(b, x, a):
        def then():
            t = np.exp(x)

            def inner():
                u = np.sin(t) * a
                return np.sum(u * u * t)

            return b.branch(a < 2.0, inner, lambda: np.sum(t))

        return b.branch(a > 0.5, then, lambda: np.sum(x * x))

    check(program(f, x=array("n"), a=SCALAR), RNG.random(3), scalar(a))


def partial_array(b, x, c):
    """`if c: y = sin(x)`, without an else."""
    then = Block([], *b.inside(lambda: np.sin(x)))
    y = Value("y", x.type, partial=True)
    b.builder.body.append(If(unwrap(c), then, Block([], [], [UNDEFINED]), (y,)))
    return b.builder.wrap(y)


@pytest.mark.parametrize("a", [0.7, 0.2])
def test_value_bound_on_one_path_read_under_the_same_condition(a):
    def f(b, x, a):
        c = a > 0.5
        y = partial_array(b, x, c)
        s = b.branch(c, lambda: np.sum(y * y), lambda: a)
        return s * b.branch(c, lambda: np.sum(y), lambda: a)

    check(program(f, x=array("n"), a=SCALAR), RNG.random(3), scalar(a))


def test_value_bound_on_one_path_read_on_all():
    def f(b, x, a):
        y = partial_array(b, x, a > 0.5)
        return np.sum(y * y)

    check(program(f, x=array("n"), a=SCALAR), RNG.random(3), scalar(0.7))


@pytest.mark.parametrize("a", [0.7, 0.55, 0.2])
def test_array_read_under_another_condition(a):
    def f(b, x, a):
        y = partial_array(b, x, a > 0.5)
        return b.branch(a > 0.6, lambda: np.sum(y * y), lambda: a)

    check(program(f, x=array("n"), a=SCALAR), RNG.random(3), scalar(a))


@pytest.mark.parametrize("a", [1.7, 1.55, 0.2])
def test_array_of_unknown_shape_that_may_not_be_bound(a):
    def f(b, x, a):
        y = partial_array(b, x[b.call(int, a) :], a > 0.5)
        return b.branch(a > 1.6, lambda: np.sum(y * y), lambda: a)

    check(program(f, x=array("n"), a=SCALAR), RNG.random(3), scalar(a))


# ---- loops


def test_carried_value():
    fn = program(
        lambda b, x, h: b.loop((0, 5, 1), (h,), lambda i, h: np.tanh(h * x)), x=SCALAR, h=SCALAR
    )
    check(fn, scalar(0.4), scalar(0.3))


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_sum_over_reads(trips):
    fn = program(
        lambda b, x, n: b.loop((0, n, 1), SUM, lambda i, s: s + x[i] * x[i], types=[SCALAR]),
        x=array("n"),
        n=INT,
    )
    check(fn, RNG.random(4), trips)


def test_swap():
    def f(b, x, y):
        a, c = b.loop((0, 6, 1), (x, y), lambda i, a, c: (c, a * c + x))
        return a * a + c

    check(program(f, x=SCALAR, y=SCALAR), scalar(0.4), scalar(0.3))


@pytest.mark.parametrize("trips", range(5))
def test_rotation_of_three_with_two_dead_results(trips):
    def f(b, x, y, z):
        return b.loop((0, trips, 1), (x, y, z), lambda i, a, c, d: (c, d, np.sin(a)))[0]

    check(program(f, x=SCALAR, y=SCALAR, z=SCALAR), *map(scalar, (0.4, 0.3, 0.2)))


@pytest.mark.parametrize("trips", [0, 4])
def test_last_value_of_a_loop(trips):
    def f(b, x):
        y = b.loop((0, trips, 1), (x,), lambda i, y: np.sin(x) * x[i])
        return np.sum(y * y)

    check(program(f, x=array("n")), RNG.random(4))


def test_value_used_in_and_after_a_loop():
    def f(b, x):
        v = np.exp(x)
        s = b.loop((0, 3, 1), SUM, lambda i, s: s * 0.5 + np.sum(v * v), types=[SCALAR])
        return s * np.sum(v)

    check(program(f, x=array("n")), RNG.random(4))


def test_initial_value_that_the_body_reads_too():
    def f(b, x):
        h = np.sin(x)
        return np.sum(b.loop((0, 3, 1), (h, h), lambda i, a, c: (a * h, c + a * h))[1])

    check(program(f, x=array("n")), RNG.random(4))


def test_nested_loops():
    def f(b, x, w):
        def outer(i, h):
            return b.loop((0, 3, 1), (h,), lambda j, h: np.tanh(h * w[j] + x[i]))

        return np.sum(b.loop((0, 4, 1), (x,), outer))

    check(program(f, x=array("n"), w=array("m")), RNG.random(4), RNG.random(3))


def test_inner_loop_over_a_part_of_a_row():
    def f(b, m, x):
        def outer(i, s):
            row = m[i] * x
            t = b.loop((0, i, 1), SUM, lambda j, t: t + np.sin(row[j]) * s, types=[SCALAR])
            return s + t

        return b.loop((0, 4, 1), (x[0],), outer, types=[SCALAR])

    check(program(f, m=array("n", "k"), x=array("k")), RNG.random((4, 4)), RNG.random(4))


@pytest.mark.parametrize("bounds", [(4, 0, -2), (0, 5, 3), (3, 3, 1), (2, -1, -1)])
@pytest.mark.parametrize("reverse", [False, True])
def test_ranges(bounds, reverse):
    def f(b, x):
        def body(i, h):
            return np.tanh(h * x[i]) + x[i]

        return b.loop(bounds, (x[0],), body, types=[SCALAR], reverse=reverse)

    check(program(f, x=array("n")), RNG.random(5))


def test_branch_in_a_loop():
    def f(b, x, w):
        def body(i, h):
            xi = x[i]

            def then():
                t = np.sin(h * xi)
                return t * t + w

            return b.branch(xi > 0.5, then, lambda: h * 2.0 * xi)

        return b.loop((0, 5, 1), (w,), body, types=[SCALAR])

    check(program(f, x=array("n"), w=SCALAR), np.array([0.1, 0.9, 0.4, 0.7, 0.8]), scalar(0.3))


def test_branch_with_arrays_in_a_loop():
    def f(b, x, w):
        def body(i, h):
            def then():
                t = np.tanh(h * x)
                return np.exp(t * w) * t

            return b.branch(h[0] > 0.5, then, lambda: h * 2.0)

        return np.sum(b.loop((0, 5, 1), (x,), body))

    check(program(f, x=array("n"), w=SCALAR), np.array([0.3, 0.9, 0.4]), scalar(0.3))


@pytest.mark.parametrize("w", [0.3, 0.7])
def test_loop_in_a_branch(w):
    def f(b, x, w):
        def then():
            t = np.sin(x)
            return b.loop((0, 3, 1), (w,), lambda i, h: np.tanh(h * t[i]) + np.sum(t))

        return b.branch(w > 0.5, then, lambda: w * w)

    check(program(f, x=array("n"), w=SCALAR), RNG.random(3), scalar(w))


def test_loop_in_a_branch_in_a_loop():
    def f(b, x, w):
        def outer(k, w):
            def then():
                t = np.sin(x * w)

                def inner(i, h):
                    small = lambda: h * h + np.sum(t * t) * w  # noqa: E731
                    return b.branch(h > 0.6, lambda: np.tanh(h * t[i]), small)

                return b.loop((0, 3, 1), (w,), inner)

            return b.branch(w > 0.5, then, lambda: w * 2 + 0.01)

        return b.loop((0, 4, 1), (w,), outer)

    check(program(f, x=array("n"), w=SCALAR), RNG.random(3), scalar(0.4))


@pytest.mark.parametrize("x", [0.4, 40.0])
def test_while(x):
    def f(b, x, w):
        def body(s, k):
            return s * s * w + np.sin(s) + 1, k + 1

        return b.turns((x, 0), lambda s, k: s < 10.0, body)[0] * w

    check(program(f, x=SCALAR, w=SCALAR), scalar(x), scalar(1.3))


def test_while_in_a_while():
    def f(b, x, w):
        def body(s, k):
            less = lambda t, j: b.call(operator.lt, j, 2)  # noqa: E731
            inner, _ = b.turns((s, 0), less, lambda t, j: (np.tanh(t * w), j + 1))
            return inner + x, k + 1

        return b.turns((x, 0), lambda s, k: b.call(operator.lt, k, 3), body)[0] * w

    check(program(f, x=SCALAR, w=SCALAR), scalar(0.4), scalar(1.3))


# ---- sequences


def test_sequences_read_twice_and_backwards():
    def f(b, x):
        ys = b.loop((0, 4, 1), (), lambda i: np.sin(x[i]) * x)

        def cubes(i, s, y):
            return s + np.sum(y * y * y)

        def products(i, s, y, z):
            return s * x[0] + np.sum(y * z)

        s = b.loop((0, 4, 1), SUM, cubes, ins=[ys], types=[SCALAR])
        return s * b.loop((0, 4, 1), SUM, products, ins=[ys, ys], types=[SCALAR], reverse=True)

    check(program(f, x=array("n")), RNG.random(4))


@pytest.mark.parametrize("first", [0.1, 0.9])
def test_sequence_read_in_one_branch(first):
    def f(b, x):
        ys = b.loop((0, 4, 1), (), lambda i: np.sin(x[i]) * x)

        def then():
            return b.loop(
                (0, 4, 1), SUM, lambda i, s, y: s + np.sum(y * y), ins=[ys], types=[SCALAR]
            )

        return b.branch(x[0] > 0.5, then, lambda: np.sum(x))

    check(program(f, x=array("n")), np.array([first, 0.2, 0.3, 0.4]))


def test_sequence_read_in_an_inner_loop():
    def f(b, x):
        ys = b.loop((0, 4, 1), (), lambda i: np.sin(x[i]) * x)

        def outer(k, s):
            return b.loop((0, 4, 1), (s,), lambda i, s, y: s * 0.5 + np.sum(y * y), ins=[ys])

        return b.loop((0, 3, 1), (x[0],), outer)

    check(program(f, x=array("n")), RNG.random(4))


# ---- the form of numbers


def test_python_numbers_stay_python_numbers():
    fn = program(
        lambda b, x, w: b.loop((0, 4, 1), (x,), lambda i, h: b.call(math.sin, h * w)),
        x=FLOAT,
        w=FLOAT,
    )
    check(fn, 0.3, 0.8)
    assert [type(bar) for bar in evaluate(grad(fn), 0.3, 0.8)] == [float, float]


@pytest.mark.parametrize("trips", [0, 3])
def test_number_in_a_loop_with_arrays(trips):
    def f(b, x, w):
        return b.loop((0, trips, 1), SUM, lambda i, h: np.sum(x) * w + h * w, types=[SCALAR])

    check(program(f, x=array("n"), w=FLOAT), RNG.random(3), 0.8)


def test_float32_loop_stays_float32():
    t = array("n", dtype=np.float32)
    fn = program(
        lambda b, x, h: np.sum(b.loop((0, 3, 1), (h,), lambda i, h: np.tanh(h * x))), x=t, h=t
    )
    x = np.ones(3, np.float32)
    assert [bar.dtype for bar in evaluate(grad(fn), x, x)] == [np.float32, np.float32]


def test_value_that_broadcasting_makes_grow():
    unknown = ArrayType(np.dtype(float), (Dim("?rows"),))

    def f(b, x, w):
        y = b.loop((0, 2, 1), (w,), lambda i, y: y * x, types=[unknown])
        return np.sum(y)

    made = grad(program(f, x=array("n"), w=array(1)))
    x_bar, w_bar = evaluate(made, np.array([1.0, 2.0, 3.0]), np.array([0.5]))
    np.testing.assert_allclose(x_bar, [1.0, 2.0, 3.0])  # of 0.5 * sum(x ** 2)
    np.testing.assert_allclose(w_bar, [14.0])


def test_third_order():
    def f(b, x, w):
        def body(i, h):
            return b.branch(h > 0.2, lambda: np.sin(h * x[i]) * w, lambda: h * h + x[i])

        return b.loop((0, 3, 1), (w,), body, types=[SCALAR])

    one = {"with_value": False, "has_aux": False, "single": True}
    first = gradient(program(f, x=array("n"), w=SCALAR), [1], **one)
    second = gradient(first, [1], **one)
    check(second, RNG.random(3), scalar(0.3), order=1, tol=1e-6)
