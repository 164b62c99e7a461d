"""`a[i] *= v` and `a[i] -= v` where the program says so, and nowhere else."""

import numpy as np
import pytest
from optimize.passes import assert_same, run
from transform.programs import array, program

from srcad import runtime
from srcad.ir import Op, show, verify
from srcad.ir.walk import statements
from srcad.optimize.memory.augmented_stores import augment_stores
from srcad.optimize.simplify.dce import dce

N = 4
VECTOR, ROWS = array(N), array(3, dtype=np.intp)
X, Y = np.array([1.0, -2.0, 3.0, -0.5]), np.array([0.25, 0.5, -1.0])
K = np.array([0, 0, 2])


def check(written, expected):
    """`written(b, x, y, k)` becomes one operation `expected`, and computes what it did."""
    fn = program(written, x=VECTOR, y=array(3), k=ROWS)
    new = verify(dce(augment_stores(fn)), "augment")
    args = (X, Y, K)
    assert_same(run(new, args), run(fn, args), f"{show(fn)}\n{show(new)}")
    found = [s.fn.__name__ for s in statements(new.body) if isinstance(s, Op)]
    assert [name for name in found if name.startswith("index_")] == [expected], show(new)
    return found


def set_at(b, x, i, v):
    return b.call(runtime.index_update, x, i, v)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (lambda a, v: a * v, "index_mul"),
        (lambda a, v: v * a, "index_mul"),
        (lambda a, v: a + v, "index_add"),
        (lambda a, v: v + a, "index_add"),
        (lambda a, v: a - v, "index_sub"),
        (lambda a, v: a / v, "index_truediv"),
        (lambda a, v: v - a, "index_update"),
        (lambda a, v: v / a, "index_update"),
        (lambda a, v: a + a * v, "index_add"),
    ],
)
def test_a_store_of_what_stands_there(op, expected):
    i = slice(1, None)
    check(lambda b, x, y, k: set_at(b, x, i, op(x[i], y)), expected)


def test_what_is_no_such_store_stays():
    i, j = slice(1, None), slice(None, -1)
    check(lambda b, x, y, k: set_at(b, x, i, x[j] * y), "index_update")
    check(lambda b, x, y, k: set_at(b, x, i, (x * 2.0)[i] * y), "index_update")
    check(lambda b, x, y, k: set_at(b, x, i, x[1] * y), "index_update")

    def used_twice(b, x, y, k):
        t = x[i] * y
        return set_at(b, x, i, t), t

    check(used_twice, "index_update")


def test_repeated_indices_are_read_before_they_are_written():
    """`x[k] = x[k] + y` adds one of the y, `index_add` all; products are the same in both forms."""
    check(lambda b, x, y, k: set_at(b, x, k, x[k] + y), "index_update")
    check(lambda b, x, y, k: set_at(b, x, k, x[k] * y), "index_mul")


def test_a_minus_goes_into_the_sign():
    def add_at(b, x, i, v):
        return b.call(runtime.index_add, x, i, v)

    i = slice(1, None)
    assert "neg" not in check(lambda b, x, y, k: add_at(b, x, i, -y), "index_sub")
    assert "neg" not in check(lambda b, x, y, k: add_at(b, x, i, (-x[0]) * y), "index_sub")
    check(lambda b, x, y, k: add_at(b, x, i, -2.0 * y), "index_sub")
    check(lambda b, x, y, k: add_at(b, x, i, (-2.0 * x[0]) * y), "index_sub")
    check(lambda b, x, y, k: add_at(b, x, i, (-2.0 / x[0]) * y), "index_sub")
    check(lambda b, x, y, k: add_at(b, x, i, 2.0 * y), "index_add")
    check(lambda b, x, y, k: add_at(b, x, k, -y), "index_add")
