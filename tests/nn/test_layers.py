"""Layers against plain references, in both modes and both orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.testing import check_grads
from tests.kernels import references

RNG = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape)


# Dense, flatten ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 3), (3,), (2, 4, 3), (0, 3), (1, 3)])
def test_dense(shape: tuple[int, ...]) -> None:
    x, w, b = normal(*shape), normal(3, 4), normal(4)
    np.testing.assert_allclose(nn.dense(x, w), np.einsum("...i,ij->...j", x, w), atol=1e-13)
    np.testing.assert_allclose(nn.dense(x, w, b), nn.dense(x, w) + b, atol=1e-13)
    check_grads(lambda x, w, b: np.sum(np.tanh(nn.dense(x, w, b))), (x, w, b), order=2)
    found = srcad.grad(lambda w, x: np.sum(nn.dense(x, w)))(w.astype("f"), x.astype("f"))
    assert found.dtype == np.float32


def test_flatten() -> None:
    x = normal(4, 2, 3, 5)
    np.testing.assert_array_equal(nn.flatten(x), x.reshape(4, 30))
    assert nn.flatten(x[:1]).shape == (1, 30)
    check_grads(lambda x: np.sum(nn.flatten(x) ** 3, axis=1), (x,), order=2)


# Convolution -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"stride": 2, "padding": (1, (0, 2))}, {"padding": "same", "dilation": 2}]
)
def test_conv2d_with_bias(options: Any) -> None:
    x, w, b = normal(2, 2, 6, 5), normal(3, 2, 2, 3), normal(3)
    expected = references.conv2d(x, w, **options) + b.reshape(1, 3, 1, 1)
    np.testing.assert_allclose(nn.conv2d(x, w, b, **options), expected, rtol=1e-12, atol=1e-12)
    check_grads(lambda x, w, b: np.sum(nn.conv2d(x, w, b, **options) ** 2), (x, w, b), order=1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 3},
        {"padding": 2},
        {"padding": (3, 0)},
        {"padding": "same", "stride": 2},
        {"padding": "valid", "dilation": 2},
    ],
)
@pytest.mark.parametrize("groups", [1, 2])
def test_conv1d(options: Any, groups: int) -> None:
    x, w, b = normal(3, 4, 11), normal(2, 4 // groups, 3), normal(2)
    of_rows = {
        key: (1, value) if key != "padding" else value if isinstance(value, str) else (0, value)
        for key, value in options.items()
    }
    expected = references.conv2d(x[:, :, None], w[:, :, None], **of_rows, groups=groups)[:, :, 0]
    found = nn.conv1d(x, w, **options, groups=groups)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    found = nn.conv1d(x, w, b, **options, groups=groups)
    np.testing.assert_allclose(found, expected + b[:, None], rtol=1e-12, atol=1e-12)

    def f(x: Any, w: Any, b: Any) -> Any:
        return np.sum(np.sin(nn.conv1d(x, w, b, **options, groups=groups)))

    check_grads(f, (x, w, b), order=2)


def test_conv1d_is_numpys_correlation() -> None:
    x, w = normal(1, 1, 20), normal(1, 1, 5)
    expected = np.correlate(x[0, 0], w[0, 0], "valid")
    np.testing.assert_allclose(nn.conv1d(x, w)[0, 0], expected, rtol=1e-12)


def test_convolutions_in_single_precision() -> None:
    x, w, b = (normal(*s).astype("f") for s in ((2, 2, 7), (3, 2, 3), (3,)))
    assert nn.conv1d(x, w, b).dtype == np.float32
    f = srcad.grad(lambda w, b, x: np.mean(nn.conv1d(x, w, b) ** 2), argnums=(0, 1))
    assert [g.dtype for g in f(w, b, x)] == [np.float32, np.float32]


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match=r"has 2 channels, w .* wants 3"):
        nn.conv1d(normal(1, 2, 5), normal(1, 3, 2))
    with pytest.raises(ValueError, match="does not fit"):
        nn.conv2d(normal(1, 2, 2, 2), normal(1, 2, 3, 3))
    with pytest.raises(ValueError, match="stride must be at least 1"):
        srcad.grad(lambda w, x: np.sum(nn.conv1d(x, w, stride=0)))(normal(1, 2, 2), normal(1, 2, 5))
    of_images = normal(1, 2, 5, 5)
    for name, f in [
        ("conv1d", lambda x: nn.conv1d(x, normal(1, 2, 2))),
        ("max_pool1d", lambda x: nn.max_pool1d(x, 2)),
        ("avg_pool1d", lambda x: nn.avg_pool1d(x, 2)),
    ]:
        with pytest.raises(
            ValueError, match=rf"{name}: expected x \(N, C, W\).*got \(1, 2, 5, 5\)"
        ):
            f(of_images)


def test_what_does_not_fit_is_named_in_a_program() -> None:
    f = srcad.value_and_grad(lambda x: np.sum(nn.max_pool1d(x, 2)))
    with pytest.raises(ValueError, match=r"max_pool1d: expected x \(N, C, W\), got \(2, 6\)"):
        f(normal(2, 6))
    w, b = normal(2, 2), normal(2)
    f = srcad.value_and_grad(lambda x, h: np.sum(nn.rnn(x, h, w, w, b)))
    with pytest.raises(ValueError, match=r"rnn: expected x \(T, N, inputs\) and h0"):
        f(normal(3, 2), normal(2))


def test_options_may_be_lists() -> None:
    x, w = normal(1, 2, 6, 5), normal(1, 2, 2, 2)
    expected = nn.conv2d(x, w, stride=(2, 1), padding=((1, 0), (2, 1)))
    np.testing.assert_array_equal(
        nn.conv2d(x, w, stride=[2, 1], padding=[[1, 0], [2, 1]]), expected
    )
    f = srcad.value_and_grad(lambda w, x: np.sum(nn.conv2d(x, w, stride=[2, 1], padding=[1, 2])))
    assert np.isclose(f(w, x)[0], np.sum(nn.conv2d(x, w, stride=(2, 1), padding=(1, 2))))
    np.testing.assert_array_equal(nn.max_pool2d(x, [2, 2]), nn.max_pool2d(x, 2))


# Pooling -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "stride"), [(2, None), (3, 1), (3, 2), (2, 4)])
def test_pooling_of_signals(size: int, stride: int | None) -> None:
    x = RNG.permutation(2 * 3 * 9).reshape(2, 3, 9) / 7.0
    step = size if stride is None else stride
    entries = references.windows(x[:, :, None], (1, size), (1, step))[:, :, 0]
    np.testing.assert_array_equal(nn.max_pool1d(x, size, stride), entries.max(axis=-1))
    found = nn.avg_pool1d(x, size, stride)
    np.testing.assert_allclose(found, entries.mean(axis=-1), rtol=1e-12)
    check_grads(lambda x: np.sum(nn.max_pool1d(x, size, stride) ** 3), (x,), order=2)
    check_grads(lambda x: np.sum(nn.avg_pool1d(x, size, stride) ** 3), (x,), order=2)


@pytest.mark.parametrize(("size", "stride"), [(2, None), ((2, 3), (1, 2))])
def test_pooling_of_images(size: Any, stride: Any) -> None:
    x = RNG.permutation(2 * 2 * 5 * 6).reshape(2, 2, 5, 6) / 7.0
    entries = references.windows(x, size, stride)
    np.testing.assert_array_equal(nn.max_pool2d(x, size, stride), entries.max(axis=-1))
    found = nn.avg_pool2d(x, size, stride)
    np.testing.assert_allclose(found, entries.mean(axis=-1), rtol=1e-12)
    check_grads(lambda x: np.sum(np.sin(nn.max_pool2d(x, size, stride))), (x,), order=2)


# Embedding ---------------------------------------------------------------------------------------


def test_embedding() -> None:
    table, ids = normal(7, 3), np.array([[1, 1, 6], [0, 2, 1]])
    np.testing.assert_array_equal(nn.embedding(table, ids), table[ids])
    check_grads(lambda table: np.sum(np.sin(nn.embedding(table, ids))), (table,), order=2)
    assert isinstance(
        srcad.grad(lambda table: np.sum(nn.embedding(table, ids)))(table), nn.SparseRows
    )


# Dropout -----------------------------------------------------------------------------------------


def test_dropout_zeroes_and_scales() -> None:
    x, rate = np.ones((200, 300)), 0.3
    y = nn.dropout(x, rate, np.random.default_rng(1))
    np.testing.assert_allclose(np.unique(y), [0, 1 / (1 - rate)])
    share = np.mean(y == 0)
    assert abs(share - rate) < 4 * np.sqrt(rate * (1 - rate) / x.size)
    assert abs(np.mean(y) - 1) < 0.02


def test_dropout_by_seed() -> None:
    x = normal(20, 30)
    first = nn.dropout(x, 0.5, np.random.default_rng(1))
    np.testing.assert_array_equal(first, nn.dropout(x, 0.5, np.random.default_rng(1)))
    rng = np.random.default_rng(1)
    nn.dropout(x, 0.5, rng)
    assert not np.array_equal(first, nn.dropout(x, 0.5, rng))


def test_a_rate_of_zero_changes_nothing() -> None:
    x, rng = normal(4, 5), np.random.default_rng(0)
    assert nn.dropout(x, 0, rng) is x
    value, gradient = srcad.value_and_grad(lambda x, rate: np.sum(nn.dropout(x, rate, rng) ** 2))(
        x, 0.0
    )
    assert value == np.sum(x**2)
    np.testing.assert_array_equal(gradient, 2 * x)
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state


@pytest.mark.parametrize("rate", [-0.1, 1, 1.5, np.nan])
def test_bad_rates(rate: float) -> None:
    x, rng = normal(4, 5), np.random.default_rng(0)
    for call in (nn.dropout, srcad.grad(lambda x, rate, rng: np.sum(nn.dropout(x, rate, rng)))):
        with pytest.raises(ValueError, match=f"rate must be from 0 to below 1, got {rate}"):
            call(x, rate, rng)


def test_the_gradient_of_dropout_sees_the_same_draws() -> None:
    x = normal(6, 5)

    def f(x: Any, rng: Any) -> Any:
        h = nn.dropout(np.sin(x), 0.4, rng)
        return np.sum(nn.dropout(h**2, 0.2, rng))

    value, gradient = srcad.value_and_grad(f)(x, np.random.default_rng(3))
    assert value == f(x, np.random.default_rng(3))
    kept = nn.dropout(np.sin(x), 0.4, rng := np.random.default_rng(3))
    expected = nn.dropout(np.ones_like(x), 0.2, rng) * 2 * kept * (kept != 0) / 0.6 * np.cos(x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-12)
    check_grads(lambda x: f(x, np.random.default_rng(3)), (x,), order=2)


@pytest.mark.parametrize("rate", [0.5, np.float32(0.5), np.float64(0.5)])
def test_dropout_in_single_precision(rate: Any) -> None:
    x = normal(4, 5).astype("f")
    found = nn.dropout(x, float(rate), np.random.default_rng(0))
    assert found.dtype == np.float32
    g = srcad.grad(lambda x, rng: np.sum(nn.dropout(x, 0.5, rng)))(x, np.random.default_rng(0))
    assert g.dtype == np.float32


# Normalisation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 4), (1, 4)])
def test_layer_norm(shape: tuple[int, ...]) -> None:
    x, scale, shift = normal(*shape), normal(4), normal(4)
    expected = np.empty_like(x)
    for k in np.ndindex(shape[:-1]):
        expected[k] = (x[k] - x[k].mean()) / np.sqrt(x[k].var() + 1e-5)
    np.testing.assert_allclose(nn.layer_norm(x), expected, rtol=1e-10, atol=1e-12)
    found = nn.layer_norm(x, scale, shift, eps=1e-5)
    np.testing.assert_allclose(found, expected * scale + shift, rtol=1e-10, atol=1e-12)
    check_grads(lambda *a: np.sum(np.sin(nn.layer_norm(*a))), (x, scale, shift), order=2)
    assert nn.layer_norm(x.astype("f"), scale.astype("f")).dtype == np.float32


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 2)])
def test_batch_norm(shape: tuple[int, ...]) -> None:
    x, scale, shift = normal(*shape), normal(3), normal(3)
    expected = np.empty_like(x)
    for c in range(3):
        part = x[:, c]
        expected[:, c] = (part - part.mean()) / np.sqrt(part.var() + 1e-5)
    np.testing.assert_allclose(nn.batch_norm(x), expected, rtol=1e-10, atol=1e-12)
    ones = (3, *(1 for _ in shape[2:]))
    scaled = expected * scale.reshape(ones) + shift.reshape(ones)
    np.testing.assert_allclose(nn.batch_norm(x, scale, shift), scaled, rtol=1e-10, atol=1e-12)
    check_grads(lambda *a: np.sum(np.sin(nn.batch_norm(*a))), (x, scale, shift), order=2)
    assert nn.batch_norm(x.astype("f"), scale.astype("f"), shift.astype("f")).dtype == np.float32


def test_batch_norm_by_known_moments() -> None:
    x, mean, var = normal(2, 3, 4, 2), normal(3), np.abs(normal(3)) + 0.1
    found = nn.batch_norm(x, mean=mean, var=var)
    expected = (x - mean[:, None, None]) / np.sqrt(var[:, None, None] + 1e-5)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    check_grads(lambda x: np.sum(np.sin(nn.batch_norm(x, mean=mean, var=var))), (x,), order=2)


def test_batch_norm_takes_both_moments_or_none() -> None:
    x = RNG.standard_normal((3, 2))
    for options in ({"mean": np.zeros(2)}, {"var": np.ones(2)}):
        with pytest.raises(ValueError, match="both mean and var"):
            nn.batch_norm(x, **options)
