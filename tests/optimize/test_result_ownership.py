import numpy as np
from optimize.passes import SPECIAL, check_pass
from transform.programs import FLOAT, SCALAR, array, program

from srcad.ir import Block, Closure, Function, ObjectType, Value, show
from srcad.ir.evaluate import evaluate
from srcad.optimize.memory.result_ownership import own_results

X = np.array(SPECIAL)
VECTOR = array("n")


def test_results_are_nobody_elses(golden):
    def written(b, x, g):
        y = np.exp(x)
        return x, x[1:], y, y, y[::-1], np.broadcast_to(g, np.shape(x)), g

    fn = program(written, x=VECTOR, g=SCALAR)
    golden("optimize_fresh.txt", check_pass(own_results, fn, (X, np.float64(2))))


def test_broadcast_results_can_be_written():
    fn = program(
        lambda b, g, m: np.transpose(np.broadcast_to(g, np.shape(m))), g=FLOAT, m=array(2, 3)
    )
    (made,) = evaluate(own_results(fn), 1.0, np.ones((2, 3)))
    made += 1.0
    np.testing.assert_array_equal(made, np.full((3, 2), 2.0))


def test_what_a_pullback_holds_is_not_handed_out(golden):
    def written(b, x):
        y = np.exp(x)
        param, out = Value("y_bar", VECTOR), Value("pullback", ObjectType("function"))
        body, results = b.inside(lambda g: (g * y, g, y), param)
        b.builder.body.append(Closure(Function("pullback", Block([param], body, results)), out))
        return y, b.builder.wrap(out)

    fn = program(written, x=VECTOR)
    new = own_results(fn)
    golden("optimize_fresh_closure.txt", show(new))
    y, pull = evaluate(new, np.zeros(2))
    g = np.ones(2)
    y[:] = 7.0
    first = pull(g)
    first[1][:] = first[2][:] = 5.0
    np.testing.assert_array_equal(pull(g), [[1, 1], [1, 1], [1, 1]])
    assert own_results(new) is new


def test_fresh_results_are_left_alone():
    for written in (
        lambda b, x: (np.exp(x), np.sum(x)),
        lambda b, x: np.transpose(np.exp(x)),
        lambda b, x: b.loop((0, 2, 1), [np.exp(x)], lambda i, h: h * 2.0),
    ):
        fn = program(written, x=VECTOR)
        assert own_results(fn) is fn
