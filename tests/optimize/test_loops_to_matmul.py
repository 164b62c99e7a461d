from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad.ir import show, verify
from srcad.ir.evaluate import evaluate
from srcad.optimize.prepare.loops_to_matmul import has_products_in_loops, loops_to_matmul
from srcad.pipeline import stages
from srcad.pipeline.passes import simplify
from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)
A, B, X = RNG.random((4, 3)), RNG.random((3, 5)), RNG.random(3)
SQUARE = RNG.random((4, 4))


def three_loops(a, b):
    n, m = a.shape
    c = np.zeros((n, b.shape[1]))
    for i in range(n):
        for j in range(b.shape[1]):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def by_numbers(a, x):
    n, m = a.shape
    y = np.empty(n)
    for i in range(n):
        s = 0.1 * x[0]
        for j in range(m):
            s -= 2.0 * a[i, j] * x[j]
        y[i] = s
    return np.sum(y * y)


def by_columns(a, x):
    y = np.zeros(a.shape[0])
    for k in range(a.shape[1]):
        y = y + x[k] * a[:, k]
    return np.sum(y * y)


def triangle(a, c):
    n, m = a.shape
    c = c.copy()
    for i in range(n):
        for k in range(m):
            c[i, : i + 1] += 0.5 * a[i, k] * a[: i + 1, k]
    return np.sum(c * c)


def correlations(a, c):
    n, m = a.shape
    c = c.copy()
    for i in range(m - 1):
        c[i + 1 : m, i] = a[:, i] @ a[:, i + 1 :]
        c[i, i + 1 : m] = c[i + 1 : m, i] / n
    return np.sum(c * c)


def rows_turned(a, b):
    out = np.empty((b.shape[1], a.shape[0]))
    for i in range(b.shape[1]):
        out[i] = np.sin(a @ b[:, i])
    return np.sum(out)


FOUND = {
    three_loops: (A, B), by_numbers: (A, X), by_columns: (A, X), triangle: (A, SQUARE),
    correlations: (A, RNG.random((3, 3))), rows_turned: (A, B),
}  # fmt: skip


def changed_inside(a, x):
    a = a.copy()
    for i in range(a.shape[0]):
        a[i, 0] = a[i] @ x
    return np.sum(a)


def band(a, b):
    out = np.zeros((b.shape[1], 2))
    for i in range(b.shape[1] - 1):
        out[i, : min(2, b.shape[1] - i)] = b[:, i] @ b[:, i : i + 2]
    return np.sum(out)


def not_stored(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s = s + np.sum((a[i] @ b) ** 2)
    return s


def small_ones(a, b):
    out = np.zeros((2, a.shape[0], b.shape[1]))
    for t in range(2):
        for i in range(a.shape[0]):
            out[t, i] = a[i] @ b
    return np.sum(out)


def half_the_sum(a, x):
    y = np.zeros(a.shape[0])
    for k in range(2):
        y += a[:, k] * x[k]
    return np.sum(y)


def entry_by_entry(a, x):
    y = np.zeros(a.shape[0])
    for k in range(a.shape[1]):
        y += a[:, k] * a[:, k]
    return np.sum(y)


def seen_on_the_way(a, x):
    y, top = 0.0, 0.0
    for k in range(len(x)):
        y = y + x[k] * a[0, k]
        top = np.maximum(top, y)
    return y + top


LEFT = {
    changed_inside: (A, X), band: (A, B), not_stored: (A, B), small_ones: (A, B),
    half_the_sum: (A, X), entry_by_entry: (A, X), seen_on_the_way: (A, X),
}  # fmt: skip


def prepared(f: Any, args: Any) -> Any:
    request = Request("value_and_grad", f)
    lowered, _ = stages.lower_with_statics(request, args, frozenset())
    return simplify(stages.prepared(request, lowered.function), again=True)


@pytest.mark.parametrize("f", FOUND, ids=lambda f: f.__name__)
def test_there_is_one_product_and_no_other(f):
    fn = prepared(f, FOUND[f])
    assert has_products_in_loops(fn)
    made = simplify(verify(loops_to_matmul(fn), "gathered"), again=True)
    text = show(made)
    assert text.count("matmul(") == 1
    assert "matmul(" not in text.partition("for ")[2]
    np.testing.assert_allclose(evaluate(made, *FOUND[f]), evaluate(fn, *FOUND[f]), rtol=1e-13)
    assert loops_to_matmul(made) is made


def test_three_loops_become_one_product():
    made = simplify(loops_to_matmul(prepared(three_loops, (A, B))), again=True)
    text = show(made)
    assert text.count("for ") == 2  # what is left moves rows
    assert text.index("matmul(a, ") < text.index("for ")


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_what_is_no_whole_product_stays(f):
    fn = prepared(f, LEFT[f])
    assert loops_to_matmul(fn) is fn, show(loops_to_matmul(fn))


@pytest.mark.parametrize("f", FOUND, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_loops(f, monkeypatch):
    want = srcad.value_and_grad(f, argnums=(0, 1), cache=False)(*FOUND[f])
    before = stages.prepared

    def with_products(request, fn):
        return loops_to_matmul(simplify(before(request, fn), again=True))

    monkeypatch.setattr(stages, "prepared", with_products)
    transformed = srcad.value_and_grad(f, argnums=(0, 1), cache=False)
    got = transformed(*FOUND[f])
    assert "@" in transformed.source(*FOUND[f])
    for a, b in zip((got[0], *got[1]), (want[0], *want[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_too_short_a_vector_is_refused():
    made = loops_to_matmul(prepared(by_numbers, (A, X)))
    with pytest.raises((ValueError, IndexError)):
        evaluate(made, A, X[:2])
