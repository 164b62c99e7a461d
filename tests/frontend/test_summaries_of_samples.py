"""Summaries of samples in SciPy: with NaN, of narrow ints, of one number and of none."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy
from optional import needs_numba

import srcad

stats = pytest.importorskip("scipy.stats")

X = np.array([1.5, 2.25, 0.5])
MISSING = np.array([1.5, np.nan, 2.25])
WHOLE = np.array([3, 200, 100])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: stats.trim_mean(x, 0.34),
        lambda x: np.sum(stats.trim_mean(x[None], 0.34, axis=1)),
        lambda x: stats.trim_mean(x, 0.1),
        lambda x: stats.sem(x[:1], ddof=0),
        lambda x: stats.sem(x, ddof=0),
        lambda x: stats.iqr(x, rng=(10, 90)),
        lambda x: stats.gmean(x, weights=[1, 2, 3]),
    ],
)
@pytest.mark.parametrize("x", [X, MISSING])
def test_summaries_are_those_of_scipy(f, x):
    as_numpy(f, x)
    value_as_numpy(f, x)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "?"])
@pytest.mark.parametrize("f", [stats.gmean, lambda x: stats.pmean(x, 0), stats.hmean, stats.sem])
def test_means_have_the_dtype_of_scipy(f, dtype):
    as_numpy(lambda x: f(x), WHOLE.astype(dtype))


@needs_numba
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: stats.gmean(x, axis=()), X),
        (lambda x: stats.pmean(x, 2, axis=()), X),
        (lambda x: stats.entropy(x, axis=()), X),
        (lambda x: stats.iqr(x), X > 1.0),
        (lambda x: stats.iqr(x), X + 1j),
        (lambda x: stats.variation(x), X + 1j),
        (lambda x: stats.variation(x, ddof=1), X > 1.0),
        (lambda x: stats.skew(x), X + 1j),
        (lambda x: stats.entropy(x), X + 1j),
    ],
)
def test_what_scipy_does_in_its_own_way_is_refused(f, x):
    with pytest.raises(srcad.SrcadError):
        srcad.compile(f, backend="native")(x)


@needs_numba
def test_quantiles_beside_infinity_are_refused():
    f = srcad.compile(lambda x: stats.iqr(x, rng=(10, 90)), backend="native")
    try:
        found = f(np.array([1.0, 2.0, np.inf]))
    except NotImplementedError:
        return
    assert np.isnan(found)  # before SciPy had quantiles of its own


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("f", "first"),
    [
        (stats.hmean, 3.0),
        (lambda p: stats.pmean(p, -2), np.sqrt(3.0)),
        (lambda p: stats.hmean(p, weights=[1, 2, 3]), 6.0),
        (stats.gmean, np.inf),
        (stats.entropy, np.inf),
        (lambda p: stats.entropy(p, np.array([0.2, 0.3, 0.5])), -np.inf),
    ],
)
def test_slopes_at_a_zero(f, first):
    def of_sample(p):
        return f(p)

    p = np.array([0.0, 1.0, 2.0])
    wanted = [(f(p + step) - f(p - step)) / 2e-6 for step in 1e-6 * np.eye(3)[1:]]
    for derive in (srcad.grad, srcad.jacfwd):
        np.testing.assert_allclose(derive(of_sample)(p), [first, *wanted], atol=1e-8)
    value_as_numpy(of_sample, p)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f", [stats.hmean, stats.gmean, stats.entropy, lambda x: stats.pmean(x, -1)]
)
@pytest.mark.parametrize(
    "x", [X, X[:0], X * 0.0, MISSING, np.array([0.0, 0.0, 1.0]), np.array([[0.0, 1.0], [2.0, 2.0]])]
)
def test_means_beside_zeros_and_of_nothing(f, x):
    as_numpy(lambda x: f(x), x, backends=("native",))
    value_as_numpy(lambda x: np.sum(f(x)), x)


def test_the_hessian_of_equal_entries():
    found = srcad.hessian(lambda x: stats.hmean(x))(np.ones(2))
    np.testing.assert_allclose(found, [[-0.5, 0.5], [0.5, -0.5]])
