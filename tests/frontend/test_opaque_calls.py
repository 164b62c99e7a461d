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


@nondiff
def behind_a_buffer(b: Any) -> None:
    b.data[0] = 7.0


@nondiff
def in_a_text(b: Any) -> None:
    exec("b[0] = 7.0")


@nondiff
def of_a_shape(b: Any) -> None:
    setattr(b, "shape", (3, 1))  # no store that its text shows


@nondiff
def in_a_list(b: Any) -> None:
    exec("b[0][0] = 7.0")


def _array(change: Any, x: Any) -> Any:
    b = x * 1.0
    change([b] if change is in_a_list else b)
    return b.sum()


@pytest.mark.parametrize("change", [behind_a_buffer, in_a_text, of_a_shape, in_a_list])
@pytest.mark.parametrize("of", [srcad.compile, srcad.grad])
def test_a_hidden_write_is_refused_when_it_runs(change: Any, of: Any) -> None:
    """Its source is more than srcad reads: it was taken as one that writes nothing."""
    x = X.copy()
    with pytest.raises(NotImplementedError, match="changes what it is given"):
        of(lambda x: _array(change, x))(x)
    np.testing.assert_array_equal(x, X)


def test_a_hidden_write_in_a_try_is_refused_at_once() -> None:
    def f(x: Any) -> Any:
        b = x * 1.0
        try:
            in_a_text(b)
        except Exception:
            return x[0]
        return b.sum()

    with pytest.raises(srcad.UnsupportedSyntax, match="E103"):
        srcad.compile(f)(X)


def test_what_only_reads_may_be_more_than_srcad_reads() -> None:
    seen: list[float] = []

    @nondiff
    def report(b: Any) -> None:
        exec("seen.append(b.sum())", {"seen": seen, "b": b})

    @nondiff(type_of=lambda x: x)
    def ranks(x: Any) -> Any:
        return eval("np.argsort(x) + 1.0")

    def f(x: Any) -> Any:
        for k in range(2):
            report(x * k)
        return np.sum(ranks(x) * x)

    np.testing.assert_array_equal(srcad.grad(f)(X), np.argsort(X) + 1.0)
    assert seen == [0.0, 6.0]
