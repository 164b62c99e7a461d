"""What a pullback reads again is its own."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import rules
from srcad.api.arguments.trees import leaves, map_leaves
from srcad.api.products import _product

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((3, 3))


class Model:
    def __init__(self) -> None:
        self.b, self.w = np.full(3, 0.3), RNG.standard_normal((3, 3))

    def __call__(self, x: Any) -> Any:
        return np.tanh(x @ self.w + self.b)


MODEL = Model()


def looked_up(x: Any) -> Any:
    return TABLE


rules.nondiff(looked_up)


def recurrence(x: Any, y: Any) -> Any:
    h = x
    for i in range(3):
        h = np.tanh(h * y[i])
    return h


def settled(x: Any, y: Any) -> Any:
    h, n = x, 0
    while n < 3 and np.sum(h) < 100.0:
        h = h * y if h[0, 0] > 0.0 else h * x
        n += 1
    return h


def written(x: Any, y: Any) -> Any:
    part = x[1:]
    part *= y[:-1]
    return x * y


@srcad.checkpoint
def checkpointed(x: Any, y: Any) -> Any:
    return np.sin(x) * y


FUNCTIONS: list[Callable[..., Any]] = [
    lambda x, y: x * y,
    lambda x, y: x.T @ y,
    lambda x, y: np.exp(x) * y[::-1],
    lambda x, y: {"a": x[1:] * y[:-1], "b": (x, y)},
    lambda x, y: np.maximum(x, y).ravel()[2:] ** 2,
    lambda x, y: x * TABLE,
    lambda x, y: (x * TABLE[1:2], TABLE),
    lambda x, y: x * looked_up(y),
    lambda x, y: MODEL(x * y),
    lambda x, y: np.where(x > y, x, np.broadcast_to(y[0], (3, 3)) * x),
    lambda x, y: np.sum(np.linalg.solve(x + 5.0 * np.eye(3), y)),
    lambda x, y: checkpointed(x, checkpointed(x, y)),
    lambda x, y: [x[i] * y for i in range(3)],
    recurrence, settled, written,
]  # fmt: skip


def overwrite(tree: Any) -> None:
    for x in leaves(tree):
        if isinstance(x, np.ndarray):
            x[...] = 100.0


def pulled(f: Any, disturb: Callable[[Any, Any, Any], None]) -> tuple[list[Any], list[Any]]:
    """The cotangents after something was disturbed between the two calls, and undisturbed ones."""
    kept = TABLE.copy(), MODEL.w.copy(), MODEL.b.copy()
    x, y = (np.random.default_rng(k).standard_normal((3, 3)) for k in (1, 2))
    try:
        expected_value, plain = srcad.vjp(f, x.copy(), y.copy())
        y_bar = map_leaves(lambda a: np.cos(np.arange(np.size(a))).reshape(np.shape(a))[()],
                           expected_value)  # fmt: skip
        expected = plain(copy.deepcopy(y_bar))
        value, pullback = srcad.vjp(f, x, y)
        disturb((x, y), value, pullback)
        return leaves(pullback(y_bar)), leaves(expected)
    finally:
        TABLE[...], MODEL.w[...], MODEL.b[...] = kept


def check(f: Any, disturb: Callable[[Any, Any, Any], None]) -> None:
    for found, expected in zip(*pulled(f, disturb), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_arguments_may_be_written(f: Any) -> None:
    check(f, lambda args, value, pullback: overwrite(args))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_captured_arrays_may_be_written(f: Any) -> None:
    def disturb(args: Any, value: Any, pullback: Any) -> None:
        overwrite([TABLE, MODEL.w, MODEL.b])

    check(f, disturb)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_value_may_be_written(f: Any) -> None:
    check(f, lambda args, value, pullback: overwrite(value))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_was_pulled_back_may_be_written(f: Any) -> None:
    def disturb(args: Any, value: Any, pullback: Any) -> None:
        y_bar = map_leaves(np.ones_like, value)
        first = pullback(y_bar)
        overwrite([y_bar, *first])
        srcad.vjp(f, 2.0 * args[0], args[1])[1](map_leaves(np.ones_like, value))

    check(f, disturb)


@pytest.mark.parametrize("f", FUNCTIONS[:6])
def test_threads_pull_back_at_once(f: Any) -> None:
    x, y = RNG.standard_normal((2, 3, 3))
    value, pullback = srcad.vjp(f, x, y)
    bars = [map_leaves(lambda a, k=k: np.full(np.shape(a), k + 1.0), value) for k in range(4)]
    expected = [leaves(pullback(y_bar)) for y_bar in bars]
    wrong: list[int] = []

    def run(k: int) -> None:
        for _ in range(50):
            if not all(map(np.array_equal, leaves(pullback(bars[k])), expected[k])):
                wrong.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_in_containers_and_objects() -> None:
    model, data = Model(), {"x": [np.ones((2, 3))]}
    _, pullback = srcad.vjp(lambda m, d: np.sum(m(d["x"][0]) ** 2), model, data)
    expected = leaves(pullback(1.0))
    overwrite([model.w, model.b, data])
    model.w = model.b = None
    data["x"].clear()
    for found, wanted in zip(leaves(pullback(1.0)), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("f", "copies"),
    [
        (lambda x, y: x * y, 2),
        (lambda x, y: x + 2.0 * y, 0),
        (lambda x, y: np.exp(x) * np.sum(np.sin(y)), 1),
        (lambda x, y: np.sum(x) + np.mean(y), 0),
        (lambda x, y: np.concatenate([x, y[1:]])[2:], 0),
    ],
)
def test_what_is_not_read_again_is_not_copied(f: Any, copies: int) -> None:
    srcad.vjp(f, np.ones(4), np.ones(4))
    specialisation = _product("vjp", f, False, {})._specializer.newest
    assert specialisation is not None
    forward = specialisation.artifact.text.partition("def pullback")[0]
    assert forward.count("copy.copy(") == copies
