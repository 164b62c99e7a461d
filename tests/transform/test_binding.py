"""On which paths partial values are bound."""

import numpy as np
from transform.programs import BOOL, SCALAR, array, check, program

from srcad.ir import UNDEFINED, Block, For, If, NumberType, Op, SeqType, Value
from srcad.transform.reverse.binding import Binding


def guarded(cond, value, block=None):
    """`if cond: (body of block); out = value`, and its out."""
    out = Value("out", value.type, partial=True)
    body = [] if block is None else block
    return If(cond, Block([], body, [value]), Block([], [], [UNDEFINED]), (out,)), out


def test_value_of_one_branch():
    c, d, h = Value("c", BOOL), Value("d", BOOL), Value("h", SCALAR)
    stmt, out = guarded(c, h)
    binding = Binding(Block([c, d, h], [stmt], []))
    assert binding.is_bound(out, [(c, False)]) is False
    assert binding.is_bound(out, [(c, True)]) is True
    assert binding.is_bound(out, [(c, True), (d, False)]) is True
    assert binding.is_bound(out, [(c, False), (d, True)]) is False
    assert binding.is_bound(out, []) is None
    assert binding.is_bound(out, [(d, True)]) is None


def test_nested_branches_and_recomputed_conditions():
    c, x, h = Value("c", BOOL), Value("x", SCALAR), Value("h", SCALAR)
    d, again = Value("d", BOOL), Value("d", BOOL)
    inner, inner_out = guarded(d, h)
    outer, out = guarded(c, inner_out, [Op(np.isnan, (x,), {}, (d,)), inner])
    repeated = Op(np.isnan, (x,), {}, (again,))
    binding = Binding(Block([c, x, h], [outer, repeated], []))
    assert binding.is_bound(out, [(c, False)]) is False
    assert binding.is_bound(out, [(c, True)]) is None
    assert binding.is_bound(out, [(c, True), (again, False)]) is False
    assert binding.is_bound(out, [(c, True), (again, True), (c, False)]) is True
    assert binding.is_bound(out, [(c, True), (c, True)]) is None


def test_element_of_a_sequence():
    c, h = Value("c", BOOL), Value("h", SCALAR)
    stmt, out = guarded(c, h)
    seq, element = Value("seq", SeqType(SCALAR)), Value("e", SCALAR, partial=True)
    i, j = Value("i", NumberType(int)), Value("j", NumberType(int))
    write = For(0, 3, 1, False, [], [], Block([i], [stmt], [out]), (), (seq,))
    read = For(0, 3, 1, True, [], [seq], Block([j, element], [], []), (), ())
    binding = Binding(Block([c, h], [write, read], []))
    other = Value("saved", BOOL)
    assert binding.is_bound(element, [(other, False)]) is False
    assert binding.is_bound(element, [(other, True), (other, False)]) is True


def test_second_order_through_a_value_saved_for_two_readers():
    # The saved `t` is read in both arms inside and under the outer condition alone.
    def f(b, x, a):
        def then():
            t = np.sin(x) * a
            s = b.branch(a > 0.6, lambda: np.sum(t * t), lambda: np.sum(t))
            return s + np.sum(t * x)

        return b.branch(a > 0.5, then, lambda: a)

    for a in (0.2, 0.55, 0.7):
        check(program(f, x=array("n"), a=SCALAR), np.array([0.3, 0.5]), np.float64(a))
