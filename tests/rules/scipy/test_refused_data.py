"""Data that SciPy refuses raise in what stands in the place of a call, also in derivatives."""

import numpy as np
import pytest
from scipy import linalg, stats
from scipy.spatial import distance

import srcad

X = np.array([0.2, 0.3, 0.5])

CALLS = [
    lambda x, k: distance.euclidean(x, 2.0 * x, w=k * x),
    lambda x, k: distance.minkowski(x, 2.0 * x, 3, w=k * x),
    lambda x, k: distance.sqeuclidean(x, 2.0 * x, w=k * x),
    lambda x, k: distance.cosine(x, x * x, w=k * x),
    lambda x, k: distance.correlation(x, x * x, w=k * x),
    lambda x, k: distance.cityblock(x, 2.0 * x, w=k * x),
    lambda x, k: distance.braycurtis(x, 2.0 * x, w=k * x),
    lambda x, k: distance.canberra(x, 2.0 * x, w=k * x),
    lambda x, k: linalg.norm(x * np.sqrt(k)),
    lambda x, k: linalg.companion(x * (k + 1.0))[0, 0],
    lambda x, k: stats.dirichlet.logpdf(x * k, 1.0 + x),
    lambda x, k: stats.dirichlet.logpdf(x, 1.5 * k + x),
    lambda x, k: stats.hmean(k * x),
    lambda x, k: stats.pmean(k * x, 2.0),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", [1.0, -1.0])
@pytest.mark.parametrize("call", CALLS)
def test_what_scipy_refuses_raises(call, k):
    def f(x, k):
        try:
            y = call(x, k)
        except ValueError:
            y = 100.0 * x[0]
        return y + x[1]

    with np.errstate(invalid="ignore"):
        wanted = f(X, k)
        assert srcad.compile(f, backend="numpy")(X, k) == pytest.approx(wanted, nan_ok=True)
        value = srcad.value_and_grad(f)(X, k)[0]
    assert value == pytest.approx(wanted, nan_ok=True)
