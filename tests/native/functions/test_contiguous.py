import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES

from srcad.native.functions import contiguous


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 10, 4095, 4096, 4097, 100_000])
def test_agrees_with_numpy(size, dtype):
    x, y = np.random.default_rng(size).normal(size=(2, size)).astype(dtype)
    tolerance = 20 * float(np.finfo(dtype).eps)
    sizes = np.abs(x).sum()
    assert abs(contiguous.total(x) - x.sum(dtype=np.longdouble)) <= tolerance * sizes
    assert abs(contiguous.dot(x, y) - np.dot(x, y)) <= tolerance * np.abs(x * y).sum()
    assert contiguous.sum_of_squares(x) == pytest.approx(np.dot(x, x), rel=tolerance)
    assert contiguous.largest(x) == x.max()
    assert contiguous.smallest(x) == x.min()


def test_a_million_of_float32_keep_their_digits():
    x = np.random.default_rng(6).uniform(0, 1, 1_000_000).astype(np.float32)
    assert contiguous.total(x) == pytest.approx(x.sum(dtype=np.float64), rel=2e-6)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="lengths"):
        contiguous.dot(np.ones(3), np.ones(4))


@pytest.mark.parametrize("name", ["largest", "smallest"])
def test_an_empty_vector_has_no_extremum(name):
    with pytest.raises(ValueError, match="empty"):
        getattr(contiguous, name)(np.empty(0))


def test_an_empty_vector_sums_to_zero():
    assert contiguous.total(np.empty(0)) == 0.0
