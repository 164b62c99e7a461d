"""What `srcad.nn` offers, by name."""

from __future__ import annotations

import inspect

import numpy as np

import srcad
from srcad import nn

FUNCTIONS = """
    conv1d conv2d max_pool1d max_pool2d avg_pool1d avg_pool2d embedding dense flatten relu
    leaky_relu gelu sigmoid softplus softmax log_softmax softmax_cross_entropy mse dropout
    binary_cross_entropy_with_logits layer_norm batch_norm rnn lstm gru""".split()


def test_every_function_is_there_and_says_what_it_does() -> None:
    assert set(FUNCTIONS) | {"SparseRows", "data", "init", "optim"} == set(nn.__all__)
    for name in FUNCTIONS:
        assert inspect.getdoc(getattr(nn, name)), name


def test_modules() -> None:
    for module, names in [
        (nn.init, "glorot_uniform glorot_normal he_uniform he_normal orthogonal normal zeros"),
        (nn.optim, "sgd adam adamw"),
        (nn.data, "digits mnist fashion_mnist imdb batches"),
    ]:
        for name in names.split():
            assert callable(getattr(module, name)), name
            assert name in module.__all__


def test_signatures() -> None:
    def named(f: object) -> list[str]:
        return list(inspect.signature(f).parameters)  # type: ignore[arg-type]

    options = ["stride", "padding", "dilation", "groups"]
    assert named(nn.conv1d) == named(nn.conv2d) == ["x", "w", "b", *options]
    assert named(nn.dropout) == ["x", "rate", "rng"]
    assert named(nn.max_pool2d) == named(nn.max_pool1d) == ["x", "size", "stride"]
    assert named(nn.rnn) == ["x", "h0", "w_x", "w_h", "b"]


def test_what_is_imported_late_is_there() -> None:
    assert {"nn", "num_threads", "set_num_threads"} <= set(srcad.__all__)
    assert srcad.num_threads() >= 1
    assert isinstance(np.asarray(nn.data.digits().x_train), np.ndarray)
    for name in srcad.__all__:
        assert getattr(srcad, name) is not None
