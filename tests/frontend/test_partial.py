"""`functools.partial` objects: what they hold is captured."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from conformance.outcome import disagreement, run

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


def weighed(a: Any, b: Any = 1.0, c: Any = 1.0) -> Any:
    return a * b + c


HELD = functools.partial(weighed, b=3.0)
TWICE = functools.partial(HELD, c=2.0)
NAMED = functools.update_wrapper(functools.partial(weighed, b=3.0), weighed)


def of_a_partial(x: Any) -> Any:
    p = functools.partial(weighed, x[0])
    g = functools.partial(p, 4.0)
    return g.args[1] * g() + len(g.args), g.func is weighed, g.func is p, p.func is weighed


def of_one_from_outside(x: Any) -> Any:
    g = functools.partial(HELD, c=x[1])
    return g.keywords["b"] * g(x[0]) + TWICE(x[1]), g.func is weighed, TWICE.func is weighed


def of_one_with_attributes(x: Any) -> Any:
    return functools.partial(NAMED, c=2.0).func is NAMED


def keyword_that_is_set(x: Any) -> Any:
    p = functools.partial(weighed, b=2.0)
    p.keywords["b"] = 5.0
    return p(x[0]), p.keywords is p.keywords


def keywords_of_their_own(x: Any) -> Any:
    p = functools.partial(weighed, b=2.0)
    g = functools.partial(p, b=3.0)
    p.keywords["c"] = 100.0
    del g.keywords["b"]
    return g(x[0]) + p(x[1])


def keywords_that_are_updated(x: Any) -> Any:
    p = functools.partial(weighed, b=2.0)
    held = p.keywords
    held.update(c=x[1])
    return p(x[0])


def keyword_by_data(x: Any) -> Any:
    p = functools.partial(weighed, b=2.0)
    if x[0] > 0.0:
        p.keywords["b"] = x[1]
    return p(x[0])


@pytest.mark.parametrize(
    "f",
    [
        of_a_partial,
        of_one_from_outside,
        of_one_with_attributes,
        keyword_that_is_set,
        keywords_of_their_own,
        keywords_that_are_updated,
        keyword_by_data,
    ],
)
def test_what_a_partial_holds(f: Any) -> None:
    want, got = (run(g, (X,)) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, (X,)) is None


def test_keywords_that_are_set_are_differentiated() -> None:
    np.testing.assert_array_equal(srcad.grad(keyword_by_data)(X), [2.0, 1.0])


def test_keywords_from_outside_are_not_set() -> None:
    def f(x: Any) -> Any:
        HELD.keywords["b"] = x[0]
        return HELD(2.0)

    with pytest.raises(srcad.SrcadError, match="E133"):
        srcad.compile(f)(X)
    assert HELD.keywords == {"b": 3.0}
