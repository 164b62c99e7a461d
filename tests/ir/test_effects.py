import operator

import numpy as np
from transform.programs import FLOAT, array, program

from srcad.ir import Op
from srcad.ir.effects import destroys, has_effect
from srcad.runtime.effects import ensure


def test_writes_and_effects_inside_are_found():
    x = array("n")
    fn = program(lambda b, u, c: b.branch(c > 0, lambda: u + 1.0, lambda: u * 2.0), u=x, c=FLOAT)
    test, branch = fn.body.body
    assert not has_effect(test)
    assert not has_effect(branch)
    inner = branch.then.body[0]
    branch.then.body[0] = Op(operator.iadd, inner.args, {}, inner.outs)
    assert destroys(branch.then.body[0])
    assert has_effect(branch)
    assert has_effect(Op(ensure, (True,), effect=True))


def test_what_has_no_hash_writes_nothing():
    assert not destroys(Op(np.polynomial.Polynomial([1.0]), (2.0,)))
