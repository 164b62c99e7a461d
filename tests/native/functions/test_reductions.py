import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from native.accuracy import DTYPES

from srcad.native.functions.exponential import exp
from srcad.native.functions.reductions import KNOWS_MAXIMUM, add, larger, multiply, smaller

STEPS = {"add": add, "multiply": multiply, "larger": larger, "smaller": smaller}
NUMPY = {"add": np.sum, "multiply": np.prod, "larger": np.max, "smaller": np.min}


def reduction(step, start, dtype):
    x = numba.types.Array(numba.from_dtype(np.dtype(dtype)), 1, "C")

    def loop(x):
        result = x.dtype.type(start)
        for i in range(x.size):
            result = step(result, x[i])
        return result

    return numba.njit(x.dtype(x))(loop)


STARTS = {"add": 0.0, "multiply": 1.0, "larger": -np.inf, "smaller": np.inf}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", STEPS)
def test_is_numpy_s_and_vectorised(name, dtype):
    fn = reduction(STEPS[name], STARTS[name], dtype)
    (text,) = fn.inspect_llvm().values()
    assert "vector.body" in text or not (KNOWS_MAXIMUM or name in ("add", "multiply"))
    for size in (0, 1, 2, 7, 8, 31, 32, 33, 100, 1000):
        x = np.random.default_rng(size).normal(1, 0.05, size).astype(dtype)
        want = NUMPY[name](x) if size else dtype(STARTS[name])
        assert type(fn(x)) is float
        assert fn(x) == pytest.approx(want, rel=100 * float(np.finfo(dtype).eps))
        assert fn(x) == fn(x.copy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["larger", "smaller"])
@pytest.mark.parametrize("position", [0, 1, 50, 99])
def test_nan_is_the_extremum_wherever_it_stands(name, dtype, position):
    fn = reduction(STEPS[name], STARTS[name], dtype)
    x = np.linspace(-1, 1, 100).astype(dtype)
    x[position] = np.nan
    assert np.isnan(fn(x))
    x[position] = STARTS[name]
    assert fn(x) == NUMPY[name](x)


def test_infinities_and_nan_in_sums():
    fn = reduction(add, 0.0, np.float64)
    x = np.ones(100)
    x[3] = np.inf
    assert fn(x) == np.inf
    x[70] = -np.inf
    assert np.isnan(fn(x))


def test_fused_with_an_elementary_function():
    @numba.njit
    def log_sum_exp(x):
        top = -np.inf
        for i in range(x.size):
            top = larger(top, x[i])
        total = 0.0
        for i in range(x.size):
            total = add(total, exp(x[i] - top))
        return top + np.log(total)

    x = np.random.default_rng(5).normal(0, 300, 1001)
    assert log_sum_exp(x) == pytest.approx(np.logaddexp.reduce(x), rel=1e-15)


def test_only_the_reduction_is_reordered():
    @numba.njit("float64(float64[::1], float64)")
    def compensated(x, big):
        total = 0.0
        for i in range(x.size):
            total = add(total, (x[i] + big) - big)
        return total

    # reordered, the difference would be x[i] itself
    assert compensated(np.full(64, 0.25), 2.0**60) == 0.0
