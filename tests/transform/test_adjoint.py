"""Straight-line reverse mode; every derivative is compared with differences of the primal."""

import operator

import numpy as np
import pytest
from transform.programs import FLOAT, INT, SCALAR, array, check, grad, program

from srcad import runtime
from srcad.errors import MissingRule
from srcad.ir import Block, Function, Op, Value, show, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.walk import statements
from srcad.rules.core.zero import ZERO
from srcad.transform.reverse.adjoint import build_adjoint

RNG = np.random.default_rng(0)


def ops(fn, callee):
    return [s for s in statements(fn.body) if isinstance(s, Op) and s.fn is callee]


def test_chain_with_broadcast_number():
    fn = program(lambda b, x, w: np.sum(np.tanh(x * w) * x), x=array("n"), w=FLOAT)
    check(fn, RNG.random(3), 0.7)


def test_first_contribution_assigns_and_later_ones_add():
    fn = program(lambda b, x: np.sum(np.sin(x)), x=array("n"))
    assert not ops(grad(fn), operator.add)
    fn = program(lambda b, x: np.sum(np.sin(x) * x), x=array("n"))
    assert len(ops(grad(fn), operator.add)) == 1


def test_cotangents_have_the_names_of_their_primals():
    def f(b, x):
        h = b.builder.wrap(b.builder.emit(np.tanh, (x.value,), name="h"))
        return np.sum(np.sin(h))

    text = show(grad(program(f, x=array("n"))))
    assert "h_bar: f64[n] = " in text
    assert "x_bar: f64[n] = " in text


def test_a_read_adds_into_the_cotangent_that_is_there():
    fn = program(lambda b, x: x[0] * x[1] + np.sum(x), x=array("n"))
    made = grad(fn)
    assert len(ops(made, runtime.index_add)) == 2
    assert not ops(made, runtime.scatter)
    check(fn, RNG.random(3))


def test_repeated_indices_add_up():
    fn = program(lambda b, x: np.sum(x[[0, 0, 2]] ** 2), x=array("n"))
    check(fn, RNG.random(3))


def test_unused_input_has_a_zero_gradient():
    fn = program(lambda b, x, y, w: np.sum(x), x=array("n"), y=array("m", "k"), w=FLOAT)
    x_bar, y_bar, w_bar = evaluate(grad(fn), np.ones(2), np.ones((2, 3)), 1.0)
    assert x_bar.tolist() == [1, 1]
    assert y_bar.tolist() == np.zeros((2, 3)).tolist()
    assert (w_bar, type(w_bar)) == (0.0, float)


def test_result_that_is_an_input_or_a_constant():
    assert evaluate(grad(program(lambda b, x: x, x=FLOAT)), 3.0) == [1.0]
    assert evaluate(grad(program(lambda b, x: 2.5, x=FLOAT)), 3.0) == [0.0]


def test_lists_of_arrays_as_arguments():
    fn = program(lambda b, x, y: np.sum(np.concatenate([x, y, x]) ** 3), x=array("n"), y=array("m"))
    check(fn, RNG.random(2), RNG.random(3))


def test_several_results_of_one_op():
    def f(b, a):
        sign, logdet = b.call(np.linalg.slogdet, a)
        return logdet * sign

    check(program(f, a=array("n", "n")), RNG.random((3, 3)) + 3 * np.eye(3), tol=1e-6)

    def g(b, x):
        whole, part = b.call(divmod, x, 0.3)
        return np.sum(part * x + whole)

    check(program(g, x=array("n")), np.array([0.5, 0.8, 1.0]))


def test_zero_derivative_stops_the_sweep():
    fn = program(lambda b, x: np.sum(np.floor(x) * x), x=array("n"))
    check(fn, np.array([0.5, 1.5, -0.7]))


def test_integers_carry_no_cotangent():
    fn = program(lambda b, x, n: np.sum(x) * n + x[n], x=array("m"), n=INT)
    check(fn, RNG.random(4), 2)


@pytest.mark.parametrize("wide", [np.float64, np.complex128])
def test_cotangent_has_the_dtype_of_its_primal(wide):
    def f(b, x):
        y = x.astype(wide)
        return np.sum(np.real(y * y * wide(1.5)))

    made = grad(program(f, x=array("n", dtype=np.float32)))
    x = np.arange(3, dtype=np.float32)
    (x_bar,) = evaluate(made, x)
    assert x_bar.dtype == np.float32
    np.testing.assert_allclose(x_bar, 3 * x)


def test_float32_stays_float32():
    fn = program(lambda b, x, w: np.sum(np.tanh(x * w)), x=array("n", dtype=np.float32), w=FLOAT)
    x_bar, w_bar = evaluate(grad(fn), np.ones(3, np.float32), 0.5)
    assert x_bar.dtype == np.float32
    assert type(w_bar) is np.float64


def test_complex_input_of_a_real_loss():
    fn = program(lambda b, z: np.sum(np.real(z * z)), z=array("n", dtype=complex))
    z = np.array([1 + 2j, 0.5 - 1j])
    (z_bar,) = evaluate(grad(fn), z)
    for step in (1e-6, 1e-6j):  # dL = Re(z_bar * dz)
        for k in range(2):
            dz = np.zeros(2, complex)
            dz[k] = step
            (up,), (down,) = evaluate(fn, z + dz), evaluate(fn, z - dz)
            np.testing.assert_allclose(np.real(z_bar[k] * step), (up - down) / 2, rtol=1e-6)


def test_effects_stay_in_the_forward_sweep():
    seen = []

    def f(b, x):
        b.builder.body.append(Op(seen.append, (x.value,), effect=True))
        return x * x

    fn = program(f, x=SCALAR)
    assert evaluate(grad(fn), np.float64(3.0)) == [6.0]
    assert seen == [3.0]


def test_primal_is_left_as_it_is():
    fn = program(lambda b, x: b.loop((0, 3, 1), (x,), lambda i, h: np.tanh(h)), x=SCALAR)
    before = show(fn)
    grad(fn)
    assert show(fn) == before


def test_seeds_of_several_results_add_up():
    fn = program(lambda b, x: (x * x, np.sin(x)), x=SCALAR)
    adjoint = build_adjoint(fn, [0], [2.0, 3.0])
    body = Block(adjoint.params, [*adjoint.forward, *adjoint.reverse], adjoint.cotangents)
    (x_bar,) = evaluate(verify(Function("f", body)), np.float64(0.4))
    np.testing.assert_allclose(x_bar, 2 * 2 * 0.4 + 3 * np.cos(0.4))


def test_zero_seed_gives_zero_cotangents():
    fn = program(lambda b, x: x * x, x=SCALAR)
    adjoint = build_adjoint(fn, [0], [ZERO])
    assert adjoint.cotangents == [ZERO]
    assert adjoint.reverse == []


def no_rule(x):
    return x


def test_op_without_rule_on_an_active_path_is_refused():
    x, y = Value("x", SCALAR), Value("y", SCALAR)
    fn = program(lambda b, x: x, x=SCALAR)
    bad = Function("f", Block([x], [Op(no_rule, (x,), {}, (y,))], [y]), fn.interface)
    with pytest.raises(MissingRule) as caught:
        grad(bad)
    assert caught.value.code == "E201"
    fine = Function("f", Block([x], [Op(no_rule, (x,), {}, (y,))], [x]), fn.interface)
    assert evaluate(grad(fine), 2.0) == [1.0]


def test_call_of_a_program():
    x, y = Value("x", SCALAR), Value("y", SCALAR)
    fn = program(lambda b, x: x * x, x=SCALAR)
    call = Function("g", Block([x], [Op(fn, (x,), {}, (y,))], [y]), fn.interface)
    assert evaluate(grad(call), 3.0) == [6.0]
