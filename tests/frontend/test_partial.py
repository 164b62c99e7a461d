"""`functools.partial` objects: what they hold is captured."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import srcad

X = np.array([1.0, 2.0])


def scaled(k: float, x: Any, shift: float = 0.0) -> Any:
    return np.sum(k * x + shift * x)


def test_a_partial_may_be_differentiated() -> None:
    g = srcad.grad(functools.partial(scaled, 3.0, shift=1.0))
    np.testing.assert_array_equal(g(X), [4.0, 4.0])


def test_a_partial_of_the_outside_may_be_called() -> None:
    held = functools.partial(scaled, 3.0)

    def f(x: Any) -> Any:
        return held(x) + held(x, shift=2.0)

    np.testing.assert_array_equal(srcad.grad(f)(X), [8.0, 8.0])
