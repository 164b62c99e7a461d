"""`map`, `zip`, `enumerate`, `reversed` and generators over an array, unpacked into names, displays
and calls.
"""

import math

import numpy as np
import pytest
from like_python import check_like_python

import srcad

X = np.array([0.3, 0.7])


def _mapped(x):
    a, b = map(math.sin, x)
    return a * b


def _generated(x):
    a, b = (v * v for v in x)
    return a + 2 * b


def _in_pairs(x):
    (a, c), (b, d) = zip(x, x * 2)
    (_, e), (k, f) = enumerate(x)
    return a * b * c * d + e * f * (k + 1)


def _starred(x):
    first, *rest = map(math.exp, x)
    last, _ = reversed(x)
    return first * sum(rest) * last


def _called(x):
    return math.hypot(*map(math.cos, x)) + sum([*map(math.sin, x), *(v * v for v in x)])


@pytest.mark.parametrize("f", [_mapped, _generated, _in_pairs, _starred, _called])
def test_is_pythons(f):
    check_like_python(f, srcad.value_and_grad(f, backend="numpy"), X)


def test_as_many_as_there_are_names():
    derivative = srcad.grad(_mapped)
    derivative(X)
    with pytest.raises(srcad.SrcadError, match="E134"):
        derivative(np.ones(3))
