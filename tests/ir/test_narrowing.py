import numpy as np
from transform.programs import FLOAT, INT, array, program

from srcad.ir import Block, Function, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.narrowing import narrow_branch, narrow_loop, narrow_while, picked

X = np.array([1.0, 2.0])


def both(fn, new, kept, *args):
    """A program with a narrow statement at its end gives the results that are kept."""
    stmt = fn.body.body[-1]
    body = Block(fn.body.params, [*fn.body.body[:-1], new(stmt)], picked(stmt.outs, kept))
    narrow = Function(fn.name, body)
    verify(narrow)
    return evaluate(narrow, *args), picked(evaluate(fn, *args), kept)


def test_a_branch_keeps_some_results():
    fn = program(
        lambda b, x, c: b.branch(c > 0, lambda: (x + 1.0, x), lambda: (x * 2.0, x)),
        x=array("n"), c=FLOAT,
    )  # fmt: skip
    for c in (1.0, -1.0):
        made, wanted = both(fn, lambda s: narrow_branch(s, [True, False]), [True, False], X, c)
        np.testing.assert_array_equal(made, wanted)
    branch = fn.body.body[-1]
    assert narrow_branch(branch, [True, True]) is branch


def test_a_for_keeps_some_of_what_it_carries():
    fn = program(
        lambda b, x, n: b.loop((0, n, 1), [x, x], lambda i, g, h: (x, h * 2.0)),
        x=array("n"), n=INT,
    )  # fmt: skip
    kept = [False, True]
    made, wanted = both(fn, lambda s: narrow_loop(s, kept, [], []), kept, X, 3)
    np.testing.assert_array_equal(made, wanted)
    loop = fn.body.body[-1]
    assert narrow_loop(loop, [True, True], [], []) is loop


def test_a_while_keeps_some_of_what_it_carries():
    fn = program(
        lambda b, x: b.turns([0, x], lambda k, h: k < 3, lambda k, h: (k + 1, x)),
        x=array("n"),
    )
    kept = [True, False]
    made, wanted = both(fn, lambda s: narrow_while(s, kept, []), kept, X)
    assert made == wanted
    loop = fn.body.body[-1]
    assert narrow_while(loop, [True, True], []) is loop
