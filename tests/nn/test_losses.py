"""Losses against sums over the samples; the stable forms at extreme logits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
LOGITS = RNG.standard_normal((5, 4))
LABELS = np.array([0, 3, 1, 1, 2])


def test_softmax_cross_entropy() -> None:
    expected = 0.0
    for row, label in zip(LOGITS, LABELS, strict=True):
        shares = [math.exp(x) for x in row]
        expected -= math.log(shares[label] / sum(shares)) / len(LABELS)
    np.testing.assert_allclose(nn.softmax_cross_entropy(LOGITS, LABELS), expected, rtol=1e-12)
    check_grads(nn.softmax_cross_entropy, (LOGITS, LABELS), order=2)
    found = srcad.grad(nn.softmax_cross_entropy)(LOGITS, LABELS)
    one_hot = np.eye(4)[LABELS]
    np.testing.assert_allclose(found, (nn.softmax(LOGITS) - one_hot) / 5, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_labels_of_any_integers(dtype: Any) -> None:
    expected = nn.softmax_cross_entropy(LOGITS, LABELS)
    found, _ = srcad.value_and_grad(nn.softmax_cross_entropy)(LOGITS, LABELS.astype(dtype))
    assert found == expected


def test_extreme_logits() -> None:
    logits = np.array([[1e4, 0.0], [-1e4, 1e4], [0.0, 1e4]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, gradient = srcad.value_and_grad(nn.softmax_cross_entropy)(
            logits, np.array([0, 1, 0])
        )
    np.testing.assert_allclose(value, 1e4 / 3)
    np.testing.assert_allclose(gradient, np.array([[0, 0], [0, 0], [-1, 1]]) / 3)


def test_labels_that_are_none() -> None:
    with pytest.raises(IndexError):
        srcad.value_and_grad(nn.softmax_cross_entropy)(LOGITS, LABELS + 2)


@pytest.mark.parametrize("shape", [(), (7,), (3, 4)])
def test_binary_cross_entropy(shape: tuple[int, ...]) -> None:
    logits, targets = RNG.standard_normal(shape), RNG.random(shape)
    s = 1 / (1 + np.exp(-logits))
    expected = np.mean(-targets * np.log(s) - (1 - targets) * np.log(1 - s))
    found = nn.binary_cross_entropy_with_logits(logits, targets)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    if shape:
        check_grads(nn.binary_cross_entropy_with_logits, (logits, targets), order=2)


def test_binary_cross_entropy_of_extreme_logits() -> None:
    logits, targets = np.array([1e4, -1e4, 1e4, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    f = srcad.value_and_grad(nn.binary_cross_entropy_with_logits)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, gradient = f(logits, targets)
    np.testing.assert_allclose(value, (1e4 + math.log(2)) / 4)
    np.testing.assert_allclose(gradient, np.array([0, 0, 1, -0.5]) / 4, atol=1e-300)


def test_mse() -> None:
    y, target = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 4))
    expected = sum((a - b) ** 2 for a, b in zip(y.flat, target.flat, strict=True)) / 12
    np.testing.assert_allclose(nn.mse(y, target), expected, rtol=1e-12)
    check_grads(nn.mse, (y, target), order=2)


def test_single_precision_stays() -> None:
    logits = LOGITS.astype("f")
    for f, other in [
        (nn.softmax_cross_entropy, LABELS),
        (nn.binary_cross_entropy_with_logits, (logits > 0).astype("f")),
        (nn.mse, logits * 2),
    ]:
        value, gradient = srcad.value_and_grad(f)(logits, other)
        assert value.dtype == gradient.dtype == np.float32


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("logits", "labels"),
    [(LOGITS, LABELS[:, None]), (LOGITS[None], LABELS[None]), (LOGITS[0], LABELS[:1])],
)
def test_shapes_that_would_be_broadcast_are_refused(
    logits: Any, labels: Any, compiled: bool
) -> None:
    f = srcad.grad(nn.softmax_cross_entropy) if compiled else nn.softmax_cross_entropy
    with pytest.raises(ValueError, match="expected logits"):
        f(logits, labels)
