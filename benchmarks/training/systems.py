"""Trainers: the model in each system, as its users write it.

A trainer begins with the weights that it is given. `feed` makes a batch what the system wants,
outside of what is timed; `step` trains on it and returns the loss; `weights` are NumPy arrays in
srcad's order and shapes, whatever the system keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import srcad
from srcad.nn import optim
from training.by_hand import STEPS
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


def of_srcad(model: Model, p: Params) -> Trainer:
    """`value_and_grad` and an optimiser of `srcad.nn`."""
    if not model.lr:
        return _gradient_alone(srcad.grad(model.loss), p)
    gradient, descent = srcad.value_and_grad(model.loss), optim.sgd(model.lr)
    state = descent.init(p)

    def step(batch):
        value, g = gradient(p, *batch)
        descent.update(p, g, state)
        return value

    return Trainer(pair, step, lambda: p)


def by_hand(model: Model, p: Params) -> Trainer:
    """The hand-written step."""
    train = STEPS[model.name]
    if not model.lr:
        return _gradient_alone(lambda p, x, y: train(p, x, y, 0), p)
    return Trainer(pair, lambda batch: train(p, *batch, model.lr), lambda: p)


def _gradient_alone(gradient: Callable, p: Params) -> Trainer:
    made: Params = {}

    def step(batch):
        made.update(gradient(p, *batch))

    return Trainer(pair, step, lambda: made)


def _imported(name: str) -> Callable[[Model, Params], Trainer]:
    def make(model: Model, p: Params) -> Trainer:
        from importlib import import_module

        return import_module(f"training.with_{name}").trainer(model, p)

    return make


SYSTEMS: dict[str, Callable[[Model, Params], Trainer]] = {
    "hand": by_hand,
    "srcad": of_srcad,
    "torch": _imported("torch"),
    "jax": _imported("jax"),
    "autograd": _imported("autograd"),
}
TITLES = {
    "hand": "by hand",
    "srcad": "srcad",
    "torch": "PyTorch",
    "jax": "JAX jit",
    "autograd": "autograd",
}
