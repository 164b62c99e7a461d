"""Arrays keep the part that one iteration uses; the program before is as it was."""

import operator

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, NumberType, Op, Value
from srcad.ir.inplace import index_iadd, index_set
from srcad.ir.printer import show
from srcad.native.loops.contraction import contract_arrays

FLOATS, INT = np.dtype("float64"), NumberType(int)


def loop(index, stop, *body):
    return For(0, stop, 1, False, [], [], Block([index], list(body), []), (), ())


def test_an_array_loses_the_axis_of_the_loop_and_the_program_before_keeps_its_types():
    n, m = Value("n", INT), Value("m", INT)
    i, j, k = (Value(name, INT) for name in "ijk")
    t = Value("t", ArrayType(FLOATS, (None, None)))
    s = Value("s", ArrayType(FLOATS, (None,)))
    x = Value("x", ArrayType(FLOATS, (), True))
    body = [
        Op(np.empty, ((n, m),), {}, (t,)),
        loop(
            i,
            n,
            loop(j, m, Op(index_set, (t, (i, j), 1.0), {}, (), effect=True)),
            loop(
                k,
                m,
                Op(operator.getitem, (t, (i, k)), {}, (x,)),
                Op(index_iadd, (s, (i,), x), {}, (), effect=True),
            ),
        ),
    ]
    before = Function("f", Block([n, m, s], body, []))
    text = show(before)
    after = show(contract_arrays(before))
    assert "t: f64[None] = empty((m,))" in after
    assert "index_set(t, (j,), 1.0)" in after
    assert show(before) == text
