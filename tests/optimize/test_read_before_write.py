"""Reads of the old content stand before the store, with what they need."""

import numpy as np
from optimize.passes import check_pass
from transform.programs import array, program

from srcad import runtime
from srcad.ir import Op
from srcad.ir.walk import statements
from srcad.optimize.memory.read_before_write import read_before_write

VECTOR = array(4)
X, Y = np.array([1.0, -2.0, 3.0, -0.5]), np.array([0.25, 0.5, -1.0])
I, J = slice(1, None), slice(None, -1)  # noqa: E741


def order(written):
    """The names of the operations of `written(b, put, x, y)` after the pass."""

    def made(b, x, y):
        return written(b, lambda a, i, v: b.call(runtime.index_update, a, i, v), x, y)

    fn = program(made, x=VECTOR, y=array(3))
    check_pass(read_before_write, fn, (X, Y))
    return [s.fn.__name__ for s in statements(read_before_write(fn).body) if isinstance(s, Op)]


def test_a_view_is_used_before_the_store():
    def written(b, put, x, y):
        v = x[I]
        a = put(x, I, 0)
        t = v * y
        return b.call(runtime.index_add, a, J, t)

    assert order(written) == ["getitem", "mul", "index_update", "index_add"]


def test_what_it_needs_moves_with_it():
    def written(b, put, x, y):
        a = put(x, I, 0)
        factor = np.tanh(y)
        return a, x[J] * factor

    assert order(written) == ["tanh", "getitem", "mul", "index_update"]


def test_what_depends_on_the_store_stays():
    def written(b, put, x, y):
        a = put(x, I, 0)
        return a, x[I] * a[J]

    assert order(written) == ["getitem", "index_update", "getitem", "mul"]


def test_a_store_of_a_view_into_another_array_goes_first():
    def written(b, put, x, y):
        z = b.call(np.zeros, 4)
        v = x[I]
        a = put(x, I, 0)
        return a, b.call(runtime.index_add, z, J, v)

    assert order(written) == ["zeros", "getitem", "index_add", "index_update"]


def test_two_stores_that_read_each_other_come_to_an_end():
    def written(b, put, x, y):
        z = b.call(np.zeros, 4)
        v, w = x[I], z[I]
        return put(x, I, w), put(z, I, v)

    assert sorted(order(written)) == ["getitem", "getitem", *["index_update"] * 2, "zeros"]
