"""Optimisers, step by step against the published updates; states, sparse rows and mistakes."""

from __future__ import annotations

import io
import math
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.nn import SparseRows, optim

RNG = np.random.default_rng(0)


def steps(optimiser: Any, p: Any, gradients: Any) -> list[Any]:
    """The parameters after each update."""
    p, found = p.copy(), []
    state = optimiser.init(p)
    for g in gradients:
        optimiser.update(p, g, state)
        found.append(p.copy())
    return found


P = RNG.standard_normal((3, 2))
GRADIENTS = RNG.standard_normal((6, 3, 2))


# Published updates, number by number -------------------------------------------------------------


def of_each(update: Any) -> list[Any]:
    """`update(numbers p, g of all steps) -> p after each step`, for each entry."""
    found = [np.empty_like(P) for _ in GRADIENTS]
    for k in np.ndindex(P.shape):
        for step, value in enumerate(update(float(P[k]), [float(g[k]) for g in GRADIENTS])):
            found[step][k] = value
    return found


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd(momentum: float, decay: float) -> None:
    def update(p: float, gs: list[float]) -> Any:
        v = 0.0
        for g in gs:
            v = momentum * v + g + decay * p
            p -= 0.05 * v
            yield p

    found = steps(optim.sgd(0.05, momentum, weight_decay=decay), P, GRADIENTS)
    np.testing.assert_allclose(found, of_each(update), rtol=1e-12)


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize(("b1", "b2", "eps"), [(0.9, 0.999, 1e-8), (0.5, 0.9, 1e-3), (0, 0.5, 0.1)])
def test_adam(b1: float, b2: float, eps: float, decay: float) -> None:
    """Kingma and Ba (2015), algorithm 1; Loshchilov and Hutter (2019), algorithm 2."""

    def update(p: float, gs: list[float]) -> Any:
        m = v = 0.0
        for t, g in enumerate(gs, 1):
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g**2
            p -= 0.01 * decay * p
            p -= 0.01 * (m / (1 - b1**t)) / (math.sqrt(v / (1 - b2**t)) + eps)
            yield p

    found = steps(optim.adam(0.01, b1, b2, eps, weight_decay=decay), P, GRADIENTS)
    np.testing.assert_allclose(found, of_each(update), rtol=1e-10)


def test_adamw_is_adam_with_decay() -> None:
    found = steps(optim.adamw(0.01), P, GRADIENTS)
    expected = steps(optim.adam(0.01, weight_decay=0.01), P, GRADIENTS)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("make", [lambda: optim.sgd(0.1, 0.5), lambda: optim.adam(0.1)])
def test_the_step_may_be_changed(make: Any) -> None:
    p, optimiser = P.copy(), make()
    state = optimiser.init(p)
    state["lr"] = 1e-12
    optimiser.update(p, GRADIENTS[0], state)
    np.testing.assert_allclose(p, P, rtol=1e-9)
    state["lr"] = 0.1
    optimiser.update(p, GRADIENTS[0], state)
    assert np.abs(p - P).min() > 1e-4


# Containers and types ----------------------------------------------------------------------------


class Layer(NamedTuple):
    w: Any
    b: Any


@dataclass
class Net:
    layers: list[Layer]
    scale: dict[str, Any]


@pytest.mark.parametrize("make", [lambda: optim.sgd(0.1, 0.9), lambda: optim.adam(0.1)])
def test_any_container_in_place(make: Any) -> None:
    net = Net([Layer(P.copy(), P[0].copy())], {"a": P[:, 0].copy()})
    arrays = (net.layers[0].w, net.layers[0].b, net.scale["a"])
    g = Net([Layer(GRADIENTS[0], GRADIENTS[0, 0])], {"a": GRADIENTS[0, :, 0]})
    optimiser = make()
    state = optimiser.init(net)
    for _ in range(2):
        optimiser.update(net, g, state)
    assert net.layers[0].w is arrays[0]
    for found, start, gradient in zip(
        arrays, (P, P[0], P[:, 0]), (GRADIENTS[0], GRADIENTS[0, 0], GRADIENTS[0, :, 0]), strict=True
    ):
        expected = steps(make(), start, [gradient, gradient])[-1]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "optimiser", [optim.sgd(0.1, 0.9, weight_decay=0.1), optim.adam(0.1, weight_decay=0.1)]
)
def test_single_precision_stays(optimiser: Any) -> None:
    p = P.astype("f")
    state = optimiser.init(p)
    optimiser.update(p, GRADIENTS[0].astype("f"), state)
    assert p.dtype == np.float32
    kept = [x for x in state.values() if isinstance(x, np.ndarray)]
    assert kept
    assert {x.dtype for x in kept} == {np.dtype(np.float32)}


def test_gradients_stay_as_they_are() -> None:
    for optimiser in (optim.sgd(0.1, 0.9, weight_decay=0.1), optim.adam(0.1, weight_decay=0.1)):
        g = GRADIENTS[0].copy()
        p = P.copy()
        state = optimiser.init(p)
        optimiser.update(p, g, state)
        optimiser.update(p, g, state)
        np.testing.assert_array_equal(g, GRADIENTS[0])


def test_a_training_finds_the_minimum() -> None:
    x = RNG.standard_normal((50, 3))
    w = RNG.standard_normal((3, 2))
    step = srcad.value_and_grad(lambda p, x, y: nn.mse(nn.dense(x, p["w"], p["b"]), y))
    for optimiser in (optim.sgd(0.1, 0.9), optim.adam(0.1)):
        params = {"w": np.zeros((3, 2)), "b": np.ones(2)}
        state = optimiser.init(params)
        for _ in range(300):
            _, gradient = step(params, x, x @ w)
            optimiser.update(params, gradient, state)
        np.testing.assert_allclose(params["w"], w, atol=1e-3)
        np.testing.assert_allclose(params["b"], 0, atol=1e-3)


# Sparse rows -------------------------------------------------------------------------------------

TABLE = RNG.standard_normal((7, 2))
SPARSE = SparseRows(np.array([4, 1, 4, -2]), RNG.standard_normal((4, 2)), TABLE.shape)
OPTIMISERS = {
    "sgd": lambda: optim.sgd(0.1),
    "decay": lambda: optim.sgd(0.1, weight_decay=0.2),
    "momentum": lambda: optim.sgd(0.1, 0.9),
    "adam": lambda: optim.adam(0.1),
    "adamw": lambda: optim.adamw(0.1),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_sparse_rows_touch_only_these(name: str) -> None:
    table, optimiser = TABLE.copy(), OPTIMISERS[name]()
    state = optimiser.init(table)
    dense, dense_state = TABLE.copy(), optimiser.init(TABLE)
    touched, others = [1, 4, 5], [0, 2, 3, 6]
    for _ in range(3):
        optimiser.update(table, SPARSE, state)
        optimiser.update(dense, np.asarray(SPARSE), dense_state)
        np.testing.assert_array_equal(table[others], TABLE[others])
        np.testing.assert_allclose(table[touched], dense[touched], rtol=1e-12)
    for key, kept in state.items():
        if isinstance(kept, np.ndarray):
            np.testing.assert_array_equal(kept[others], 0)
            np.testing.assert_allclose(kept[touched], dense_state[key][touched], rtol=1e-12)


def test_sparse_gradients_of_a_training() -> None:
    ids, y = RNG.integers(0, 7, (20, 3)), RNG.integers(0, 2, 20)

    def loss(table: Any, ids: Any, y: Any) -> Any:
        return nn.softmax_cross_entropy(np.mean(nn.embedding(table, ids), axis=1), y)

    sparse, dense, step = TABLE.copy(), TABLE.copy(), srcad.value_and_grad(loss)
    optimiser = optim.sgd(0.5)
    state = optimiser.init(sparse)
    for _ in range(5):
        value, g = step(sparse, ids, y)
        assert isinstance(g, SparseRows)
        optimiser.update(sparse, g, state)
        value_2, g = step(dense, ids, y)
        optimiser.update(dense, np.asarray(g), state)
        assert math.isclose(value, value_2, rel_tol=1e-12)
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)


# States ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_state_that_was_saved_goes_on(name: str) -> None:
    optimiser = OPTIMISERS[name]()
    whole = steps(optimiser, P, GRADIENTS)
    p = P.copy()
    state = optimiser.init(p)
    for g in GRADIENTS[:3]:
        optimiser.update(p, g, state)
    again = pickle.loads(pickle.dumps(state))
    file = io.BytesIO()
    np.savez(file, **state)
    file.seek(0)
    of_file = dict(np.load(file))
    for kept in (again, of_file):
        q = p.copy()
        for g in GRADIENTS[3:]:
            optimiser.update(q, g, kept)
        np.testing.assert_allclose(q, whole[-1], rtol=1e-12)


# Mistakes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: optim.sgd(0.0), "lr: expected a number"),
        (lambda: optim.sgd(-1.0), "lr: expected .* got -1.0"),
        (lambda: optim.sgd(0.1, 1.0), "momentum: expected a number from 0 to 1, got 1.0"),
        (lambda: optim.sgd(0.1, weight_decay=-0.1), "weight_decay"),
        (lambda: optim.adam(math.nan), "lr"),
        (lambda: optim.adam(b1=1.0), "b1"),
        (lambda: optim.adam(b2=-0.1), "b2"),
        (lambda: optim.adam(eps=-1e-8), "eps"),
        (lambda: optim.adamw(weight_decay=math.inf), "weight_decay"),
    ],
)
def test_numbers_out_of_range(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("optimiser", [optim.sgd(0.1), optim.adam(0.1)])
def test_parameters_that_cannot_be_changed(optimiser: Any) -> None:
    for wrong, found in [
        ({"w": 1.0}, r"params\['w'\]: expected an array of floats, got float 1.0"),
        ([np.zeros(2), np.zeros(2, bool)], r"params\[1\]: .* got one of bool"),
    ]:
        with pytest.raises(TypeError, match=found):
            optimiser.update(wrong, wrong, optimiser.init(np.zeros(1)))


@pytest.mark.parametrize("optimiser", [optim.sgd(0.1), optim.adam(0.1)])
def test_gradients_that_do_not_fit(optimiser: Any) -> None:
    params = {"w": np.zeros((3, 2)), "b": np.zeros(2)}
    state = optimiser.init(params)
    with pytest.raises(TypeError, match=r"one part for each of 2 parameters, got 1; .*'b'"):
        optimiser.update(params, {"w": np.zeros((3, 2))}, state)
    with pytest.raises(ValueError, match=r"gradient\['w'\]: expected shape \(3, 2\), got \(2, 3\)"):
        optimiser.update(params, {"w": np.zeros((2, 3)), "b": np.zeros(2)}, state)


def test_arrays_of_equal_shapes_do_not_meet_under_other_names() -> None:
    params = {"w": np.zeros(2), "x": np.zeros(2)}
    optimiser = optim.sgd(0.1)
    with pytest.raises(TypeError, match=r"differ at \['v'\]"):
        optimiser.update(params, {"v": np.ones(2), "w": np.ones(2)}, optimiser.init(params))


def test_keys_of_several_kinds() -> None:
    params = {"w": np.zeros(2), 1: np.zeros(2)}
    gradient = {1: np.ones(2), "w": np.full(2, 2.0)}
    optimiser = optim.sgd(1.0)
    optimiser.update(params, gradient, optimiser.init(params))
    np.testing.assert_array_equal(params["w"], -gradient["w"])
    np.testing.assert_array_equal(params[1], -gradient[1])


def test_containers_that_differ_inside_are_refused() -> None:
    params = {"l": {"a": P.copy(), "b": P.copy()}}
    gradient = {"l": {"a": P.copy(), "c": P.copy()}}
    optimiser = optim.sgd(0.1)
    with pytest.raises(TypeError, match="differ at"):
        optimiser.update(params, gradient, optimiser.init(params))


def test_sequences_go_together_by_position() -> None:
    params, optimiser = [P.copy(), Layer(P.copy(), P[0].copy())], optim.sgd(1.0)
    optimiser.update(params, (P, (P, P[0])), optimiser.init(params))
    np.testing.assert_array_equal(params[1].w, 0.0)


class Model:
    def __init__(self) -> None:
        self.w, self.b = P.copy(), P[0].copy()


def test_objects_of_arrays() -> None:
    model, optimiser = Model(), optim.adam(0.1)
    state = optimiser.init(model)
    step = srcad.grad(lambda m, x: np.sum((x @ m.w + m.b) ** 2))
    for _ in range(3):
        optimiser.update(model, step(model, GRADIENTS[0].T), state)
    assert np.abs(model.w - P).min() > 0.05


@pytest.mark.parametrize("make", [lambda: optim.sgd(0.1, 0.5), lambda: optim.adam(0.1)])
@pytest.mark.parametrize("compiled", [False, True])
def test_complex_parameters_and_those_without_axes(make: Any, compiled: bool) -> None:
    params = {"z": np.zeros(2, complex), "s": np.zeros(()), "f": np.zeros((), np.float32)}
    optimiser = make()
    state = optimiser.init(params)

    def loss(p: Any) -> Any:
        return np.sum(np.abs(p["z"] - (1 - 2j)) ** 2) + (p["s"] - 1.0) ** 2 + p["f"] ** 2

    def step(p: Any, state: Any) -> Any:
        optimiser.update(p, srcad.grad(loss)(p), state)

    run = srcad.compile(step) if compiled else step
    for _ in range(300):
        run(params, state)
    np.testing.assert_allclose(params["z"], 1 - 2j, atol=1e-3)
    np.testing.assert_allclose(params["s"], 1.0, atol=1e-3)
    assert params["f"].dtype == np.float32
