"""Programs of users around gradients: loops, lists of pullbacks, threads, optimisers, SciPy."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.api.arguments.trees import flatten, leaves, unflatten
from srcad.nn import optim

RNG = np.random.default_rng(0)
X, Y, W = RNG.standard_normal((20, 3)), RNG.standard_normal(20), RNG.standard_normal(3)


def squares(w: Any, x: Any, y: Any) -> Any:
    return np.sum((x @ w - y) ** 2)


def by_hand(w: Any) -> Any:
    return 2 * X.T @ (X @ w - Y)


class Dense:
    def __init__(self, n: int, m: int) -> None:
        self.w = np.random.default_rng(n * m).standard_normal((n, m))
        self.b = np.zeros(m)
        self.width = m

    def __call__(self, x: Any) -> Any:
        return x @ self.w + self.b


class Network:
    def __init__(self, *widths: int) -> None:
        self.n = len(widths) - 1
        self.layers = [Dense(a, b) for a, b in itertools.pairwise(widths)]
        self.temperature = 1.5

    def forward(self, x: Any) -> Any:
        for k in range(self.n - 1):
            x = np.tanh(self.layers[k](x))
        return self.layers[-1](x) / self.temperature

    def loss(self, x: Any, y: Any) -> Any:
        return np.mean((self.forward(x)[:, 0] - y) ** 2)


def check(gradient: Any, f: Any, tree: Any) -> None:
    """A gradient against differences, by each number."""
    flat, structure = flatten(tree)
    for k, (x, g) in enumerate(zip(flat, leaves(gradient, nones=True), strict=True)):
        if not isinstance(x, float | np.ndarray):
            continue
        for at in np.ndindex(np.shape(x)):
            step = np.zeros(np.shape(x))
            step[at] = 1e-6
            ends = []
            for sign in (1, -1):
                moved = x + sign * step
                moved = moved if isinstance(x, np.ndarray) else float(moved)
                ends.append(f(unflatten(structure, [*flat[:k], moved, *flat[k + 1 :]])))
            wanted = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(np.asarray(g)[at], wanted, rtol=1e-5, atol=1e-6)


def test_gradients_are_kept_over_iterations() -> None:
    step, w = srcad.value_and_grad(squares), np.zeros(3)
    points, history = [], []
    for _ in range(5):
        points.append(w.copy())
        history.append(step(w, X, Y)[1])
        w -= 0.01 * history[-1]
    for point, gradient in zip(points, history, strict=True):
        np.testing.assert_allclose(gradient, by_hand(point))
    for a, b in itertools.combinations([w, *history], 2):
        assert not np.shares_memory(a, b)


def test_gradients_are_accumulated_in_place() -> None:
    step, total = srcad.grad(squares), None
    for i in range(0, 20, 5):
        gradient = step(W, X[i : i + 5], Y[i : i + 5])
        if total is None:
            total = gradient
        else:
            total += gradient
    np.testing.assert_allclose(total, by_hand(W))


def test_constant_gradients_are_each_callers_own() -> None:
    step = srcad.grad(lambda w, b: np.sum(w) + b, (0, 1))
    first, _ = step(W, 1.0)
    first *= 3.0
    second, _ = step(W, 1.0)
    np.testing.assert_array_equal(second, 1.0)


def test_a_gradient_is_the_next_argument() -> None:
    step, w = srcad.grad(lambda w: 0.5 * np.sum(w**2)), W
    for _ in range(3):
        w = step(w)
    w *= 0.0
    np.testing.assert_array_equal(step(W), W)


def test_a_network_by_a_list_of_pullbacks() -> None:
    weights, h, pullbacks = [RNG.standard_normal((3, 3)) for _ in range(3)], W, []
    for w in weights:
        h, pullback = srcad.vjp(lambda w, h: np.tanh(w @ h), w, h)
        pullbacks.append(pullback)
    start = copy.deepcopy(weights)
    h_bar, bars = np.ones(3), []
    for w, pullback in zip(reversed(weights), reversed(pullbacks), strict=True):
        w_bar, h_bar = pullback(h_bar)
        w -= 0.1 * w_bar  # at once, before the pullbacks of the layers below
        bars.append(w_bar)

    def whole(weights: Any) -> Any:
        h = W
        for w in weights:
            h = np.tanh(w @ h)
        return np.sum(h)

    check(bars[::-1], whole, start)


def test_threads_share_a_gradient() -> None:
    step, found = srcad.grad(lambda w, k: np.sum(np.sin(k * w))), {}

    def run(k: int) -> None:
        for _ in range(30):
            found[k] = step(W, float(k))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, gradient in found.items():
        np.testing.assert_allclose(gradient, k * np.cos(k * W))


def test_a_model_with_hyperparameters() -> None:
    model = Network(3, 4, 1)
    step = srcad.value_and_grad(Network.loss)
    value, gradient = step(model, X, Y)
    assert value == model.loss(X, Y)
    assert (gradient.n, gradient.layers[0].width) == (2, 4)
    check(gradient, lambda m: m.loss(X, Y), model)
    deeper = Network(3, 2, 2, 1)
    check(step(deeper, X, Y)[1], lambda m: m.loss(X, Y), deeper)


def test_a_step_over_pairs_of_attributes() -> None:
    model, before = Network(3, 4, 1), Network(3, 4, 1)
    for _ in range(20):
        gradient = srcad.grad(Network.loss)(model, X, Y)
        for layer, own in zip(model.layers, gradient.layers, strict=True):
            for (name, x), (other, g) in zip(vars(layer).items(), vars(own).items(), strict=True):
                assert name == other
                if isinstance(x, np.ndarray):
                    x -= 0.1 * g
    assert model.loss(X, Y) < before.loss(X, Y)


def test_methods_see_their_object() -> None:
    model = Network(3, 4, 1)
    step = srcad.grad(model.loss)
    check(step(X, Y), lambda x: model.loss(x, Y), X)
    model.temperature = 3.0
    check(step(X, Y), lambda x: model.loss(x, Y), X)


def test_partials_on_both_sides() -> None:
    inner = functools.partial(lambda a, w, b=1.0: a * np.sum(w**2) * b, 3.0, b=2.0)
    np.testing.assert_allclose(srcad.grad(inner)(W), 12 * W)
    outer = functools.partial(srcad.grad(lambda a, w: a * np.sum(w**2), argnums=1), 2.0)
    np.testing.assert_allclose(outer(W), 4 * W)


def test_optimisers_over_objects_and_their_states() -> None:
    model = SimpleNamespace(w=np.zeros(3), b=np.zeros(()))
    optimiser = optim.adam(0.05)
    state = optimiser.init(model)
    step = srcad.grad(lambda m: np.mean((X @ m.w + m.b - Y) ** 2))
    for _ in range(3):
        optimiser.update(model, step(model), state)
    again, own = pickle.loads(pickle.dumps((model, state)))
    for m, s in ((model, state), (again, own)):
        for _ in range(3):
            optimiser.update(m, step(m), s)
    np.testing.assert_array_equal(model.w, again.w)
    assert model.b == again.b


def test_scipy_over_an_object() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    model = Network(3, 2, 1)
    vector, unflatten_model = srcad.flatten(model)
    f = srcad.value_and_grad(lambda v: unflatten_model(v).loss(X, Y))
    found = optimize.minimize(f, vector, jac=True, method="L-BFGS-B")
    assert found.fun < model.loss(X, Y)
    best = unflatten_model(found.x)
    assert (best.n, best.layers[0].width) == (2, 2)
    np.testing.assert_allclose(best.loss(X, Y), found.fun)


def test_gradients_of_tables_are_clipped() -> None:
    params = {"t": RNG.standard_normal((10, 2)), "w": RNG.standard_normal(2)}
    ids = np.array([1, 2, 2, 5])
    gradient = srcad.grad(lambda p: np.sum(nn.embedding(p["t"], ids) @ p["w"]))(params)
    norm = np.sqrt(sum(np.sum(g**2) for g in gradient.values()))
    for g in gradient.values():
        g *= 1.0 / norm
    np.testing.assert_allclose(sum(np.linalg.norm(g) ** 2 for g in gradient.values()), 1.0)


def test_what_the_function_hands_out_is_the_callers_own() -> None:
    def f(p: Any, x: Any) -> Any:
        h = np.tanh(x @ p["w"])
        return np.sum(h), {"h": h, "stats": (np.mean(h), np.max(h)), "n": len(x), "p": p}

    p = {"w": W.copy()}
    (_, aux), gradient = srcad.value_and_grad(f, has_aux=True)(p, X)
    assert list(aux) == ["h", "stats", "n", "p"]
    aux["h"][...] = aux["p"]["w"][...] = 9.0
    np.testing.assert_array_equal(p["w"], W)
    check(gradient, lambda p: f(p, X)[0], p)


def test_a_step_inside_the_loss() -> None:
    def inner(w: Any, x: Any, y: Any) -> Any:
        return np.mean((x @ w - y) ** 2)

    def outer(w: Any) -> Any:
        w = w - 0.1 * srcad.grad(inner)(w, X[:10], Y[:10])
        return inner(w, X[10:], Y[10:])

    check(srcad.grad(outer)(W), outer, W)


def test_changes_of_what_is_captured_are_seen() -> None:
    k, scale = [1.0], {"s": 1.0}
    step = srcad.grad(lambda x: k[0] * x * scale["s"])
    found = [step(1.0)]
    k[0] = 3.0
    found.append(step(1.0))
    scale["s"] = 2.0
    found.append(step(1.0))
    k.append(1.0)
    assert [*found, step(1.0)] == [1.0, 3.0, 6.0, 6.0]


def test_tied_weights_have_gradients_of_their_own() -> None:
    w = RNG.standard_normal((2, 3))
    gradient = srcad.grad(lambda p: np.sum((p["e"] @ p["d"].T) ** 2))({"e": w, "d": w})
    for g in gradient.values():
        np.testing.assert_allclose(g, 2 * w @ w.T @ w)
    assert not np.shares_memory(*gradient.values())
