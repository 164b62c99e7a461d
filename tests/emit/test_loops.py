"""Loops and tapes as text, and what they compute."""

import operator

import numpy as np
import pytest
from emit.irtext import BOOL, INT, TAPE, VECTOR, Body, body_of, check, function, params

from srcad.ir import For, SeqType, Value, While

X = np.array([0.5, -1.0, 2.0])


def forward_and_back(b, x, start, stop, step, name="h"):
    """`h = sin(h)` with its tape, and the reversed loop that reads it."""
    index, h, out, tape = Value("i", INT), Value("h", VECTOR), Value("h", VECTOR), Value("", TAPE)
    turn = Body(index, h)
    block = turn.returns(turn(np.sin, h, name="h"), h)
    b.add(For(start, stop, step, False, [x], [], block, (out,), (tape,)))
    index, g, seen = Value("i", INT), Value("h_bar", VECTOR), Value(name, VECTOR)
    back = Body(index, g, seen)
    result = back(operator.mul, g, back(np.cos, seen), name="h_bar")
    g_out = Value("h_bar", VECTOR)
    g_0 = b(np.ones_like, out, name="h_bar")
    b.add(For(start, stop, step, True, [g_0], [tape], back.returns(result), (g_out,), ()))
    return out, g_out


def test_a_tape():
    (h,), n = params("h"), Value("n", INT)
    b = Body(h, n)
    text = check(function("f", b, *forward_and_back(b, h, 0, n, 1)), X, 3)
    assert (
        body_of(text)
        == """\
h_tape = [None] * n
for i in range(n):
    h_tape[i] = h
    h = np.sin(h)

h_bar = np.ones_like(h)
for i in reversed(range(n)):
    h_2 = h_tape[i]
    h_bar = h_bar * np.cos(h_2)
return h, h_bar"""
    )


@pytest.mark.parametrize(
    ("bounds", "length", "entry"),
    [
        ((2, "n", 1), "len(range(2, n))", "h_tape[i - 2]"),
        ((0, "n", 2), "len(range(0, n, 2))", "h_tape[i // 2]"),
        (("n", 0, -2), "len(range(n, 0, -2))", "h_tape[(i - n) // -2]"),
        ((5, 3, 1), "len(range(5, 3))", "h_tape[i - 5]"),
    ],
)
@pytest.mark.parametrize("n", [0, 1, 6])
def test_positions_in_a_tape(bounds, length, entry, n):
    (h,), stop = params("h"), Value("n", INT)
    b = Body(h, stop)
    outs = forward_and_back(b, h, *(stop if bound == "n" else bound for bound in bounds))
    text = check(function("f", b, *outs), X, n)
    assert f"h_tape = [None] * {length}\n" in text
    assert text.count(entry) == 2


def test_the_length_of_a_tape_is_computed_once():
    (x,) = params("x")
    b = Body(x)
    n = b(operator.getitem, b(np.shape, x), 0, type=INT)
    text = check(function("f", b, *forward_and_back(b, x, 0, n, 1)), X)
    assert "n = x.shape[0]\n" in text


def test_nameless_elements_are_stored_and_read_without_a_variable():
    (x,) = params("x")
    b = Body(x)
    index, h, out, tape = Value("", INT), Value("h", VECTOR), Value("h", VECTOR), Value("", TAPE)
    turn = Body(index, h)
    block = turn.returns(turn(np.sin, h, name="h"), turn(np.cos, h))
    b.add(For(0, 3, 1, False, [x], [], block, (out,), (tape,)))
    text = body_of(check(function("f", b, out, tape), X))
    assert "    tape[i] = np.cos(h)\n" in text


def test_a_while_loop_whose_test_is_one_expression():
    k = Value("k", INT)
    b = Body(k)
    k_1, k_2, out = (Value("k", INT) for _ in range(3))
    test, turn = Body(k_1), Body(k_2)
    cond = test(operator.lt, test(operator.mul, k_1, 2, type=INT), 9, type=BOOL)
    block = turn.returns(turn(operator.add, k_2, 1, type=INT))
    b.add(While(test.returns(cond), [k], block, (out,)))
    text = check(function("f", b, out), 0)
    assert body_of(text) == "while k * 2 < 9:\n    k = k + 1\nreturn k"


def test_a_while_loop_whose_test_takes_statements():
    (x,), k = params("x"), Value("k", INT)
    b = Body(x, k)
    x_1, x_2, out = (Value("x", VECTOR) for _ in range(3))
    test, turn = Body(x_1), Body(x_2)
    y = test(np.sin, x_1)
    cond = test(operator.lt, test(np.sum, test(operator.mul, y, y)), 0.5, type=BOOL)
    block = turn.returns(turn(operator.mul, x_2, 1.5, name="x"), turn(np.cos, x_2, name="c"))
    tape, count = Value("", SeqType(VECTOR)), Value("", INT)
    b.add(While(test.returns(cond), [x], block, (out,), (tape,), count))
    text = check(function("f", b, out, count, tape), X / 10, 0)
    assert (
        body_of(text)
        == """\
c_tape = []
count = 0
while True:
    t = np.sin(x)
    if not (t * t).sum() < 0.5:
        break
    c = np.cos(x)
    c_tape.append(c)
    x = x * 1.5
    count += 1
return x, count, c_tape"""
    )


def test_an_empty_loop_body_passes():
    (x,) = params("x")
    b = Body(x)
    index, h, out = Value("i", INT), Value("x", VECTOR), Value("x", VECTOR)
    b.add(For(0, 2, 1, False, [x], [], Body(index, h).returns(h), (out,), ()))
    text = check(function("f", b, out), X)
    assert body_of(text) == "for i in range(2):\n    pass\nreturn x"
