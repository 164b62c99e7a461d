import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import (
    DTYPES,
    check_accuracy,
    check_ends,
    check_vectorised,
    evaluate,
    new_llvm,
    precise,
    worst_ulps,
)

from srcad.native.functions import trigonometric

HUGE = 1.7e308
TURNS = [(-10, 10), (-1, 1), (0.78, 0.79), (-7000, 7000), (-1.7e6, 1.7e6), (-HUGE, HUGE)]
CASES = [
    # function, reference, intervals, ulps
    ("sin", np.sin, TURNS, 1.0),
    ("cos", np.cos, TURNS, 1.0),
    ("tan", np.tan, TURNS, 2.3),
    ("arcsin", np.arcsin, [(-1, 1), (0.45, 0.55), (-1e-3, 1e-3), (0.99, 1)], 1.5),
    ("arccos", np.arccos, [(-1, 1), (0.45, 0.55), (-0.55, -0.45), (0.99, 1), (-1, -0.99)], 1.5),
    ("arctan", np.arctan, [(-HUGE, HUGE), (-1, 1), (0.4, 0.43), (-3, 3), (-1e-3, 1e-3)], 2.0),
]
NAMES = [case[0] for case in CASES]


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference", "intervals", "ulps"), CASES, ids=NAMES)
def test_errors_over_the_whole_range(name, reference, intervals, ulps, dtype):
    check_accuracy(getattr(trigonometric, name), reference, dtype, intervals, ulps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference"), [c[:2] for c in CASES], ids=NAMES)
def test_zeros_infinities_and_nan(name, reference, dtype):
    check_ends(getattr(trigonometric, name), reference, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", [n if n[0] == "a" else pytest.param(n, marks=new_llvm) for n in NAMES]
)
def test_loop_is_vectorised(name, dtype):
    check_vectorised(getattr(trigonometric, name), dtype)


@precise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_beside_multiples_of_a_quarter_turn(name, dtype):
    turns = np.arange(
        1, 4000 if dtype is np.float32 else 1_000_000, 1 if dtype is np.float32 else 97
    )
    middle = (turns * np.longdouble("1.57079632679489661923132169163975144")).astype(dtype)
    x = np.concatenate([np.nextafter(middle, dtype(0)), middle, np.nextafter(middle, dtype(1e9))])
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.longdouble))
    assert worst_ulps(evaluate(getattr(trigonometric, name), x), exact) <= 2.3


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_huge_argument_among_ordinary_ones(dtype):
    x = np.linspace(-3, 3, 1001).astype(dtype)
    alone = evaluate(trigonometric.sin, x)
    x[[3, 500, 1000]] = 1e22
    y = evaluate(trigonometric.sin, x)
    assert np.array_equal(np.flatnonzero(y != alone), [3, 500, 1000])
    assert np.allclose(y[[3, 500, 1000]], np.sin(np.longdouble(x[3])), rtol=1e-6)


@precise
@pytest.mark.parametrize("dtype", DTYPES)
class TestArctan2:
    def test_errors(self, dtype):
        rng = np.random.default_rng(3)
        y, x = rng.normal(size=(2, 20_000)).astype(dtype)
        sizes = np.exp2(rng.uniform(-90, 90, 20_000))
        for a, b in ((y, x), (y * sizes.astype(dtype), x)):
            a, b = a.astype(dtype), b.astype(dtype)
            exact = np.arctan2(a.astype(np.longdouble), b.astype(np.longdouble))
            assert worst_ulps(evaluate(trigonometric.arctan2, a, b), exact) <= 2.0

    def test_zeros_infinities_and_nan(self, dtype):
        check_ends(trigonometric.arctan2, np.arctan2, dtype, 2)

    def test_loop_is_vectorised(self, dtype):
        check_vectorised(trigonometric.arctan2, dtype, 2)
