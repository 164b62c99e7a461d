"""Initial weights: their distributions, orthogonality, seeds and types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from srcad.nn import init

DENSE, FILTERS = (300, 200), (60, 40, 3, 5)


def seeded() -> np.random.Generator:
    return np.random.default_rng(0)


def test_fans() -> None:
    assert init.fans((7, 3)) == (7, 3)
    assert init.fans((8, 4, 3, 5)) == (60, 120)
    assert init.fans((8, 4, 3)) == (12, 24)
    with pytest.raises(ValueError, match=r"two axes or more, got \(3,\)"):
        init.fans((3,))


@pytest.mark.parametrize("shape", [DENSE, FILTERS])
@pytest.mark.parametrize(
    ("make", "variance", "is_uniform"),
    [
        (init.glorot_uniform, lambda i, o: 2 / (i + o), True),
        (init.glorot_normal, lambda i, o: 2 / (i + o), False),
        (init.he_uniform, lambda i, o: 2 / i, True),
        (init.he_normal, lambda i, o: 2 / i, False),
    ],
)
def test_variances(shape: Any, make: Any, variance: Any, is_uniform: bool) -> None:
    w = make(shape, seeded(), np.float64)
    expected = variance(*init.fans(shape))
    assert w.shape == shape
    assert abs(w.mean()) < 5 * math.sqrt(expected / w.size)
    np.testing.assert_allclose(w.var(), expected, rtol=0.05)
    kurtosis = np.mean(w**4) / w.var() ** 2
    np.testing.assert_allclose(kurtosis, 1.8 if is_uniform else 3, rtol=0.05)
    if is_uniform:
        assert np.abs(w).max() <= math.sqrt(3 * expected)


@pytest.mark.parametrize(
    "make", [init.glorot_uniform, init.glorot_normal, init.he_uniform, init.he_normal, init.normal]
)
def test_seeds_and_types(make: Any) -> None:
    w = make((4, 5), seeded())
    assert w.dtype == np.float32
    np.testing.assert_array_equal(w, make((4, 5), seeded()))
    rng = seeded()
    make((4, 5), rng)
    assert not np.array_equal(w, make((4, 5), rng))
    assert make((4, 5), seeded(), dtype=np.float64).dtype == np.float64


def test_normal() -> None:
    w = init.normal(DENSE, seeded(), 0.05, np.float64)
    np.testing.assert_allclose(w.std(), 0.05, rtol=0.02)


@pytest.mark.parametrize("shape", [(5, 5), (7, 4), (4, 7), (1, 3), (1, 1)])
def test_orthogonal(shape: tuple[int, int]) -> None:
    w = init.orthogonal(shape, seeded(), dtype=np.float64)
    rows, columns = shape
    gram = w @ w.T if rows < columns else w.T @ w
    assert w.shape == shape
    np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-12)
    scaled = init.orthogonal(shape, seeded(), 2.0, np.float64)
    np.testing.assert_allclose(scaled, 2 * w, rtol=1e-12)
    assert init.orthogonal(shape, seeded()).dtype == np.float32


def test_orthogonal_matrices_are_uniform() -> None:
    """Entries and determinants are of either sign alike."""
    rng = seeded()
    found = [init.orthogonal((3, 3), rng, dtype=np.float64) for _ in range(400)]
    assert abs(np.mean(found)) < 0.05
    assert np.abs(np.mean(found, axis=0)).max() < 0.13
    assert 140 < sum(np.linalg.det(w) > 0 for w in found) < 260


def test_zeros() -> None:
    assert init.zeros(3).dtype == np.float32
    np.testing.assert_array_equal(init.zeros((2, 3), np.float64), np.zeros((2, 3)))
