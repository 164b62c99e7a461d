import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from srcad.pipeline.disk.fingerprint import describe
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
METHODS = ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"]
X = np.array([-40.0, -2.0, -0.3, 0.2, 0.7, 1.0, 1.4, 3.0, 40.0, np.nan])


def body(fn):
    return RULES[fn].body


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_values_in_and_out_of_the_support(name, method):
    fn = getattr(getattr(stats, name), method)
    if fn not in RULES:
        assert name in ("truncnorm", "skewnorm")
        pytest.skip("no formula is stated")
    shapes = CONTINUOUS[name]
    for more in ((), (0.1, 2.0)):
        got, want = body(fn)(X, *shapes, *more), fn(X, *shapes, *more)
        tol = 1e-11 if method.endswith("pdf") or name != "skewnorm" else 1e-6
        keep = np.abs(want) < 700 if name == "skewnorm" else np.full(len(X), True)
        np.testing.assert_allclose(got[keep], want[keep], rtol=tol, atol=1e-15)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CONTINUOUS)
def test_impossible_parameters_give_nan(name):
    dist, shapes = getattr(stats, name), CONTINUOUS[name]
    for method in ("logpdf", "cdf", "ppf"):
        fn = getattr(dist, method)
        if fn in RULES:
            x = np.array([0.5, 1.5]) if method != "ppf" else np.array([0.3, 0.5])
            assert np.isnan(body(fn)(x, *shapes, 0.0, -1.0)).all()
            assert np.isnan(fn(x, *shapes, 0.0, -1.0)).all()


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles_of_all_probabilities(name):
    fn = getattr(stats, name).ppf
    if fn not in RULES:
        pytest.skip("no formula is stated")
    q = np.array([-0.1, 0.0, 0.1, 0.5, 0.9, 1.0, 1.1])
    shapes = CONTINUOUS[name]
    want = fn(q, *shapes, 0.5, 2.0)
    np.testing.assert_allclose(body(fn)(q, *shapes, 0.5, 2.0), want, rtol=1e-10)


@pytest.mark.parametrize("method", ["logpmf", "pmf", "cdf", "sf"])
@pytest.mark.parametrize("name", DISCRETE)
def test_values_of_all_counts(name, method):
    fn = getattr(getattr(stats, name), method)
    k = np.array([-2.0, -1, 0, 0.5, 1, 2, 3.5, 5, 6, 9])
    shapes = DISCRETE[name]
    for loc in (0, 1):
        got, want = body(fn)(k, *shapes, loc=loc), fn(k, *shapes, loc=loc)
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-15)


# ---- how a user writes them


def by_position(x, m, s):
    return np.sum(stats.norm.logpdf(x, m, s))


def by_name(x, m, s):
    return np.sum(stats.norm.logpdf(x, loc=m, scale=s))


def frozen(x, m, s):
    return np.sum(stats.norm(m, s).logpdf(x))


def frozen_in_a_variable(x, m, s):
    law = stats.norm(loc=m, scale=s)
    return np.sum(law.logpdf(x))


norm = stats.norm
logpdf = stats.norm.logpdf


def of_a_global_object(x, m, s):
    return np.sum(norm.logpdf(x, m, s))


def of_a_global_method(x, m, s):
    return np.sum(logpdf(x, m, scale=s))


FORMS = [by_position, by_name, frozen, frozen_in_a_variable, of_a_global_object, of_a_global_method]


@pytest.mark.parametrize("f", FORMS)
def test_forms_of_a_call(f):
    x, m, s = np.array([-1.0, 0.5, 2.0]), 0.3, 1.7
    value, (x_bar, m_bar, s_bar) = srcad.value_and_grad(f, argnums=(0, 1, 2))(x, m, s)
    z = (x - m) / s
    np.testing.assert_allclose(value, stats.norm.logpdf(x, m, s).sum())
    np.testing.assert_allclose(x_bar, -z / s)
    np.testing.assert_allclose(m_bar, np.sum(z / s))
    np.testing.assert_allclose(s_bar, np.sum(z * z - 1) / s)
    check_grads(f, (x, m, s), order=2)


def posterior(theta, k, x):
    rate = np.exp(theta)
    prior = stats.gamma.logpdf(rate, 2.0, scale=0.5) + theta
    return prior + np.sum(stats.poisson.logpmf(k, rate)) + np.sum(stats.expon(scale=rate).logpdf(x))


def test_a_posterior():
    k, x = np.array([0, 3, 2]), np.array([0.2, 1.4])
    check_grads(lambda theta: posterior(theta, k, x), (0.3,), order=2)


# ---- outside of the support, and at what has no derivative


def waiting(x, rate):
    return np.sum(np.where(x > 0, stats.expon.logpdf(x, scale=rate), 0.0))


@pytest.mark.filterwarnings("error")
def test_a_masked_density_spoils_nothing():
    x = np.array([-1.0, 2.0])
    x_bar, rate_bar = srcad.grad(waiting, argnums=(0, 1))(x, 2.0)
    np.testing.assert_allclose(x_bar, [0, -0.5])
    np.testing.assert_allclose(rate_bar, 2.0 / 4 - 1 / 2)


def densities(x, a):
    return np.sum(stats.gamma.pdf(x, a))


@pytest.mark.filterwarnings("error")
def test_a_density_outside_of_its_support_has_derivative_zero():
    x = np.array([-3.0, -0.5])
    x_bar, a_bar = srcad.grad(densities, argnums=(0, 1))(x, 1.5)
    np.testing.assert_array_equal(x_bar, [0, 0])
    assert a_bar == 0


def by_shape(a):
    return stats.gamma.cdf(1.5, a)


def test_a_distribution_function_is_refused_by_its_shape():
    with pytest.raises(MissingRule, match="no derivative with respect to this argument"):
        srcad.grad(by_shape)(1.5)


def draws(x):
    return x * stats.norm(0, 1).rvs()


def test_random_draws_are_refused():
    with pytest.raises(srcad.SrcadError) as caught:
        srcad.grad(draws)(1.5)
    assert caught.value.code == "E120"


# ---- several dimensions


def ellipse(x, mean, root):
    return np.sum(stats.multivariate_normal.logpdf(x, mean, root @ root.T + np.eye(3)))


def frozen_ellipse(x, mean, root):
    return np.sum(stats.multivariate_normal(mean, root @ root.T + np.eye(3)).logpdf(x))


@pytest.mark.parametrize("f", [ellipse, frozen_ellipse])
@pytest.mark.parametrize("shape", [(3,), (4, 3)])
def test_the_multivariate_normal_by_all_its_arguments(f, shape):
    rng = np.random.default_rng(0)
    args = rng.standard_normal(shape), rng.standard_normal(3), rng.standard_normal((3, 3))
    np.testing.assert_allclose(srcad.value_and_grad(f)(*args)[0], f(*args))
    check_grads(f, args, order=2)


def dirichlet(alpha):
    return stats.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), alpha)


def test_dirichlet_by_its_parameters():
    alpha = np.array([1.5, 2.0, 0.7])
    np.testing.assert_allclose(srcad.value_and_grad(dirichlet)(alpha)[0], dirichlet(alpha))
    check_grads(dirichlet, (alpha,), order=2)


def by_method(method):
    def f(q):
        return np.sum(method(q, 2.5))

    return f


def test_programs_tell_distributions_apart():
    # The methods are one function each, of the class that all distributions have.
    assert describe(stats.norm.ppf) != describe(stats.expon.ppf)
    assert describe(stats.norm) != describe(stats.expon)
    q = np.array([0.3, 0.6])
    for dist in (stats.t, stats.gamma, stats.chi2):
        q_bar = srcad.grad(by_method(dist.ppf))(q)
        np.testing.assert_allclose(q_bar, 1 / dist.pdf(dist.ppf(q, 2.5), 2.5))


law = stats.norm.pdf


def of_a_changed_global(x):
    return law(x)


def test_a_method_that_was_replaced_is_seen(monkeypatch):
    program = srcad.value_and_grad(of_a_changed_global)
    np.testing.assert_allclose(program(0.5)[0], stats.norm.pdf(0.5))
    monkeypatch.setitem(globals(), "law", stats.cauchy.pdf)
    np.testing.assert_allclose(program(0.5)[0], stats.cauchy.pdf(0.5))


def of_a_changed_object(x):
    return norm.pdf(x)


def test_a_distribution_that_was_replaced_is_seen(monkeypatch):
    program = srcad.value_and_grad(of_a_changed_object)
    np.testing.assert_allclose(program(0.5)[0], stats.norm.pdf(0.5))
    monkeypatch.setitem(globals(), "norm", stats.cauchy)
    np.testing.assert_allclose(program(0.5)[0], stats.cauchy.pdf(0.5))


law_of_parameters = stats.norm


def frozen_of_a_changed_object(x):
    return law_of_parameters(0.5, 2.0).pdf(x)


def test_a_frozen_distribution_that_was_replaced_is_seen(monkeypatch):
    program = srcad.value_and_grad(frozen_of_a_changed_object)
    np.testing.assert_allclose(program(0.5)[0], stats.norm(0.5, 2.0).pdf(0.5))
    monkeypatch.setitem(globals(), "law_of_parameters", stats.cauchy)
    np.testing.assert_allclose(program(0.5)[0], stats.cauchy(0.5, 2.0).pdf(0.5))


# ---- multivariate normal distributions of singular matrices

_A = np.random.default_rng(0).normal(size=(4, 4))
_FULL = _A @ _A.T + np.eye(4)
_PART = np.zeros((4, 4))
_PART[:2, :2] = [[1.0, 0.3], [0.3, 1.0]]
_MEAN = _A[0]
_INSIDE = _MEAN + np.array([0.1, -0.2, 0.0, 0.0])
_PLANE = _A[:, :2]
_normal = stats.multivariate_normal


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda mean, cov: _normal.entropy(mean, cov), (_MEAN, _FULL)),
        (lambda cov: _normal(_MEAN, cov).entropy(), (_FULL,)),
        (lambda x, cov: _normal.logpdf(x, _MEAN, cov, allow_singular=True), (_A[1:3], _FULL)),
        (lambda x: _normal.pdf(np.append(x, _MEAN[2:]), _MEAN, _PART, True), (_INSIDE[:2],)),
        (
            lambda z: _normal.logpdf(_A[:, :2] @ z, None, _A[:, :2] @ _A[:, :2].T, True),
            (_A[3, :2],),
        ),
    ],
)
def test_covariances_may_be_singular(f, args):
    np.testing.assert_allclose(srcad.compile(f)(*args), f(*args), rtol=1e-13)
    assert type(srcad.compile(f)(*args)) is type(f(*args))
    check_grads(f, args)


def test_the_rank_of_a_covariance_stays_where_it_is_differentiated():
    def f(b, z):
        return _normal.logpdf(b @ z, np.zeros(4), b @ b.T, allow_singular=True)

    check_grads(f, (_A[:, :2], np.array([0.3, 0.5])), order=1)


def test_beside_the_columns_of_a_covariance_there_is_nothing():
    def f(x):
        return _normal.logpdf(x, _MEAN, _PART, allow_singular=True)

    for x in (_INSIDE, _MEAN + 1.0):
        value, slope = srcad.value_and_grad(f)(x)
        np.testing.assert_allclose(value, f(x))
        assert np.all(np.isfinite(slope))
    with pytest.raises(ValueError, match="positive semidefinite"):
        srcad.grad(lambda x: _normal.logpdf(x, _MEAN, -_FULL, allow_singular=True))(_MEAN)


_SCIPY = tuple(map(int, pytest.importorskip("scipy").__version__.split(".")[:2]))
Q = np.array([0.0, 1e-320, 1e-300, 1e-50, 1e-16, 1e-5, 0.24, 0.5, 0.76, 1 - 1e-5, 1 - 2**-53, 1.0])
FAR = np.array([*-(10.0 ** np.arange(-3, 4)), 0.0, *10.0 ** np.arange(-3, 4), 36.0, 38.0])


def _cauchy_quantile(q):
    return stats.cauchy.ppf(q)


TAILS = [
    lambda x: stats.norm.pdf(x),
    lambda x: stats.norm.logsf(x),
    lambda x: stats.laplace.pdf(x),
    lambda x: stats.laplace.logcdf(x),
    lambda x: stats.laplace.logsf(x),
    lambda x: stats.cauchy.pdf(x * 1e10),
    lambda x: stats.cauchy.logcdf(x),
    lambda x: stats.cauchy.logsf(x),
    lambda x: stats.t.logcdf(x, 2.5),
    lambda x: stats.t.logsf(x, 2.5),
    lambda x: stats.expon.logcdf(x),
    lambda x: stats.gumbel_r.logsf(x),
    lambda x: stats.gumbel_l.logcdf(x),
    lambda x: stats.gumbel_r.cdf(x),
    lambda x: stats.gumbel_l.sf(x),
    lambda x: stats.gamma.logcdf(x, 1.5),
    lambda x: stats.gamma.logsf(x, 1.5),
    lambda x: stats.beta.logsf(x / 1e3, 1.5, 2.5),
    lambda x: stats.pareto.pdf(x, 2.5),
    lambda x: stats.pareto.logcdf(x, 2.5),
    lambda x: stats.halfnorm.pdf(x),
    lambda x: stats.halfnorm.logcdf(x),
    lambda x: stats.weibull_min.logcdf(x, 1.7),
    lambda x: stats.skewnorm.pdf(x, 1.5),
]


@pytest.mark.parametrize("f", TAILS)
def test_values_far_out(f):
    with np.errstate(all="ignore"):
        wanted = f(FAR)
        if _SCIPY < (1, 17):  # before, a logarithm near 0 was that of a number near 1
            np.testing.assert_allclose(srcad.compile(f)(FAR), wanted, rtol=1e-11, atol=1e-15)
        else:
            np.testing.assert_allclose(srcad.compile(f)(FAR), wanted, rtol=2e-13)


def test_a_quantile_of_cauchy_far_out():
    with np.errstate(all="ignore"):
        got, slope = srcad.jvp(_cauchy_quantile, (Q,), (np.ones_like(Q),))
        if _SCIPY >= (1, 17):
            np.testing.assert_allclose(got, stats.cauchy.ppf(Q), rtol=1e-15)
        inner = slice(3, -1)
        exact = np.pi * (1 + got[inner] ** 2)
    np.testing.assert_allclose(slope[inner], exact, rtol=1e-14)
    assert np.array_equal(got[[0, -1]], [-np.inf, np.inf])


def test_derivatives_far_out():
    x = np.array([-800.0, -40.0, 0.5, 40.0, 800.0])
    with np.errstate(all="ignore"):
        for f, of in (
            (lambda x: stats.laplace.logcdf(x), stats.laplace),
            (lambda x: stats.cauchy.logcdf(x), stats.cauchy),
            (lambda x: stats.t.logcdf(x, 2.5), stats.t(2.5)),
        ):
            wanted = np.exp(of.logpdf(x) - of.logcdf(x))
            got = srcad.elementwise_grad(f)(x)
            known = np.isfinite(wanted)
            np.testing.assert_allclose(got[known], wanted[known], rtol=1e-10)
        for f in (lambda x: stats.gumbel_r.cdf(x), lambda x: stats.gumbel_l.sf(x)):
            assert np.isfinite(srcad.elementwise_grad(f)(x)).all()


def test_a_skewed_normal_is_no_less_than_0():
    x = np.linspace(-30.0, 30.0, 61)
    for a in (-1.5, 1.5, 4.0):
        got = srcad.compile(lambda x, a=a: stats.skewnorm.cdf(x, a))(x)
        assert got.min() >= 0.0
        assert got.max() <= 1.0


def test_of_numbers_of_python_they_are_numpys(recwarn):
    for name, shapes in (CONTINUOUS | DISCRETE).items():
        for method in ("logpdf", "pdf", "cdf") if name in CONTINUOUS else ("cdf",):
            function = getattr(getattr(stats, name), method)
            if function not in RULES:
                continue
            f = srcad.compile(lambda x, function=function, shapes=shapes: function(x, *shapes))
            assert type(f(0.7)) is type(function(0.7, *shapes)), function


@pytest.mark.parametrize("scale", [0.0, 0, -1.0, 2])
def test_a_scale_of_zero_raises_nothing(scale, recwarn):
    for dist in (stats.norm, stats.expon, stats.cauchy, stats.laplace):
        for method in ("logpdf", "pdf", "cdf", "sf"):
            function = getattr(dist, method)
            got = srcad.compile(lambda x, s, function=function: function(x, 0.5, s))(0.7, scale)
            np.testing.assert_allclose(got, function(0.7, 0.5, scale), rtol=1e-12)
