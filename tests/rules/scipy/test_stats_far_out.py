"""Distributions of `scipy.stats` far out, and of NaN."""

import numpy as np
import pytest

import srcad
from srcad.rules import RULES
from srcad.testing import check_grads

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
RULES.load_all()

CONTINUOUS = {
    "norm": (), "t": (2.5,), "laplace": (), "logistic": (), "cauchy": (), "gumbel_r": (),
    "gumbel_l": (), "skewnorm": (1.5,), "uniform": (), "beta": (1.5, 2.5),
    "truncnorm": (-0.5, 1.5), "expon": (), "gamma": (1.5,), "chi2": (3.0,), "invgamma": (1.5,),
    "f": (2.5, 3.5), "weibull_min": (1.7,), "pareto": (1.3,), "halfnorm": (), "rayleigh": (),
    "lognorm": (0.8,),
}  # fmt: skip
DISCRETE = {
    "poisson": (2.5,), "binom": (5, 0.3), "bernoulli": (0.3,), "nbinom": (2.5, 0.4), "geom": (0.3,),
}  # fmt: skip
FAR = [np.inf, -np.inf, 1e300, -1e300, 1e200, 1e20, 0.0, 1e-300, np.nan]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_values_far_out_and_of_nothing(name):
    shapes = (CONTINUOUS | DISCRETE)[name]
    for method in (
        ("pdf", "logpdf", "cdf", "sf") if name in CONTINUOUS else ("pmf", "logpmf", "cdf")
    ):
        fn = getattr(getattr(stats, name), method)
        for x in map(np.array, FAR) if fn in RULES else ():
            got, want = srcad.compile(lambda x: fn(x, *shapes))(x), fn(x, *shapes)
            if method == "logpdf" and name in ("laplace", "pareto") and np.isfinite(x):
                assert np.isfinite(got) or want == got  # exact, where SciPy's density underflows
            else:
                np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-300)


def test_students_distribution_of_infinite_freedom():
    df = np.array([2.0, np.inf, 5.0])
    for f in (lambda df: stats.t.logpdf(0.5, df), lambda df: stats.t.pdf(0.5, df)):
        np.testing.assert_allclose(srcad.compile(f)(df), f(df), rtol=1e-12)
        assert srcad.grad(lambda df: np.sum(f(df)))(df)[1] == 0
    check_grads(lambda x: np.sum(stats.t.logpdf(x, np.inf)), (np.array([0.3, -2.0]),))
    check_grads(lambda df: np.sum(stats.t.logpdf(np.array([-2.0, -0.3, 0.2, 3.0]), df)), (2.5,))


def test_a_density_far_out_has_its_derivative():
    assert srcad.grad(lambda x: stats.cauchy.logpdf(x))(1e200) == -2e-200
    assert srcad.grad(lambda x: stats.laplace.logpdf(x))(1e4) == -1.0
