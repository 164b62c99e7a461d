"""`srcad.solve_ivp_by_adjoint`: SciPy's solution, and gradients by the adjoint equation."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

integrate = pytest.importorskip("scipy.integrate")

TIGHT = {"rtol": 1e-9, "atol": 1e-10}
LOOSE = {"rtol": 1e-6, "atol": 1e-7}
TIMES = np.linspace(0.0, 3.0, 7)
MATRIX = np.array([[-1.0, 0.2], [0.0, -3.0]])
P, Y0 = np.array([1.0, 0.5]), np.array([2.0, 1.0])
solve = srcad.solve_ivp_by_adjoint


def rates(t, y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], -0.9 * y[1] + 0.3 * y[0] * y[1] * np.cos(t)])


def at_times(y0, p):
    return np.sum(solve(rates, (0.0, 3.0), y0, t_eval=TIMES, args=(p,), **TIGHT).y ** 2)


def at_the_end(y0, p):
    return np.sum(solve(rates, [0.0, 3.0], y0, args=(p,), **TIGHT).y[:, -1] ** 2)


def by_the_end(end, p):
    return np.sum(solve(rates, (0.0, end), Y0, args=(p,), **TIGHT).y[:, -1] ** 2)


def by_the_times(t, p):
    found = solve(rates, (0.0, 4.0), Y0, "DOP853", t, args=(p,), **TIGHT)
    return np.sum(found.y**2) + found.t[0] if found.success else 0.0


def backwards(p):
    return np.sum(solve(lambda t, y: rates(t, y, p), (1.0, 0.0), Y0, "Radau", **LOOSE).y ** 2)


def with_tolerances(p):
    options = {"rtol": 1e-9, "atol": np.array([1e-10, 1e-11]), "max_step": 0.5}
    found = solve(rates, (0.0, 3.0), Y0, t_eval=TIMES, args=(p,), method="LSODA", **options)
    return np.sum(found.y**2)


def with_jacobian(p):
    by_state = srcad.jacobian(rates, 1)
    ours = solve(rates, (0.0, 1.0), Y0, "BDF", args=(p,), jac=by_state, **LOOSE)
    scipys = integrate.solve_ivp(
        lambda t, y: MATRIX @ y + p, (0.0, 1.0), Y0, "Radau", jac=MATRIX, **LOOSE
    )
    others = integrate.solve_ivp(
        rates, (0.0, 1.0), Y0, "BDF", TIMES / 3, args=(p,), jac=by_state, **LOOSE
    )
    return np.sum(ours.y[:, -1] * scipys.y[:, -1]) + np.sum(others.y**2)


def of_one_number(a):
    return solve(lambda t, y: -a * y, (0.0, 1.0), [1.0], **TIGHT).y[0, -1]


def of_a_network(weights):
    def layer(t, y, w):
        return np.tanh(w["in"] @ y + t) @ w["out"] - y

    return np.sum(solve(layer, (0.0, 1.0), np.ones(3), args=(weights,), **TIGHT).y ** 2)


RNG = np.random.default_rng(1)
WEIGHTS = {"in": RNG.normal(size=(4, 3)), "out": RNG.normal(size=(4, 3))}
PROGRAMS = [
    (at_times, (Y0, P)), (at_the_end, (Y0, P)), (by_the_end, (3.0, P)),
    (by_the_times, (np.array([1.0, 2.0, 3.5]), P)), (backwards, (P,)), (with_tolerances, (P,)),
    (with_jacobian, (P,)), (of_one_number, (1.3,)), (of_a_network, (WEIGHTS,)),
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_agree_with_differences(f, args, backend):
    value, _ = srcad.value_and_grad(f, backend=backend)(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-14)
    if backend == "numpy":
        check_grads(f, args, order=2, atol=2e-4, rtol=2e-4)


def test_the_solution_is_that_of_scipy():
    ours = solve(rates, (0.0, 3.0), Y0, t_eval=TIMES, args=(P,))
    scipys = integrate.solve_ivp(rates, (0.0, 3.0), Y0, t_eval=TIMES, args=(P,))
    np.testing.assert_array_equal(ours.y, scipys.y)


def test_the_program_solves_one_system_backwards():
    text = srcad.grad(at_times, argnums=1).source(Y0, P)
    assert "pull=rates_vjp" in text
    assert "rates_derivatives" not in text


def test_stiff_systems_do_not_grow_backwards():
    def last(k):
        found = solve(lambda t, y: -k * (y - np.cos(t)), (0.0, 2.0), [0.0], "BDF", **TIGHT)
        return found.y[0, -1]

    slope, step = srcad.grad(last)(1000.0), 1.0
    differences = (last(1000.0 + step) - last(1000.0 - step)) / (2 * step)
    assert slope == pytest.approx(differences, rel=1e-2)


def test_a_saved_module_needs_scipy_alone(tmp_path):
    path = tmp_path / "made.py"
    gradient = srcad.grad(at_times, argnums=1)
    gradient.save(path, Y0, P)
    namespace = {"__name__": "made"}
    exec(path.read_text(), namespace)
    assert "import srcad" not in path.read_text()
    np.testing.assert_array_equal(namespace["at_times_grad"](Y0, P), gradient(Y0, P))


@pytest.mark.parametrize("options", [{"events": rates}, {"dense_output": True}])
def test_other_options_are_refused(options):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(lambda p: solve(rates, (0.0, 1.0), Y0, args=(p,), **options).y[0, -1])(P)
    assert caught.value.code == "E203"
