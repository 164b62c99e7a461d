"""The models in JAX: the whole step, gradient and update, is one jitted function."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from training.networks import Model, Params
from training.systems import Trainer

jax.config.update("jax_enable_x64", True)


def cross_entropy(logits, labels):
    """The mean over the batch."""
    log_p = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(log_p, labels[:, None], axis=1))


def max_pool(x, window):
    """The maxima of windows that lie side by side."""
    return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


def cnn(p, x, y):
    """XLA's convolution and windows."""
    h = lax.conv(x, p["k1"], (1, 1), "VALID") + p["c1"][:, None, None]
    h = max_pool(jax.nn.relu(h), (1, 1, 2, 2))
    h = lax.conv(h, p["k2"], (1, 1), "VALID") + p["c2"][:, None, None]
    h = max_pool(jax.nn.relu(h), (1, 1, 2, 2))
    h = jax.nn.relu(h.reshape(len(x), -1) @ p["w1"] + p["b1"])
    return cross_entropy(h @ p["w2"] + p["b2"], y)


def rnn(p, x, y):
    """One product for all inputs, then a scan."""
    inputs = x @ p["w_x"] + p["b"]

    def cell(h, z):
        return jnp.tanh(z + h @ p["w_h"]), None

    h, _ = lax.scan(cell, jnp.zeros((x.shape[1], 64), x.dtype), inputs)
    return cross_entropy(h @ p["w"] + p["c"], y)


def imdb(p, x, y):
    """XLA's convolution and windows."""
    h = p["table"][x].swapaxes(1, 2)
    h = lax.conv_general_dilated(h, p["k"], (1,), "VALID") + p["c"][:, None]
    h = max_pool(jax.nn.relu(h), (1, 1, 2))
    z = (h.reshape(len(x), -1) @ p["w"] + p["b"])[:, 0]
    return jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))


def autoencoder(p, x, y):
    """Sigmoids by the library's function."""
    hidden = jax.nn.sigmoid(x @ p["w1"] + p["b1"])
    code = jax.nn.sigmoid(hidden @ p["w2"] + p["b2"])
    return jnp.sum((y - jax.nn.sigmoid(code @ p["w3"])) ** 2)


def trace(p, x, y):
    """The trace of a product."""
    return jnp.trace(p["x1"] @ p["x2"])


LOSSES = {"cnn": cnn, "rnn": rnn, "imdb": imdb, "ae": autoencoder, "aeb": autoencoder}


def trainer(model: Model, p: Params) -> Trainer:
    """Return the model in JAX; the step may overwrite its weights' memory."""
    held = {"p": {name: jnp.array(a) for name, a in p.items()}}
    if model.lr:
        gradient = jax.value_and_grad(LOSSES[model.name])

        def train(p, x, y):
            value, g = gradient(p, x, y)
            return value, {name: a - model.lr * g[name] for name, a in p.items()}

        jitted = jax.jit(train, donate_argnums=0)
    else:
        jitted = jax.jit((jax.value_and_grad if model.value else jax.grad)(trace))

    def feed(x, y):
        whole = y.astype(np.int32) if y.dtype.kind == "i" else y
        return jnp.array(x.astype(np.int32) if x.dtype.kind == "i" else x), jnp.array(whole)

    def step(batch):
        if not model.lr:
            made = jax.block_until_ready(jitted(held["p"], *batch))
            value, held["g"] = made if model.value else (None, made)
            return value
        value, held["p"] = jax.block_until_ready(jitted(held["p"], *batch))
        return value

    def weights():
        return {name: np.array(a) for name, a in held["p" if model.lr else "g"].items()}

    return Trainer(feed, step, weights)
