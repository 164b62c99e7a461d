"""Methods of SciPy's objects that have rules, differentiated by themselves."""

import inspect

import numpy as np
import pytest

import srcad

stats = pytest.importorskip("scipy.stats")
from srcad.api.arguments.binding import signature_parameters  # noqa: E402
from srcad.rules import RULES  # noqa: E402
from srcad.rules.core.table import name_of  # noqa: E402

X = np.array([0.3, 0.5])
CALLS = {
    "beta": (2.0, 3.0), "gamma": (2.0,), "t": (3.0,), "chi2": (3.0,), "lognorm": (0.5,),
    "f": (2.0, 3.0), "norm": (0.1, 1.2), "expon": (), "laplace": (), "weibull_min": (1.5,),
    "pareto": (2.0, -1.0),
}  # fmt: skip

RULES.load_all()
METHODS = [fn for fn in RULES if inspect.ismethod(fn) and fn.__func__.__module__[:5] == "scipy"]


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_arguments_are_those_of_the_rule(method):
    assert signature_parameters(method) == list(RULES[method].signature.parameters.values())


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["pdf", "logpdf"])
def test_a_density_alone_is_the_density_in_a_function(name, kind):
    density, rest = getattr(getattr(stats, name), kind), CALLS[name]

    def f(x, *rest):
        return density(x, *rest)

    value, pullback = srcad.vjp(density, X, *rest)
    wanted, other = srcad.vjp(f, X, *rest)
    np.testing.assert_allclose(value, density(X, *rest))
    np.testing.assert_allclose(wanted, value)
    np.testing.assert_allclose(pullback(np.ones(2))[0], other(np.ones(2))[0])


def test_keywords_and_defaults():
    found = srcad.grad(stats.norm.logpdf)(0.3, scale=2.0)
    np.testing.assert_allclose(found, -0.3 / 4.0)
    with pytest.raises(srcad.SrcadError):
        srcad.grad(stats.norm.logpdf)(0.3, wrong=2.0)
