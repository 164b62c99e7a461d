import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES, check_accuracy, check_ends, check_vectorised, evaluate, precise

from srcad.native.functions import logarithm


def softplus(x):
    return np.logaddexp(np.zeros_like(x), x)


HUGE = 1.7e308
POSITIVE = [(0, HUGE), (0, 1), (0.5, 2), (0.99, 1.01), (1, 1e4), (0, 3e-308), (0, 1e-37)]
REAL = [(-HUGE, HUGE), (-1, 1), (-10, 10), (-1e-6, 1e-6)]
CASES = [
    # function, reference, intervals, ulps
    ("log", np.log, POSITIVE, 1.0),
    ("log2", np.log2, POSITIVE, 1.0),
    ("log10", np.log10, POSITIVE, 1.0),
    ("log1p", np.log1p, [(-1, HUGE), (-0.9, 1), (-1e-3, 1e-3), (-1, -0.99), (0, 1e9)], 1.5),
    ("softplus", softplus, [(-1e4, 1e4), (-5, 5), (-760, -700), (-105, -80)], 2.0),
    ("arcsinh", np.arcsinh, [*REAL, (1e3, 1e10)], 2.0),
    ("arccosh", np.arccosh, [(1, HUGE), (1, 2), (1, 1.001), (1e3, 1e10)], 2.5),
    ("arctanh", np.arctanh, [(-1, 1), (-0.5, 0.5), (-1e-3, 1e-3), (0.99, 1)], 3.0),
]
NAMES = [case[0] for case in CASES]


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference", "intervals", "ulps"), CASES, ids=NAMES)
def test_errors_over_the_whole_range(name, reference, intervals, ulps, dtype):
    check_accuracy(getattr(logarithm, name), reference, dtype, intervals, ulps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference"), [c[:2] for c in CASES], ids=NAMES)
def test_zeros_infinities_and_nan(name, reference, dtype):
    check_ends(getattr(logarithm, name), reference, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_loop_is_vectorised(name, dtype):
    check_vectorised(getattr(logarithm, name), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_log2_of_powers_of_two_is_exact(dtype):
    info = np.finfo(dtype)
    k = np.arange(info.minexp - info.nmant, info.maxexp).astype(dtype)
    assert np.array_equal(evaluate(logarithm.log2, np.exp2(k)), k)


def test_log10_of_powers_of_ten_is_exact():
    k = np.arange(0.0, 23)
    assert np.array_equal(evaluate(logarithm.log10, 10.0**k), k)


@pytest.mark.parametrize("dtype", DTYPES)
class TestLogaddexp:
    def test_error_is_small_beside_the_arguments(self, dtype):
        rng = np.random.default_rng(2)
        x, y = rng.uniform(-40, 40, (2, 20_000)).astype(dtype)
        exact = np.logaddexp(x.astype(np.longdouble), y.astype(np.longdouble))
        unit = np.spacing(np.max(np.abs([x, y, exact.astype(dtype)]), axis=0))
        assert np.max(np.abs(evaluate(logarithm.logaddexp, x, y) - exact) / unit) <= 1.0

    def test_zeros_infinities_and_nan(self, dtype):
        check_ends(logarithm.logaddexp, np.logaddexp, dtype, 2, absolute=1)

    def test_loop_is_vectorised(self, dtype):
        check_vectorised(logarithm.logaddexp, dtype, 2)
