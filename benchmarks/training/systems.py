"""Trainers: the model in each system, as its users write it.

A trainer begins with the weights that it is given. `feed` makes a batch what the system wants,
outside of what is timed; `step` trains on it and returns the loss; `weights` are NumPy arrays in
srcad's order and shapes, whatever the system keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import srcad
from srcad.nn import optim
from training import by_hand as by_hand_plain
from training import by_hand_tuned
from training.networks import Model, Params


@dataclass(frozen=True)
class Trainer:
    """A model in one system; `step` returns when the work is done."""

    feed: Callable[[np.ndarray, np.ndarray], Any]
    step: Callable[[Any], Any]
    weights: Callable[[], Params]


def pair(x, y):
    """Feed arrays as they are."""
    return x, y


def of_srcad(model: Model, p: Params, backend: str = "numpy") -> Trainer:
    """`value_and_grad` and an optimiser of `srcad.nn`."""
    gradient = srcad.value_and_grad(model.loss, backend=backend)
    if not model.lr:
        return not_applied(gradient, srcad.grad(model.loss, backend=backend), model, p)
    descent = optim.sgd(model.lr)
    state = descent.init(p)

    def step(batch):
        value, g = gradient(p, *batch)
        descent.update(p, g, state)
        return value

    return Trainer(pair, step, lambda: p)


def of_srcad_whole(model: Model, p: Params, backend: str = "numpy") -> Trainer:
    """The gradient and the update as one program, by `srcad.compile`."""
    if not model.lr:
        return of_srcad(model, p, backend)
    lr = model.lr

    @srcad.compile(backend=backend)
    def step(p, x, y):
        value, g = srcad.value_and_grad(model.loss)(p, x, y)
        for key in p:
            p[key] -= lr * g[key]
        return value

    return Trainer(pair, lambda batch: step(p, *batch), lambda: p)


def by_hand(model: Model, p: Params) -> Trainer:
    """The step as one writes it."""
    return _written(by_hand_plain.STEPS[model.name], model, p)


def tuned(model: Model, p: Params) -> Trainer:
    """The step as one tunes it."""
    return _written(by_hand_tuned.STEPS[model.name], model, p)


def _written(train: Callable, model: Model, p: Params) -> Trainer:
    if not model.lr:
        both = partial(train, lr=0)
        return not_applied(both, both, model, p)
    return Trainer(pair, lambda batch: train(p, *batch, model.lr), lambda: p)


def not_applied(both: Callable, alone: Callable, model: Model, p: Params) -> Trainer:
    """Return what computes a gradient, which takes the weights' place in comparisons."""
    made: Params = {}

    def value_and_gradient(batch):
        value, gradient = both(p, *batch)
        made.update(gradient)
        return value

    def gradient(batch):
        made.update(alone(p, *batch))

    return Trainer(pair, value_and_gradient if model.value else gradient, lambda: made)


def _imported(name: str) -> Callable[[Model, Params], Trainer]:
    def make(model: Model, p: Params) -> Trainer:
        from importlib import import_module

        return import_module(f"training.with_{name}").trainer(model, p)

    return make


SYSTEMS: dict[str, Callable[[Model, Params], Trainer]] = {
    "hand": by_hand,
    "tuned": tuned,
    "srcad": of_srcad,
    "whole": of_srcad_whole,
    "native": partial(of_srcad, backend="native"),
    "compiled": partial(of_srcad_whole, backend="native"),
    "torch": _imported("torch"),
    "jax": _imported("jax"),
    "autograd": _imported("autograd"),
}
TITLES = {
    "hand": "by hand",
    "tuned": "by hand, tuned",
    "srcad": "srcad",
    "whole": "srcad, whole step",
    "native": "srcad, compiled",
    "compiled": "srcad, whole step compiled",
    "torch": "PyTorch",
    "jax": "JAX jit",
    "autograd": "autograd",
}
