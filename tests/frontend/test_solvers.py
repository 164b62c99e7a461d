"""Calls of SciPy's solvers that are refused, each at the line of the call."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")
sparse = pytest.importorskip("scipy.sparse")
sparse_linalg = pytest.importorskip("scipy.sparse.linalg")


def square(x, a):
    return x**2 - a


def distance(x, a):
    return (x[0] - a) ** 2 + (x[1] - 2 * a) ** 4 + x[1] ** 2


def residuals(x, a):
    return np.array([x[0] - a, (x[1] - 2 * a) ** 2, x[1]])


REFUSED = [
    ("E203", lambda a: optimize.root(square, [1.0], (a,), callback=print).x[0]),
    ("E203", lambda a: optimize.leastsq(square, [1.0], (a,), full_output=1)[1][0, 0]),
    ("E203", lambda a: optimize.fsolve(square, [1.0], (a,), xtol=a)[0]),
    ("E203", lambda a: optimize.newton(square, [1.0], args=(a,), full_output=True)[0][0]),
    ("E121", lambda a: optimize.minimize(distance, [1.0, 0.0], (a,)).hess_inv[0, 0]),
    ("E121", lambda a: optimize.minimize(distance, [1.0, 0.0], (a,)).nhev * a),
    ("E121", lambda a: optimize.least_squares(square, [1.0], args=(a,)).jac[0, 0]),
    ("E121", lambda a: optimize.least_squares(square, [1.0], args=(a,), bounds=(0, 9)).grad[0]),
    ("E306", lambda a: optimize.minimize(distance, [1.0, 0.0], (a,))),
    ("E120", lambda a: len(str(optimize.minimize(distance, [1.0, 0.0], (a,)))) * a),
    ("E203", lambda a: optimize.minimize(distance, [1.0, 0.0], (a,), method="trust-constr",
                                         callback=lambda x, state: False).x[0]),
    ("E203", lambda a: optimize.minimize_scalar(square, args=(a,), bounds=(0.0, a)).x),
    ("E203", lambda a: optimize.root_scalar(square, (a,), "newton", bracket=(0.0, 5.0)).root),
    ("E203", lambda a: optimize.root_scalar(square, (a,), x0=1.0, fprime=True).root),
    ("E203", lambda a: optimize.minimize(lambda x: x @ x - a, [1.0], bounds=[1.0, 2.0]).x[0]),
    (
        "E203",
        lambda a: optimize.minimize(lambda x: x @ x - a, [1.0], constraints=({"type": "eq"},)).x[0],
    ),
    ("E203", lambda a: optimize.least_squares(square, [1.0], args=(a,), bounds=[1]).x[0]),
    ("E203", lambda a: optimize.least_squares(square, [1.0], args=(a,), loss="huber").x[0]),
    ("E131", lambda a: optimize.brentq(square, 0.0)),
    ("E132", lambda a: optimize.brentq(lambda x: np.array([x, a]), 0.0, 1.0)),
    ("E132", lambda a: optimize.fsolve(lambda x: [x[0] - a], [1.0, 2.0])[0]),
    ("E132", lambda a: optimize.fsolve(lambda x: x - a, np.ones((2, 2)))[0]),
    ("E132", lambda a: optimize.fsolve(lambda x: 1j * x - a, np.ones(2))[0]),
    ("E203", lambda a: optimize.linprog([a], [[1.0]], [2.0], integrality=1).x[0]),
    ("E203", lambda a: optimize.curve_fit(square, [1.0, 2.0], [a, a])[1][0, 0]),
    ("E203", lambda a: optimize.curve_fit(square, [1.0], [a], sigma=[[a]])[0][0]),
    ("E204", lambda a: optimize.nnls([[1.0]], [a])[0][0]),
    ("E204", lambda a: optimize.differential_evolution(square, [(0.0, 2.0)], (a,)).x[0]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "f"), REFUSED)
def test_what_the_derivative_does_not_take_into_account_is_refused(code, f):
    with pytest.raises(SrcadError) as refused:
        srcad.grad(f)(2.0)
    assert refused.value.code == code
    assert "test_solvers.py" in str(refused.value)


def test_a_function_that_writes_into_its_unknown_is_refused():
    def writes(x, a):
        x[0] = a
        return x

    with pytest.raises(SrcadError, match="E133"):
        srcad.grad(lambda a: optimize.fsolve(writes, np.ones(2), (a,))[0])(2.0)


def test_an_attribute_that_is_not_known_is_refused():
    with pytest.raises(SrcadError, match="fjac"):
        srcad.grad(lambda a: optimize.root(square, [1.0], (a,)).fjac[0, 0] * a)(2.0)


def test_a_result_object_stays_inside():
    with pytest.raises(SrcadError):
        srcad.compile(lambda a: optimize.root(square, [1.0], (a,)))(2.0)


def test_odeint_inside_what_odeint_calls_is_refused():
    def inner(t, a):
        return integrate.odeint(lambda z, s: -a * z, [1.0], [0.0, t + 0.1])[-1, 0]

    def f(a):
        return integrate.odeint(lambda y, t: -y * inner(t, a), [1.0], [0.0, 1.0])[-1, 0]

    with pytest.raises(SrcadError, match="whose function calls it"):
        srcad.grad(f)(2.0)


FIXED_POINTS = [
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), 0.5),
    lambda a: optimize.fixed_point(lambda x: 0.5 * math.cos(a * x), 0.5),
    lambda a: optimize.fixed_point(lambda x, b: 0.5 * np.cos(b * x), a, (a,)),
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), 0.5, method="iteration"),
    lambda a: optimize.fixed_point(lambda x: 0.5 * math.cos(a * x), 0.5, method="iteration"),
    lambda a: optimize.fixed_point(lambda x: 0.5 * np.cos(a * x), [0.5]),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", FIXED_POINTS)
def test_the_fixed_point_of_a_number_is_of_the_type_that_scipy_gives(f, backend):
    expected = f(1.3)
    for found in (srcad.compile(f, backend=backend)(1.3), srcad.vjp(f, 1.3)[0]):
        assert type(found) is type(expected)
        assert np.shape(found) == np.shape(expected)
        assert found == expected
    slope = np.ravel(srcad.jacobian(f, backend=backend)(1.3))[0]
    ends = [np.ravel(f(1.3 + h))[0] for h in (1e-5, -1e-5)]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4)


def nearest(a, **options):
    return optimize.minimize(distance, [0.0, 0.0], (a,), **options)


def fitted(a, **options):
    return optimize.least_squares(residuals, [0.0, 0.0], args=(a,), **options)


def raises_its_message(a):
    found = nearest(a)
    if not found.success:
        raise RuntimeError(found.message)
    return found.x[0] * found.x[1]


def raises_early(a):
    found = nearest(a, method="Nelder-Mead", options={"maxiter": 3})
    if not found.success:
        raise RuntimeError(found.message)
    return found.x[0]


def rows_of(x, a):
    return sparse.csr_matrix(np.array([[1.0, 0], [0, 2 * (x[1] - 2 * a)], [0, 1]]))


def program(a):
    return optimize.linprog([-a, -2.0], [[1.0, 1.0], [1.0, 0]], [4.0, 2 + a], [[1.0, 3.0]], [5.0])


LINE = np.arange(5.0)


def line(x, p, q):
    return p * x + q * x**2


def parameters(a, **options):
    return optimize.curve_fit(line, LINE, a * LINE + 0.1, **options)[0]


READ = [
    raises_its_message,
    raises_early,
    lambda a: nearest(a)["x"][0] * a,
    lambda a: nearest(a).nit * nearest(a).x[0] + nearest(a)["nfev"] + nearest(a).njev,
    lambda a: nearest(a, method="CG").status + len(nearest(a, method="CG").message) * a,
    lambda a: np.max(np.abs(nearest(a).jac)) < 1e-3 and a * a,
    lambda a: fitted(a).cost * a,
    lambda a: np.sum(fitted(a).fun),
    lambda a: a if fitted(a).optimality < 1e-2 else 0.0,
    lambda a: fitted(a).njev * a + len(fitted(a).message),
    lambda a: np.sum(fitted(a, jac=rows_of).x),
    lambda a: np.sum(program(a).slack) + np.sum(program(a).con),
    lambda a: np.sum(parameters(a, bounds=(0, [9.0, 9.0]))),
    lambda a: np.sum(parameters(a, p0=[0.5, 0.5], bounds=(0, [1.0, 9.0]))),
    lambda a: len(optimize.fsolve(square, [1.0], (a,), full_output=1)[3]) * a,
    lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2)["nit"] * a,
    lambda a: len(optimize.root_scalar(square, (a,), bracket=[0, 3]).flag) * a,
    lambda a: optimize.root(lambda x, a: x**3 - a, [1.0], (a,), method="krylov").nit * a,
    lambda a: nearest(a, callback=lambda x: print(x[0] * a)).fun,
    lambda a: np.sum(nearest(a, callback=lambda x: True, bounds=[(0, None), (0, 9)]).x),
]


@pytest.mark.parametrize("f", READ)
def test_what_a_result_tells_is_read(f, capsys):
    outcomes = []
    for each in (f, srcad.compile(f), lambda a: srcad.value_and_grad(f)(a)):
        try:
            outcomes.append(each(1.3))
        except RuntimeError as problem:
            outcomes.append(repr(problem))
        outcomes.append(capsys.readouterr().out)
    expected, said, compiled, said_too, derived, said_again = outcomes
    assert compiled == expected
    assert type(compiled) is type(expected)
    assert said == said_too == said_again
    if isinstance(expected, str):
        assert derived == expected
        return
    value, slope = derived
    assert value == expected
    step = 1e-3
    assert slope == pytest.approx((f(1.3 + step) - f(1.3 - step)) / (2 * step), rel=3e-2, abs=3e-2)


SYSTEM = np.array([[2.0, 0.0], [1.0, 3.0]])
LOWER = sparse.csr_matrix(SYSTEM)
SPARSE = [
    lambda a: np.sum(sparse.csr_matrix(np.array([[1.0, 0], [0, 2]])) @ (a * np.ones(2))),
    lambda a: np.sum(sparse.csc_array(SYSTEM) @ (a * np.arange(2.0))),
    lambda a: np.sum(sparse.csc_array([[1, 0], [2, 3]]) @ (a * np.arange(2.0))),
    lambda a: np.sum(sparse_linalg.spsolve(sparse.csc_array(SYSTEM) * a, np.ones(2))),
    lambda a: np.sum(sparse_linalg.spsolve_triangular(LOWER, a * np.arange(2.0))),
    lambda a: np.sum(sparse_linalg.spsolve_triangular(LOWER.T.tocsr(), a * LINE[:2], lower=False)),
    lambda a: np.sum(sparse_linalg.spsolve_triangular((LOWER * a).tocsc(), a**3 * np.eye(2))),
    lambda a: np.sum(
        sparse_linalg.spsolve_triangular(LOWER * a, a * LINE[:2] + 1, unit_diagonal=True)
    ),
]


@pytest.mark.parametrize("f", SPARSE)
def test_sparse_matrices_of_dense_ones_and_triangular_systems(f):
    assert srcad.compile(f)(1.3) == f(1.3)
    slope = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    assert srcad.grad(f)(1.3) == pytest.approx(slope, rel=1e-6, abs=1e-8)
    assert srcad.jacfwd(f)(1.3) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_a_sparse_matrix_of_a_dense_one_that_varies_is_refused():
    with pytest.raises(SrcadError, match="E202"):
        srcad.grad(lambda a: np.sum(sparse.csr_matrix(np.array([[a, 0], [0, 2]])) @ np.ones(2)))(
            1.0
        )
