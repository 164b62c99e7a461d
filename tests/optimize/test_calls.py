"""Passes go through the functions that a program calls."""

import operator

import numpy as np
from optimize.passes import assert_same, run
from transform.programs import FLOAT, SCALAR, array, grad, jvp, program
from transform.test_calls import declare, define, halved

from srcad.ir import Block, Function, Op, Value, show, verify
from srcad.ir.calls import called
from srcad.ir.walk import statements
from srcad.pipeline.passes import optimize


def operations(fn):
    return [s.fn for s in statements(fn.body) if isinstance(s, Op)]


def test_called_functions_are_optimised_and_the_program_left_as_it_is():
    fn = program(lambda b, x, tol: halved(b, x, tol) + halved(b, x, tol), x=FLOAT, tol=FLOAT)
    before = show(fn)
    for made in (fn, grad(fn), jvp(fn)):
        text, new = show(made), verify(optimize(made))
        assert show(made) == text
        args = (7.3, 0.5, 1.0, 0.0)[: len(fn.params) * (2 if len(made.params) > 2 else 1)]
        np.testing.assert_allclose(run(new, args), run(made, args), rtol=1e-15)
    assert show(fn) == before


def test_repeated_work_in_a_called_function_is_done_once():
    f = declare("f", [FLOAT], x=FLOAT)
    fn = program(
        lambda b, x: b.call(define(b, f, lambda x: b.call(np.sin, x) * b.call(np.sin, x)), x),
        x=FLOAT,
    )
    (new,) = called(optimize(fn))
    assert operations(new).count(np.sin) == 1
    assert operations(f).count(np.sin) == 2


def test_what_a_called_function_returns_is_not_written():
    """It may return its argument: z = f(x) = x; z += 1 would change x."""
    x, z, y, s = (Value(n, array("n")) for n in ("x", "z", "z", "s"))
    inner = Value("v", array("n"))
    f = Function("f", Block([inner], [], [inner]))
    body = [Op(f, (x,), {}, (z,)), Op(operator.add, (z, 1.0), {}, (y,)),
            Op(operator.add, (x, y), {}, (s,))]  # fmt: skip
    fn = verify(Function("main", Block([x], body, [s])))
    new = optimize(fn)
    assert operator.iadd not in operations(new)
    assert_same(run(new, (np.ones(3),)), [np.full(3, 3.0)])


def test_what_was_given_to_a_called_function_and_saved_there_is_not_written():
    """saved = f(h) holds h; h += 1 before g(saved) would change it."""
    x, h, kept, more, r = (Value(n, array("n")) for n in ("x", "h", "kept", "h", "r"))
    a, c, d = Value("a", array("n")), Value("c", array("n")), Value("d", array("n"))
    f = Function("f", Block([a], [], [a]))
    g = Function("g", Block([c], [Op(operator.mul, (c, 2.0), {}, (d,))], [d]))
    body = [
        Op(np.exp, (x,), {}, (h,)),
        Op(f, (h,), {}, (kept,)),
        Op(operator.add, (h, 1.0), {}, (more,)),
        Op(g, (kept,), {}, (r,)),
    ]
    new = optimize(verify(Function("main", Block([x], body, [more, r]))))
    assert operator.iadd not in operations(new)
    assert_same(run(new, (np.zeros(2),)), [np.full(2, 2.0), np.full(2, 2.0)])


def test_results_of_the_program_are_the_callers_alone():
    x, z = Value("x", array("n")), Value("z", array("n"))
    inner = Value("v", array("n"))
    f = Function("f", Block([inner], [], [inner]))
    new = optimize(Function("main", Block([x], [Op(f, (x,), {}, (z,))], [z])))
    given = np.ones(2)
    assert run(new, (given,))[0] is not given
    assert np.copy in operations(new)


def test_numpy_scalars():
    fn = program(
        lambda b, x: b.call(define(b, declare("f", [SCALAR], x=SCALAR), np.tanh), x), x=SCALAR
    )
    assert_same(run(optimize(fn), (np.float64(0.3),)), [np.tanh(0.3)])
