import numpy as np
from optimize.passes import SPECIAL, check_pass
from transform.programs import INT, array, program

from srcad.ir import UNDEFINED, ArrayType, show
from srcad.optimize.simplify.copy_propagation import propagate_copies
from srcad.rules.core.staged import unwrap

X = np.array(SPECIAL)
VECTOR = array("n")


def test_branches(golden):
    def written(b, x, y):
        product = x * y
        flag = np.sum(y) > 0
        same, twice, again, test = b.branch(
            flag,
            lambda: (product, x, x, True),
            lambda: (product, y, y, False),
            types=[VECTOR] * 3 + [ArrayType(np.dtype(bool), (), True)],
        )
        saved = b.branch(flag, lambda: product, lambda: UNDEFINED, types=[VECTOR], partial=True)
        read = b.branch(flag, lambda: saved * 2.0, lambda: x)
        return same, twice + again, read, np.where(test, x, y)

    fn = program(written, x=VECTOR, y=VECTOR)
    golden("optimize_copies_branch.txt", check_pass(propagate_copies, fn, (X, X[::-1].copy())))


def test_loops_and_tapes(golden):
    def written(b, x, y):
        def body(i, h, k, p, q):
            more = h * k
            return more, k, p + more, p + q, more, more, x

        def twin(i, a, c):
            t = a + x
            return t, t

        out = b.loop((0, 3, 1), [x, y, x, x], body)
        h, k, *_, tape, tape_2, xs = out

        def back(i, bar, t, u, v):
            return bar * t + u * v

        bar = b.loop((0, 3, 1), [k], back, ins=[tape, tape_2, xs], reverse=True)
        first, second = b.loop((0, 2, 1), [y, y], twin)
        return h, k, bar, first + second

    fn = program(written, x=VECTOR, y=VECTOR)

    def to_the_end(f):
        return propagate_copies(propagate_copies(propagate_copies(f)))

    golden("optimize_copies_loop.txt", check_pass(to_the_end, fn, (X, X[::-1].copy())))


def test_while(golden):
    def written(b, x, n):
        return b.turns(
            [0, x, n],
            lambda k, h, m: k < m,
            lambda k, h, m: (unwrap(k + 1), unwrap(h * h), unwrap(m)),
        )

    fn = program(written, x=VECTOR, n=INT)
    golden("optimize_copies_while.txt", check_pass(propagate_copies, fn, (X, 2)))


def test_what_starts_otherwise_stays():
    """Python's 0 is no float: `s = 0` carried unchanged through a loop of floats keeps its type."""

    def written(b, x):
        return b.loop(
            (0, 3, 1), [x, 0], lambda i, h, s: (unwrap(h + 1.0), unwrap(s)), types=[VECTOR, VECTOR]
        )

    fn = program(written, x=VECTOR)
    assert propagate_copies(fn) is fn


def test_swapped_values_are_not_copies():
    def written(b, x, y):
        return b.loop((0, 3, 1), [x, y], lambda i, h, k: (unwrap(k), unwrap(h)))

    fn = program(written, x=VECTOR, y=VECTOR)
    assert propagate_copies(fn) is fn, show(fn)


def test_a_name_that_may_be_unbound_is_no_copy():
    def written(b, x):
        return b.branch(np.sum(x) > 0, lambda: x, lambda: UNDEFINED, types=[VECTOR])

    fn = program(written, x=VECTOR)
    assert propagate_copies(fn) is fn


def test_a_copy_of_a_copy():
    def written(b, x, y):
        flag = np.sum(y) > 0
        return b.branch(flag, lambda: (x, x), lambda: (x, x))

    new = propagate_copies(program(written, x=VECTOR, y=VECTOR))
    assert show(new).endswith("return x, x\n")
