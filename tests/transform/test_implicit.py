"""Derivatives of what SciPy's solvers find, against differences of the solvers themselves."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

optimize = pytest.importorskip("scipy.optimize")

T = np.linspace(0.0, 1.0, 7)
Y = 1.5 * np.exp(-0.7 * T) + 0.01 * np.sin(9 * T)
P = np.array([0.3, -0.4, 1.0])


def cubic(x, a):
    return x**3 + a * x - 2.0


def by_brentq(a):
    return optimize.brentq(cubic, 0.0, 5.0, args=(a,), xtol=1e-13)


def by_bisection(a):
    return optimize.bisect(lambda x: np.exp(x) - a, -3.0, 3.0, xtol=1e-13) ** 2


def by_ridder(a):
    return optimize.ridder(cubic, 0.0, 5.0, a, xtol=1e-13)


def by_root_scalar(a):
    found = optimize.root_scalar(lambda x: x * np.exp(x) - a, bracket=(0.0, 4.0), xtol=1e-13)
    return found.root * a if found.converged else np.nan


def by_newton_from_a_start(a):
    found = optimize.root_scalar(
        cubic, (a,), "newton", x0=1.0, fprime=lambda x, a: 3 * x**2 + a, xtol=1e-13
    )
    return found.root * a


def by_secant_from_two_starts(a):
    found = optimize.root_scalar(cubic, (a,), x0=a, x1=2.0, xtol=1e-13)
    return found.root + found.converged


def by_newton(a):
    return optimize.newton(cubic, 1.0, lambda x, a: 3 * x**2 + a, (a,), tol=1e-13)


def by_secant(a):
    return optimize.newton(lambda x: np.cos(x) - a * x, 0.5, tol=1e-13) * 2.0


def by_fsolve(a, b):
    def equations(x):
        return [x[0] ** 2 + a * x[1] - 3.0, x[1] ** 3 + b * x[0] - 2.0]

    return np.sum(optimize.fsolve(equations, [1.0, 1.0], xtol=1e-13) ** 2)


def with_fprime(a):
    c = np.array([1.0, 2.0])

    def slope(x):
        return np.diag(2.0 * x + c)

    return optimize.fsolve(lambda x: x**2 + c * x - a, np.ones(2), fprime=slope, xtol=1e-13) @ c


def of_one_number(a):
    return optimize.fsolve(lambda x: x**3 - a, 1.0, xtol=1e-13)[0]


def by_root(p):
    found = optimize.root(lambda x, p: np.tanh(x) + p * x - 0.3, np.zeros(3), (p + 2.0,), tol=1e-13)
    return np.sum(found.x**2) + np.sum(found.fun)


def by_krylov(p):
    return optimize.root(lambda x: x + 0.1 * x**3 - p, p, method="krylov", tol=1e-12).x.sum()


def by_halley(a):
    found = optimize.newton(
        cubic, 1.0, lambda x, a: 3 * x**2 + a, (a,), fprime2=lambda x, a: 6.0 * x, tol=1e-13
    )
    with_method = optimize.root_scalar(
        cubic, (a,), "halley", x0=1.0, fprime=lambda x, a: 3 * x**2 + a,
        fprime2=lambda x, a: 6.0 * x, xtol=1e-13,
    )  # fmt: skip
    return found * with_method.root


def by_newton_of_entries(p):
    found = optimize.newton(
        lambda x, b: x**3 + x - b, np.ones(3), lambda x, b: 3 * x**2 + 1, (p,), tol=1e-13
    )
    return np.sum(found**2)


def told_in_full(a):
    x, found = optimize.brentq(cubic, 0.0, 5.0, (a,), xtol=1e-13, full_output=True)
    y, more = optimize.newton(cubic, 1.0, args=(a,), tol=1e-13, full_output=True)
    z, info, ier, _ = optimize.fsolve(cubic, [1.0], (a,), xtol=1e-13, full_output=True)
    told = found.root + more.root + np.sum(info["fvec"]) if found.converged and ier else 0.0
    return x * y * z[0] + told if min(found.iterations, more.function_calls, info["nfev"]) else 0.0


def by_quasi_newton(p):
    def equation(x):
        return x + 0.1 * x**3 - p

    solvers = (optimize.broyden1, optimize.broyden2, optimize.newton_krylov)
    return sum(np.sum(solver(equation, np.zeros(3), f_tol=1e-12) ** 2) for solver in solvers)


def of_a_grid(p):
    g = np.outer(p, p)
    x = optimize.newton_krylov(lambda x: x + 0.1 * x**3 - g, np.zeros((3, 3)), f_tol=1e-12)
    return np.sum(x**2)


def one_number_at_its_minimum(a):
    def cost(x, a):
        return (x - a) ** 2 + 0.1 * x**4

    found = optimize.minimize_scalar(cost, args=(a,), tol=1e-11)
    inside = optimize.minimize_scalar(
        cost, bounds=(-3.0, 3.0), args=(a,), method="bounded", options={"xatol": 1e-9}
    )
    others = optimize.brent(cost, (a,)) + optimize.golden(cost, (a,), tol=1e-11)
    last = optimize.fminbound(cost, -3.0, 3.0, (a,), xtol=1e-9)
    return found.x * inside.x + found.fun + others * last


def by_functions_of_old(p):
    def cost(x, p):
        return np.sum((x - p) ** 2) + np.sum(x**4)

    x = optimize.fmin(cost, np.zeros(3), (p,), xtol=1e-10, ftol=1e-12, disp=False)
    y = optimize.fmin_bfgs(cost, np.zeros(3), srcad.grad(cost), (p,), gtol=1e-9, disp=False)
    z = optimize.fmin_cg(cost, np.zeros(3), srcad.grad(cost), (p,), gtol=1e-9, disp=False)
    return np.sum(x * y * z)


def with_second_derivatives(p):
    def cost(x, p):
        return np.sum((x - p) ** 2) + np.sum(x**4)

    by_matrix = optimize.minimize(
        cost, np.zeros(3), (p,), "trust-exact", srcad.grad(cost), srcad.hessian(cost), tol=1e-10
    )
    by_products = optimize.minimize(
        cost, np.zeros(3), (p,), "Newton-CG", srcad.grad(cost), hessp=srcad.hvp(cost), tol=1e-12
    )
    by_differences = optimize.minimize(
        cost, np.zeros(3), (p,), "trust-constr", srcad.grad(cost), "2-point", tol=1e-11
    )
    return np.sum(by_matrix.x * by_products.x * by_differences.x)


def by_leastsq(y):
    def residuals(x, y):
        return x[0] * np.exp(-x[1] * T) - y

    def slopes(x, y):
        return np.stack([np.exp(-x[1] * T), -T * x[0] * np.exp(-x[1] * T)], axis=1)

    x, ier = optimize.leastsq(residuals, np.ones(2), (y,), Dfun=slopes, ftol=1e-14, xtol=1e-14)
    z, _, info, _, _ = optimize.leastsq(residuals, [1.0, 1.0], y, full_output=True)
    return x[0] * x[1] + np.sum(z**2) + np.sum(info["fvec"] ** 2) if ier else 0.0


BOUNDS = optimize.Bounds([0.0, -1.0, 0.0], [0.1, 5.0, 0.3])
PAIRS = [(0, 0.1), (-1.0, None), (None, 0.3)]


def within_bounds(p):
    def cost(x, p):
        return np.sum((x - p) ** 2) + np.sum(x**4) + x[0] * x[1] * p[2]

    x0 = np.array([0.05, 0.1, 0.1])
    found = optimize.minimize(cost, x0, (p,), bounds=PAIRS, tol=1e-13)
    others = optimize.minimize(cost, x0, (p,), "SLSQP", srcad.grad(cost), bounds=BOUNDS, tol=1e-13)
    free = optimize.minimize(cost, x0, (p,), bounds=np.array([[-9.0, 9.0]] * 3), tol=1e-13)
    return np.sum(found.x * others.x) + found.fun + np.sum(free.x**2)


def by_its_bounds(low, high, p):
    def cost(x):
        return np.sum((x - p) ** 2) + np.sum(x**4)

    bounds = [(low, None), (-1, 5), (None, high)]
    return np.sum(optimize.minimize(cost, np.zeros(3) + low, bounds=bounds, tol=1e-13).x ** 3)


def least_squares_within_bounds(y, most):
    def residuals(x):
        return x[0] * np.exp(-x[1] * T) - y

    tight = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
    found = optimize.least_squares(residuals, np.ones(2), bounds=(0, [most, 5.0]), **tight)
    return found.x[0] * found.x[1] + np.sum(found.fun**2)


def of_a_curve(y):
    def model(t, a, b):
        return a * np.exp(-b * t)

    def slopes(t, a, b):
        return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], axis=1)

    tight = {"ftol": 1e-14, "xtol": 1e-14}
    found, _ = optimize.curve_fit(model, T, y, **tight)
    weighted, _ = optimize.curve_fit(
        model, T, y, [1.0, 1.0], 0.5 + T, absolute_sigma=True, jac=slopes, **tight
    )
    return found[0] * weighted[1] + found[1]


def of_a_linear_program(c, a, b):
    found = optimize.linprog(c, a, b, bounds=[(0, None), (-1.0, 5.0)])
    return found.fun * np.sum(found.x**2) if found.success else 0.0


def of_equations_and_bounds(a, b, top):
    found = optimize.linprog(
        [1.0, -2.0, 0.5], A_eq=a, b_eq=b, bounds=[(0, None), (None, top), (0.1, 3.0)]
    )
    return found.x @ np.arange(1.0, 4.0)


def by_fixed_point(a):
    return optimize.fixed_point(lambda x, a: np.cos(a * x), [0.5, 0.6], args=(a,), xtol=1e-13).sum()


def by_minimize(p):
    def cost(x):
        return np.sum((x - p) ** 2) + np.sum(x**4)

    found = optimize.minimize(cost, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    return np.sum(found.x**3) + found.fun


def with_gradient(p):
    def cost(x, p):
        return np.sum((x - p) ** 2) + np.sum(x**4)

    slope = srcad.grad(cost)
    found = optimize.minimize(cost, np.zeros(3), (p,), jac=slope, method="BFGS", tol=1e-10)
    return np.sum(found.x**3)


def with_both(p):
    cost = srcad.value_and_grad(lambda x: np.sum((x - p) ** 2) + np.sum(x**4))
    found = optimize.minimize(cost, np.zeros(3), jac=True, method="L-BFGS-B", tol=1e-13)
    return np.sum(found.x**3) + found.fun


def by_least_squares(y):
    def residuals(x):
        return x[0] * np.exp(-x[1] * T) - y

    found = optimize.least_squares(residuals, np.ones(2), xtol=1e-13, ftol=1e-13, gtol=1e-13)
    return found.x[0] * found.x[1] + np.sum(found.fun**2)


def in_a_loop(k):
    """The implicit Euler method."""
    y = np.array([1.0, 0.5])
    for i in range(4):
        y = optimize.fsolve(lambda z, y, i: z - y + 0.1 * k * (i + 1) * z**3, y, (y, i), xtol=1e-13)
    return y.sum()


def on_a_path(a):
    return by_brentq(a) if a > 0.0 else optimize.brentq(lambda x: x**3 - a, -5.0, 0.0)


def container(p):
    def f(x, p):
        return x * p["a"] + x**3 - p["b"][0]

    return optimize.brentq(f, -5.0, 5.0, (p,), xtol=1e-13)


def starts_at_the_argument(a):
    return optimize.fsolve(lambda x: x**2 - a, a * np.ones(2)).sum()


def reads_nothing_that_varies(a):
    return optimize.brentq(lambda x: x**2 - 2.0, 0.0, 2.0) * a


PROGRAMS = [
    (by_brentq, (0.7,)), (by_bisection, (1.7,)), (by_ridder, (0.7,)), (by_root_scalar, (1.3,)),
    (by_newton_from_a_start, (0.7,)), (by_secant_from_two_starts, (0.7,)),
    (by_newton, (0.7,)), (by_secant, (0.8,)), (by_fsolve, (1.2, 0.3)), (with_fprime, (2.5,)),
    (of_one_number, (2.0,)), (by_root, (P,)), (by_krylov, (P,)), (by_fixed_point, (0.9,)),
    (by_minimize, (P,)), (with_gradient, (P,)), (with_both, (P,)), (by_least_squares, (Y,)),
    (by_halley, (0.7,)), (by_newton_of_entries, (P,)), (told_in_full, (0.7,)),
    (by_quasi_newton, (P,)), (of_a_grid, (P,)), (one_number_at_its_minimum, (0.7,)),
    (by_functions_of_old, (P,)), (with_second_derivatives, (P,)), (by_leastsq, (Y,)),
    (within_bounds, (P,)), (by_its_bounds, (0.5, 0.4, P)),
    (least_squares_within_bounds, (Y, 1.4)), (of_a_curve, (Y,)),
    (of_a_linear_program, (np.array([-1.0, -1.1]), np.array([[1.0, 2.0], [3.0, 1.0]]),
                           np.array([4.0, 6.0]))),
    (of_equations_and_bounds, (np.array([[1.0, 1.0, 1.0]]), np.array([3.0]), 1.2)),
    (in_a_loop, (0.8,)), (on_a_path, (0.7,)), (container, ({"a": 1.2, "b": [0.7]},)),
    (starts_at_the_argument, (2.0,)), (reads_nothing_that_varies, (1.5,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_derivatives_of_solutions_are_those_of_the_solvers(f, args, backend):
    value, _ = srcad.value_and_grad(f, backend=backend)(*args)
    plain = f(*args)
    assert type(value) is type(plain)
    np.testing.assert_array_equal(value, plain)
    check_grads(f, args, order=2, atol=2e-4, rtol=2e-4)


def _cubic(x, p):
    return x**3 - 2 * x - p


def _square(x, p):
    return (x - p) ** 2 + 0.1


KINDS = [
    (lambda p: optimize.toms748(_cubic, 1.0, 2.0, (p,)), (0.7, -1.0, 4.0)),
    (lambda p: optimize.toms748(_cubic, 1.0, 2.0, (p,), full_output=True)[0], (0.7, -1.0)),
    (lambda p: optimize.root_scalar(_cubic, (p,), "toms748", (1.0, 2.0)).root, (0.7, -1.0)),
    (lambda p: optimize.golden(_square, (p,), (0, 1, 3)), (1.3,)),
    (lambda p: optimize.golden(_square, (p,), (0.0, np.float64(1.0), 3.0)), (1.3, 1.0)),
    (lambda p: optimize.brent(_square, (p,), (0.0, 2.0, 4.0)), (1.3, 2.0)),
    (lambda p: optimize.minimize_scalar(_square, (0.0, 2.0, 4.0), args=(p,)).x, (1.3, 2.0)),
    (lambda p: optimize.fminbound(_square, 0.0, 3.0, (p,)), (1.3,)),
]


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize(("f", "points"), KINDS)
def test_a_float_is_numpys_or_pythons_as_the_solver_gives_it(f, points, backend):
    compiled = srcad.compile(f, backend=backend)
    for p in points:
        assert (type(compiled(p)), compiled(p)) == (type(f(p)), f(p))
        assert type(srcad.value_and_grad(f, backend=backend)(p)[0]) is type(f(p))


@pytest.mark.parametrize(
    "f",
    [
        lambda p: optimize.toms748(_cubic, 1, 2, (p,)),
        lambda p: optimize.brent(_square, (4 + p + 1,), (0, 4, 6)),
        lambda p: optimize.golden(_square, (p + 3,), (1, 2)),
    ],
)
def test_an_int_that_is_the_solution_is_not_a_float(f):
    assert isinstance(f(-1.0), int | np.integer)
    with pytest.raises(NotImplementedError, match="which it was given: write the ends"):
        srcad.compile(f)(-1.0)


def test_the_third_derivative_of_a_square_root_by_newton():
    root = srcad.derivative(lambda a: optimize.newton(lambda x: x**2 - a, 1.0, tol=1e-14), 3)
    assert root(2.0) == pytest.approx(0.375 * 2.0**-2.5)


def test_solutions_are_mapped_over_samples():
    samples = np.array([0.5, 0.7, 0.9])
    found = srcad.vmap(srcad.grad(by_brentq))(samples)
    np.testing.assert_allclose(found, [srcad.grad(by_brentq)(float(a)) for a in samples])


def test_the_source_names_the_solver_and_its_equation():
    made = srcad.grad(by_fsolve)
    made(1.2, 0.3)
    text = made.source()
    assert "fsolve(equations, " in text
    assert "at_solution(" in text


def mixed(x, a):
    u, v = x[0] + x[1] - 2, x[0] - x[1]
    return np.array([1e6 * (u + v**2 - a), 2 * u + v**2 - a])


FOLDS = [
    lambda a: optimize.root(
        lambda x: np.array([(x[0] - 1) ** 2 - a, x[1] - 1]), [1.1, 1.0], tol=1e-12
    ).x.sum(),
    lambda a: optimize.root(lambda x: x**2 - a, [0.1], method="lm").x[0],
    lambda a: optimize.brentq(lambda x: (x - 1) ** 3 - a, 0.3, 3.1, maxiter=1000),
    lambda a: optimize.fsolve(mixed, [1.1, 1.0], (a,)).sum(),
]


@pytest.mark.parametrize("f", FOLDS)
@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_at_a_fold_there_is_no_derivative(f, mode):
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        mode(f)(0.0)


REGULAR = [
    (lambda a: optimize.brentq(lambda x: x**2 - a, 0.0, 3.0), 1e-10, 5e4),
    (lambda a: optimize.fsolve(lambda x: [x[0] - x[1] ** 2 + a, x[1] ** 3 - 1e9], [1, 1e3])[0],
     1e6, -1.0),
    (lambda a: optimize.fsolve(lambda x: 1e-20 * (np.exp(x * 1e-12) - a), [1e12])[0],
     3.0, 1e12 / 3),
    (lambda a: optimize.brentq(lambda x: 1e30 * (x**3 - a), 0.0, 1.0, xtol=1e-30),
     1e-24, 1e16 / 3),
]  # fmt: skip


@pytest.mark.parametrize(("f", "a", "slope"), REGULAR)
def test_badly_scaled_equations_are_no_folds(f, a, slope):
    np.testing.assert_allclose(srcad.grad(f)(a), slope, rtol=1e-4)


@pytest.mark.parametrize("solver", ["spsolve", "splu"])
def test_a_singular_sparse_matrix_is_refused(solver):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    sparse = pytest.importorskip("scipy.sparse")

    def solved(data):
        places = (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
        matrix = sparse.csc_matrix((data, places), shape=(2, 2))
        if solver == "splu":
            return np.sum(linalg.splu(matrix).solve(np.ones(2)))
        return np.sum(linalg.spsolve(matrix, np.ones(2)))

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns of the singular matrix, too
        with pytest.raises((np.linalg.LinAlgError, RuntimeError), match="singular"):
            srcad.grad(solved)(np.ones(4))
    np.testing.assert_allclose(srcad.grad(solved)(np.array([2.0, 1, 1, 1])), [0, 0, 0, -1.0])


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_a_singular_jacobian_is_refused(mode):
    def sides(a):
        return optimize.fsolve(lambda x: [x[0] + x[1] - a, 2 * x[0] + 2 * x[1] - 2 * a], [0.5, 0.5])

    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        mode(sides)(1.0)


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_what_is_no_solution_has_no_derivative(mode):
    def early(a):
        return optimize.root(lambda x: x**3 - a, np.array([9.0]), options={"maxfev": 2}).x

    with pytest.raises(np.linalg.LinAlgError, match="a Newton step from it is"):
        mode(early)(2.0)


def test_where_a_solver_raises_so_does_the_gradient():
    with pytest.raises(ValueError, match="different signs"):
        srcad.grad(lambda a: optimize.brentq(lambda x: x**2 + a, 0.0, 1.0))(1.0)


def program(c, b):
    return np.sum(optimize.linprog(c, np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 0.0]]), b).x)


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
@pytest.mark.parametrize(
    ("c", "b", "argnum"),
    [
        ([-1.0, -2.0], [4.0, 6.0, 9.0], 0),  # along an edge all solutions are as good
        ([-1.0, -2.0], [4.0, 6.0, 9.0], 1),
        ([-1.0, -1.1], [4.0, 6.0, 1.6], 1),  # three constraints meet in the vertex
    ],
)
def test_a_linear_program_without_one_vertex_has_no_derivative(mode, c, b, argnum):
    with pytest.raises(np.linalg.LinAlgError, match="linear program"):
        mode(program, argnum)(np.array(c), np.array(b))


def test_where_three_constraints_meet_costs_still_move_nothing():
    slope = srcad.grad(program)(np.array([-1.0, -1.1]), np.array([4.0, 6.0, 1.6]))
    np.testing.assert_array_equal(slope, [0.0, 0.0])


def test_a_linear_program_without_solution_raises():
    with pytest.raises(RuntimeError, match="infeasible"):
        srcad.grad(lambda b: optimize.linprog([1.0], [[1.0]], b).fun)(np.array([-1.0]))


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
@pytest.mark.parametrize(("a", "slope"), [(0.5, 1.0), (-0.5, 0.0), (1.5, 0.0), (0.0, None)])
def test_a_bound_holds_the_minimum_or_does_not(mode, a, slope):
    def nearest(a):
        return optimize.minimize(lambda x: np.sum((x - a) ** 2), [0.5], bounds=[(0, 1)]).x[0]

    if slope is None:
        with pytest.raises(np.linalg.LinAlgError, match="on a bound"):
            mode(nearest)(a)
    else:
        assert mode(nearest)(a) == pytest.approx(slope)


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
@pytest.mark.parametrize(
    "f",
    [
        lambda a: optimize.minimize_scalar(lambda x: abs(x - a)).x,
        lambda a: optimize.minimize_scalar(lambda x: abs(x - a) + 0.1 * x**2).x,
        lambda a: optimize.brentq(lambda x: np.sign(x - a) * 1.0, 0.0, 3.0),
        lambda a: optimize.minimize(lambda x: np.sum(np.abs(x - a)), [0.0], method="Nelder-Mead").x,
    ],
)
def test_a_kink_that_moves_is_no_solution_that_stays(mode, f):
    with pytest.raises(np.linalg.LinAlgError):
        mode(f)(1.3)


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_a_solution_of_what_does_not_vary_stays(mode):
    found = mode(lambda a: optimize.fsolve(lambda x: x**2 - np.floor(a), [1.0])[0] * a)(2.3)
    assert found == pytest.approx(np.sqrt(2.0))
