"""The models in PyTorch, eager, as its users write them: library layers, its fused optimiser."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from training.networks import Model, Params
from training.systems import Trainer


def cnn(p, x, y):
    """The library's convolution, pooling and cross-entropy."""
    h = functional.max_pool2d(functional.relu(functional.conv2d(x, p["k1"], p["c1"])), 2)
    h = functional.max_pool2d(functional.relu(functional.conv2d(h, p["k2"], p["c2"])), 2)
    h = functional.relu(h.flatten(1) @ p["w1"] + p["b1"])
    return functional.cross_entropy(h @ p["w2"] + p["b2"], y)


def rnn(p, x, y):
    """The library's recurrent layer; its second bias stays zero."""
    weights = [p["w_x"], p["w_h"], p["b"], torch.zeros_like(p["b"])]
    h0 = x.new_zeros(1, x.shape[1], 64)
    # input, state, weights, biases, layers, dropout, training, both directions, batch first
    states, _ = torch.rnn_tanh(x, h0, weights, True, 1, 0.0, True, False, False)
    return functional.cross_entropy(states[-1] @ p["w"] + p["c"], y)


def imdb(p, x, y):
    """The library's embedding with a sparse gradient."""
    h = functional.embedding(x, p["table"], sparse=True).transpose(1, 2)
    h = functional.max_pool1d(functional.relu(functional.conv1d(h, p["k"], p["c"])), 2)
    logits = (h.flatten(1) @ p["w"] + p["b"])[:, 0]
    return functional.binary_cross_entropy_with_logits(logits, y)


def autoencoder(p, x, y):
    """Sigmoids by the library's function."""
    hidden = torch.sigmoid(x @ p["w1"] + p["b1"])
    code = torch.sigmoid(hidden @ p["w2"] + p["b2"])
    return ((y - torch.sigmoid(code @ p["w3"])) ** 2).sum()


LOSSES = {"cnn": cnn, "rnn": rnn, "imdb": imdb, "ae": autoencoder, "aeb": autoencoder}
TRANSPOSED = {"rnn": ("w_x", "w_h")}  # the recurrent layer keeps its weights so


def trainer(model: Model, p: Params) -> Trainer:
    """Return the model in PyTorch."""
    transposed = TRANSPOSED.get(model.name, ())
    leaves = {
        name: torch.from_numpy(
            np.ascontiguousarray(a.T) if name in transposed else a
        ).requires_grad_()
        for name, a in p.items()
    }

    def feed(x, y):
        return torch.from_numpy(x), torch.from_numpy(y)

    if not model.lr:
        return _not_applied(leaves, feed, model.value)
    loss = LOSSES[model.name]
    descent = torch.optim.SGD(leaves.values(), model.lr, fused=model.name != "imdb")

    def step(batch):
        descent.zero_grad()
        value = loss(leaves, *batch)
        value.backward()
        descent.step()
        return value.item()

    def weights():
        arrays = {name: leaf.detach().numpy() for name, leaf in leaves.items()}
        return {name: a.T if name in transposed else a for name, a in arrays.items()}

    return Trainer(feed, step, weights)


def _not_applied(leaves, feed, wants_value) -> Trainer:
    made: Params = {}

    def step(batch):
        x1, x2 = leaves.values()
        value = torch.trace(x1 @ x2)
        made.update(zip(leaves, torch.autograd.grad(value, (x1, x2)), strict=True))
        return value.item() if wants_value else None

    return Trainer(feed, step, lambda: {name: g.numpy() for name, g in made.items()})
