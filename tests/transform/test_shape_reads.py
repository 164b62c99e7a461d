"""Arrays that a reversed loop reads for their shape alone."""

import numpy as np
from transform.programs import SCALAR, array, check, grad, program, tapes

from srcad.ir import ArrayType, Dim, For, Op, TupleType
from srcad.ir.walk import statements
from srcad.rules import elementwise

RNG = np.random.default_rng(0)
SUM = (0.0,)


def test_shape_of_a_local_array_is_that_of_an_array_from_outside():
    def f(b, x, m):
        return b.loop((0, 4, 1), SUM, lambda i, s: s + np.sum(m[i] * x), types=[SCALAR])

    made = grad(program(f, x=array("k"), m=array("n", "k")))
    assert tapes(made) == []


def test_shape_that_changes_is_saved_as_a_tuple():
    def f(b, x):
        def body(i, s):
            part = np.tanh(x)[i:]
            return s + np.sum(np.where(part > 0.5, 1.0, 2.0)) + np.sum(part)

        return b.loop((0, 3, 1), SUM, body, types=[SCALAR])

    fn = program(f, x=array("n"))
    for s in statements(grad(fn).body):
        if isinstance(s, For):
            elements = [seq.type.elem for seq in s.seqs]
            assert all(isinstance(t, TupleType) or str(t) == "f64[n]" for t in elements)
    check(fn, RNG.random(4))


def test_outer_array_whose_shape_only_looks_the_same_is_no_witness():
    # Both loops cut `x[i:]`: the first loop's last part has not the shape of the second's parts.
    def f(b, x):
        unknown = ArrayType(np.dtype(float), (Dim("?rows"),))
        last = b.loop((0, 3, 1), (x,), lambda i, y: x[i:] * 2.0, types=[unknown])

        def body(i, s):
            return s + np.sum(b.call(np.tanh, x[i:])) + np.sum(x[i:])

        return b.loop((0, 3, 1), SUM, body, types=[SCALAR]) + np.sum(last)

    check(program(f, x=array("n")), RNG.random(4))


def tripled(x):
    return 3.0 * x


def test_what_is_filled_like_an_array_is_made_of_its_shape():
    elementwise(tripled, lambda y, x: np.full_like(x, 3))

    def f(b, x):
        def body(i, s):
            return s + np.sum(b.call(tripled, np.tanh(x)[i:] * 2.0))

        return b.loop((0, 3, 1), SUM, body, types=[SCALAR])

    fn = program(f, x=array("n"))
    fills = [s for s in statements(grad(fn).body) if isinstance(s, Op) and s.fn is np.full]
    assert fills
    assert all(op.kwargs["dtype"] is np.float64 for op in fills)
    check(fn, RNG.random(4))
