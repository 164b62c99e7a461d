"""Networks on the backend `native`: their kernels are compiled ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels, nn

pytest.importorskip("numba", reason="Numba is not installed")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((9, 1, 14, 14))
WORDS = RNG.integers(0, 20, (8, 12))
P = {
    "k1": RNG.standard_normal((3, 1, 3, 3)),
    "b1": RNG.standard_normal(3),
    "k2": RNG.standard_normal((4, 3, 2, 2)),
    "table": RNG.standard_normal((20, 5)),
}


def network(p, x):
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, p["k1"], p["b1"])), 2)
    h = nn.avg_pool2d(nn.max_pool2d(nn.conv2d(h, p["k2"], padding=1), 3, 2), 2)
    return np.sum(h**2)


def words(table, ids):
    return np.sum(nn.embedding(table, ids) ** 3)


def layer(k, x):
    return nn.max_pool2d(nn.conv2d(x, k), 2)


def checkpointed(k, x):
    return np.sum(srcad.checkpoint(layer)(k, x) ** 2)


def both(f: Any, *args: Any) -> Any:
    native = srcad.value_and_grad(f, backend="native")
    value, gradient = native(*args)
    wanted, expected = srcad.value_and_grad(f, backend="numpy")(*args)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    return native, gradient, expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_network(dtype: Any) -> None:
    p = {key: each.astype(dtype) for key, each in P.items()}
    native = srcad.value_and_grad(network, backend="native")
    _, gradient = native(p, X.astype(dtype))
    _, expected = srcad.value_and_grad(network, backend="numpy")(p, X.astype(dtype))
    for key, wanted in expected.items():
        assert gradient[key].dtype == dtype
        tolerance = 1e-10 if dtype is np.float64 else 1e-3
        np.testing.assert_allclose(gradient[key], wanted, rtol=tolerance, atol=tolerance)
    text = native.source(p, X.astype(dtype))
    for name in ("conv_pool2d", "conv_pool2d_weights", "max_pool2d", "avg_unpool2d", "conv2d"):
        assert f"compiled.{name}(" in text
    assert not re.search(r"\bkernels\.(conv|max_pool|avg|unpool)", text)
    kind = np.dtype(dtype).name
    told = str(native.explain(p, X.astype(dtype)))
    assert f"kernels   conv_pool2d[{kind}], conv2d[{kind}]" in told
    assert f"conv_pool2d_weights[{kind}]" in told


def test_gradients_of_some_rows() -> None:
    native, gradient, expected = both(words, P["table"], WORDS)
    assert isinstance(gradient, nn.SparseRows)
    np.testing.assert_allclose(np.asarray(gradient), np.asarray(expected), rtol=1e-12)
    text = native.source(P["table"], WORDS)
    assert "compiled.SparseRows(" in text
    assert "compiled.embedding(" in text


def test_what_is_called_is_compiled_too() -> None:
    native, gradient, expected = both(checkpointed, P["k1"], X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-10)
    assert "compiled.conv2d(" in native.source(P["k1"], X)


def test_integers_stay_with_numpy() -> None:
    def loss(x, ids):
        return np.sum(x) * np.sum(kernels.max_pool2d(ids, 2)[0])

    ids = np.arange(16).reshape(1, 1, 4, 4)
    native = srcad.grad(loss, backend="native")
    np.testing.assert_array_equal(native(np.ones(3), ids), np.full(3, 5.0 + 7 + 13 + 15))
    assert "compiled" not in native.source(np.ones(3), ids)


def outer(x, y):
    z = np.hypot.outer(x, y) + np.subtract.outer(x, y)
    return np.add.accumulate(z) * np.maximum.accumulate(z, axis=1)


def test_methods_of_ufuncs_are_no_kernels() -> None:
    x = np.array([0.3, -0.7, 1.1])
    np.testing.assert_allclose(srcad.compile(outer, backend="native")(x, x), outer(x, x))


def text_network(p, ids):
    h = nn.embedding(p["table"], ids).swapaxes(1, 2)
    return np.sum(nn.max_pool1d(nn.relu(nn.conv1d(h, p["k"], p["c"])), 2) ** 2)


def test_cotangents_of_words_are_not_turned_twice():
    """The images are given in the place of their shape, and what is only viewed is not copied."""
    p = {
        "table": RNG.standard_normal((30, 20)),
        "k": RNG.standard_normal((4, 20, 3)),
        "c": RNG.standard_normal(4),
    }
    native, gradient, expected = both(text_network, p, WORDS)
    text = native.source(p, WORDS)
    outside = text[text.rindex("@njit") :].partition("\n\n\ndef ")[2]
    # The images `t`, which `conv_pool2d_weights` reads as well, in the place of their shape.
    assert re.search(r"conv_pool2d_input\(\s*\w+, \w+, \w+, t, \(1, 2\)", outside)
    assert re.search(r"conv_pool2d_weights\(\s*t, ", outside)
    assert re.search(r"SparseRows\(ids, h_bar.swapaxes\(1, 2\)", outside)
    for key, wanted in expected.items():
        np.testing.assert_allclose(np.asarray(gradient[key]), wanted, rtol=1e-10, atol=1e-10)


def squares(w, x):
    return np.sum(np.tanh(x @ w) ** 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_matrices(dtype: Any) -> None:
    """Large enough for tiles, on machines where they are faster than BLAS."""
    w = (RNG.standard_normal((90, 70)) / 10).astype(dtype)
    x = RNG.standard_normal((80, 90)).astype(dtype)
    native = srcad.value_and_grad(squares, backend="native")
    value, gradient = native(w, x)
    wanted, expected = srcad.value_and_grad(squares, backend="numpy")(w, x)
    tolerance = 1e-10 if dtype is np.float64 else 1e-3
    np.testing.assert_allclose(value, wanted, rtol=tolerance)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=tolerance)
    assert native.source(w, x).count("compiled.product(") == 2
    assert f"product[{np.dtype(dtype).name}]" in str(native.explain(w, x))


def test_a_full_contraction_is_no_product_of_matrices():
    def contracted(a, b, x):
        y = np.sort(x)
        for _ in range(3):
            y = y * 0.5 + np.sin(y)
        return np.sum(y) * np.tensordot(a, b)

    native = srcad.compile(contracted, backend="native")
    a, b, x = np.ones((3, 3)), np.full((3, 3), 2.0), np.ones(5)
    np.testing.assert_allclose(native(a, b, x), contracted(a, b, x), rtol=1e-14)
    assert "product(" not in native.source(a, b, x)
