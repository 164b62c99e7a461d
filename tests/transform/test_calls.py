"""Both modes through called functions that call themselves."""

import numpy as np
import pytest
from transform.programs import FLOAT, INT, SCALAR, array, check, difference, grad, jvp, program, vjp

from srcad.errors import SrcadError
from srcad.ir import Block, Function, Value, show
from srcad.ir.calls import called
from srcad.ir.evaluate import evaluate
from srcad.rules.core.masks import Notes
from srcad.transform.activity import CallActivity
from srcad.transform.forward.tangent import TangentWalk
from srcad.transform.forward.walk import TangentForms


def declare(name, results, **params):
    """A function with these parameters, to be called before its body is known."""
    values = [Value(p, t) for p, t in params.items()]
    return Function(name, Block(values, [], [Value("", t) for t in results]))


def define(b, fn, body):
    """Give a declared function its body: `body(*params)` returns the results."""
    statements, results = b.inside(body, *fn.params)
    fn.body = Block(fn.params, statements, results)
    return fn


def halved(b, x, tol):
    """f(x, tol) = x if abs(x) < tol else f(x / 2, tol) * x + sin(x)"""
    f = declare("f", [FLOAT], x=FLOAT, tol=FLOAT)

    def again(x, tol):
        return b.call(f, x / 2, tol) * x + b.call(np.sin, x)

    define(b, f, lambda x, tol: b.branch(abs(x) < tol, lambda: x, lambda: again(x, tol), [FLOAT]))
    return b.call(f, x, tol)


def test_numbers():
    fn = program(halved, x=FLOAT, tol=FLOAT)
    for x in (0.3, 2.7, -9.1):
        check(fn, x, 0.5)


def test_arrays():
    """f(x, w) = x if sum(x * x) < 1 else tanh(w @ f(x / 2, w)) + x"""

    def fn(b, x, w):
        f = declare("f", [array("n")], x=array("n"), w=array("n", "n"))

        def again(x, w):
            return np.tanh(w @ b.call(f, x / 2, w)) + x

        define(b, f, lambda x, w: b.branch(
            np.sum(x * x) < 1.0, lambda: x, lambda: again(x, w), [array("n")]))  # fmt: skip
        return np.sum(b.call(f, x, w) ** 2)

    fn = program(fn, x=array("n"), w=array("n", "n"))
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 5.0):
        check(fn, scale * rng.standard_normal(3), rng.standard_normal((3, 3)), order=1)


def test_tree():
    def fn(b, x, y):
        f = declare("f", [FLOAT], x=FLOAT, y=FLOAT)

        def again(x, y):
            return b.call(f, x / 2, y * 0.9) * b.call(f, x / 3, y) + x * y

        define(b, f, lambda x, y: b.branch(
            abs(x) < 0.5, lambda: x * y * y, lambda: again(x, y), [FLOAT]))  # fmt: skip
        return b.call(f, x, y)

    fn = program(fn, x=FLOAT, y=FLOAT)
    check(fn, 0.2, 1.3)
    check(fn, 4.2, 1.3)


def test_loop_inside():
    def fn(b, x):
        f = declare("f", [FLOAT], x=FLOAT)

        def again(x):
            turn = lambda i, s: s + b.call(f, x / (i + 2)) * s * 0.1  # noqa: E731
            return b.loop((0, 3, 1), [x], turn, types=[FLOAT])

        define(b, f, lambda x: b.branch(abs(x) < 0.5, lambda: x * x, lambda: again(x), [FLOAT]))
        return b.call(f, x)

    fn = program(fn, x=FLOAT)
    check(fn, 0.4, order=1)
    check(fn, 3.3, order=1)
    want = difference(lambda x: evaluate(grad(fn), x), (3.3,), (1.0,))
    assert evaluate(jvp(grad(fn)), 3.3, 1.0)[1] == pytest.approx(want[0], rel=1e-7)
    with pytest.raises(SrcadError, match="E100"):
        vjp(grad(fn))  # which of the saved tapes are there is not known


def test_mutual_recursion_with_two_results():
    def fn(b, x):
        f = declare("f", [FLOAT, FLOAT], x=FLOAT, n=INT)
        g = declare("g", [FLOAT], x=FLOAT, n=INT)

        def again(x, n):
            y = b.call(g, x * 0.7, n)
            return y * x, y + x

        define(b, f, lambda x, n: b.branch(
            abs(x) < 0.5, lambda: (x, x * x), lambda: again(x, n), [FLOAT, FLOAT]))  # fmt: skip

        def body(x, n):
            u, v = b.call(f, x * 0.9, n + 1)
            return u * v + n

        define(b, g, body)
        u, v = b.call(f, x, 0)
        return u * 2 + v

    fn = program(fn, x=FLOAT)
    check(fn, 0.4)
    check(fn, 3.3)


def test_called_in_a_loop():
    def fn(b, xs):
        def turn(i, s):
            return s + halved(b, xs[i] * s, 0.5)

        return b.loop((0, 4, 1), [np.float64(1.0)], turn, types=[SCALAR])

    check(program(fn, xs=array(4)), np.array([1.3, 0.1, -0.7, 0.15]))


def test_what_does_not_vary_is_not_carried_along():
    fn = program(halved, x=FLOAT, tol=FLOAT)
    (f,) = called(fn)
    activity = CallActivity()
    assert activity.varied(f, frozenset({0})) == {0}
    assert activity.varied(f, frozenset({1})) == frozenset()
    assert activity.useful(f, frozenset({0, 1}), frozenset({0})) == {0}
    form = TangentForms(TangentWalk).of(f, ((0, Notes()), (1, Notes())))
    assert [p.name for p in form.function.params] == ["x", "tol", "x_dot", "tol_dot"]


def test_each_form_is_made_once():
    fn = program(lambda b, x, tol: halved(b, x, tol), x=FLOAT, tol=FLOAT)
    assert [f.name for f in called(jvp(fn))] == ["f_jvp"]
    assert sorted(f.name for f in called(grad(fn, [0]))) == ["f_forward", "f_reverse"]
    assert show(vjp(fn)) == show(vjp(fn))


def test_the_primal_is_left_as_it_is():
    fn = program(halved, x=FLOAT, tol=FLOAT)
    before = show(fn)
    grad(fn)
    jvp(fn)
    assert show(fn) == before
