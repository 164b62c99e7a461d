import numpy as np
import pytest

pytest.importorskip("numba")
from native.accuracy import (
    DTYPES,
    check_accuracy,
    check_ends,
    check_vectorised,
    evaluate,
    precise,
    worst_ulps,
)

from srcad.native.functions.roots import cbrt, hypot


@precise
@pytest.mark.parametrize("dtype", DTYPES)
def test_errors_of_cube_roots(dtype):
    check_accuracy(cbrt, np.cbrt, dtype, [(-1.7e308, 1.7e308), (-1, 1), (0.3, 8), (-1e-40, 0)], 1.0)


@precise
@pytest.mark.parametrize("dtype", DTYPES)
def test_errors_of_hypotenuses(dtype):
    rng = np.random.default_rng(9)
    top = np.finfo(dtype).maxexp - 1
    for reach in (1, 30, top):
        x, y = (np.exp2(rng.uniform(-reach, reach, (2, 20_000))) * [[1], [-1]]).astype(dtype)
        exact = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
        assert worst_ulps(evaluate(hypot, x, y), exact) <= 1.0
        near = (x * rng.uniform(0.5, 2, x.size)).astype(dtype)
        exact = np.hypot(x.astype(np.longdouble), near.astype(np.longdouble))
        assert worst_ulps(evaluate(hypot, x, near), exact) <= 1.0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("fn", "exact", "arity"), [(cbrt, np.cbrt, 1), (hypot, np.hypot, 2)])
def test_zeros_infinities_and_nan(fn, exact, arity, dtype):
    check_ends(fn, exact, dtype, arity)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("fn", "arity"), [(cbrt, 1), (hypot, 2)])
def test_loops_are_vectorised(fn, arity, dtype):
    check_vectorised(fn, dtype, arity)


def test_roots_of_cubes_are_exact():
    k = np.arange(-1000.0, 1000)
    assert np.array_equal(evaluate(cbrt, k**3), k)
