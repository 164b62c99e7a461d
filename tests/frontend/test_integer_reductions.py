"""Reductions of integers and truth values with `dtype=` and `initial=`."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy

import srcad

WHOLE = np.array([100, 100, 3])
ARRAYS = [WHOLE, WHOLE.astype(np.uint8), WHOLE > 50, WHOLE.astype(np.int32) * 2**24]

RUNNING = [
    lambda x, z: np.cumsum(x, dtype=np.int8)[-1] * z,
    lambda x, z: x.cumsum(dtype=np.uint8)[-1] * z,
    lambda x, z: np.cumprod(x, dtype=np.int32)[-1] * z,
    lambda x, z: x.cumprod(dtype=x.dtype)[-1] * z,
    lambda x, z: np.prod(x, dtype=np.int8) * z,
    lambda x, z: x[None].prod(axis=1, dtype=np.int32)[0] * z,
    lambda x, z: np.add.reduce(x, dtype=np.int8) * z,
    lambda x, z: np.multiply.reduce(x, dtype=np.int32) * z,
    lambda x, z: np.add.accumulate(x, dtype=np.int8)[-1] * z,
    lambda x, z: np.cumulative_sum(x, dtype=np.int8, include_initial=True)[-1] * z,
    lambda x, z: np.cumulative_prod(x, dtype=np.int8)[-1] * z,
    lambda x, z: np.nancumsum(x, dtype=np.int8)[-1] * z,
    lambda x, z: np.nanprod(x, dtype=np.int32) * z,
    lambda x, z: np.cumsum(x, dtype=bool)[-1] * z,
    lambda x, z: np.cumsum(x * 0.75, dtype=np.int8)[-1] * z,
]
if not hasattr(np, "cumulative_sum"):  # since NumPy 2.1
    del RUNNING[9:11]


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: x.dtype.str)
@pytest.mark.parametrize("f", RUNNING)
def test_sums_are_in_the_dtype_asked_for(f, x):
    as_numpy(f, x, 1.5)
    value_as_numpy(f, x, 1.5, wrt=1)


STARTED = [
    lambda x: np.sum(x, initial=5.7),
    lambda x: x.sum(initial=True),
    lambda x: np.prod(x, initial=2.5),
    lambda x: np.max(x, initial=0.5),
    lambda x: x.max(initial=10.7),
    lambda x: x.min(initial=0.5),
    lambda x: np.max(x[:0], initial=0.5),
    lambda x: np.max(x, initial=2.5, where=x > 50),
    lambda x: x[None].max(axis=1, initial=10.7),
    lambda x: np.add.reduce(x, initial=5.7),
    lambda x: np.maximum.reduce(x, initial=9.5),
    lambda x: np.sum(x, dtype=np.int8, initial=2.5),
    lambda x: np.sum(x, dtype=float, initial=2.5),
]


@pytest.mark.parametrize("x", [*ARRAYS, WHOLE * 0.5], ids=lambda x: x.dtype.str)
@pytest.mark.parametrize("f", STARTED)
def test_a_start_has_the_dtype_of_the_sum(f, x):
    as_numpy(f, x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, z: np.sum(x, initial=z),
        lambda x, z: np.max(x, initial=z),
        lambda x, z: np.sum(x, initial=np.nan) * z,
        lambda x, z: np.max(x, initial=np.inf) * z,
    ],
)
def test_a_start_that_is_cut_at_run_time_is_refused(f):
    with pytest.raises(srcad.SrcadError):
        srcad.value_and_grad(f, 1)(WHOLE, 1.5)
    x = WHOLE * 0.5
    assert srcad.value_and_grad(f, 1)(x, 60.0)[0] == pytest.approx(f(x, 60.0), nan_ok=True)
