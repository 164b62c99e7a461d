"""Functions declared without derivative: called once for each run, never while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad.rules import nondiff

X = np.array([3.0, 1.0, 2.0])


def test_a_log_sees_each_call_and_nothing_else() -> None:
    seen: list[float] = []

    def report(x: Any) -> None:
        seen.append(float(x))

    nondiff(report)

    def f(x: Any) -> Any:
        for k in range(3):
            report(x * k)
        return x * x

    g = srcad.grad(f)
    assert g(2.0) == 4.0
    assert seen == [0.0, 2.0, 4.0]
    g(1.0)
    assert seen[3:] == [0.0, 1.0, 2.0]


def test_the_type_of_a_result_is_read_from_the_source() -> None:
    @nondiff
    def best(x: Any) -> Any:
        return np.argmax(x)

    g = srcad.grad(lambda x: x[best(x)] ** 2)
    np.testing.assert_array_equal(g(X), [6.0, 0.0, 0.0])


def test_the_type_of_a_result_may_be_told() -> None:
    counted: list[int] = []

    def ranks(x: Any) -> Any:
        counted.append(len(x))
        return np.argsort(x) + 1.0

    nondiff(ranks)
    with pytest.raises(srcad.UnsupportedSyntax, match="type_of"):
        srcad.grad(lambda x: np.sum(ranks(x) * x))(X)
    nondiff(ranks, type_of=lambda x: x)
    np.testing.assert_array_equal(srcad.grad(lambda x: np.sum(ranks(x) * x))(X), [2.0, 3.0, 1.0])
    assert counted == [3]
