"""Loops that exit: both modes and second order, against differences of the primal."""

import operator

import numpy as np
import pytest
from transform.programs import BOOL, FLOAT, INT, SCALAR, array, check, grad, program, tapes

from srcad.emit.module import emit
from srcad.ir import UNDEFINED, For, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.walk import statements
from srcad.pipeline.passes import optimize, simplify

RNG = np.random.default_rng(0)
X, W = RNG.random(3) + 0.5, RNG.random((3, 3))
NEVER = 99
VECTOR = array("n")


def is_turn(b, i, last):
    return b.call(operator.eq, i, last)


def check_all(fn, *args):
    """The derivatives of the program, and of the optimised program; the gradient optimised."""
    check(fn, *args)
    check(verify(simplify(fn)), *args)
    backward = grad(fn)
    want = evaluate(backward, *args)
    for made in (optimize(backward), optimize(grad(simplify(fn)))):
        for got, bar in zip(evaluate(verify(made), *args), want, strict=True):
            np.testing.assert_allclose(got, bar, rtol=1e-12)


@pytest.mark.parametrize("last", [0, 2, NEVER])
@pytest.mark.parametrize("bounds", [(0, 4, 1), (0, 0, 1), (3, -1, -1), (2, 9, 3)])
def test_flag_at_the_end(bounds, last):
    """Left in the first iteration, later, never; a loop without an iteration; any range."""
    start, _, step = bounds
    last = last if last == NEVER else start + last * step

    def f(b, x, w):
        def body(i, h):
            return np.tanh(h @ w) * (i + 2.0), is_turn(b, i, last)

        h = b.loop(bounds, [x], body, exits=True)
        return np.sum(h * x)

    check_all(program(f, x=array("n"), w=array("n", "n")), X, W)


@pytest.mark.parametrize("tol", [0.0, 0.9, 100.0])
def test_break_in_the_middle(tol):
    def f(b, x, tol):
        def body(i, h, s):
            r = np.sum(h * h)
            h_2 = np.sin(h) * 0.9
            return b.branch(
                r < tol,
                lambda: (h, s + r, True),
                lambda: (h_2, s * 1.1 + np.sum(h_2), False),
                types=[array("n"), SCALAR, BOOL],
            )

        h, s = b.loop((0, 6, 1), [x, 0.0], body, types=[array("n"), SCALAR], exits=True)
        return s * np.sum(h)

    check_all(program(f, x=array("n"), tol=FLOAT), X, tol)


@pytest.mark.parametrize("a", [0.2, 0.5, 0.8])
def test_flag_of_nested_branches(a):
    def f(b, x, a):
        def body(i, h, k):
            def inner():
                rest = (h * a + x, k * h[1], False)
                types = [array("n"), SCALAR, BOOL]
                return b.branch(h[0] > 1.0, lambda: (h * h, k, True), lambda: rest, types=types)

            types = [array("n"), SCALAR, BOOL]
            return b.branch(k > 2.0, lambda: (np.cos(h), k * k, True), inner, types=types)

        h, k = b.loop((0, 5, 1), [x, a * 2.0], body, types=[array("n"), SCALAR], exits=True)
        return np.sum(h) * k

    check_all(program(f, x=array("n"), a=SCALAR), X, np.float64(a))


@pytest.mark.parametrize("outer", [0, 1, NEVER])
@pytest.mark.parametrize("inner", [0, 1, NEVER])
def test_nested_loops(inner, outer):
    def f(b, x, c):
        def turn(i, s):
            def body(j, h):
                return np.sin(h * s), is_turn(b, j, inner)

            h = b.loop((0, 3, 1), [x], body, exits=True)
            return s * c + np.sum(h), is_turn(b, i, outer)

        return b.loop((0, 3, 1), [1.0], turn, types=[SCALAR], exits=True)

    check_all(program(f, x=array("n"), c=SCALAR), X, np.float64(0.3))


@pytest.mark.parametrize("trips", [0, 3])
def test_exit_of_a_loop_in_a_plain_loop(trips):
    """The number of iterations of the inner loop is another one each time."""

    def f(b, x):
        def turn(i, s):
            def body(j, h):
                return np.sin(h * s), is_turn(b, j, i)

            return s * 0.7 + np.sum(b.loop((1, 9, 1), [x], body, exits=True))

        return b.loop((0, trips, 1), [1.0], turn, types=[SCALAR])

    fn = program(f, x=array("n"))
    check_all(fn, X)
    assert "seq[seq[f64[n]]]" in tapes(grad(fn))


@pytest.mark.parametrize("tol", [0.001, 1.0, 50.0])
def test_while_that_exits(tol):
    def f(b, x, tol):
        def body(h, k):
            h_2 = np.tanh(h) * 0.8
            return h_2, k + 1, np.sum(h_2 * h) < tol

        h, _ = b.turns([x, 0], lambda h, k: k < 4, body, types=[array("n"), INT], exits=True)
        return np.prod(h)

    check_all(program(f, x=array("n"), tol=FLOAT), X, tol)


@pytest.mark.parametrize("last", [0, 1, NEVER])
def test_sequence_written_until_the_exit(last):
    def f(b, x):
        def body(i, h):
            return h * 0.8, np.sin(h) * i, is_turn(b, i, last)

        h, seq = b.loop((0, 4, 1), [x], body, exits=True)
        trips = b.count()
        total = b.loop(
            (0, trips, 1), (0.0,), lambda i, s, y: s * 0.5 + np.sum(y), ins=[seq], types=[SCALAR]
        )
        return total * np.sum(h)

    check_all(program(f, x=array("n")), X)


def test_the_reverse_runs_over_the_turns_made():
    def f(b, x, n):
        return b.loop((3, n, 2), [x], lambda i, h: (np.sin(h), h < 0.5), exits=True)

    backward = grad(program(f, x=SCALAR, n=INT))
    first, second = (s for s in statements(backward.body) if isinstance(s, For))
    assert first.exits
    assert first.count is not None
    assert not second.exits
    assert second.reverse
    assert (second.start, second.step) == (3, 2)
    for n in (3, 4, 9, 99):
        assert len(evaluate(backward, np.float64(2.0), n)) == 1


# ---- `return` in a loop: what is returned is bound where a flag says so


def returning(b, bounds, x, body, type):
    """`for i in range(...): ...; if c: return y; ...`: whether it returned, what, and x."""

    def turn(i, h, returned, result):
        c, y, rest = body(i, h)
        types = [VECTOR, BOOL, type, BOOL]
        sides = (lambda: (h, True, y(), True)), (lambda: (rest(), False, result, False))
        made = b.branch(c, *sides, types=types)
        b.builder.body[-1].outs[2].partial = True
        return made

    init = [x, False, UNDEFINED]
    made = b.loop(bounds, init, turn, types=[VECTOR, BOOL, type], exits=True)
    loop = b.builder.body[-1]
    loop.outs[2].partial = loop.carried[2].partial = True
    return made


def check_text(fn, *args):
    """The printed gradient computes what the IR means: nothing unbound is read."""
    backward = grad(fn)
    want = evaluate(backward, *args)
    for made in (backward, optimize(backward)):
        emitted = emit(made)
        scope = dict(emitted.globals)
        exec(compile(emitted.text, "<emitted>", "exec"), scope)
        for got, bar in zip(scope[emitted.entry](*args), want, strict=True):
            np.testing.assert_allclose(got, bar, rtol=1e-12)


@pytest.mark.parametrize("tol", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("type", [SCALAR, VECTOR])
def test_return_in_a_loop(type, tol):
    def f(b, x, tol):
        def body(i, h):
            r = np.sum(h * h)
            return r < tol, lambda: r * r if type is SCALAR else h * r, lambda: np.sin(h)

        h, returned, result = returning(b, (0, 4, 1), x, body, type)
        other = np.sum(h) if type is SCALAR else h * 3.0
        return np.sum(b.branch(returned, lambda: result, lambda: other))

    fn = program(f, x=VECTOR, tol=FLOAT)
    check_all(fn, X, tol)
    check_text(fn, X, tol)


@pytest.mark.parametrize("tol", [0.0, 0.3, 100.0])
def test_return_in_a_loop_in_a_loop(tol):
    def f(b, x, tol):
        def outer(i, h):
            def inner(j, k):
                return np.sum(k * k) < tol * i, lambda: k * 2.0, lambda: np.sin(k) * 0.9

            k, returned, result = returning(b, (0, 3, 1), h, inner, VECTOR)
            return returned, lambda: result, lambda: k * 0.8

        h, returned, result = returning(b, (0, 3, 1), x, outer, VECTOR)
        return np.sum(b.branch(returned, lambda: result, lambda: h * h))

    fn = program(f, x=VECTOR, tol=FLOAT)
    check_all(fn, X, tol)
    check_text(fn, X, tol)
