"""Loops that exit, as a person writes them, and what they compute."""

import operator

import numpy as np
import pytest
from emit.irtext import BOOL, INT, SCALAR, TAPE, VECTOR, Body, body_of, check, function, params

from srcad.ir import For, If, Value, While

X = np.array([0.5, -1.0, 2.0])


def value(name, type=VECTOR):
    return Value(name, type)


def small(b, h, bound=1.0):
    """`(h * h).sum() < bound`"""
    total = b(np.sum, b(operator.mul, h, h), type=SCALAR)
    return b(operator.lt, total, bound, type=BOOL)


def loop(b, x, turn, *results, carried, **options):
    """`for i in range(9)` that carries one value from `x` and exits."""
    out = value(carried.name)
    index = value("i", INT)
    turn.block.params[:0] = [index, carried]
    head = (0, 9, 1, False, [x], [])
    b.add(
        For(*head, turn.returns(*results), (out,), options.pop("seqs", ()), exits=True, **options)
    )
    return out


def branch(turn, cond, then, orelse, *outs):
    return turn.add(If(cond, then, orelse, outs)).outs


def test_break_in_the_middle():
    (x,), h = params("x"), value("h")
    b, turn = Body(x), Body()
    h_2 = turn(np.sin, h, name="h")
    rest = Body()
    rest = rest.returns(rest(operator.mul, h_2, 0.5, name="h"), False)
    then = Body().returns(h_2, True)
    h_3, flag = branch(turn, small(turn, h_2), then, rest, value("h"), value("", BOOL))
    text = check(function("f", b, loop(b, x, turn, h_3, flag, carried=h)), X)
    assert (
        body_of(text)
        == """\
h = x
for i in range(9):
    h = np.sin(h)
    if (h * h).sum() < 1.0:
        break
    h = h * 0.5
return h"""
    )


def test_the_branch_that_breaks_does_its_work_and_its_moves_first():
    (x,), h = params("x"), value("h")
    b, turn, then, rest = Body(x), Body(), Body(), Body()
    cond = small(turn, h)
    then = then.returns(then(np.cos, h, name="h"), True)
    rest = rest.returns(rest(np.sin, h, name="h"), False)
    h_2, flag = branch(turn, cond, then, rest, value("h"), value("", BOOL))
    text = check(function("f", b, loop(b, x, turn, h_2, flag, carried=h)), X)
    assert body_of(text).splitlines()[2:6] == [
        "    if (h * h).sum() < 1.0:",
        "        h = np.cos(h)",
        "        break",
        "    h = np.sin(h)",
    ]


@pytest.mark.parametrize("is_last", [True, False])
def test_the_other_branch_breaks(is_last):
    """The condition may be the flag itself, as the optimiser leaves it."""
    (x,), h = params("x"), value("h")
    b, turn, rest = Body(x), Body(), Body()
    cond = small(turn, h, 9.0)
    rest = rest.returns(rest(np.sin, h, name="h"), False)
    sides = (rest, Body().returns(h, True)) if is_last else (Body().returns(h, True), rest)
    h_2, flag = branch(turn, cond, *sides, value("h"), value("", BOOL))
    text = check(function("f", b, loop(b, x, turn, h_2, flag if is_last else cond, carried=h)), X)
    test = "not (h * h).sum() < 9.0" if is_last else "(h * h).sum() < 9.0"
    assert body_of(text).splitlines()[2:5] == [
        f"    if {test}:",
        "        break",
        "    h = np.sin(h)",
    ]


def test_break_at_the_end():
    (x,), h = params("x"), value("h")
    b, turn = Body(x), Body()
    h_2 = turn(np.sin, h, name="h")
    text = check(function("f", b, loop(b, x, turn, h_2, small(turn, h_2), carried=h)), X)
    assert body_of(text).splitlines()[2:5] == [
        "    h = np.sin(h)",
        "    if (h * h).sum() < 1.0:",
        "        break",
    ]


def test_what_is_carried_is_moved_before_each_break():
    """The flag reads what the iteration began with: the move comes after it, on both paths."""
    (x,), h = params("x"), value("h")
    b, turn = Body(x), Body()
    h_2 = turn(np.sin, h, name="h_next")
    turn(np.cos, h_2, type=None, effect=True)
    text = check(function("f", b, loop(b, x, turn, h_2, small(turn, h), carried=h)), X)
    assert (
        body_of(text)
        == """\
h = x
for i in range(9):
    h_next = np.sin(h)
    np.cos(h_next)
    if (h * h).sum() < 1.0:
        h = h_next
        break
    h = h_next
return h"""
    )


def test_nested_branches():
    (x,), h = params("x"), value("h")
    b, turn, inner, rest = Body(x), Body(), Body(), Body()
    rest = rest.returns(rest(operator.mul, h, 0.5, name="h"), False)
    cond = small(inner, h, 4.0)
    then = Body().returns(x, True)
    h_2, flag = branch(inner, cond, then, rest, value("h"), value("", BOOL))
    sides = (Body().returns(h, True), inner.returns(h_2, flag))
    h_3, flag = branch(turn, small(turn, h), *sides, value("h"), value("", BOOL))
    text = check(function("f", b, loop(b, x, turn, h_3, flag, carried=h)), X)
    assert (
        body_of(text)
        == """\
h = x
for i in range(9):
    if (h * h).sum() < 1.0:
        break
    if (h * h).sum() < 4.0:
        h = x
        break
    h = h * 0.5
return h"""
    )


def test_tapes_and_the_count():
    (x,), h = params("x"), value("h")
    b, turn, rest = Body(x), Body(), Body()
    rest = rest.returns(rest(operator.mul, h, 0.5, name="h"), False)
    then, cond = Body().returns(h, True), small(turn, h)
    h_2, flag = branch(turn, cond, then, rest, value("h"), value("", BOOL))
    tapes, count = (value("", TAPE), value("", TAPE)), value("", INT)
    made = loop(b, x, turn, h_2, h, h_2, flag, carried=h, seqs=tapes, count=count)
    acc, seen, index = value("h_bar"), value("seen"), value("i", INT)
    back = Body(index, acc, seen)
    out = value("h_bar")
    block = back.returns(back(operator.mul, acc, seen, name="h_bar"))
    b.add(For(0, count, 1, True, [made], [tapes[0]], block, (out,), ()))
    text = check(function("f", b, made, out, tapes[1]), X)
    assert (
        body_of(text)
        == """\
h = x
h_tape = []
h_tape_2 = []
count = 0
for i in range(9):
    count += 1
    h_tape.append(h)
    if (h * h).sum() < 1.0:
        h_tape_2.append(h)
        break
    h = h * 0.5
    h_tape_2.append(h)

h_bar = h
for i in reversed(range(count)):
    seen = h_tape[i]
    h_bar = h_bar * seen
return h, h_bar, h_tape_2"""
    )


def test_a_while_that_exits():
    (x,), h, out = params("x"), value("h"), value("h")
    b, turn = Body(x), Body(h)
    h_2 = turn(np.sin, h, name="h")
    block = turn.returns(h_2, small(turn, h_2))
    b.add(While(Body(value("h")).returns(True), [x], block, (out,), exits=True))
    text = check(function("f", b, out), X)
    assert body_of(text).splitlines()[1:5] == [
        "while True:",
        "    h = np.sin(h)",
        "    if (h * h).sum() < 1.0:",
        "        break",
    ]


def test_a_flag_that_is_carried_too():
    """The variable that tells `else` of a loop keeps its value, and the branch says `break`."""
    (x,), h, left = params("x"), value("h"), value("left", BOOL)
    b, turn, rest = Body(x), Body(value("i", INT), h, left), Body()
    rest = rest.returns(rest(operator.mul, h, 0.5, name="h"), False)
    then, cond = Body().returns(h, True), small(turn, h)
    h_2, flag = branch(turn, cond, then, rest, value("h"), value("left", BOOL))
    outs = (value("h"), value("left", BOOL))
    block = turn.returns(h_2, flag, flag)
    b.add(For(0, 9, 1, False, [x, False], [], block, outs, (), exits=True))
    text = check(function("f", b, *outs), X)
    assert body_of(text).splitlines()[3:8] == [
        "    if (h * h).sum() < 1.0:",
        "        left = True",
        "        break",
        "    h = h * 0.5",
        "    left = False",
    ]
