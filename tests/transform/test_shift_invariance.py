"""The shift of a softmax is held fixed, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

X = np.array([[0.3, -1.2, 2.0], [0.5, 0.5, -0.7]])
W = np.array([[1.0, 0.2, -0.4], [0.1, 2.0, 0.3]])


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(W * (e / e.sum(axis=1, keepdims=True)))


def log_softmax(x: Any) -> Any:
    z = x - np.max(x, axis=1, keepdims=True)
    return np.sum(W * (z - np.log(np.exp(z).sum(axis=1, keepdims=True))))


def log_softmax_and_shift(x: Any) -> Any:
    z = x - np.max(x, axis=1, keepdims=True)
    return np.sum(W * (z - np.log(np.exp(z).sum(axis=1, keepdims=True)))) + np.sum(z)


def shift_kept(x: Any) -> Any:
    m = x.max(axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(W * (e / e.sum(axis=1, keepdims=True))) + np.sum(m)


def other_axis(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(W * (e / e.sum(axis=0, keepdims=True)))


def no_quotient(x: Any) -> Any:
    return np.sum(W * np.exp(x - x.max(axis=1, keepdims=True)))


@pytest.mark.parametrize("f", [softmax, log_softmax])
def test_a_shift_that_cancels_leaves_no_mask(f: Any) -> None:
    assert "==" not in srcad.grad(f).source(X)


@pytest.mark.parametrize("f", [log_softmax_and_shift, shift_kept, other_axis, no_quotient])
def test_a_shift_that_matters_is_differentiated(f: Any) -> None:
    assert "==" in srcad.grad(f).source(X)


@pytest.mark.parametrize(
    "f", [softmax, log_softmax, log_softmax_and_shift, shift_kept, other_axis, no_quotient]
)
def test_all_are_right(f: Any) -> None:
    check_grads(f, (X + 0.01 * np.arange(6).reshape(2, 3),), order=2)


def test_stop_gradient_is_public() -> None:
    f = lambda x: np.sum(x * srcad.stop_gradient(x))  # noqa: E731 - one line says it
    np.testing.assert_array_equal(srcad.grad(f)(X), X)
    assert srcad.stop_gradient(2.0) == 2.0
