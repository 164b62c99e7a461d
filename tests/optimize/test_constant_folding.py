import operator

import numpy as np
from optimize.passes import check_pass
from transform.programs import FLOAT, array, program

from srcad.ir import Block, If, show
from srcad.optimize.simplify.constant_folding import fold_constants


def test_known_results(golden):
    def written(b, x, y):
        n = b.call(operator.getitem, b.call(np.shape, x), 0)
        half = b.call(operator.truediv, 1, 2)
        flag = b.call(operator.gt, half, 0.25)
        kept = b.branch(flag, lambda: y * half, lambda: np.exp(y))
        none = b.loop((0, b.call(operator.sub, n, 3), 1), [y], lambda i, h: h * h)
        return kept * n, none

    fn = program(written, x=array(3), y=array("n"))
    golden(
        "optimize_fold.txt",
        check_pass(fold_constants, fn, (np.ones(3), np.array([-0.0, np.nan, 2.0]))),
    )


def test_what_raises_stays():
    def written(b, y):
        b.call(operator.truediv, 1, 0)
        b.call(operator.pow, 10, 10**7)
        return y * np.float32(1e38) * b.call(operator.mul, np.float32(1e38), np.float32(1e38))

    fn = program(written, y=array(2, dtype=np.float32))
    assert fold_constants(fn) is fn


def test_types_stay():
    """`True + True` is an int, and `1 / 1` a float."""

    def written(b, y):
        return y + b.call(operator.add, True, True) + b.call(operator.truediv, 2, 1)

    text = show(fold_constants(program(written, y=FLOAT)))
    assert "add(y, 2)" in text
    assert "2.0" in text


def test_a_branch_in_a_branch():
    def written(b, y):
        def inner():
            return b.branch(True, lambda: y * 2.0, lambda: y)

        return b.branch(y > 0, inner, lambda: y)

    new = fold_constants(program(written, y=FLOAT))
    (test, branch) = new.body.body
    assert isinstance(branch, If)
    assert isinstance(branch.then, Block)
    assert "if True" not in show(new)
    assert test.out is branch.cond
