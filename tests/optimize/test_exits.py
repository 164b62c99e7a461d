"""What each pass makes of a loop that exits."""

import operator

import numpy as np
from optimize.passes import SPECIAL, check_pass
from transform.programs import BOOL, INT, array, program

from srcad.ir import For, show
from srcad.optimize.memory.bufferize import store_in_place
from srcad.optimize.simplify.constant_folding import fold_constants
from srcad.optimize.simplify.copy_propagation import propagate_copies
from srcad.optimize.simplify.dce import dce
from srcad.optimize.simplify.loop_invariants import hoist_invariants

X = np.array(SPECIAL)
VECTOR = array("n")


def loop_of(fn):
    return next(stmt for stmt in fn.body.body if isinstance(stmt, For))


def test_dead_code_goes_and_what_the_flag_reads_stays():
    def written(b, x, y, n):
        def body(i, h, k, m, u):
            b.call(np.cos, h)
            k_2 = k + 1
            leave = b.call(operator.ge, k_2, n)
            return h * y, k_2, m * 2.0, u + h, np.exp(h), m, leave

        h, _k, _m, _u, _dead, _tape = b.loop((0, 5, 1), [x, 0, x, y], body, exits=True)
        b.count()
        return h

    fn = program(written, x=VECTOR, y=VECTOR, n=INT)
    text = check_pass(dce, fn, *((X, X[::-1].copy(), n) for n in (0, 2, 9)))
    loop = loop_of(dce(fn))
    assert (len(loop.init), len(loop.seqs), loop.count) == (2, 0, None)
    assert "leaving" in text[text.rindex("def f") :]


def test_the_count_keeps_the_loop():
    def written(b, n):
        b.loop((0, 9, 1), [0], lambda i, k: (k + 2, b.call(operator.ge, k, n)), exits=True)
        return b.count()

    fn = program(written, n=INT)
    check_pass(dce, fn, (0,), (3,), (99,))
    assert loop_of(dce(fn)).count is not None


def test_copies():
    def written(b, x, n):
        def body(i, h, k, fixed):
            leave = b.call(operator.eq, i, n)
            types = [VECTOR, BOOL]
            h_2, flag = b.branch(leave, lambda: (h, True), lambda: (h * 2.0, False), types=types)
            return h_2, h_2, fixed, h_2, h_2, flag

        h, k, fixed, tape, _again = b.loop((0, 4, 1), [x, x, x], body, exits=True)
        trips = b.count()
        total = b.loop((0, trips, 1), [x], lambda i, s, t: s + t, ins=[tape])
        return h, k, fixed, total

    fn = program(written, x=VECTOR, n=INT)
    check_pass(propagate_copies, fn, (X, 0), (X, 2), (X, 9), again=False)
    loop = loop_of(propagate_copies(fn))
    assert (len(loop.init), len(loop.seqs)) == (1, 1)
    assert loop.leaves == [loop.body.body[0].out], "the condition is the flag"


def test_a_loop_that_never_exits_is_a_plain_one():
    def written(b, x):
        def body(i, h):
            return b.branch(b.call(operator.lt, 2, 1), lambda: (h, True), lambda: (h * x, False))

        return b.loop((0, 3, 1), [x], body, exits=True)

    fn = program(written, x=VECTOR)
    check_pass(fold_constants, fn, (X,))
    assert not loop_of(fold_constants(fn)).exits
    loop = loop_of(fn)
    loop.count = b_count = program(lambda b, k: k, k=INT).params[0]
    fn.body.results.append(b_count)
    assert loop_of(fold_constants(fn)).exits, "its iterations are counted"


def test_an_empty_range_makes_no_turn():
    def written(b, x, n):
        h = b.loop((2, 2, 1), [x], lambda i, h: (h * x, b.call(operator.eq, i, n)), exits=True)
        return h, b.count()

    fn = program(written, x=VECTOR, n=INT)
    check_pass(fold_constants, fn, (X, 2))
    assert show(fold_constants(fn)).endswith("    return x, 0\n")


def test_what_does_not_change_moves_out():
    def written(b, x, y, n):
        def body(i, h):
            t = np.exp(y) * 2.0
            return h + t, b.call(operator.eq, i, n)

        return b.loop((0, 3, 1), [x], body, exits=True)

    fn = program(written, x=VECTOR, y=VECTOR, n=INT)
    check_pass(hoist_invariants, fn, *((X, X, n) for n in (0, 1, 9)))
    loop = loop_of(hoist_invariants(fn))
    assert loop.exits
    assert len(loop.body.body) == 2


def test_sums_are_written_in_place():
    def written(b, x, y, n):
        def body(i, h):
            return h + y, b.call(operator.eq, i, n)

        return b.loop((0, 3, 1), [b.call(np.copy, x)], body, exits=True)

    fn = program(written, x=VECTOR, y=VECTOR, n=INT)
    check_pass(store_in_place, fn, *((X, X, n) for n in (0, 1, 9)), again=False)
    loop = loop_of(store_in_place(fn))
    assert loop.exits
    assert loop.body.body[0].fn is operator.iadd
