"""Neural networks in plain functions of NumPy arrays: layers, losses, optimisers, data sets.

def loss(p, x, y):
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, p["k"], p["b"])), 2)
    return nn.softmax_cross_entropy(nn.dense(nn.flatten(h), p["w"]), y)

srcad.value_and_grad(loss)(p, x, y)
"""

from __future__ import annotations

import importlib
from typing import Any

from srcad.kernels import SparseRows
from srcad.nn import init, optim
from srcad.nn.activations import (
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    sigmoid,
    softmax,
    softplus,
)
from srcad.nn.layers import (
    avg_pool1d,
    avg_pool2d,
    batch_norm,
    conv1d,
    conv2d,
    dense,
    dropout,
    embedding,
    flatten,
    layer_norm,
    max_pool1d,
    max_pool2d,
)
from srcad.nn.losses import binary_cross_entropy_with_logits, mse, softmax_cross_entropy
from srcad.nn.recurrent import gru, lstm, rnn

__all__ = [
    "SparseRows",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "data",
    "dense",
    "dropout",
    "embedding",
    "flatten",
    "gelu",
    "gru",
    "init",
    "layer_norm",
    "leaky_relu",
    "log_softmax",
    "lstm",
    "max_pool1d",
    "max_pool2d",
    "mse",
    "optim",
    "relu",
    "rnn",
    "sigmoid",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
]


def __getattr__(name: str) -> Any:
    # Reading files and downloads: imported when they are asked for.
    if name == "data":
        return importlib.import_module("srcad.nn.data")
    raise AttributeError(f"module 'srcad.nn' has no attribute {name!r}")
