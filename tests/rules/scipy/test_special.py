import os
import subprocess
import sys

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule, SrcadError
from srcad.rules import RULES

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
refused = pytest.importorskip("srcad.rules.scipy.refused")


def is_callable(name):
    member = getattr(special, name)
    is_class = isinstance(member, type) and issubclass(member, Exception)
    return callable(member) and not is_class and name != "test"


def test_every_public_name_is_classified():
    RULES.load_all()
    names = [name for name in special.__all__ if is_callable(name)]
    assert len(names) > 300
    unclear = [
        name
        for name in names
        if getattr(special, name) not in RULES and f"scipy.special.{name}" not in refused.refused()
    ]
    assert unclear == []


def test_what_is_refused_has_no_rule():
    for name in refused.refused():
        member = getattr(special, name.rpartition(".")[2], None)
        assert member is None or member not in RULES


def count(x):
    return np.sum(special.comb(x, 2))


def test_a_refused_function_says_what_to_use():
    with pytest.raises(SrcadError, match=r"scipy\.special\.comb") as caught:
        srcad.grad(count)(np.ones(3))
    assert caught.value.code == "E204"
    assert "binom" in caught.value.fix


def of_order(v):
    return special.jv(v, 2.0)


def of_shape(a):
    return special.gammainc(a, 2.0)


def of_s(s):
    return special.zeta(s, 2.0)


def of_noncentral(x):
    return special.chndtr(x, 2.0, 1.0)


def of_modulus(m):
    return special.ellipkinc(0.5, m)


@pytest.mark.parametrize("f", [of_order, of_shape, of_s, of_noncentral, of_modulus])
@pytest.mark.parametrize("transform", [srcad.grad, lambda f: lambda x: srcad.jvp(f, (x,), (1.0,))])
def test_arguments_without_derivative_are_refused(f, transform):
    with pytest.raises(MissingRule, match="no derivative with respect to this argument"):
        transform(f)(1.5)


def test_held_arguments_may_be_anything():
    def f(x):
        return np.sum(special.chndtr(2.0, 2.0, 1.0) * x**2)

    np.testing.assert_allclose(srcad.grad(f)(np.ones(2)), 2 * special.chndtr(2.0, 2.0, 1.0))


def quadrature(a):
    x, w = special.roots_legendre(8)
    return np.sum(w * np.exp(a * x))


def test_quadrature_nodes_are_constants():
    a = 0.7
    want = (np.cosh(a) - np.sinh(a) / a) * 2 / a
    np.testing.assert_allclose(srcad.grad(quadrature)(a), want, rtol=1e-10)


# ---- limits


def slopes(f, *args):
    every = tuple(range(len(args)))
    return srcad.grad(f, argnums=every)(*args)


def xlogy(x, y):
    return special.xlogy(x, y)


def xlog1py(x, y):
    return special.xlog1py(x, y)


def kl_div(x, y):
    return special.kl_div(x, y)


def rel_entr(x, y):
    return special.rel_entr(x, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("f", "at", "want"),
    [
        (xlogy, (0.0, 0.0), (0, 0)),
        (xlogy, (0.0, 2.0), (np.log(2), 0)),
        (xlog1py, (0.0, -1.0), (0, 0)),
        (kl_div, (0.0, 0.0), (0, 1)),
        (rel_entr, (0.0, 0.0), (1, 0)),
        (kl_div, (2.0, 2.0), (0, 0)),
        (rel_entr, (2.0, 4.0), (1 - np.log(2), -0.5)),
    ],
)
def test_limits(f, at, want):
    np.testing.assert_allclose(slopes(f, *at), want, atol=1e-15)


def divergence(p, q):
    return np.sum(special.rel_entr(p, q))


@pytest.mark.filterwarnings("error")
def test_a_divergence_from_a_distribution_with_zeros():
    p, q = np.array([0.0, 0.4, 0.6]), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(srcad.grad(divergence, argnums=1)(p, q), -p / q)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("fn", "x", "want"),
    [
        (special.expit, [-800.0, 800.0], [0, 0]),
        (special.log_expit, [-800.0, 800.0], [1, 0]),
        (special.log_ndtr, [-1e8, 40.0], [1e8, 0]),
        (special.exprel, [0.0], [0.5]),
        (special.ellipk, [0.0], [np.pi / 8]),
        (special.ellipe, [0.0], [-np.pi / 8]),
        (special.spence, [1.0], [-1]),
        (special.rgamma, [0.0, -1.0, -3.0], [1, -1, -6]),
        (special.j1, [0.0], [0.5]),
        (special.i1, [0.0], [0.5]),
    ],
)
def test_ends_and_removable_singularities(fn, x, want):
    def f(x):
        return np.sum(fn(x))

    np.testing.assert_allclose(srcad.grad(f)(np.array(x)), want, rtol=1e-12)


def lse(x):
    return np.sum(special.logsumexp(x, axis=1)[:1])


@pytest.mark.filterwarnings("error")
def test_logsumexp_of_infinities():
    x = np.array([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, -np.inf]])
    np.testing.assert_allclose(srcad.grad(lse)(x), [[0.5, 0, 0.5], [0, 0, 0]])


def weighted(x, b):
    return special.logsumexp(x, b=b)


def test_logsumexp_by_its_weights():
    x, b = np.array([0.1, 0.5]), np.array([2.0, 3.0])
    x_bar, b_bar = slopes(weighted, x, b)
    y = special.logsumexp(x, b=b)
    np.testing.assert_allclose(x_bar, b * np.exp(x - y))
    np.testing.assert_allclose(b_bar, np.exp(x - y))


def bessel(x):
    return np.sum(special.jv(1, x) * special.gamma(x))


def test_a_saved_module_runs_alone(tmp_path):
    path = tmp_path / "bessel_grad.py"
    program = srcad.grad(bessel)
    x = np.array([0.5, 1.5])
    program.save(path, x)
    text = path.read_text()
    assert "from scipy import special" in text
    *_, body = text.split("\n", 2)  # behind what says where it comes from
    assert "srcad" not in body
    scope = {}
    exec(compile(text, str(path), "exec"), scope)
    np.testing.assert_array_equal(scope["bessel_grad"](x), program(x))


def test_the_dimension_of_multigammaln_may_be_an_argument():
    def f(a, d):
        return np.sum(special.multigammaln(a, d))

    def of_a_loop(a, n):
        total = 0.0
        for d in range(1, n):
            total = total + special.multigammaln(a, d)
        return total

    a, h = np.array([2.7, 4.1]), 1e-5
    wanted = (special.multigammaln(a + h, 3) - special.multigammaln(a - h, 3)) / (2 * h)
    assert np.allclose(srcad.grad(f)(a, 3), wanted, rtol=1e-8)
    wanted = (of_a_loop(3.3 + h, 4) - of_a_loop(3.3 - h, 4)) / (2 * h)
    assert np.isclose(srcad.grad(of_a_loop)(3.3, 4), wanted, rtol=1e-8)


OF_THE_ARRAY_API = """
import numpy as np, srcad
from scipy import special

def f(x):
    y = special.chdtr(2.0, x) + special.gammaln(x)
    return np.sum(y + special.betainc(1.0, 2.0, x) + special.erf(x))

def g(x):
    return special.expit(x) * special.rel_entr(x, 0.4)

for h, x in ((f, np.array([0.3, 0.4])), (g, 0.3)):
    value, slope = srcad.value_and_grad(h)(x)
    assert value == h(x) and type(value) is type(h(x))
    np.testing.assert_allclose(np.sum(slope), (h(x + 1e-6) - h(x - 1e-6)) / 2e-6, rtol=1e-6)
    print(srcad.grad(h).source(x))
"""


def test_the_wrappers_of_the_array_api_are_the_functions_behind_them(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(OF_THE_ARRAY_API)
    env = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "gammaln" in done.stdout or "psi" in done.stdout


def test_the_logarithm_of_gamma_at_complex_numbers():
    def f(x):
        return special.loggamma(x + 1.5j).real * special.loggamma(1.0 + 1j * x).imag

    value, slope = srcad.value_and_grad(f)(0.4)
    assert value == f(0.4)
    np.testing.assert_allclose(slope, (f(0.4 + 1e-6) - f(0.4 - 1e-6)) / 2e-6, rtol=1e-8)
    with pytest.raises(MissingRule, match="complex"):
        srcad.hessian(f)(0.4)
