import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES, check_accuracy, check_ends, check_vectorised, precise

from srcad.native.functions.error_function import erf, erfc


def reference(x):
    """erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 + ...), terms all of one sign."""
    size = np.minimum(np.abs(x), 7)
    term, total = size.copy(), size.copy()
    for n in range(1, 250):
        term = term * (2 * size * size / (2 * n + 1))
        total = total + term
    y = 2 / np.sqrt(np.arccos(np.longdouble(-1))) * np.exp(-size * size) * total
    return np.copysign(np.where(np.abs(x) >= 7, np.longdouble(1), y), x)


def reference_of_erfc(x):
    """A continued fraction beyond 1/2, evaluated from its end."""
    size = np.clip(np.abs(x), 0.5, 40)
    fraction = np.ones_like(size)
    for n in range(1500, 0, -1):
        fraction = 1 + n / (2 * size * size) / fraction
    coarse = size.astype(np.float32).astype(np.longdouble)  # its square is exact
    power = np.exp(-coarse * coarse) * np.exp(-(size - coarse) * (size + coarse))
    tail = power / (size * np.sqrt(np.arccos(np.longdouble(-1))) * fraction)
    tail = np.where(np.abs(x) > 40, np.longdouble(0), tail)
    far = np.where(x > 0, tail, 2 - tail)
    return np.where(np.isnan(x), x, np.where(np.abs(x) < 0.5, 1 - reference(x), far))


CASES = [
    (erf, reference, [(-1, 1), (-7, 7), (0.99, 1.01), (-1e308, 1e308)], 1.5),
    (erfc, reference_of_erfc, [(-1, 1), (-7, 7), (0.49, 0.51), (5, 30), (-1e308, 1e308)], 6.0),
]


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("fn", "exact", "intervals", "ulps"), CASES, ids=["erf", "erfc"])
def test_errors_over_the_whole_range(fn, exact, intervals, ulps, dtype):
    check_accuracy(fn, exact, dtype, intervals, ulps, count=2000)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("fn", "exact"), [c[:2] for c in CASES], ids=["erf", "erfc"])
def test_zeros_infinities_and_nan(fn, exact, dtype):
    check_ends(fn, exact, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fn", [erf, erfc])
def test_loop_is_vectorised(fn, dtype):
    check_vectorised(fn, dtype)
