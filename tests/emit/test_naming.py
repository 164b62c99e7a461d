"""Variables for values: what shares one, what does not, and what it is called."""

import operator

import numpy as np
from emit.irtext import FLOAT, INT, VECTOR, Body, body_of, check, function, params

from srcad.emit.module import emit
from srcad.ir import UNDEFINED, For, Function, If, Value

X = np.array([0.5, -1.0, 2.0])


def loop(b, init, names, turn, stop=3):
    """A `For` that carries `names`; `iteration(body, *params)` gives the results."""
    index, carried = Value("i", INT), [Value(name, VECTOR) for name in names]
    inner = Body(index, *carried)
    outs = tuple(Value(name, VECTOR) for name in names)
    b.add(For(0, stop, 1, False, init, [], inner.returns(*turn(inner, *carried)), outs, ()))
    return outs


def test_versions_of_a_variable_share_its_name_when_the_older_is_dead():
    (x,) = params("x")
    b = Body(x)
    h = b(np.sin, x, name="h")
    h = b(np.cos, h, name="h")
    text = check(function("f", b, b(np.exp, h, name="x")), X)
    assert body_of(text) == "h = np.sin(x)\nh = np.cos(h)\nx = np.exp(h)\nreturn x"


def test_versions_that_live_on_are_numbered():
    (x,) = params("x")
    b = Body(x)
    h = b(np.sin, x, name="h")
    h_2 = b(np.cos, h, name="h")
    text = check(function("f", b, b(operator.mul, h, h_2, name="x"), x), X)
    assert body_of(text) == "h = np.sin(x)\nh_2 = np.cos(h)\nx_2 = h * h_2\nreturn x_2, x"


def test_keywords_builtins_and_np_are_no_variables():
    (x,) = params("x")
    b = Body(x)
    values = [b(np.sin, x, name=word) for word in ("lambda", "sum", "np", "w[0]", "match")]
    text = check(function("f", b, *values), X)
    assert "return lambda_2, sum_2, np_2, w_0, match_2" in text.replace("t_lambda", "lambda_2")


def test_a_carried_value_has_one_variable():
    (h,) = params("h")
    b = Body(h)
    (out,) = loop(b, [h], ["h"], lambda turn, h: [turn(np.tanh, h, name="h")])
    text = check(function("f", b, out), X)
    assert body_of(text) == "for i in range(3):\n    h = np.tanh(h)\nreturn h"


def test_the_initial_value_is_copied_where_it_lives_on():
    (h,) = params("h")
    b = Body(h)
    (out,) = loop(b, [h], ["h"], lambda turn, h: [turn(np.tanh, h, name="h")])
    text = check(function("f", b, out, h), X)
    assert body_of(text) == "h_2 = h\nfor i in range(3):\n    h_2 = np.tanh(h_2)\nreturn h_2, h"


def test_carried_values_that_swap():
    x, y = params("a b")
    b = Body(x, y)
    outs = loop(b, [x, y], ["a", "b"], lambda turn, a, c: [c, turn(operator.add, a, c, name="b")])
    text = check(function("f", b, *outs), X, X + 1)
    assert body_of(text) == "for i in range(3):\n    a, b = b, a + b\nreturn a, b"


def test_carried_values_that_rotate_inside_a_loop():
    x, y, z = params("a b c")
    b = Body(x, y, z)

    def turn(outer, *carried):
        outs = loop(outer, list(carried), ["a", "b", "c"], lambda _, a, b, c: [b, c, a], stop=2)
        return [outs[1], outs[0], outs[2]]

    text = check(function("f", b, *loop(b, [x, y, z], ["a", "b", "c"], turn)), X, X + 1, X + 2)
    assert "        a, b, c = b, c, a\n    a, b = b, a\n" in body_of(text)


def test_what_a_loop_reads_from_outside_is_not_overwritten_in_it():
    x, w = params("x w")
    b = Body(x, w)
    (out,) = loop(
        b,
        [x],
        ["x"],
        lambda turn, x: [turn(operator.add, turn(np.sin, x, name="w"), w, name="x")],
    )
    text = check(function("f", b, out), X, X)
    assert "    w_2 = np.sin(x)\n    x = w_2 + w\n" in body_of(text)


def test_branches_assign_one_name_and_nothing_to_itself():
    x = Value("x", FLOAT)
    b = Body(x)
    cond = b(operator.gt, x, 0.0, type=FLOAT)
    then, out = Body(), Value("x", FLOAT)
    then_x = then(operator.mul, x, 2.0, name="x", type=FLOAT)
    b.add(If(cond, then.returns(then_x), Body().returns(x), (out,)))
    text = check(function("f", b, out), 2.0)
    assert body_of(text) == "if x > 0.0:\n    x = x * 2.0\nreturn x"


def test_both_branches_may_overwrite():
    x = Value("x", FLOAT)
    b = Body(x)
    cond = b(operator.gt, x, 0.0, type=FLOAT)
    out, sides = Value("x", FLOAT), []
    for factor in (2.0, 3.0):
        side = Body()
        sides.append(side.returns(side(operator.mul, x, factor, name="x", type=FLOAT)))
    b.add(If(cond, *sides, (out,)))
    text = check(function("f", b, out), 2.0)
    assert body_of(text) == "if x > 0.0:\n    x = x * 2.0\nelse:\n    x = x * 3.0\nreturn x"


def test_an_unbound_path_assigns_nothing():
    x = Value("x", FLOAT)
    b = Body(x)
    cond = b(operator.gt, x, 0.0, name="c", type=FLOAT)
    then, m = Body(), Value("m", FLOAT, partial=True)
    made = then(operator.mul, x, 2.0, name="m", type=FLOAT)
    b.add(If(cond, then.returns(made), Body().returns(UNDEFINED), (m,)))
    back, y = Body(), Value("y", FLOAT)
    b.add(If(cond, back.returns(back(operator.add, m, 1.0, type=FLOAT)), Body().returns(x), (y,)))
    fn = function("f", b, y)
    assert "None" not in check(fn, 2.0)
    check(fn, -2.0)


def test_interchangeable_cotangents_share_a_variable():
    """`y_bar` that becomes `x_bar` needs no copy: these names are the compiler's own."""
    (x,) = params("x")
    b = Body(x)
    (out,) = loop(
        b, [b(np.cos, x, name="y_bar")], ["x_bar"], lambda turn, g: [turn(np.sin, g, name="z_bar")]
    )
    text = check(function("f", b, out), X)
    assert body_of(text).count("=") == 2


def test_text_without_a_user_name():
    x = Value("", VECTOR)
    b = Body(x)
    text = emit(Function("f", b.returns(b(np.sin, x)))).text
    assert "def f(t):\n    return np.sin(t)\n" in text
