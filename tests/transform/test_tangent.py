"""Forward mode; `check` in the other files compares it with differences too."""

import operator

import numpy as np
import pytest
from transform.programs import FLOAT, INT, SCALAR, array, check, jvp, program

from srcad.errors import MissingRule
from srcad.ir import UNDEFINED, Block, Function, If, Op, Value, show, verify
from srcad.ir.evaluate import evaluate
from srcad.rules.core.zero import ZERO
from srcad.transform.forward.tangent import build_tangent

RNG = np.random.default_rng(0)


def test_names_of_tangents():
    def f(b, x):
        return b.builder.wrap(b.builder.emit(np.tanh, (x.value,), name="h"))

    text = show(jvp(program(f, x=array("n"))))
    assert "h_dot: f64[n] = " in text


def test_only_what_varies_gets_a_tangent():
    fn = program(lambda b, x, y: np.sin(x) + np.cos(y), x=SCALAR, y=SCALAR)
    tangent = build_tangent(fn, [ZERO, 1.0])
    called = [s.fn for s in tangent.body if isinstance(s, Op)]
    assert called.count(np.cos) == 1  # of y itself: x has no tangent
    body = Block(tangent.params, tangent.body, tangent.tangents)
    (y_dot,) = evaluate(verify(Function("f", body)), np.float64(0.3), np.float64(0.4))
    np.testing.assert_allclose(y_dot, -np.sin(0.4))


def test_no_tangent_at_all():
    fn = program(lambda b, x: (np.floor(x), 2.0), x=SCALAR)
    assert build_tangent(fn, [1.0]).tangents == [ZERO, ZERO]


def test_tangent_has_the_shape_of_a_broadcast_result():
    fn = program(lambda b, x, m: x + m, x=array("k"), m=array("n", "k"))
    tangent = build_tangent(fn, [np.ones(2), ZERO])
    body = Block(tangent.params, tangent.body, tangent.tangents)
    (y_dot,) = evaluate(verify(Function("f", body)), np.ones(2), np.ones((3, 2)))
    assert np.shape(y_dot) == (3, 2)


def test_tangent_has_the_dtype_of_its_primal():
    fn = program(lambda b, x: x.astype(np.float32), x=array("n"))
    _, y_dot = evaluate(jvp(fn), np.ones(2), np.ones(2))
    assert y_dot.dtype == np.float32


def test_branch_where_one_path_does_not_vary():
    for a in (0.2, 0.7):
        fn = program(
            lambda b, x, a: b.branch(a > 0.5, lambda: x * a, lambda: np.ones_like(x)),
            x=array("n"),
            a=SCALAR,
        )
        check(fn, RNG.random(3), np.float64(a))


def test_loop_whose_initial_value_does_not_vary():
    fn = program(
        lambda b, x: np.sum(b.loop((0, 3, 1), (np.zeros_like(x),), lambda i, h: h * x + x)),
        x=array("n"),
    )
    check(fn, RNG.random(3))


def test_loop_carries_tangents_only_of_what_varies():
    def f(b, x):
        return b.loop((0, 3, 1), (x, 1.0), lambda i, h, k: (h * k, k * 2.0))[0]

    text = show(jvp(program(f, x=SCALAR)))
    assert text.count("carrying") == 1
    head = next(line for line in text.splitlines() if "carrying" in line)
    assert head.count("f64") == 2  # h and its tangent
    check(program(f, x=SCALAR), np.float64(0.3))


def test_sequences_and_results_of_several_kinds():
    def f(b, x, n):
        ys = b.loop((0, n, 1), (), lambda i: np.sin(x[i]) * x)
        s = b.loop((0, n, 1), (0.0,), lambda i, s, y: s + np.sum(y), ins=[ys], types=[SCALAR])
        return s, n * 2, np.argmax(x)

    fn = program(f, x=array("n"), n=INT)
    _, two_n, _, s_dot, two_n_dot, k_dot = evaluate(jvp(fn), RNG.random(3), 3, np.ones(3), 0)
    assert (two_n, two_n_dot, k_dot) == (6, 0, 0)
    assert s_dot != 0


def test_while():
    def f(b, x):
        return b.turns((x, 0), lambda s, k: b.call(operator.lt, k, 3), lambda s, k: (s * x, k + 1))[
            0
        ]

    check(program(f, x=FLOAT), 1.3)


def test_value_bound_on_one_path():
    def f(b, x, a):
        c = a > 0.5
        then = Block([], *b.inside(lambda: np.sin(x)))
        y = Value("y", array("n"), partial=True)
        b.builder.body.append(If(c.value, then, Block([], [], [UNDEFINED]), (y,)))
        y = b.builder.wrap(y)
        return b.branch(c, lambda: np.sum(y * y), lambda: a)

    fn = program(f, x=array("n"), a=SCALAR)
    for a in (0.2, 0.7):
        check(fn, RNG.random(3), np.float64(a))


def no_rule(x):
    return x


def test_missing_rule():
    x, y = Value("x", SCALAR), Value("y", SCALAR)
    fn = Function("f", Block([x], [Op(no_rule, (x,), {}, (y,))], [y]))
    with pytest.raises(MissingRule, match="E201"):
        build_tangent(fn, [1.0])
    assert build_tangent(fn, [ZERO]).tangents == [ZERO]
