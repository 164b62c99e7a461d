"""Branches, effects, in-place operations and closures as statements."""

import operator

import numpy as np
import pytest
from emit.irtext import BOOL, FLOAT, VECTOR, Body, body_of, check, function, load, params

from srcad.emit.module import emit
from srcad.ir import Closure, Function, If, Interface, Param, Slot, Value
from srcad.ir.inplace import index_iadd, index_iadd_at, index_set
from srcad.runtime.effects import ensure, raise_

X = np.array([0.5, -1.0, 2.0])


def side(fn, x, name="y"):
    body = Body()
    return body.returns(body(fn, x, name=name, type=FLOAT))


def test_a_chain_of_branches():
    x = Value("x", FLOAT)
    b = Body(x)
    inner, y_1, y = Body(), Value("y", FLOAT), Value("y", FLOAT)
    low = inner(operator.lt, x, -1.0, type=BOOL)
    inner.add(If(low, side(np.sin, x), side(np.cos, x), (y_1,)))
    high = b(operator.gt, x, 1.0, type=BOOL)
    b.add(If(high, side(np.exp, x), inner.returns(y_1), (y,)))
    fn = function("f", b, y)
    text = body_of(check(fn, 2.0))
    heads = [line for line in text.splitlines() if line.endswith(":")]
    assert heads == ["if x > 1.0:", "elif x < -1.0:", "else:"]
    check(fn, -2.0)
    check(fn, 0.0)


def test_an_empty_branch_vanishes():
    x = Value("y", FLOAT)
    b = Body(x)
    cond = b(operator.gt, x, 1.0, type=BOOL)
    y = Value("y", FLOAT)
    b.add(If(cond, Body().returns(x), side(np.exp, x), (y,)))
    text = check(function("f", b, y), 0.5)
    assert body_of(text) == "if not y > 1.0:\n    y = np.exp(y)\nreturn y"


def test_branches_that_swap():
    x, y = params("x y")
    b = Body(x, y)
    cond = b(operator.gt, b(np.sum, x, type=FLOAT), 0.0, type=BOOL)
    outs = Value("x", VECTOR), Value("y", VECTOR)
    b.add(If(cond, Body().returns(y, x), Body().returns(x, y), outs))
    text = check(function("f", b, *outs), X, X + 1)
    assert body_of(text) == "if x.sum() > 0.0:\n    x, y = y, x\nreturn x, y"


def test_effects(capsys):
    x = Value("x", FLOAT)
    b = Body(x)
    b(print, "x", x, type=None, effect=True, sep=": ")
    b(ensure, b(operator.gt, x, 0.0, type=BOOL), "too small", type=None, effect=True)
    wrong = Body()
    wrong(raise_, ValueError, "too big", type=None, effect=True)
    b.add(If(b(operator.gt, x, 9.0, type=BOOL), wrong.returns(), Body().returns(), ()))
    fn = function("f", b, x)
    assert (
        body_of(check(fn, 1.0))
        == """\
print("x", x, sep=": ")
assert x > 0.0, "too small"
if x > 9.0:
    raise ValueError("too big")
return x"""
    )
    assert capsys.readouterr().out == "x: 1.0\nx: 1.0\n"
    with pytest.raises(AssertionError, match="too small"):
        load(emit(fn))(-1.0)
    with pytest.raises(ValueError, match="too big"):
        load(emit(fn))(10.0)


@pytest.mark.parametrize(
    ("fn", "index", "line"),
    [
        (index_iadd, 1, "y[1] += g[2]"),
        (index_iadd, (slice(None, 2),), "y[:2] += g[1:]"),
        (index_set, slice(1, None), "y[1:] = g[1:]"),
        (index_iadd_at, [0, 0], "np.add.at(y, [0, 0], g[1:])"),
    ],
)
def test_writes_in_place(fn, index, line):
    (g,) = params("g")
    b = Body(g)
    y = b(np.zeros, 3, name="y")
    part = b(operator.getitem, g, slice(1, None) if index != 1 else 2)
    y = b(fn, y, index, part, name="y")
    text = check(function("f", b, y), X)
    assert (
        body_of(text)
        == f"y = np.zeros(3)\n{line.replace('g[1:]', 'g[2]') if index == 1 else line}\nreturn y"
    )


def test_operators_in_place():
    (x,) = params("x")
    b = Body(x)
    y = b(np.copy, x, name="y")
    for fn in (operator.iadd, operator.isub, operator.imul, operator.itruediv):
        y = b(fn, y, 2.0, name="y")
    text = check(function("f", b, y), X)
    assert body_of(text) == "y = x.copy()\ny += 2.0\ny -= 2.0\ny *= 2.0\ny /= 2.0\nreturn y"


def test_a_closure_reads_what_is_around_it_and_changes_nothing():
    x, y = params("x y")
    b = Body(x, y)
    h = b(np.sin, x, name="h")
    g = Value("y", VECTOR)
    inner = Body(g)
    t = inner(operator.mul, g, h, name="t")
    x_in = inner(operator.add, t, y, name="h")
    interface = Interface((Param("y_bar", (Slot(0),)),), result=(Slot(0), Slot(1)))
    pullback = Value("pullback", VECTOR)
    function_in = Function("pullback", inner.returns(x_in, t), interface)
    b.add(Closure(function_in, pullback))
    h_2 = b(np.cos, x, name="h")
    emitted = emit(function("f", b, pullback, h_2))
    assert (
        body_of(emitted.text[emitted.text.index("\ndef f") :])
        == """\
h = np.sin(x)

def pullback(y_bar):
    (y_2,) = y_bar

    t = y_2 * h
    h_2 = t + y
    return h_2, t

h_2 = np.cos(x)
return pullback, h_2"""
    )
    back, _ = load(emitted)(X, X + 1)
    np.testing.assert_array_equal(back((X,))[0], X * np.sin(X) + X + 1)
    np.testing.assert_array_equal(back((X,))[0], X * np.sin(X) + X + 1)


def test_functions_that_call_one_another():
    (x,) = params("x")
    inner = Body(x)
    callee = Function("half", inner.returns(inner(operator.mul, x, 0.5), x))
    (x,) = params("x")
    outer = Body(x)
    h, _ = outer(callee, x, type=[VECTOR, VECTOR])
    middle = Function("quarter", outer.returns(outer(callee, h, type=[VECTOR, VECTOR])[0]))
    (x,) = params("half")
    b = Body(x)
    text = check(function("f", b, b(operator.add, b(middle, x), 1.0)), X)
    assert text.index("def half_2(x):") < text.index("def quarter(x):") < text.index("def f(half):")
    assert "    return quarter(half) + 1.0\n" in text


def test_a_function_that_calls_itself():
    x = Value("x", FLOAT)
    b = Body(x)
    fn = Function("f", b.block, Interface((Param("p", {"x": Slot(0)}),), result=[Slot(0)]))
    small, y = b(operator.lt, x, 1.0, type=BOOL), Value("y", FLOAT)
    again = Body()
    deeper = again(fn, again(operator.mul, x, 0.5, type=FLOAT), type=FLOAT)
    b.add(If(small, Body().returns(x), again.returns(deeper), (y,)))
    b.returns(y)
    assert load(emit(fn))({"x": 6.0}) == [0.75]
