"""Solvers in functions that solvers call: integrals of integrals, roots of integrals, and so on."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")

quad, dblquad, tplquad, nquad = (
    integrate.quad,
    integrate.dblquad,
    integrate.tplquad,
    integrate.nquad,
)
W = np.array([0.5, 1.1, 1.9])


def of_a_triangle(k, b):
    return quad(lambda x: quad(lambda y: np.exp(-k * x * y), 0.0, x)[0], 0.0, b)[0]


def with_a_curved_end(k):
    def over_y(x):
        return quad(lambda y: np.sin(k * y + x), 0.0, np.sqrt(1 - x * x * 0.5) * k)[0]

    return quad(lambda x: x * over_y(x) ** 2, 0.0, 1.0)[0]


def of_a_vector(w):
    def over_y(x):
        return quad(lambda y: np.sum(np.cos(w * x * y)) ** 2, 0.0, w[0] * x)[0]

    return quad(over_y, 0.0, 1.0)[0]


def with_args(k):
    def inner(y, x, k):
        return np.exp(-k * x * y)

    return quad(lambda x, k: quad(inner, 0, 1 + x, args=(x, k))[0], 0, 1, args=(k,))[0]


def of_a_root(k):
    return quad(lambda x: optimize.brentq(lambda r: r**3 + r - k * x, 0, 5), 0.0, 1.0)[0]


def where_an_integral_is_a_half(k):
    def f(b):
        return quad(lambda x: np.exp(-k * x * x), 0, b)[0] - 0.5

    return optimize.brentq(f, 0.0, 3.0)


def where_a_minimum_is(k):
    def least(x):
        return optimize.minimize_scalar(lambda y: (y - x * k) ** 4 + (y - 1) ** 2, (0, 1)).x

    return optimize.brentq(lambda x: least(x) - 1.1, 0.1, 5)


def forced_by_an_integral(k):
    def rhs(t, y):
        return -k * y + quad(lambda s: np.exp(-s * k), 0, t)[0]

    tight = {"rtol": 1e-10, "atol": 1e-10}
    return integrate.solve_ivp(rhs, (0, 1), [1.0], t_eval=[1.0], **tight).y[0, -1]


def in_a_box(k):
    return dblquad(lambda y, x: np.exp(-k * x * y), 0.0, 1.0, 0.0, 2.0)[0]


def with_args_passed_on(k, b):
    def f(y, x, k):
        return np.sin(k * x + y)

    return dblquad(f, 0.0, b, lambda x: 0.0, lambda x: k * x, args=(k,))[0]


def in_a_disc(r, c):
    def half(x):
        return np.sqrt(r * r + 0.1 - x * x)

    def f(y, x):
        return np.exp(-((x - c[0]) ** 2) - (y - c[1]) ** 2)

    return dblquad(f, -r, r, lambda x: -half(x), half)[0]


def in_a_half_plane(s):
    return dblquad(lambda y, x: np.exp(-s * x - y), 0, np.inf, lambda x: x * s, lambda x: np.inf)[0]


def in_a_simplex(k):
    def f(z, y, x):
        return np.exp(-k * (x + y * z))

    ends = (lambda x: 0, lambda x: 1 - x * k, lambda x, y: 0, lambda x, y: 2 - x - y * k)
    return tplquad(f, 0, 1, *ends)[0]


def in_three_variables(k):
    ranges = [lambda y, z, k: [0, y * k], lambda z, k: (0, z), [0.1, 1]]
    return nquad(lambda x, y, z, k: x * np.exp(-k * y * z), ranges, (k,), {"epsabs": 1e-10})[0]


def with_options_of_each(k):
    opts = [{"limit": 100}, {"epsrel": 1e-5}]
    return nquad(lambda x, y: x * np.exp(-k * y), [(0, k), (0, 1)], opts=opts)[0]


def by_fixed_points(k, b):
    value, nothing = integrate.fixed_quad(lambda x: np.exp(-k * x), 0, b, n=7)
    assert nothing is None
    return value * k


def by_fixed_points_in_each(w, b):
    def f(x, w):
        return np.exp(-w[:, None] * x) * integrate.fixed_quad(np.sin, 0.0, b)[0]

    return np.sum(integrate.fixed_quad(f, 0.0, b, (w,))[0])


PROGRAMS = [
    (by_fixed_points, (0.7, 1.2)), (by_fixed_points_in_each, (W, 1.2)),
    (of_a_triangle, (0.8, 1.3)), (with_a_curved_end, (0.8,)), (of_a_vector, (W,)),
    (with_args, (0.7,)), (of_a_root, (0.9,)), (where_an_integral_is_a_half, (0.9,)),
    (where_a_minimum_is, (0.9,)), (forced_by_an_integral, (0.9,)), (in_a_box, (0.8,)),
    (with_args_passed_on, (0.8, 1.2)), (in_a_disc, (0.8, np.array([0.1, 0.3]))),
    (in_a_half_plane, (0.9,)), (in_a_simplex, (0.7,)), (in_three_variables, (0.9,)),
    (with_options_of_each, (0.9,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_of_what_solvers_find_inside_of_others(f, args):
    for backend in ("numpy", "auto"):
        value, _ = srcad.value_and_grad(f, backend=backend)(*args)
        plain = f(*args)
        assert type(value) is type(plain)
        if "by_fixed_points" in f.__name__ and backend == "auto":  # compiled sums round otherwise
            assert value == pytest.approx(plain, rel=1e-14)
        else:
            assert value == plain
    check_grads(f, args, order=2, atol=3e-4, rtol=3e-4)


def test_the_error_is_the_largest_of_all():
    def f(k):
        return dblquad(lambda y, x: np.abs(x - y) * k, 0.0, 1.0, 0.0, lambda x: 2.5 * x)

    def g(k):
        return nquad(lambda x, y: np.sqrt(np.abs(x - k * y)), [[0, 1], [0, 2]])

    for each in (f, g):
        made, plain = srcad.compile(each)(0.7), each(0.7)
        assert made == plain
        assert type(made) is tuple
    (value, aux), _ = srcad.value_and_grad(lambda k: f(k), has_aux=True)(0.7)
    assert (value, aux) == f(0.7)


def test_integrals_of_vectors_of_different_lengths():
    def f(v, w):
        one = quad(lambda x: np.sum(np.sin(v * x)), 0.0, 1.0)[0]
        return one * quad(lambda x: np.sum(np.cos(w * x) * one), 0.0, 1.0)[0]

    check_grads(f, (W, W[:2]), order=2, atol=3e-4, rtol=3e-4)


def test_what_an_integrand_raises_and_warns_of():
    with pytest.raises(ZeroDivisionError):
        srcad.grad(lambda k: dblquad(lambda y, x: 1 / 0 if x > 0.5 else k, 0, 1, 0, 1)[0])(1.0)

    def divergent(k):
        return dblquad(lambda y, x: k / np.abs(x - 0.3), 0, 1, 0, 1)[0]

    for call in (srcad.compile(divergent), srcad.grad(divergent)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(1.0)
        assert {each.category for each in caught} == {integrate.IntegrationWarning}
        assert {each.filename for each in caught} == {__file__}
        assert {each.lineno for each in caught} == {divergent.__code__.co_firstlineno + 1}


def test_fixed_points_have_finite_limits():
    with pytest.raises(ValueError, match="finite limits"):
        srcad.grad(lambda k: integrate.fixed_quad(np.cos, 0, np.inf * k)[0])(1.0)


REFUSED = [
    ("E203", lambda k: nquad(lambda x, y: k * x, [[0, 1], [0, 1]], full_output=True)[0]),
    ("E203", lambda k: nquad(lambda x, y: k * x, [[0, 1], [0, 1]], opts={"points": [0.5]})[0]),
    ("E203", lambda k: nquad(lambda x, y: k * x, [[0, 1], [0, 1]], opts=[{}])[0]),
    ("E203", lambda k: nquad(lambda x, y: k * x, [[0, 1], [0, 1]])[1]),
    ("E127", lambda k: dblquad(lambda y, x, k: k * x, 0, 1, 0, 1, args=k)[0]),
    ("E132", lambda k: nquad(lambda x: k * x, [[0, 1, 2]])[0]),
]


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_what_has_no_derivative_is_refused(code, f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(2.0)
    assert refused.value.code == code
    assert "test_nested_solvers.py" in str(refused.value)


def test_a_module_of_its_own_has_the_integrals(tmp_path, monkeypatch):
    gradient = srcad.value_and_grad(in_a_box, backend="numpy")
    gradient.save(tmp_path / "shipped_box.py", 0.8)
    monkeypatch.syspath_prepend(tmp_path)
    import shipped_box

    assert shipped_box.in_a_box_value_and_grad(0.8) == gradient(0.8)
