"""Whole functions: containers, values, aux, and the refusals of what has no gradient."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from transform.programs import BOOL, FLOAT, INT, SCALAR, array, program

from srcad.errors import SrcadError
from srcad.ir import ArrayType, Interface, Param, Record, Slot, Static, verify
from srcad.ir.evaluate import evaluate
from srcad.transform.kinds import gradient, pullback, pushforward

ONE = {"with_value": False, "has_aux": False, "single": True}


@dataclass
class Layer:
    w: object
    b: object


def model():
    """`f(params, x)` with params = {"layer": Layer(w, b), "n": n, "name": "tanh"}."""

    def f(b, w, bias, n, x):
        return np.sum(np.tanh(x @ w + bias)) * n

    fn = program(f, w=array("k"), bias=FLOAT, n=FLOAT, x=array("m", "k"))
    layer = Record(Layer, {"w": Slot(0), "b": Slot(1)})
    tree = {"layer": layer, "n": (Slot(2),), "name": Static("tanh")}
    fn.interface = Interface((Param("params", tree), Param("x", Slot(3))), (), Slot(0))
    return fn


ARGS = (np.array([0.1, 0.2]), 0.3, 2.0, np.ones((3, 2)))


def test_gradient_has_the_container_of_its_parameter():
    made = verify(gradient(model(), [0], **ONE))
    assert made.name == "f_grad"
    tree = made.interface.result
    assert tree["layer"] == Record(Layer, {"w": Slot(0), "b": Slot(1)})
    assert tree["n"] == (Slot(2),)
    assert tree["name"] == Static("tanh")
    assert made.interface.params == model().interface.params
    w_bar, _, n_bar = evaluate(made, *ARGS)
    assert w_bar.shape == (2,)
    np.testing.assert_allclose(n_bar, evaluate(model(), *ARGS)[0] / 2.0)


def test_several_parameters_give_a_tuple():
    made = verify(gradient(model(), [1, 0], with_value=True, has_aux=False, single=False))
    assert made.name == "f_value_and_grad"
    value, (x_bar, params_bar) = made.interface.result
    assert (value, x_bar) == (Slot(0), Slot(1))
    assert isinstance(params_bar, dict)
    assert evaluate(made, *ARGS)[0] == evaluate(model(), *ARGS)[0]


def with_aux():
    fn = program(lambda b, x: (np.sum(x * x), x * 2, x + 1), x=array("n"))
    return replace(
        fn, interface=replace(fn.interface, result=(Slot(0), {"y": Slot(1), "z": Slot(2)}))
    )


def test_aux_is_handed_through():
    made = verify(gradient(with_aux(), [0], with_value=True, has_aux=True, single=True))
    assert made.interface.result == ((Slot(0), {"y": Slot(1), "z": Slot(2)}), Slot(3))
    value, y, z, x_bar = evaluate(made, np.array([1.0, 2.0]))
    assert (value, y.tolist(), z.tolist(), x_bar.tolist()) == (5.0, [2, 4], [2, 3], [2, 4])
    made = verify(gradient(with_aux(), [0], with_value=False, has_aux=True, single=True))
    assert made.interface.result == (Slot(2), {"y": Slot(0), "z": Slot(1)})
    assert evaluate(made, np.array([1.0, 2.0]))[2].tolist() == [2, 4]


def test_array_with_one_entry_is_a_scalar():
    fn = program(lambda b, x: np.sum(x * x, axis=0, keepdims=True), x=array("n"))
    (x_bar,) = evaluate(verify(gradient(fn, [0], **ONE)), np.array([1.0, 2.0]))
    assert x_bar.tolist() == [2, 4]


def test_seed_has_the_dtype_of_the_result():
    x = ArrayType(np.dtype(np.float32), (), scalar=True)
    (x_bar,) = evaluate(gradient(program(lambda b, x: x, x=x), [0], **ONE), np.float32(2))
    assert type(x_bar) is np.float32


def refused(code, fn, params=(0,), **options):
    with pytest.raises(SrcadError) as caught:
        gradient(fn, list(params), **{**ONE, **options})
    assert caught.value.code == code
    return str(caught.value)


def test_refusals():
    text = refused("E301", program(lambda b, n: n * 2.0, n=INT))
    assert "argument `n` of type int" in text
    fn = program(lambda b, w, flag: np.sum(w), w=array("n"), flag=BOOL)
    tree = {"w": Slot(0), "flag": Slot(1)}
    fn.interface = Interface((Param("params", tree),), (), Slot(0))
    assert gradient(fn, [0], **ONE).interface.result == {"w": Slot(0), "flag": Static(None)}
    fn.interface = Interface((Param("params", {"flag": Slot(1)}),), (), Slot(0))
    assert '`params["flag"]`' in refused("E301", fn)
    assert "float64[n]" in refused("E302", program(lambda b, x: x * 2, x=array("n")))
    refused("E302", program(lambda b, x: (x, x), x=SCALAR))
    refused("E306", program(lambda b, x: np.argmax(x), x=array("n")))
    refused("E306", program(lambda b, x: x * 1j, x=SCALAR))
    refused("E307", program(lambda b, x: x, x=SCALAR), has_aux=True)
    refused("E307", program(lambda b, x: (x, x, x), x=SCALAR), has_aux=True)
    nothing = program(lambda b, x: x, x=SCALAR)
    nothing.interface = replace(nothing.interface, result=Static(None))
    refused("E316", nothing)


def test_static_results():
    fn = program(lambda b, x: x, x=SCALAR)
    fn.interface = replace(fn.interface, result=Static(2.5))
    made = gradient(fn, [0], with_value=True, has_aux=False, single=True)
    assert made.interface.result[0] == Static(2.5)
    assert evaluate(made, 1.0) == [0.0]
    fn.interface = replace(fn.interface, result=Static("text"))
    refused("E306", fn)


def test_pushforward():
    made = verify(pushforward(model()))
    assert made.name == "f_jvp"
    assert [p.name for p in made.interface.params] == ["params", "x", "params_dot", "x_dot"]
    params_dot = made.interface.params[2].tree
    assert params_dot["layer"] == Record(Layer, {"w": Slot(4), "b": Slot(5)})
    assert made.interface.result == (Slot(0), Slot(1))
    y, y_dot = evaluate(made, *ARGS, np.zeros(2), 0.0, 1.0, np.zeros((3, 2)))
    np.testing.assert_allclose(y_dot, y / 2.0)


def test_pullback():
    fn = program(lambda b, x, n: (x * x, n + 1), x=array("n"), n=INT)
    made = verify(pullback(fn))
    assert made.name == "f_vjp"
    assert made.interface.result == ((Slot(0), Slot(1)), Slot(2))
    y, m, pull = evaluate(made, np.array([1.0, 2.0]), 3)
    assert (y.tolist(), m) == ([1, 4], 4)
    assert pull(np.array([1.0, 10.0]), 0)[0].tolist() == [2, 40]
    inner = made.body.body[-1].function.interface
    assert inner.result == (Slot(0), Static(None))
    assert inner.params[0].tree == (Slot(0), Slot(1))


def test_captured_values_stay_inputs():
    fn = program(lambda b, x, scale: np.sum(x) * scale, x=array("n"), scale=FLOAT)
    first, second = fn.interface.params
    fn.interface = Interface((first,), (second,), Slot(0))
    made = verify(gradient(fn, [0], **ONE))
    assert made.interface.captures == (second,)
    assert evaluate(made, np.ones(2), 3.0)[0].tolist() == [3, 3]
    made = verify(pushforward(fn))
    assert [p.name for p in made.interface.inputs] == ["x", "x_dot", "scale"]
    assert evaluate(made, np.ones(2), 3.0, np.ones(2)) == [6.0, 6.0]
