"""`Attempt` and `Context`: how they run, print, and what the verifier asks of them."""

import operator
import warnings
from dataclasses import replace

import numpy as np
import pytest

from srcad.errors import InternalError
from srcad.ir import UNDEFINED, Block, Function, If, NumberType, ObjectType, Op, Value, show, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.raising import never_ends
from srcad.ir.regions import Attempt, Context, is_test
from srcad.ir.types import ArrayType
from srcad.ir.walk import copy_block, values_in
from srcad.ops.raising import may_raise
from srcad.runtime.effects import caught, raise_, reraise

FLOAT, BOOL = NumberType(float), NumberType(bool)


def attempt(handler=(), exceptions=(ZeroDivisionError,)):
    """`try: y = 1 / x` with 7.0 in its handler."""
    x, t = Value("x", FLOAT), Value("", FLOAT)
    ok, y = Value("ok", BOOL), Value("y", FLOAT)
    then = Block([], [Op(operator.truediv, (1.0, x), {}, (t,))], [True, t])
    stmt = If(Attempt(exceptions), then, Block([], list(handler), [False, 7.0]), (ok, y))
    return Function("f", Block([x], [stmt], [ok, y]))


def test_attempt_runs_its_handler_where_its_body_raises():
    fn = verify(attempt())
    assert evaluate(fn, 4.0) == [True, 0.25]
    assert evaluate(fn, 0.0) == [False, 7.0]
    assert show(fn) == (
        "def f(x: float):\n"
        "    try:\n"
        "        t: float = truediv(1.0, x)\n"
        "        yield True, t\n"
        "    except (ZeroDivisionError,):\n"
        "        yield False, 7.0\n"
        "    -> ok: bool, y: float\n"
        "    return ok, y\n"
    )


def test_other_exceptions_go_through():
    with pytest.raises(ZeroDivisionError):
        evaluate(attempt(exceptions=(ValueError,)), 0.0)


def test_the_handler_knows_the_exception_and_may_raise_it_again():
    error = Value("e", ObjectType("ZeroDivisionError"))
    handler = [
        Op(caught, (), {}, (error,), effect=True),
        Op(reraise, (error,), effect=True),
    ]
    fn = verify(attempt(handler))
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        evaluate(fn, 0.0)
    assert never_ends(fn.body.body[0].orelse)
    assert not never_ends(fn.body.body[0].then)


def test_attempt_must_tell_whether_it_succeeded():
    fn = attempt()
    stmt = fn.body.body[0]
    silent = replace(stmt, then=Block([], stmt.then.body, [False, 1.0]))
    with pytest.raises(InternalError, match="does not tell whether it succeeded"):
        verify(Function("f", Block(fn.params, [silent], [])))


def context(mode="ignore"):
    """`with np.errstate(divide=mode): y = 1 / x` of arrays."""
    array = ArrayType(np.dtype(float), (2,))
    x, t, y = (Value(name, array) for name in ("x", "", "y"))
    then = Block([], [Op(operator.truediv, (1.0, x), {}, (t,))], [t])
    cond = Context(np.errstate, (), {"divide": mode})
    return Function("f", Block([x], [If(cond, then, Block([], [], [UNDEFINED]), (y,))], [y]))


def test_context_runs_around_its_body():
    fn = verify(context())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (y,) = evaluate(fn, np.array([2.0, 0.0]))
    assert y.tolist() == [0.5, np.inf]
    with pytest.raises(FloatingPointError):
        evaluate(context("raise"), np.array([2.0, 0.0]))
    assert "    with errstate(divide='ignore'):\n" in show(fn)
    assert not {"except", "else"} & set(show(fn).split())


def test_context_has_one_path():
    fn = context()
    stmt = fn.body.body[0]
    both = replace(stmt, orelse=Block([], [], [stmt.cond.kwargs["divide"]]))
    with pytest.raises(InternalError, match="two paths"):
        verify(Function("f", Block(fn.params, [both], [])))


def test_copies_and_reads_reach_into_the_arguments_of_a_context():
    x = Value("x", FLOAT)
    stmt = If(Context(open, (x,), {"mode": x}), Block([], [], []), Block([], [], []), ())
    assert list(values_in(stmt.cond)) == [x, x]
    copied = copy_block(Block([], [stmt], []), {x: 3.0}).body[0].cond
    assert (copied.args, copied.kwargs) == ((3.0,), {"mode": 3.0})


def test_only_branches_have_a_truth():
    assert all(map(is_test, (True, Value("c", BOOL))))
    assert not any(map(is_test, (Attempt((ValueError,)), Context(np.errstate))))
    stmt = attempt().body.body[0]
    assert not stmt.is_branch
    assert stmt.truth is stmt.outs[0]
    assert context().body.body[0].truth is True


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        (operator.add, (Value("x", FLOAT), 1.5), False),
        (operator.mul, (Value("x", FLOAT), 2), False),
        (operator.add, (Value("x", FLOAT), Value("k", NumberType(int))), True),
        (operator.truediv, (Value("x", FLOAT), 2.0), True),
        (operator.pow, (Value("x", FLOAT), 2), True),
        (operator.add, (Value("a", ArrayType(np.dtype(float), (2,))), 1.0), True),
        (np.shape, (Value("a", ArrayType(np.dtype(float), (2,))),), False),
        (raise_, (ValueError,), True),
    ],
)
def test_what_may_raise(fn, args, expected):
    assert may_raise(Op(fn, args)) is expected
