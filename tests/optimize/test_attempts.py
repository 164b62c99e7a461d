"""What a `try` and a `with` keep where it is: each pass alone, on programs that may fail."""

import operator

import numpy as np
import pytest
from optimize.passes import check_pass

import srcad.rules.core.library  # noqa: F401
from srcad.ir import UNDEFINED, Block, For, Function, If, NumberType, Op, Value, show, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import ArrayType
from srcad.optimize.simplify.constant_folding import fold_constants
from srcad.optimize.simplify.copy_propagation import propagate_copies
from srcad.optimize.simplify.cse import cse
from srcad.optimize.simplify.dce import dce
from srcad.optimize.simplify.loop_invariants import hoist_invariants
from srcad.pipeline.passes import optimize

FLOAT, INT, BOOL = NumberType(float), NumberType(int), NumberType(bool)
VECTOR = ArrayType(np.dtype(float), (2,))


def attempt(then, results=(), others=()):
    """`try: then`, its outs and the `If`."""
    outs = (Value("ok", BOOL), *(Value("y", FLOAT) for _ in results))
    blocks = Block([], then, [True, *results]), Block([], [], [False, *others])
    return outs, If(Attempt((ArithmeticError,)), *blocks, outs)


def quotient(x):
    t = Value("", FLOAT)
    return t, Op(operator.truediv, (1.0, x), {}, (t,))


def test_what_may_raise_is_not_dead():
    x = Value("x", FLOAT)
    _, op = quotient(x)
    outs, stmt = attempt([op], [2.0], [3.0])
    fn = Function("f", Block([x], [stmt], [outs[1]]))
    assert "truediv" in check_pass(dce, fn, (4.0,), (0.0,)).split("return")[1]


def test_a_dead_attempt_goes():
    x = Value("x", FLOAT)
    _, op = quotient(x)
    _, stmt = attempt([op])
    assert dce(Function("f", Block([x], [stmt], [x]))).body.body == []


def test_what_cannot_raise_is_dead():
    x, t = Value("x", FLOAT), Value("", FLOAT)
    _, op = quotient(x)
    outs, stmt = attempt([op, Op(operator.add, (x, 1.0), {}, (t,))], [2.0], [3.0])
    fn = dce(Function("f", Block([x], [stmt], [outs[1]])))
    assert [o.fn for o in fn.body.body[0].then.body] == [operator.truediv]


@pytest.mark.parametrize("run", [fold_constants, propagate_copies, optimize])
def test_success_is_found_out_at_run_time(run):
    x = Value("x", FLOAT)
    t, op = quotient(x)
    outs, stmt = attempt([op], [t], [3.0])
    fn = Function("f", Block([x], [stmt], list(outs)))
    new = verify(run(fn))
    for value, found in ((4.0, [True, 0.25]), (0.0, [False, 3.0])):
        assert evaluate(new, value) == found


def test_an_equal_operation_before_the_attempt_is_used_in_it():
    x = Value("x", FLOAT)
    a, first = quotient(x)
    b, second = quotient(x)
    outs, stmt = attempt([second], [b], [3.0])
    fn = Function("f", Block([x], [first, stmt], [a, outs[1]]))
    assert show(cse(fn)).count("truediv") == 1


def test_an_equal_operation_after_the_attempt_is_done_again():
    x = Value("x", FLOAT)
    a, first = quotient(x)
    b, second = quotient(x)
    outs, stmt = attempt([first], [a], [3.0])
    fn = Function("f", Block([x], [stmt, second], [outs[1], b]))
    assert show(cse(fn)).count("truediv") == 2


def test_errors_are_another_matter_in_a_context():
    """`1 / x` warns outside and raises inside."""
    x, a, b, y = (Value(name, VECTOR) for name in ("x", "", "", "y"))
    first, second = (Op(operator.truediv, (1.0, x), {}, (out,)) for out in (a, b))
    cond = Context(np.errstate, (), {"divide": "raise"})
    inside = If(cond, Block([], [second], [b]), Block([], [], [UNDEFINED]), (y,))
    ok, z = Value("ok", BOOL), Value("z", VECTOR)
    blocks = Block([], [inside], [True, y]), Block([], [], [False, x])
    tried = If(Attempt((FloatingPointError,)), *blocks, (ok, z))
    fn = Function("f", Block([x], [first, tried], [a, z, ok]))
    assert cse(fn) is fn
    given = np.array([2.0, 0.0])
    with np.errstate(all="ignore"):
        assert evaluate(verify(optimize(fn)), given)[2] is False


def test_nothing_that_may_raise_leaves_a_loop_in_an_attempt():
    """The loop makes an iteration, so it might: but another exception might come first."""
    x = Value("x", FLOAT)
    i, s, q, s2, out = (Value(n, t) for n, t in zip("isqso", (INT, *[FLOAT] * 4), strict=True))
    body = Block([i, s], [
        Op(operator.truediv, (s, 2.0), {}, (s2,)), Op(operator.truediv, (1.0, x), {}, (q,)),
    ], [q])  # fmt: skip
    loop = For(0, 3, 1, False, [x], [], body, (out,), ())
    alone = Function("f", Block([x], [loop], [out]))
    assert len(hoist_invariants(alone).body.body) > 1
    outs, stmt = attempt([loop], [out], [3.0])
    fn = Function("f", Block([x], [stmt], list(outs)))
    assert hoist_invariants(fn) is fn


def test_the_handler_sees_what_the_body_would_have_written():
    """An array is not written in place in a `try` whose handler reads it."""
    x, a, b, h, total = (Value(n, VECTOR) for n in ("x", "a", "a", "h", "total"))
    t = Value("", FLOAT)
    made = Op(operator.mul, (x, 2.0), {}, (a,))
    add = Op(operator.add, (a, x), {}, (b,))
    item = Value("", FLOAT)
    fails = Op(operator.truediv, (1.0, item), {}, (t,))
    read = Op(float, (0.0,), {}, (item,))
    then = Block([], [add, read, fails], [True, b])
    stmt = If(
        Attempt((ZeroDivisionError,)), then, Block([], [], [False, a]), (Value("ok", BOOL), h)
    )
    last = Op(operator.mul, (h, 1.5), {}, (total,))
    fn = Function("f", Block([x], [made, stmt, last], [total]))
    given = np.array([1.0, 2.0])
    (want,) = evaluate(fn, given)
    (got,) = evaluate(verify(optimize(fn)), given)
    assert want.tolist() == got.tolist() == [3.0, 6.0]
