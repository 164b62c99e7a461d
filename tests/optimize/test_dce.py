import numpy as np
import pytest
from optimize.passes import SPECIAL, check_pass
from transform.programs import INT, array, program

import srcad
from srcad import runtime
from srcad.ir import Op, show
from srcad.ir.walk import statements
from srcad.optimize.simplify.dce import dce

X = np.array(SPECIAL)
VECTOR = array("n")


def test_dead_code(golden):
    def written(b, x, y):
        np.exp(x)
        used, _unused = b.branch(np.sum(x) > 0, lambda: (x * y, np.tanh(x)), lambda: (y, x))

        def body(i, h, k, m):
            dead = k * k
            return h + m, dead, m * 2.0, np.exp(h), dead

        h, _k, _m, tape, _dead = b.loop((0, 3, 1), [used, x, y], body)
        b.loop((0, 3, 1), [x], lambda i, a, t: a * t, ins=[tape])
        bar = b.loop((0, 3, 1), [x], lambda i, a, t, u: (a * t, u)[0], ins=[tape, _dead])
        return h, bar

    fn = program(written, x=VECTOR, y=VECTOR)
    golden("optimize_dce.txt", check_pass(dce, fn, (X, X[::-1].copy())))


def test_while_keeps_what_its_test_reads(golden):
    def written(b, x, n):
        _, h, _unused = b.turns(
            [n, x, x], lambda k, h, u: k > 0, lambda k, h, u: (k - 1, h * 2.0, u * u)
        )
        return h

    fn = program(written, x=VECTOR, n=INT)
    golden("optimize_dce_while.txt", check_pass(dce, fn, (X, 2), (X, 0)))


def test_effects_stay_with_all_that_they_read():
    def written(b, x, n):
        def body(i, h, k):
            b.call(runtime.unbroadcast, k, (1,))
            b.builder.body[-1].effect = True
            return h * 2.0, k + 1.0

        b.loop((0, n, 1), [x, x], body)
        return x

    new = dce(program(written, x=VECTOR, n=INT))
    text = show(new)
    assert "unbroadcast" in text
    assert "add" in text
    assert "mul" not in text
    assert any(isinstance(s, Op) and s.effect for s in statements(new.body))


def test_nothing_dead_is_nothing_done():
    fn = program(lambda b, x: np.exp(x), x=VECTOR)
    assert dce(fn) is fn


def test_what_raises_in_a_strict_block_is_kept():
    @srcad.compile
    def f(x, y):
        with np.errstate(over="raise"):
            x * y
        return np.sum(x)

    assert f(np.ones(3), np.ones(3)) == 3.0
    with pytest.raises(FloatingPointError):
        f(np.full(3, 1e300), np.full(3, 1e300))
