"""What is known of the values that rules divide by."""

from __future__ import annotations

import numpy as np

from srcad.ir import ArrayType, Value
from srcad.rules.core.regularity import is_nonzero
from srcad.rules.core.staged import Builder


def test_the_sign_of_a_long_sum_is_found_in_time():
    """A value that several operations read is looked at once: each step reads that before twice."""
    (x,) = Builder([]).wrap((Value("x", ArrayType(np.dtype(float), ())),))
    y = x * x + 1.0
    for _ in range(25):
        y = y + 0.5 * y
    assert is_nonzero(y)
    assert not is_nonzero(y - x)
