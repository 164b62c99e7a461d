"""Which values vary and which reach a result."""

import numpy as np
from transform.programs import FLOAT, INT, SCALAR, array, program

from srcad.ir import For, Value
from srcad.ir.walk import statements
from srcad.transform.activity import find_useful, find_varied


def named(b, fn, *args, name):
    return b.builder.wrap(b.builder.emit(fn, tuple(a.value for a in args), name=name))


def names(values):
    return sorted(v.name for v in values if v.name)


def test_varied_and_useful():
    def f(b, x, w):
        y = named(b, np.sin, x, name="y")
        named(b, np.cos, y, name="dead")
        named(b, np.exp, w, name="constant")
        named(b, np.floor, y, name="floor")
        named(b, np.argmax, y, name="index")
        return y

    fn = program(f, x=array("n"), w=array("n"))
    varied = find_varied(fn, fn.params[:1])
    assert names(varied) == ["dead", "x", "y"]
    assert names(find_useful(fn, fn.body.results, varied)) == ["x", "y"]


def test_integers_never_vary():
    fn = program(lambda b, n, x: x * n, n=INT, x=FLOAT)
    assert find_varied(fn, fn.params[:1]) == set()


def test_carried_values_to_a_fixpoint():
    def f(b, x, a, c, d):
        # a varies after one iteration, c after two, d never.
        return b.loop((0, 3, 1), (a, c, d), lambda i, a, c, d: (x, a, d), names=("a", "c", "d"))

    fn = program(f, x=SCALAR, a=SCALAR, c=SCALAR, d=SCALAR)
    (loop,) = [s for s in statements(fn.body) if isinstance(s, For)]
    varied = find_varied(fn, fn.params[:1])
    assert names(v for v in loop.carried if v in varied) == ["a", "c"]
    useful = find_useful(fn, [loop.outs[1]], varied)
    assert names(v for v in loop.outs if v in useful) == ["c"]
    assert names(v for v in loop.carried if v in useful) == ["a"]  # c's next value is that of a
    assert fn.params[0] in useful


def test_sequences_and_branches():
    def f(b, x):
        ys = b.loop((0, 3, 1), (), lambda i: x[i])
        s = b.loop((0, 3, 1), (0.0,), lambda i, s, y: s + y, ins=[ys], types=[SCALAR])
        return b.branch(s > 0.5, lambda: s, lambda: np.float64(1.0))

    fn = program(f, x=array("n"))
    (result,) = fn.body.results
    varied = find_varied(fn, fn.params)
    assert result in varied
    assert isinstance(result, Value)
    assert fn.params[0] in find_useful(fn, [result], varied)
