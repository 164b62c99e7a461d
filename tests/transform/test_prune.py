"""Dead code in regions."""

import operator

from transform.programs import FLOAT, SCALAR, array, program

from srcad.ir import For, If, Op
from srcad.ir.walk import statements
from srcad.transform.prune import prune, replace_in


def called(fn):
    return [s.fn for s in statements(fn.body) if isinstance(s, Op)]


def test_dead_ops_go_and_effects_stay():
    def f(b, x):
        b.call(operator.neg, x)
        b.builder.body.append(Op(print, (x.value,), effect=True))
        return x * 2.0

    fn = program(f, x=FLOAT)
    prune(fn.body, {})
    assert called(fn) == [print, operator.mul]


def test_dead_results_of_a_branch():
    def f(b, x):
        return b.branch(x > 0.0, lambda: (x + 1.0, x * 2.0), lambda: (x, -x))[0]

    fn = program(f, x=FLOAT)
    prune(fn.body, {})
    (branch,) = [s for s in fn.body.body if isinstance(s, If)]
    assert len(branch.outs) == len(branch.then.results) == len(branch.orelse.results) == 1
    assert called(fn) == [operator.gt, operator.add]


def test_dead_carried_values_and_sequences():
    def f(b, x, y):
        def body(i, a, c, d, e):
            # `c` feeds `a`, `d` only itself
            return a + c, c * 2.0, d - 1.0, e

        ys = b.loop((0, 3, 1), (), lambda i: y[i])
        return b.loop((0, 3, 1), (x, x, x), body, ins=[ys])[0]

    fn = program(f, x=SCALAR, y=array("n"))
    prune(fn.body, {})
    (loop,) = [s for s in fn.body.body if isinstance(s, For)]
    assert (len(loop.init), len(loop.ins), len(loop.seqs)) == (2, 0, 0)
    assert called(fn) == [operator.add, operator.mul]


def test_replace_in_inner_blocks():
    def f(b, x, y):
        return b.loop((0, 3, 1), (y,), lambda i, h: b.branch(x > 0.0, lambda: h * x, lambda: h))

    fn = program(f, x=SCALAR, y=SCALAR)
    replace_in(fn.body, {fn.params[0]: 2.0}, {})
    ops = [s for s in statements(fn.body) if isinstance(s, Op)]
    assert [2.0 in s.args for s in ops] == [True, True]
