import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES, check_accuracy, check_ends, check_vectorised, precise

from srcad.native.functions.error_function import erf


def reference(x):
    """erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 + ...), terms all of one sign."""
    size = np.minimum(np.abs(x), 7)
    term, total = size.copy(), size.copy()
    for n in range(1, 250):
        term = term * (2 * size * size / (2 * n + 1))
        total = total + term
    y = 2 / np.sqrt(np.arccos(np.longdouble(-1))) * np.exp(-size * size) * total
    return np.copysign(np.where(np.abs(x) >= 7, np.longdouble(1), y), x)


@precise
@pytest.mark.parametrize("dtype", DTYPES)
def test_errors_over_the_whole_range(dtype):
    check_accuracy(erf, reference, dtype, [(-1, 1), (-7, 7), (0.99, 1.01), (-1e308, 1e308)], 1.5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_infinities_and_nan(dtype):
    check_ends(erf, reference, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_loop_is_vectorised(dtype):
    check_vectorised(erf, dtype)
