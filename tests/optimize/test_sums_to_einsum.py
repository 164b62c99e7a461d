from __future__ import annotations

import operator

import numpy as np
import pytest

import srcad
from srcad.ir import Op, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.walk import statements
from srcad.optimize.simplify.sums_to_einsum import sums_to_einsum
from srcad.pipeline.passes import bufferize, simplify
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

RNG = np.random.default_rng(0)
A, B, ROW, COLUMN = (RNG.normal(size=s) for s in [(4, 3), (4, 3), 3, (4, 1)])


def program(fn, *args, kind="grad"):
    stages = {}
    request = Request(kind, fn, tuple(range(len(args))), single=False)
    compile_request(request, list(args), frozenset(), stages.__setitem__)
    return simplify(stages["derive"])


def ops(fn, *which):
    return sum(s.fn in which for s in statements(fn.body) if isinstance(s, Op))


def compare(before, after, *args):
    wanted, found = evaluate(bufferize(before), *args), evaluate(bufferize(after), *args)
    for a, b in zip(wanted, found, strict=True):
        assert type(a) is type(b)
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)


def scaled(a, s):
    return np.sum(np.sin(a * s))


def rows(a, row):
    return np.sum(np.tanh(a * row))


def columns(a, column):
    return np.sum(np.tanh(a * column))


def by_a_matrix(v, a):
    return np.sum(np.tanh(a * v) * np.arange(4.0)[:, None])


def of_each(a, b):
    return np.sum(np.tanh(np.sum(a * b, axis=-1)) ** 2)


@pytest.mark.parametrize(
    ("fn", "args"),
    [(scaled, (A, 0.3)), (scaled, (ROW, 0.3)), (rows, (A, ROW)), (columns, (A, COLUMN)),
     (by_a_matrix, (ROW, A))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_that_are_summed(fn, args, dtype):
    args = [x.astype(dtype) if isinstance(x, np.ndarray) else x for x in args]
    before = program(fn, *args)
    after = verify(sums_to_einsum(before))
    assert ops(after, np.einsum, operator.matmul) > 0
    assert ops(after, np.sum) < ops(before, np.sum)
    if dtype == np.float64:
        compare(before, after, *args)


def test_sums_of_several_products():
    before = program(of_each, A, B, kind="jvp")
    assert ops(sums_to_einsum(before), np.einsum) == 2
    assert ops(sums_to_einsum(before), operator.matmul, np.matmul) == 1


def test_a_product_that_is_read_again_stays():
    def f(a, s):
        return s * s * np.sum(np.sin(a))

    def g(a, s):
        t = srcad.grad(f, argnums=(0, 1))(a, s)
        return np.sum(t[0]) + np.sum(t[0] * t[0])

    found = program(g, A, 0.3)
    compare(found, sums_to_einsum(found), A, 0.3)


def test_sums_of_the_user_stay():
    @srcad.compile
    def total(a, b):
        return np.sum(a * b, axis=1), np.sum(a * b)

    for found, wanted in zip(total(A, B), (np.sum(A * B, axis=1), np.sum(A * B)), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert "np.einsum" not in total.source()


def test_what_it_gives_may_be_changed():
    ds = srcad.grad(columns, argnums=1)(A, COLUMN)
    t = 1 - np.tanh(A * COLUMN) ** 2
    np.testing.assert_allclose(ds, np.sum(t * A, axis=1, keepdims=True), rtol=1e-13)
    assert ds.flags.writeable
