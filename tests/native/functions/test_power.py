import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from native.accuracy import DTYPES, check_ends, check_vectorised, evaluate, precise, worst_ulps

from srcad.native.functions.power import power


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("sizes", "exponent"), [(1, 3), (10, 50), (100, 10), (1000, 1), (0.001, 1e5)]
)
def test_errors(dtype, sizes, exponent):
    rng = np.random.default_rng(4)
    sizes = min(sizes, np.finfo(dtype).maxexp - 1)
    x = np.exp2(rng.uniform(-sizes, sizes, 50_000)).astype(dtype)
    y = rng.uniform(-exponent, exponent, 50_000).astype(dtype)
    keep = (x > 0) & np.isfinite(x)
    x, y = x[keep], y[keep]
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    assert worst_ulps(evaluate(power, x, y), exact) <= 1.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_cases(dtype):
    check_ends(power, np.power, dtype, 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_negative_bases(dtype):
    x, y = (a.ravel().astype(dtype) for a in np.meshgrid([-3.5, -2.0, -1.0], np.arange(-9, 10) / 2))
    with np.errstate(invalid="ignore"):
        assert np.allclose(evaluate(power, x, y), np.power(x, y), rtol=1e-6, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_loop_is_vectorised(dtype):
    check_vectorised(power, np.float64 if dtype is np.float32 else dtype, 2)


def test_small_integer_powers_are_exact():
    x, y = (a.ravel() for a in np.meshgrid(np.arange(1.0, 20), np.arange(0.0, 10)))
    assert np.array_equal(evaluate(power, x, y), x**y)


def test_two_integers_are_refused():
    with pytest.raises(numba.TypingError):
        numba.njit(lambda a, b: power(a, b))(2, 3)
