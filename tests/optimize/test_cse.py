import numpy as np
from optimize.passes import SPECIAL, check_pass
from transform.programs import FLOAT, array, program

from srcad import runtime
from srcad.ir import show
from srcad.optimize.simplify.cse import cse

X = np.array(SPECIAL)


def test_equal_operations_are_one(golden):
    def written(b, x, y):
        np.exp(x)

        def then():
            return np.exp(x) * np.tanh(y) + np.tanh(y)

        def body(i, h):
            return h + np.exp(x) * np.shape(x)[0], np.tanh(y)

        chosen = b.branch(np.sum(x) > 0, then, lambda: np.tanh(y))
        total, _ = b.loop((0, 2, 1), [chosen], body)
        return total, np.tanh(y), np.sum(y, axis=0), np.sum(y, axis=0)

    fn = program(written, x=array("n"), y=array("n"))
    golden("optimize_cse.txt", check_pass(cse, fn, (X, X[::-1].copy())))


def test_constants_that_only_compare_equal_stay_apart():
    def written(b, x):
        return x * 1, x * 1.0, x * True, x + 0.0, x + -0.0, x + 0

    fn = program(written, x=FLOAT)
    assert cse(fn) is fn


def test_sums_and_products_are_the_same_in_either_order():
    def written(b, x, y):
        return x * y + y * x, (x + y) - (y + x), (x - y) + (y - x)

    fn = program(written, x=array("n"), y=array("n"))
    check_pass(cse, fn, (X, X[::-1].copy()))
    shown = show(cse(fn))
    assert shown.count("mul(") == 1
    assert shown.count("add(") == 3
    assert shown.count("sub(") == 3


def test_each_allocation_is_a_buffer_of_its_own():
    def written(b, x):
        a, c = np.zeros_like(x), np.zeros_like(x)
        return b.call(np.copy, a), b.call(np.copy, c), b.call(np.copy, c)

    fn = program(written, x=array("n"))
    assert cse(fn) is fn


def test_effects_are_not_merged():
    def written(b, x):
        b.call(runtime.unbroadcast, x, (3,))
        b.call(runtime.unbroadcast, x, (3,))
        for op in b.builder.body:
            op.effect = True
        return x

    fn = program(written, x=array("n"))
    assert show(cse(fn)) == show(fn)
