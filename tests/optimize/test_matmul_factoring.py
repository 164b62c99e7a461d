from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.ir import show, verify
from srcad.ir.evaluate import evaluate
from srcad.optimize.prepare.matmul_factoring import factor_matmuls
from srcad.pipeline import stages
from srcad.pipeline.passes import bufferize, simplify
from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)
A, B, C = RNG.random((4, 3)), RNG.random((3, 3)), RNG.random((3, 3))


def gram(a, b, c):
    return np.sum(np.sin(a.T @ a))


def gram_of_rows(a, b, c):
    return np.sum(np.sin(a @ a.T))


def on_the_left(a, b, c):
    return np.sum(np.exp(a @ b + a @ c))


def on_the_right(a, b, c):
    return np.sum(np.exp(b @ a.T + c.T @ a.T))


# How many products there are in value and gradient.
FOUND = {gram: 2, gram_of_rows: 2, on_the_left: 3, on_the_right: 3}


def read_twice(a, b, c):
    t = a @ b
    return np.sum(np.exp(t + a @ c)) + np.sum(t)


def nothing_in_common(a, b, c):
    return np.sum(np.exp(b @ c + c @ b + b * np.sum(a)))


def turned_the_other_way(a, b, c):
    return np.sum(np.exp(b @ c + b.T @ c.T))


def of_vectors(a, b, c):
    return np.sum(np.exp(a @ b[0] + a @ c[0]))


def broadcast(a, b, c):
    return np.sum(np.exp(a @ b + a[:1] @ c))


LEFT = (read_twice, nothing_in_common, turned_the_other_way, of_vectors, broadcast)


def primal(f):
    lowered, _ = stages.lower_with_statics(Request("value", f), (A, B, C), frozenset())
    return simplify(lowered.function)


@pytest.mark.parametrize("f", FOUND, ids=lambda f: f.__name__)
def test_gradients_have_fewer_products(f, monkeypatch):
    want = srcad.value_and_grad(f, argnums=(0, 1, 2), cache=False)(A, B, C)
    monkeypatch.setattr(stages, "optimized", lambda request, fn: bufferize(_joined(fn)))
    transformed = srcad.value_and_grad(f, argnums=(0, 1, 2), cache=False)
    got = transformed(A, B, C)
    lines = transformed.source(A, B, C).splitlines()
    assert sum(" @ " in line for line in lines if "#" not in line) == FOUND[f]
    for a, b in zip((got[0], *got[1]), (want[0], *want[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def _joined(fn):
    return verify(factor_matmuls(simplify(fn)), "common_factors")


@pytest.mark.parametrize("f", [on_the_left, on_the_right], ids=lambda f: f.__name__)
def test_one_product_for_two(f):
    fn = primal(f)
    made = simplify(_joined(fn))
    assert (show(fn).count("matmul("), show(made).count("matmul(")) == (2, 1)
    np.testing.assert_allclose(evaluate(made, A, B, C), evaluate(fn, A, B, C), rtol=1e-13)


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_other_sums_stay(f):
    fn = primal(f)
    assert factor_matmuls(fn) is fn, show(factor_matmuls(fn))
