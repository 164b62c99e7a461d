"""What a path leaves unbound: where it is read, and wherever it is."""

import numpy as np

from srcad.ir.definedness import Unbound, unbound_anywhere
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request


def under_one_condition(x, n):
    if n > 1:
        t = np.sin(x)
    y = x
    if n > 1:
        y = y * t
    return np.sum(y)


def with_a_tape(x, n):
    for i in range(n):
        if x[i] > 0.5:
            large = x[i] * x[i]
        x = x * large
    return np.sum(x)


def lowered(fn):
    found = {}
    request = Request("value_and_grad", fn)
    compile_request(request, (np.ones(3), 2), frozenset(), found.__setitem__)
    return found


def test_a_value_is_there_under_the_condition_that_binds_it_but_not_where_it_is_passed():
    program = lowered(under_one_condition)["lower"]
    assert {v.name for v in Unbound(program).values} == {v.name for v in unbound_anywhere(program)}
    assert all(Unbound(program).told(v) for v in Unbound(program).values)


def test_what_is_perhaps_unbound_where_it_is_read_is_so_anywhere_tapes_included():
    for stage in ("lower", "derive"):
        program = lowered(with_a_tape)[stage]
        assert Unbound(program).values <= unbound_anywhere(program)
        assert "large" in {v.name for v in unbound_anywhere(program)}
