"""Estimated widths are close to what is printed."""

import pytest
from emit.test_operations import CASES

from srcad.emit.plan.widths import width_of_op
from srcad.ir import Op


@pytest.mark.parametrize(("fn", "args", "kwargs", "text"), CASES, ids=[case[-1] for case in CASES])
def test_width(fn, args, kwargs, text):
    width = width_of_op(Op(fn, args, kwargs), lambda value: len(value.name))
    assert abs(width - len(text)) <= 16
