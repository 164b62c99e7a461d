"""Transformations of transformations, all pairs and some triples, against differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcad

X = np.array([0.6, -0.4, 1.1])
V = np.array([1.0, -2.0, 0.5])
Fun = Callable[[Any], Any]


def along(f: Fun, x: Any, h: float = 1e-5) -> Any:
    """The derivative of `f` along `V` by differences."""
    return (f(x + h * V) - f(x - h * V)) / (2 * h)


def matrix(f: Fun, x: Any, h: float = 1e-5) -> Any:
    steps = h * np.eye(x.size)
    return np.stack([(f(x + e) - f(x - e)) / (2 * h) for e in steps], -1)


def to_number(f: Fun) -> Fun:
    """A scalar function made of any: what `grad` and its like differentiate."""
    return lambda x: np.sum(np.sin(f(x)))


# Each: what srcad makes of a function of one array, and the same by differences.
TRANSFORMS: dict[str, tuple[Callable[[Fun], Fun], Callable[[Fun], Fun]]] = {
    "grad": (
        lambda f: srcad.grad(to_number(f)),
        lambda f: lambda x: matrix(to_number(f), x),
    ),
    "value_and_grad": (
        lambda f: lambda x: srcad.value_and_grad(to_number(f))(x)[1],
        lambda f: lambda x: matrix(to_number(f), x),
    ),
    "jacfwd": (srcad.jacfwd, lambda f: lambda x: matrix(f, x)),
    "jacrev": (srcad.jacrev, lambda f: lambda x: matrix(f, x)),
    "jacobian": (srcad.jacobian, lambda f: lambda x: matrix(f, x)),
    "jvp": (
        lambda f: lambda x: srcad.jvp(f, (x,), (V,))[1],
        lambda f: lambda x: along(f, x),
    ),
    "vjp": (
        lambda f: lambda x: _pulled(f, x),
        lambda f: lambda x: matrix(lambda z: np.sum(f(z) * np.cos(f(X))), x),
    ),
    "hvp": (
        lambda f: lambda x: srcad.hvp(to_number(f))(x, V),
        lambda f: lambda x: along(lambda z: matrix(to_number(f), z, 1e-4), x, 1e-4),
    ),
    "hessian": (
        lambda f: srcad.hessian(to_number(f)),
        lambda f: lambda x: matrix(lambda z: matrix(to_number(f), z, 1e-4), x, 1e-4),
    ),
}


def _pulled(f: Fun, x: Any) -> Any:
    _, pullback = srcad.vjp(f, x)
    return pullback(np.cos(f(X)))[0]


def smooth(x: Any) -> Any:
    return np.sin(x) * x[::-1] + np.exp(-x[0])


def looped(x: Any) -> Any:
    h = x
    for i in range(2):
        h = np.sin(h) * h[0] + x * i
    return h


def branched(x: Any) -> Any:
    return x * x * x[1] if np.sum(x) > 0 else np.exp(x)


def written(x: Any) -> Any:
    y = np.zeros(3)
    y[:2] = x[:2] * x[2]
    y[2] = y[0] * x[1]
    y *= x
    return y


SCALE = np.array([0.5, 1.5, -1.0])


def captured(x: Any) -> Any:
    return np.tanh(x * SCALE) * x[0]


FIRST = ["grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "jvp", "vjp"]
PAIRS = [
    *itertools.product(FIRST, FIRST),
    *itertools.product(["jvp", "grad", "jacfwd", "jacrev"], ["hvp", "hessian"]),
    *itertools.product(["hvp", "hessian"], FIRST),
]


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map("-".join, PAIRS))
def test_pairs(outer: str, inner: str) -> None:
    f = smooth
    (ours, theirs), (ours_inside, theirs_inside) = TRANSFORMS[outer], TRANSFORMS[inner]
    inside = ours_inside(f)
    # One level of differences: the inner transformation is tested by its own.
    np.testing.assert_allclose(inside(X), theirs_inside(f)(X), rtol=1e-4, atol=1e-4)
    if outer == "vjp" and inner == "vjp":
        return
    np.testing.assert_allclose(ours(inside)(X), theirs(inside)(X), rtol=1e-4, atol=1e-4)


PROGRAMS = [looped, branched, written, captured]
SOME = [
    ("grad", "jacfwd"), ("jacfwd", "jacrev"), ("jacrev", "jacfwd"), ("jacrev", "jacrev"),
    ("jvp", "vjp"), ("grad", "hvp"), ("jacfwd", "hessian"), ("hvp", "jvp"),
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("outer", "inner"), SOME, ids=map("-".join, SOME))
def test_pairs_on_programs(outer: str, inner: str, f: Fun) -> None:
    inside = TRANSFORMS[inner][0](f)
    found, wanted = (make(inside)(X) for make in TRANSFORMS[outer])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


TRIPLES = [
    ("grad", "jvp", "vjp"), ("jvp", "grad", "jacrev"), ("jacfwd", "jacrev", "jacfwd"),
    ("grad", "grad", "hvp"), ("jacrev", "jvp", "hessian"), ("hessian", "vjp", "jvp"),
]  # fmt: skip


@pytest.mark.parametrize(("outer", "middle", "inner"), TRIPLES, ids=map("-".join, TRIPLES))
@pytest.mark.parametrize("f", [smooth, looped], ids=lambda f: f.__name__)
def test_triples(outer: str, middle: str, inner: str, f: Fun) -> None:
    inside = TRANSFORMS[middle][0](TRANSFORMS[inner][0](f))
    found, wanted = (make(inside)(X) for make in TRANSFORMS[outer])
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


def test_captured_values_are_read_anew() -> None:
    scale = np.ones(3)

    def f(x: Any) -> Any:
        return np.sum(np.sin(x) * scale)

    hessian = srcad.hessian(f)
    np.testing.assert_allclose(hessian(X), np.diag(-np.sin(X)))
    scale[:] = 2.0
    np.testing.assert_allclose(hessian(X), np.diag(-2 * np.sin(X)))
    scale = 3.0  # type: ignore[assignment]
    np.testing.assert_allclose(hessian(X), np.diag(-3 * np.sin(X)))


def test_jacobians_inside_a_function() -> None:
    def volume(x: Any) -> Any:
        return np.linalg.det(srcad.jacobian(smooth)(x))

    np.testing.assert_allclose(srcad.grad(volume)(X), matrix(volume, X), rtol=1e-6)

    def curvature(x: Any) -> Any:
        return np.trace(srcad.hessian(to_number(smooth))(x))

    np.testing.assert_allclose(srcad.grad(curvature)(X), matrix(curvature, X), rtol=1e-6)


def test_the_hessian_of_a_gradient_step() -> None:
    gradient = srcad.grad(to_number(smooth))

    def after_a_step(x: Any) -> Any:
        return to_number(smooth)(x - 0.1 * gradient(x))

    found = srcad.hessian(after_a_step)(X)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    np.testing.assert_allclose(found, matrix(srcad.grad(after_a_step), X), atol=1e-6)
