import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import DTYPES, check_accuracy, check_ends, check_vectorised, precise

from srcad.native.functions import exponential


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FINITE = (-2e4, 2e4)  # beyond all ends of exp in float64, within those of long double's
CASES = [
    # function, reference, intervals, ulps
    ("exp", np.exp, [FINITE, (-1, 1), (-760, -700), (700, 712), (-105, -80), (80, 90)], 1.0),
    ("exp2", np.exp2, [(-1e4, 1e4), (-1, 1), (-1080, -1000), (1000, 1030), (-160, -120)], 1.2),
    ("expm1", np.expm1, [FINITE, (-1, 1), (-45, 0), (700, 712), (-1e-5, 1e-5)], 1.8),
    ("tanh", np.tanh, [FINITE, (-1, 1), (-0.35, 0.35), (-25, 25), (-1e-3, 1e-3)], 2.3),
    ("sigmoid", sigmoid, [(-1e4, 1e4), (-5, 5), (-760, -700), (-105, -80)], 2.0),
    ("sinh", np.sinh, [(-1e4, 1e4), (-1, 1), (-5, 5), (700, 712), (88, 90)], 2.0),
    ("cosh", np.cosh, [(-1e4, 1e4), (-1, 1), (-5, 5), (700, 712), (88, 90)], 1.6),
]
NAMES = [case[0] for case in CASES]


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference", "intervals", "ulps"), CASES, ids=NAMES)
def test_errors_over_the_whole_range(name, reference, intervals, ulps, dtype):
    check_accuracy(getattr(exponential, name), reference, dtype, intervals, ulps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference"), [c[:2] for c in CASES], ids=NAMES)
def test_zeros_infinities_and_nan(name, reference, dtype):
    check_ends(getattr(exponential, name), reference, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_loop_is_vectorised(name, dtype):
    check_vectorised(getattr(exponential, name), dtype)
