"""Which temporaries are printed inside their use: texts, each checked against the evaluator."""

import operator

import numpy as np
import pytest
from emit.irtext import (
    BOOL,
    FLOAT,
    INT,
    MATRIX,
    SHAPE,
    VECTOR,
    Body,
    body_of,
    check,
    function,
    params,
)

import srcad
from srcad.ir import For, If, Value
from srcad.ir.inplace import index_iadd

X = np.array([0.5, -1.0, 2.0])


def test_temporaries_read_once_go_into_their_use():
    x, y = params("x y")
    b = Body(x, y)
    h = b(np.tanh, b(operator.add, b(operator.mul, x, y), 1.0), name="h")
    assert body_of(check(function("f", b, h), X, X)) == "h = np.tanh(x * y + 1.0)\nreturn h"


def test_a_temporary_read_twice_keeps_its_line():
    (x,) = params("x")
    b = Body(x)
    t = b(np.exp, x)
    text = check(function("f", b, b(operator.mul, t, t)), X)
    assert body_of(text) == "t = np.exp(x)\nreturn t * t"


def test_user_names_keep_their_line():
    (x,) = params("x")
    b = Body(x)
    y = b(np.exp, x, name="y")
    assert body_of(check(function("f", b, b(np.sin, y)), X)) == "y = np.exp(x)\nreturn np.sin(y)"


def test_nothing_is_read_after_it_is_overwritten():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0, name="y")
    before = b(np.sin, y)
    after = b(operator.iadd, y, 1.0, name="y")
    text = check(function("f", b, b(operator.add, before, after)), X)
    assert body_of(text) == "y = x * 2.0\nt = np.sin(y)\ny += 1.0\nreturn t + y"


def test_a_view_counts_as_what_it_shows():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0, name="y")
    view = b(operator.getitem, y, slice(1, None), name="v")
    before = b(np.sum, view, type=FLOAT)
    after = b(index_iadd, y, 1, 5.0, name="y")
    text = check(function("f", b, before, after), X)
    assert "t = v.sum()\ny[1] += 5.0\nreturn t, y" in body_of(text)


def test_what_is_overwritten_elsewhere_does_not_matter():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0, name="y")
    other = b(np.sin, x)
    after = b(operator.iadd, y, 1.0, name="y")
    text = check(function("f", b, b(operator.add, other, after)), X)
    assert body_of(text) == "y = x * 2.0\ny += 1.0\nreturn np.sin(x) + y"


def test_a_loop_that_writes_is_a_barrier():
    (x,) = params("x")
    b = Body(x)
    acc = b(operator.mul, x, 0.0, name="acc")
    before = b(np.cos, acc)
    index, param, out = Value("i", INT), Value("acc", VECTOR), Value("acc", VECTOR)
    inner = Body(index, param)
    loop = For(0, 2, 1, False, [acc], [], inner.returns(inner(operator.iadd, param, x)), (out,), ())
    b.add(loop)
    text = check(function("f", b, before, out), X)
    assert "t = np.cos(acc)\nfor i in range(2):\n    acc += x\nreturn t, acc" in body_of(text)


def test_what_a_loop_writes_is_apart_from_what_else_it_carries():
    (x,) = params("x")
    b = Body(x)
    starts = [b(operator.mul, x, 2.0, name="u"), b(operator.mul, x, 3.0, name="v")]
    u, v, *outs = params("u v u v")
    inner = Body(Value("i", INT), u, v)
    read = inner(np.cos, u)
    v_2 = inner(index_iadd, v, 0, 1.0, name="v")
    loop = inner.returns(inner(operator.mul, read, 0.5, name="u"), v_2)
    b.add(For(0, 2, 1, False, starts, [], loop, tuple(outs), ()))
    text = check(function("f", b, *outs), X)
    assert "    v[0] += 1.0\n    u = np.cos(u) * 0.5\n" in body_of(text)


def test_shapes_may_be_read_late_but_not_of_what_lives_on_in_its_variable():
    (x,) = params("x", MATRIX)
    b = Body(x)
    y = b(operator.mul, x, 2.0, name="y", type=MATRIX)
    n, k = (b(operator.getitem, b(np.shape, v, type=SHAPE), 0, type=INT) for v in (x, y))
    y = b(operator.iadd, y, 1.0, name="y", type=MATRIX)
    text = check(function("f", b, y, n, k), np.ones((3, 2)))
    assert body_of(text) == "y = x * 2.0\nn = y.shape[0]\ny += 1.0\nreturn y, x.shape[0], n"


def test_nothing_moves_past_an_effect(capsys):
    (x,) = params("x")
    b = Body(x)
    t = b(np.sin, x)
    b(print, "here", type=None, effect=True)
    text = check(function("f", b, b(np.cos, t)), X)
    assert body_of(text) == 't = np.sin(x)\nprint("here")\nreturn np.cos(t)'


def test_nothing_moves_into_a_loop():
    (x,) = params("x")
    b = Body(x)
    t = b(np.sin, x)
    index, param, out = Value("i", INT), Value("y", VECTOR), Value("y", VECTOR)
    inner = Body(index, param)
    loop = inner.returns(inner(operator.add, param, t, name="y"))
    b.add(For(0, 3, 1, False, [x], [], loop, (out,), ()))
    assert "t = np.sin(x)\n" in body_of(check(function("f", b, out), X))


def test_long_lines_are_divided():
    names = params(" ".join(f"rather_long_{i}" for i in range(6)))
    b = Body(*names)
    total = names[0]
    for each in names[1:]:
        total = b(operator.add, total, b(np.sin, each))
    text = body_of(check(function("f", b, total), *[X] * 6))
    assert all(len(line) <= 88 for line in text.splitlines())
    assert 1 < len(text.splitlines()) <= 5


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("", "y = x * 2.0 if c > 0.0 else 0.0\nreturn y"),
        ("y", "if c > 0.0:\n    y = x * 2.0\nelse:\n    y = 0.0\nreturn y"),
    ],
)
def test_a_short_choice_is_one_expression_unless_the_user_named_its_parts(name, lines):
    x, c = Value("x", FLOAT), Value("c", FLOAT)
    b = Body(x, c)
    cond = b(operator.gt, c, 0.0, type=BOOL)
    then, y = Body(), Value("y", FLOAT)
    result = then(operator.mul, x, 2.0, name=name, type=FLOAT)
    b.add(If(cond, then.returns(result), Body().returns(0.0), (y,)))
    assert body_of(check(function("f", b, y), 2.0, 1.0)) == lines


def test_the_shape_of_a_nested_result_is_not_read_late():
    (x,) = params("x")
    b = Body(x)
    y = b(operator.mul, x, 2.0, name="y")
    shape = b(np.shape, b(np.sort, y), type=SHAPE)
    y = b(operator.iadd, y, np.nan, name="y")
    text = check(function("f", b, y, shape), X)
    assert body_of(text) == "y = x * 2.0\nt = np.sort(y).shape\ny += np.nan\nreturn y, t"


def scaled(p, q):
    r = q + 1
    return p * r


def refused(p, q):
    if q > 1:
        raise ValueError(q)
    return p * q


def of_quotient(x, k):
    return scaled(1 / k, x[k + 7])


def of_a_sum_with_a_quotient(x, k):
    return refused(k + 1 / k, x[1])


def of_what_may_be_none(x, k):
    y = None
    if k > 1:
        y = x[0]
    return y * (1 / k)


def product(p, q):
    return q * p


def of_what_is_printed_first(x, k):
    return product(1 / k, x[k + 7])


def of_a_test(x, k):
    y = x[0]
    while product(1 / k, x[k + 7]) > y:
        y = y + 1.0
    return y


_LATER = [of_quotient, of_a_sum_with_a_quotient, of_what_may_be_none]
_SWAPPED = [of_what_is_printed_first, of_a_test]


@pytest.mark.parametrize("fn", _LATER + _SWAPPED)
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_what_raises_is_not_read_after_what_raises_otherwise(fn, transform):
    with pytest.raises(ZeroDivisionError):
        transform(fn)(np.array([7.0, 2.0]), 0)
