"""Results in arrays that the caller makes: which, how large, and that nothing else changes."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from native.backends import assert_alike, both
from transform.programs import FLOAT, INT, array, program

import srcad
from srcad import kernels
from srcad.ir import Block, For, Function, Op, Value, show
from srcad.ir.inplace import index_iadd, index_set
from srcad.native.boundary.caller_allocation import allocate_in_caller
from srcad.native.boundary.caller_statements import Caller
from srcad.native.loops.contraction import contract_arrays
from srcad.native.loops.fusion import fuse_loops
from srcad.native.loops.store_forwarding import forward_stores
from srcad.native.scalarize.driver import scalarize
from srcad.native.scalarize.temporaries import temporaries
from srcad.pipeline.request import Request


def parted(fn: Function) -> tuple[str, str, list[Op]]:
    """A function of loops before and after, and what its caller does."""
    made = contract_arrays(forward_stores(fuse_loops(scalarize(fn))))
    args = {param: Value(f"given_{param.name}", param.type) for param in made.params}
    caller = Caller(made, args)
    after = allocate_in_caller(made, caller)
    return show(made), show(after), [op for op in caller.body if isinstance(op, Op)]


def test_a_result_like_an_argument() -> None:
    fn = program(lambda b, x: x * 2.0, x=array("n", 3))
    before, after, (make,) = parted(fn)
    made = before.splitlines()
    assert made.pop(3) == "    a: f64[?1, ?2] = empty((n, 3))"
    assert after.splitlines() == ["def f(x: f64[n, 3], a: f64[?1, ?2]):", *made[1:]]
    assert made[-1] == "    return a"
    assert make.fn is kernels.empty_like
    assert [arg.name for arg in make.args] == ["given_x"]


def test_extents_of_several_arguments() -> None:
    fn = program(lambda b, x, y: x[:, None] * y[1:], x=array("n"), y=array("m"))
    _, after, makes = parted(fn)
    assert "empty" not in after
    (make,) = (op for op in makes if op.fn is kernels.empty)
    assert [op.fn.__name__ for op in makes] == [
        *("shape", "getitem", "shape", "getitem", "sub", "empty")
    ]
    assert len(make.args[0]) == 2


def test_another_dtype_is_not_like_the_argument() -> None:
    fn = program(lambda b, x: x > 2.0, x=array("n"))
    _, _, makes = parted(fn)
    assert makes[-1].fn is kernels.empty
    assert makes[-1].args[1] == np.bool_


def test_what_is_no_result_stays_inside() -> None:
    def f(b, x):
        t = np.exp(x)
        return np.sum(t) * (t[::-1] * t)

    before, after, makes = parted(program(f, x=array("n")))
    assert before.count("empty") == 2
    assert after.count("empty") == 1
    assert len(makes) == 1


def test_what_one_loop_leaves_to_another_is_made_by_the_caller() -> None:
    def f(b, x):
        t = np.exp(x)
        return np.sum(t @ t.T)

    before, after, makes = parted(program(f, x=array(3, 3)))
    assert before.count("empty") == 2
    assert "empty" not in after
    assert [make.fn for make in makes] == [kernels.empty] * 2


def made_for(body):
    """The temporaries of a function of `x` and `n` loops, whose body appends operations."""
    x, t = Value("x", array(4, 4)), Value("t", array(4, 4))
    ops = [Op(np.empty, ((4, 4),), {}, (t,)), *body(x, t)]
    return temporaries(Function("f", Block([x], ops, []), None)) == {t}


def turns(*body):
    i = Value("i", INT)
    return For(0, 4, 1, False, [], [], Block([i], [make(i) for make in body], []), (), (), None)


def put(t, value, fn=index_set):
    return lambda i: Op(fn, (t, (i, 0), value), {}, (), effect=True)


def got(t):
    return lambda i: Op(operator.getitem, (t, (i, 0)), {}, (Value("", FLOAT),))


def test_which_temporaries_the_caller_makes() -> None:
    assert made_for(lambda x, t: [turns(put(t, 1.0)), turns(got(t))])
    # what each iteration fills for itself
    assert not made_for(lambda x, t: [turns(put(t, 1.0), got(t))])
    # what a loop adds up, which threads do in parts of it
    assert made_for(lambda x, t: [turns(put(t, 0.0)), turns(put(t, 1.0, index_iadd))])
    # what is handed on
    out = Value("", array(4, 4))
    assert not made_for(
        lambda x, t: [turns(put(t, 1.0)), turns(got(t)), Op(np.transpose, (t,), {}, (out,))]
    )


def test_an_extent_that_is_computed_inside_stays() -> None:
    fn = program(lambda b, x, n: x[: n * n] * 2.0, x=array("n"), n=INT)
    before, after, makes = parted(fn)
    assert after == before
    assert not makes


CALLS = [
    (lambda x: np.sum(np.tanh(x) * x), (np.linspace(-1, 1, 30).reshape(5, 6),)),
    (lambda x: np.sum(np.tanh(x) * x), (np.zeros((0, 4)),)),
    (lambda x: np.sum(np.tanh(x) * x), (np.asfortranarray(np.ones((4, 5))),)),
    (lambda x: np.sum(np.tanh(x)[1:] * x[:-1]), (np.ones(7)[::-1],)),
    (lambda x: np.sum(np.tanh(x)[1:] * x[:-1]), (np.ones(7, np.float32),)),
]


def test_programs_compute_what_they_did() -> None:
    for f, args in CALLS:
        pair = both(Request("value_and_grad", f), args, 1)
        assert "kernels.empty" in pair.text
        assert_alike(pair.native(*args), pair.numpy(*args), single=args[0].dtype == np.float32)


def test_results_are_the_callers_alone() -> None:
    """A gradient that is kept is not written to by later calls, and neither is the argument."""
    pytest.importorskip("numba")
    f = srcad.grad(lambda x: np.sum(np.exp(x) * x), backend="native")
    x = np.linspace(0, 1, 10_000)
    first = f(x)
    copy, part = first.copy(), f(x)[10:20]
    for k in range(5):
        other = f(x + k)
        assert not np.shares_memory(first, other)
        assert not np.shares_memory(part, other)
        assert not np.shares_memory(x, other)
    assert np.array_equal(first, copy)
    assert np.array_equal(part, copy[10:20])
