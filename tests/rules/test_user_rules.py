"""Rules as users state them: solvers, tables, compiled functions; and wrong ones."""

import ast
import ctypes
import ctypes.util
import inspect
import math
import textwrap

import numpy as np
import pytest
from scipy import interpolate, linalg, optimize

import srcad
from srcad import rules
from srcad.errors import MissingRule, RuleError, SrcadError, UnsupportedSyntax
from srcad.ir import ArrayType, NumberType
from srcad.rules import RULES, Case
from srcad.testing import check_grads, check_rule


@pytest.fixture(autouse=True)
def _table():
    before = dict(RULES)
    yield
    for fn in [fn for fn in RULES if fn not in before]:
        del RULES[fn]


# ---- a root finder, by the implicit function theorem


def equation(x, a, b):
    return x**3 + a * x - b


def root(a, b):
    return optimize.brentq(equation, -10.0, 10.0, args=(a, b), xtol=1e-14)


def state_root():
    rules.rule(
        root,
        jvp=lambda ts, y, a, b: (ts[1] - y * ts[0]) / (3 * y**2 + a),
        a=lambda g, y, a, b: -g * y / (3 * y**2 + a),
        b=lambda g, y, a, b: g / (3 * y**2 + a),
        domain=(0.5, 2.0),
        cases=[Case(float, float), Case(1.0, float)],
    )


def test_a_scipy_solver():
    state_root()
    check_rule(root, order=2)
    check_rule(root, 1.0, 2.0, order=3)
    check_grads(lambda a, b: root(a, b) ** 2 + a * b, (1.0, 2.0))


def test_a_scipy_solver_in_a_loop_and_a_branch():
    state_root()

    def chain(a):
        x = a
        for _ in range(3):
            x = root(a, x) if x > 0.1 else x * x
        return x

    check_grads(chain, (1.5,))


# ---- the solution of a system of nonlinear equations: a linear solve in each mode


def balance(p):
    def equations(x):
        return np.array([x[0] + 0.1 * x[1] ** 2 - p[0], x[1] + 0.1 * x[0] ** 2 - p[1]])

    return optimize.fsolve(equations, p, xtol=1e-14)


def slopes(x):
    off = np.array([[0.0, 0.2], [0.2, 0.0]])
    return np.eye(2) + off * x[::-1][:, None]


def test_a_system_of_equations():
    rules.rule(
        balance,
        jvp=lambda ts, y, p: np.linalg.solve(slopes(y), ts[0]),
        p=lambda g, y, p: np.linalg.solve(slopes(y).T, g),
        type_of=lambda p: ArrayType(np.dtype(float), (2,)),
    )
    check_rule(balance, np.array([0.3, 0.8]), order=2)
    check_grads(lambda p: np.sum(balance(p * p) ** 2), (np.array([0.3, 0.8]),))


# ---- a table with options


spline = interpolate.CubicSpline(np.arange(6.0), np.sin(np.arange(6.0)))


def smooth(x, nu=0):
    return spline(x, nu)


def test_a_spline_whose_derivatives_are_an_option():
    rules.elementwise(
        smooth,
        lambda y, x, nu=0: rules.call(smooth, x, nu=nu + 1),
        domain=(0.3, 4.7),
        cases=[Case((3, 4)), Case((4,), nu=1), Case(())],
    )
    check_rule(smooth, order=2)
    check_rule(smooth, np.array([0.3, 2.2]), nu=1)
    check_grads(lambda x: np.sum(smooth(x) * smooth(x, nu=1)), (np.array([0.3, 2.2]),))


# ---- compiled functions


def c_function(name):
    fn = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
    fn.restype, fn.argtypes = ctypes.c_double, [ctypes.c_double]
    return fn


c_erf = c_function("erf")


def erf(x):
    return c_erf(x)


def test_a_compiled_function():
    two_by_root_pi = 2 / np.sqrt(np.pi)
    rules.elementwise(erf, lambda y, x: two_by_root_pi * np.exp(-x * x), cases=[Case(float)])
    check_rule(erf, order=2)
    check_grads(lambda x: x * erf(x * x), (0.5,))


def test_functions_without_a_hash_are_refused():
    with pytest.raises(RuleError, match=r"(?s)E607.*define a function that calls it"):
        rules.elementwise(c_erf, lambda y, x: y)


# ---- several results


def polar(x, y):
    return np.hypot(x, y), np.arctan2(y, x)


def state_polar():
    rules.rule(
        polar,
        jvp=lambda ts, out, x, y: (
            (x * ts[0] + y * ts[1]) / out[0],
            (x * ts[1] - y * ts[0]) / out[0] ** 2,
        ),
        x=lambda g, out, x, y: g[0] * x / out[0] - g[1] * y / out[0] ** 2,
        y=lambda g, out, x, y: g[0] * y / out[0] + g[1] * x / out[0] ** 2,
        domain=(0.5, 2.0),
    )


def test_several_results():
    state_polar()
    check_rule(polar, order=2)
    x, y = np.array([1.0, 2.0]), np.array([0.5, 1.5])

    def both(x, y):
        r, angle = polar(x, y)
        return np.sum(r * angle)

    def only_one(x, y):
        return np.sum(polar(x, y)[1] ** 2)

    check_grads(both, (x, y))
    check_grads(only_one, (x, y))


def banded(l_and_u, band, b):
    return linalg.solve_banded(l_and_u, band, b)


def test_a_linear_function_with_constants():
    def transpose(g, y, l_and_u, band, b):
        # Of a symmetric band matrix the transpose is itself.
        return rules.call(banded, l_and_u, band, g)

    rules.linear(banded, b=transpose, type_of=lambda l_and_u, band, b: b)
    band = np.array([[0.0, 1, 1], [4, 4, 4], [1, 1, 0]])
    check_rule(banded, (1, 1), band, np.array([1.0, 2.0, 3.0]), order=2)
    check_grads(lambda b: np.sum(banded((1, 1), band, b) ** 2), (np.array([1.0, 2.0, 3.0]),))


# ---- methods: rules are for functions of arrays


class Model:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return float(np.sum(x**2)) * self.k

    @staticmethod
    def scale(x):
        return optimize.brentq(lambda y: y - 2 * x, -10, 10)


model = Model(3.0)


def test_a_static_method():
    rules.linear(Model.scale, x=lambda g, y, x: 2 * g, type_of=lambda x: NumberType(float))
    assert srcad.grad(lambda x: model.scale(x) ** 2)(1.5) == pytest.approx(12.0)


def test_methods_say_what_to_do():
    rules.rule(
        Model.energy,
        jvp=lambda ts, y, self, x: 2 * self.k * np.sum(x * ts[1]),
        x=lambda g, y, self, x: 2 * self.k * g * x,
    )
    with pytest.raises(UnsupportedSyntax, match=r"(?s)`Model` as argument.*pass it the arrays"):
        srcad.grad(lambda x: model.energy(x))(np.array([1.0, 2.0]))


def test_zero_and_nondiff():
    @rules.zero
    def steps(x):
        return np.round(x * 8) / 8

    @rules.nondiff
    def bin_of(x):
        return int(x * 2)

    weights = np.array([1.0, 2.0, 3.0])
    got = srcad.grad(lambda x: x * steps(x) * weights[bin_of(x)])(0.6)
    assert got == pytest.approx(steps(0.6) * 2.0)


# ---- wrong rules


def cube_with(state):
    """A function with the rule that `state` gives it."""

    def cube(x):
        return x**3

    state(cube)
    return cube


POINT = np.array([1.0, 2.0])
WRONG_NUMBERS = {
    "partial": lambda f: rules.elementwise(f, lambda y, x: 2 * x**2),
    "sign": lambda f: rules.elementwise(f, lambda y, x: -3 * x**2),
    "second": lambda f: rules.elementwise(f, lambda y, x: rules.call(frozen, x)),
    "jvp": lambda f: rules.rule(
        f, jvp=lambda ts, y, x: 2 * x**2 * ts[0], x=lambda g, y, x: 3 * x**2 * g
    ),
    "vjp": lambda f: rules.rule(
        f, jvp=lambda ts, y, x: 3 * x**2 * ts[0], x=lambda g, y, x: 2 * x**2 * g
    ),
    "not linear": lambda f: rules.linear(f, x=lambda g, y, x: 3 * x**2 * g),
    "forgets": lambda f: rules.zero(f),
}


def frozen(x):
    return 3 * x**2


@pytest.mark.parametrize("state", WRONG_NUMBERS.values(), ids=WRONG_NUMBERS)
def test_check_rule_catches_wrong_numbers(state):
    rules.elementwise(frozen, lambda y, x: 5 * x)
    with pytest.raises(AssertionError, match="differences give"):
        check_rule(cube_with(state), POINT, order=2)


WRONG_RESULTS = {
    "0 axes, not 1": lambda f: rules.rule(
        f, jvp=lambda ts, y, x: np.sum(ts[0]), x=lambda g, y, x: np.sum(g)
    ),
    "2 axes, not 1": lambda f: rules.rule(
        f, jvp=lambda ts, y, x: ts[0][:, None], x=lambda g, y, x: g[:, None]
    ),
    "a partial is None": lambda f: rules.elementwise(f, lambda y, x: None),
    "is a tuple": lambda f: rules.rule(
        f, jvp=lambda ts, y, x: (ts[0], ts[0]), x=lambda g, y, x: (g, g)
    ),
    "is a NoneType": lambda f: rules.rule(f, jvp=lambda ts, y, x: None, x=lambda g, y, x: None),
}


def known_size(x):
    """An array whose extents are known while compiling."""
    return np.array([x, 2 * x])


@pytest.mark.parametrize("says", WRONG_RESULTS)
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_results_that_do_not_fit_are_refused(says, mode):
    cube = cube_with(WRONG_RESULTS[says])

    def total(x):
        return np.sum(cube(known_size(x)))

    def run():
        return srcad.jvp(total, (1.0,), (1.0,)) if mode == "forward" else srcad.grad(total)(1.0)

    with pytest.raises(RuleError, match=f"(?s)E605.*the rule of `.*cube`.*{says}"):
        run()


def test_known_extents_that_do_not_fit_are_refused():
    def five(x):
        return np.sum(x)

    rules.rule(five, jvp=lambda ts, y, x: np.sum(ts[0]), x=lambda g, y, x: g * np.ones(5))
    with pytest.raises(
        RuleError, match=r"(?s)E605.*its cotangent has 5 entries along axis 0, not 2"
    ):
        srcad.grad(lambda x: five(known_size(x)))(1.0)


def test_a_tangent_for_each_result_is_asked_for():
    def pair(x):
        return x, x * x

    rules.rule(pair, jvp=lambda ts, y, x: ts[0], x=lambda g, y, x: g[0] + 2 * x * g[1])
    with pytest.raises(RuleError, match=r"(?s)E605.*one tangent, not a tuple of 2"):
        srcad.jvp(lambda x: np.sum(pair(x)[1]), (POINT,), (POINT,))


BAD_BODIES = {
    "branches": lambda y, x: 3 * x**2 if x > 0 else 0,
    "iterates": lambda y, x: np.array([3 * v**2 for v in x]),
    r"reads `.flatten`": lambda y, x: 3 * x.flatten() ** 2,
    "makes a number": lambda y, x: 3 * float(x) ** 2,
    "writes": lambda y, x: x.__setitem__(0, 1),
}


@pytest.mark.parametrize("says", BAD_BODIES)
def test_bodies_that_ask_for_values_are_refused(says):
    cube = cube_with(lambda f: rules.elementwise(f, BAD_BODIES[says]))
    with pytest.raises(RuleError, match=f"(?s)E606.*{says}.*in the rule of `.*cube`"):
        srcad.grad(lambda x: np.sum(cube(x)))(POINT)


def test_bodies_with_functions_that_have_no_rule_are_refused():
    cube = cube_with(lambda f: rules.elementwise(f, lambda y, x: np.packbits(x)))
    with pytest.raises(SrcadError, match="packbits"):
        srcad.grad(lambda x: np.sum(cube(x)))(POINT)


def test_narrow_cotangents_are_widened():
    cube = cube_with(lambda f: rules.elementwise(f, lambda y, x: np.astype(3 * x**2, np.float32)))
    got = srcad.grad(lambda x: np.sum(cube(x)))(POINT)
    assert got.dtype == np.float64


calls_made = []


def counted(x):
    calls_made.append(np.shape(x))
    return 2 * x


def test_a_function_that_writes_is_not_called_to_find_its_type():
    rules.rule(counted, vjp=lambda g, y, x: 2 * g)
    with pytest.raises(MissingRule, match=r"E207.*`counted`") as caught:
        srcad.grad(lambda x: np.sum(counted(x)))(np.ones(4))
    assert "calls_made" in str(caught.value)
    assert calls_made == []
    rules.rule(counted, vjp=lambda g, y, x: 2 * g, type_of=lambda x: x)
    value, slope = srcad.value_and_grad(lambda x: np.sum(counted(x)))(np.ones(4))
    assert value == 8.0
    np.testing.assert_array_equal(slope, np.full(4, 2.0))
    assert calls_made == [(4,)]


def _stub(refusal):
    """The rule that a refusal shows."""
    lines = refusal.partition("says so:\n\n")[2].splitlines()
    return textwrap.dedent("\n".join(line for line in lines if "(srcad explain" not in line))


def test_the_rule_that_is_shown_has_parameters_of_its_own():
    with pytest.raises(srcad.MissingRule, match="E201") as found:
        srcad.grad(lambda x: math.nextafter(x, 2.0))(1.0)
    stub = _stub(str(found.value))
    held = {"math": math}
    exec(stub, held)
    assert [*inspect.signature(held["jvp"]).parameters] == ["ts", "y", "x", "y_"]
    assert [*inspect.signature(held["vjp"]).parameters] == ["g", "y", "x", "y_"]


def test_the_rule_that_is_shown_for_a_function_of_fortran():
    with pytest.raises(srcad.MissingRule, match="E201") as found:
        srcad.grad(lambda b: linalg.lapack.dgesv(np.eye(3), b)[2].sum())(np.ones(3))
    stub = _stub(str(found.value))
    ast.parse(stub)
    assert "rules.rule(scipy.linalg.lapack.dgesv, " in stub
    assert "def vjp(g, y, a, b)" in stub
