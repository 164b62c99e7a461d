"""Views that outlive a store are copied; the array is not."""

import numpy as np
from optimize.passes import check_pass, run
from optimize.test_bufferize import check, loop
from transform.programs import array, program

from srcad import runtime
from srcad.ir import Op, show
from srcad.ir.walk import statements
from srcad.optimize.memory.copy_escaping_views import copy_escaping_views
from srcad.pipeline.passes import bufferize

VECTOR, MATRIX = array(4), array(4, 4)
X, Y = np.array([1.0, -2.0, 3.0, -0.5]), np.array([0.25, 0.5, -1.0, 2.0])
A = np.arange(16.0).reshape(4, 4)


def put(b, a, i, v):
    return b.call(runtime.index_update, a, i, v)


def copied(written, args=(X, Y), **types):
    """The types of what is copied once `written` writes in place."""
    fn = program(written, **(types or {"x": VECTOR, "y": VECTOR}))
    check_pass(copy_escaping_views, fn, args)
    new = bufferize(fn)
    np.testing.assert_array_equal(run(new, args)[0], run(fn, args)[0], show(new))
    ops = [s for s in statements(new.body) if isinstance(s, Op)]
    return [str(op.out.type) for op in ops if op.fn is np.copy]


def test_swapping_two_rows_copies_one():
    def written(b, a, y):
        a = a * 2.0
        row = a[0]
        return put(b, put(b, a, 0, a[1]), 1, row)

    assert copied(written, (A, Y), a=MATRIX, y=VECTOR) == ["f64[4]"]


def test_the_tape_holds_slices_of_then():
    def written(b, x, y):
        def forward(i, u):
            v = u[1:3]
            return put(b, u, slice(1, 3), np.tanh(v)), v

        u, tape = loop(b, [x * y], forward)
        return b.loop((0, 3, 1), [u], lambda i, s, v: put(b, s, slice(1, 3), v), ins=[tape])

    assert copied(written) == ["f64[2]"]


def test_a_view_that_is_carried():
    def written(b, x, y):
        def body(i, u, v):
            return put(b, u, i, np.sum(v)), u[1:3]

        u, v = loop(b, [x * y, y[1:3] * 2.0], body)
        return u, v

    assert "f64[2]" in copied(written)

    def of_the_new(b, x, y):
        def body(i, u, v):
            u = put(b, u, i, np.sum(v))
            return u, u[1:3]

        return loop(b, [x * y, y[1:3] * 2.0], body)

    assert copied(of_the_new) == ["f64[2]"]


def test_a_view_from_before_a_loop_that_is_read_after_it():
    def written(b, x, y):
        u = x * y
        v = u[1:3]
        u = loop(b, [u], lambda i, u: put(b, u, i, 1.0))
        return b.call(runtime.index_add, u, slice(1, 3), v)

    assert copied(written) == ["f64[2]"]


def test_numbers_are_no_views():
    def written(b, x, y):
        u = x * y
        first = u[0]
        return put(b, put(b, u, 0, u[1]), 1, first)

    assert copied(written) == []


def test_a_view_of_a_view_is_copied_once():
    def written(b, x, y):
        a = np.reshape(x * y, (2, 2))
        row = a[0]
        end = row[1:]
        new = put(b, a, 0, 0.0)
        new = b.call(runtime.index_add, new, 1, row)
        return b.call(runtime.index_add, new, (1, slice(1, None)), end)

    assert copied(written) == ["f64[2]"]


def test_an_array_that_is_read_later_is_copied_itself():
    def written(b, x, y):
        u = x * y
        v = u[1:3]
        return put(b, u, 0, 1.0), u, v * 1.0

    assert "f64[2]" not in copied(written)


def test_of_two_views_as_large_the_array_is_cheaper():
    def written(b, x, y):
        def forward(i, u):
            return put(b, u, slice(1, -1), u[2:] * u[:-2]), u[:-1], u[1:]

        u, low, high = loop(b, [x * y], forward)
        return loop(b, [u], lambda i, s, v, w: put(b, s, slice(1, None), v * w), ins=[low, high])

    assert copied(written) == ["f64[4]"]


def test_buffers_that_are_swapped_are_both_written():
    def written(b, x, y):
        def body(i, u, v):
            return put(b, v, slice(1, None), u[:-1] * 2.0), u

        return loop(b, [x, y], body)

    assert show(check(written, ["index_set"])).count("copy") == 2
