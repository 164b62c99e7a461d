"""The interpreter: one small program for each node."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from srcad.errors import InternalError
from srcad.ir import (
    UNDEFINED,
    Block,
    Closure,
    For,
    Function,
    If,
    NumberType,
    Op,
    SeqType,
    Value,
    While,
    show,
)
from srcad.ir.evaluate import evaluate
from srcad.ir.verifier import verify
from srcad.ir.walk import copy_block

FLOAT, INT = NumberType(float), NumberType(int)


def value(name, type=FLOAT):
    return Value(name, type)


def run(params, body, results, *args):
    return evaluate(verify(Function("f", Block(list(params), body, results))), *args)


def test_op_with_tree_arguments_and_options():
    x, y = value("x"), value("y")
    op = Op(np.stack, ([x, x],), {"axis": 0}, (y,))
    (result,) = run([x], [op], [y], 2.0)
    assert result.tolist() == [2.0, 2.0]


def test_several_outs_are_unpacked():
    x, whole, part = value("x"), value("whole"), value("part")
    assert run([x], [Op(divmod, (x, 2.0), {}, (whole, part))], [part, whole], 5.0) == [1.0, 2.0]


def test_call_of_a_program():
    a, b, x, y = value("a"), value("b"), value("x"), value("y")
    double = Function("double", Block([a], [Op(operator.add, (a, a), {}, (b,))], [b]))
    assert run([x], [Op(double, (x,), {}, (y,))], [y], 3.0) == [6.0]


def test_branch_leaves_a_partial_value_undefined():
    c, x, y, z = value("c"), value("x"), value("y"), value("z")
    then = Block([], [Op(operator.neg, (x,), {}, (y,))], [y])
    stmt = If(c, then, Block([], [], [UNDEFINED]), (z,))
    assert run([c, x], [stmt], [z], True, 1.0) == [-1.0]
    assert run([c, x], [stmt], [z], False, 1.0) == [UNDEFINED]


def loop(reverse, ins=()):
    """s = s * 10 + i, collecting s."""
    i, s, t, r = value("i", INT), value("s"), value("t"), value("r")
    elements = [value("e") for _ in ins]
    body = [Op(operator.mul, (s, 10), {}, (t,)), Op(operator.add, (t, i), {}, (r,))]
    out, seq = value("out"), value("seq", SeqType(FLOAT))
    block = Block([i, s, *elements], body, [r, elements[0] if ins else r])
    return For(1, 4, 1, reverse, [0], list(ins), block, (out,), (seq,))


def test_positions_of_sequences_belong_to_the_index():
    for reverse, final, written in ((False, 123, [1, 12, 123]), (True, 321, [321, 32, 3])):
        stmt = loop(reverse)
        assert run([], [stmt], [*stmt.outs, *stmt.seqs]) == [final, written]


def test_a_reversed_loop_reads_what_the_loop_wrote():
    first = loop(False)
    second = loop(True, ins=first.seqs)
    assert run([], [first, second], [*second.seqs]) == [[1, 12, 123]]


def test_while_counts_and_collects():
    a, b, x, y = value("a"), value("b"), value("x"), value("y")
    test = Block([a], [Op(operator.lt, (a, 10.0), {}, (t := value("t", NumberType(bool)),))], [t])
    body = Block([b], [Op(operator.mul, (b, 2.0), {}, (y,))], [y, b])
    out, seq, count = value("out"), value("seq", SeqType(FLOAT)), value("n", INT)
    stmt = While(test, [x], body, (out,), (seq,), count)
    assert run([x], [stmt], [out, seq, count], 3.0) == [12.0, [3.0, 6.0], 2]
    assert run([x], [stmt], [out, seq, count], 30.0) == [30.0, [], 0]


def exiting(start, stop, step, last):
    """s = s * 10 + i, collecting s, until i is `last`."""
    loop_ = loop(False)
    i, block = loop_.index, loop_.body
    flag, count = value("flag", NumberType(bool)), value("count", INT)
    block.body.append(Op(operator.eq, (i, last), {}, (flag,)))
    block.results.append(flag)
    return replace(loop_, start=start, stop=stop, step=step, exits=True, count=count)


def test_a_loop_that_exits_collects_and_counts_the_turns_made():
    for bounds, last, final in (
        ((1, 4, 1), 1, (1, [1], 1)),
        ((1, 4, 1), 2, (12, [1, 12], 2)),
        ((1, 4, 1), 9, (123, [1, 12, 123], 3)),
        ((3, 0, -2), 3, (3, [3], 1)),
        ((4, 4, 1), 4, (0, [], 0)),
    ):
        stmt = exiting(*bounds, last)
        assert run([], [stmt], [*stmt.outs, *stmt.seqs, stmt.count]) == list(final)


def test_a_while_that_exits():
    a, b, x, y, flag = value("a"), value("b"), value("x"), value("y"), value("t", NumberType(bool))
    body = [Op(operator.mul, (b, 2.0), {}, (y,)), Op(operator.gt, (y, 10.0), {}, (flag,))]
    out, seq, count = value("out"), value("seq", SeqType(FLOAT)), value("n", INT)
    test, block = Block([a], [], [True]), Block([b], body, [y, b, flag])
    stmt = While(test, [x], block, (out,), (seq,), count, exits=True)
    assert run([x], [stmt], [out, seq, count], 3.0) == [12.0, [3.0, 6.0], 2]
    assert run([x], [stmt], [out, seq, count], 30.0) == [60.0, [30.0], 1]


def test_copies_and_prints_keep_the_exit():
    stmt = exiting(1, 4, 1, 2)
    fn = Function("f", Block([], [stmt], [*stmt.outs, stmt.count]))
    copied = Function("f", copy_block(fn.body))
    assert evaluate(verify(copied)) == [12, 2]
    text = show(copied)
    assert "yield r, r leaving flag" in text
    assert "-> out: float collecting seq: seq[float] counting count: int" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reverse": True}, "an exiting `for` is reversed"),
        ({"exits": False}, "a loop body's results do not fit"),
        ({"seqs": ()}, "a loop body's results do not fit"),
    ],
)
def test_the_verifier_knows_exits(change, message):
    stmt = replace(exiting(1, 4, 1, 2), **change)
    with pytest.raises(InternalError, match=message):
        verify(Function("f", Block([], [stmt], list(stmt.outs))))


def test_the_verifier_wants_a_flag_that_is_a_bool_and_a_count_for_exits_only():
    stmt = exiting(1, 4, 1, 2)
    stmt.body.results[-1] = 1
    with pytest.raises(InternalError, match="is no bool"):
        verify(Function("f", Block([], [stmt], list(stmt.outs))))
    stmt = replace(loop(False), count=value("count", INT))
    with pytest.raises(InternalError, match="does not exit counts"):
        verify(Function("f", Block([], [stmt], list(stmt.outs))))


def test_closure_reads_the_values_before_it():
    x, y, z, f = value("x"), value("y"), value("z"), value("f")
    inner = Function("inner", Block([y], [Op(operator.sub, (x, y), {}, (z,))], [z]))
    (result,) = run([x], [Closure(inner, f)], [f], 5.0)
    assert result(2.0) == [3.0]
