"""The stand-in does what CuPy documents, where that is not what NumPy does."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    "call",
    [
        lambda cp, x: np.asarray(x),
        lambda cp, x: x + np.ones(3),
        lambda cp, x: cp.add(x, np.ones(3)),
        lambda cp, x: cp.sum(1.0),
        lambda cp, x: cp.stack([1.0, 2.0]),
        lambda cp, x: cp.array([x[0], 1.0]),
        lambda cp, x: range(x[0]),
        lambda cp, x: cp.sum(x, where=x > 0),
        lambda cp, x: cp.add(x, [1.0, 2.0, 3.0]),
    ],
)
def test_what_numpy_takes_and_cupy_does_not(cp, call):
    with pytest.raises(TypeError):
        call(cp, cp.asarray(np.arange(3.0)))


def test_reductions_and_entries_are_arrays_without_axes(cp):
    x = cp.asarray(np.arange(3.0))
    assert [type(y) for y in (cp.sum(x), x.max(), x[1], x @ x)] == [cp.ndarray] * 4
    entry = x[1]
    x[1] = 7.0
    assert float(entry) == 7.0


def test_functions_of_numpy_are_those_of_cupy(cp):
    x = cp.asarray(np.arange(3.0))
    assert type(np.sum(x)) is type(np.tanh(x)) is type(np.float64(2.0) * x) is cp.ndarray
    assert cp.asnumpy(x).tolist() == x.get().tolist() == [0.0, 1.0, 2.0]


def test_indices_out_of_bounds_wrap_around(cp):
    x = cp.asarray(np.arange(3.0))
    assert x[cp.asarray([1, 3])].tolist() == [1.0, 0.0]


def test_what_cupy_lacks_is_not_there(cp):
    for name in ("block", "insert", "errstate", "unstack", "memmap"):
        assert not hasattr(cp, name)
    assert not hasattr(cp.random.default_rng(0), "normal")


def test_memory_that_is_moved_within_an_array_is_undefined(cp):
    x = cp.asarray(np.arange(3.0))
    x[1:] = x[:-1]
    assert np.isnan(x.get()).tolist() == [False, True, True]
    x = cp.asarray(np.arange(3.0))
    x[1:] += x[:-1]
    assert x.tolist() == [0.0, 1.0, 3.0]
