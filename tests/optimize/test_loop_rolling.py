from itertools import pairwise

import numpy as np
import pytest

import srcad
from srcad.optimize.prepare import loop_rolling
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 3))


@pytest.fixture(autouse=True)
def _short_programs_too(monkeypatch):
    monkeypatch.setattr(loop_rolling, "LEAST", 6)
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(1))


def layers(count, *widths):
    widths = widths or (3,) * (count + 1)
    return [
        {"w": RNG.standard_normal(pair), "b": RNG.standard_normal(pair[1])}
        for pair in pairwise(widths)
    ]


def perceptron(p, x):
    for layer in p:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.sum(x**2)


def rolled(fn, *args):
    """Whether its gradient is right, and has a loop."""
    check_grads(fn, args)
    return "for i in " in srcad.value_and_grad(fn, tuple(range(len(args)))).source(*args)


def test_layers_become_one_loop():
    assert rolled(perceptron, layers(3), X)
    gradient = srcad.grad(perceptron)
    few, more = (gradient.source(layers(n), X).count(" @ ") for n in (3, 6))
    assert few == more


def test_values_are_those_of_python():
    p = layers(4)
    value, (first, *_) = srcad.value_and_grad(perceptron)(p, X)
    assert value == perceptron(p, X)
    assert first["w"].flags.writeable


def test_layers_of_several_widths_are_one_loop():
    def bottlenecks(p, x):
        for layer in p:
            x = x + np.tanh(x @ layer["w"]) @ layer["w"].T
        return np.sum(x**2)

    p = [{"w": RNG.standard_normal((3, n))} for n in (2, 5, 4)]
    assert rolled(bottlenecks, p, X)
    assert rolled(perceptron, layers(4, 3, 4, 2, 5, 2), X)


def test_extents_are_those_of_each_iteration():
    def flattened(p, x):
        for w in p:
            a, b = w.shape
            x = x + (x @ w).reshape(2, 2 * b).reshape(4, b) @ w.T * (1.0 / a)
        return np.sum(x**2)

    assert rolled(flattened, [RNG.standard_normal((3, n)) for n in (2, 5, 4)], X)


def test_states_that_are_read_behind_it():
    def skips(p, x):
        states = []
        for layer in p:
            x = x + np.tanh(x @ layer["w"] + layer["b"])
            states.append(x)
        return np.sum(states[0] * states[2]) + np.sum(states[1] ** 2)

    assert rolled(skips, layers(3), X)


def test_two_values_are_handed_on():
    def cells(p, x):
        h, c = x, 2.0 * x
        for layer in p:
            gate = 1.0 / (1.0 + np.exp(-(h @ layer["w"] + layer["b"])))
            c = gate * c + (1.0 - gate) * np.tanh(h @ layer["w"])
            h = gate * np.tanh(c)
        return np.sum(h * c)

    assert rolled(cells, layers(3), X)


def test_weights_that_are_shared():
    def tied(w, x):
        for v in [w, w, 2.0 * w, w]:
            x = np.tanh(x @ v) + 0.1 * np.sin(x @ v)
        return np.sum(x**2)

    assert rolled(tied, RNG.standard_normal((3, 3)), X)


def test_a_write_stays_in_its_iteration():
    def scaled(p, x):
        x = x.copy()
        for layer in p:
            x[:, 0] *= layer["b"][0]
            x[1:] += np.tanh(x[:-1] @ layer["w"])
        return np.sum(x**2)

    assert rolled(scaled, layers(3), X)


def test_loops_and_branches_inside():
    def deep(p, x):
        for layer in p:
            for i in range(len(x)):
                if x[i, 0] > 0.0:
                    x = x + 0.1 * np.tanh(x @ layer["w"])
                else:
                    x = x * layer["b"]
        return np.sum(x**2)

    assert rolled(deep, layers(3), X)


def test_constants_are_told_apart():
    def scheduled(p, x):
        for k, layer in enumerate(p):
            x = np.tanh(x @ layer["w"] + layer["b"]) * (0.5 + k)
        return np.sum(x**2)

    assert not rolled(scheduled, layers(3), X)


def test_values_of_several_kinds_are_told_apart():
    def mixed(x):
        for s in (np.sum(x), 0.5 * len(x), np.mean(x)):
            x = np.tanh(x * s) + np.sin(x * s) * np.cos(x - s)
        return np.sum(x**2)

    assert not rolled(mixed, X)


def test_it_has_second_derivatives_and_batches():
    p = layers(3)
    hessian = srcad.hessian(lambda w, x: perceptron([{**p[0], "w": w}, *p[1:]], x))(p[0]["w"], X)
    np.testing.assert_allclose(
        hessian.reshape(9, 9), hessian.reshape(9, 9).T, rtol=1e-9, atol=1e-12
    )
    each = srcad.vmap(lambda x: srcad.grad(perceptron)(p, x)[0]["w"])(np.stack([X, 2 * X]))
    np.testing.assert_allclose(each[1], srcad.grad(perceptron)(p, 2 * X)[0]["w"])


def test_an_exception_is_that_of_its_iteration():
    def checked(p, x):
        for layer in p:
            assert layer["b"][0] > 0.0, "negative"
            x = np.tanh(x @ layer["w"] + layer["b"])
        return np.sum(x**2)

    p = [{**layer, "b": np.abs(layer["b"])} for layer in layers(4)]
    assert rolled(checked, p, X)
    p[2]["b"] = -p[2]["b"]
    with pytest.raises(AssertionError, match="negative"):
        srcad.grad(checked)(p, X)
