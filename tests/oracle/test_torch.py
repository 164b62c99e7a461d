"""Layers and losses against PyTorch on random configurations: values, gradients by all arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.nn import optim

torch = pytest.importorskip("torch", reason="the oracle tests need the extra `oracle`")
functional = torch.nn.functional

SEEDS = range(25)


def compare(mine: Any, theirs: Any, *arrays: Any, rtol: float = 1e-9) -> None:
    """Values, and gradients of a weighted sum of them, by all arrays."""
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    expected = theirs(*tensors)
    found = mine(*arrays)
    np.testing.assert_allclose(found, expected.detach().numpy(), rtol=rtol, atol=1e-11)
    weights = np.cos(np.arange(found.size)).reshape(found.shape)
    torch.sum(expected * torch.tensor(weights)).backward()
    gradients = srcad.grad(
        lambda *xs: np.sum(mine(*xs) * weights), argnums=tuple(range(len(arrays)))
    )
    for g, tensor in zip(gradients(*arrays), tensors, strict=True):
        np.testing.assert_allclose(np.asarray(g), tensor.grad.numpy(), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_conv2d(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = int(rng.choice([1, 1, 2, 3]))
    channels, filters = groups * int(rng.integers(1, 4)), groups * int(rng.integers(1, 3))
    window, stride, dilation, padding = (
        tuple(int(k) for k in rng.integers(low, high, 2))
        for low, high in ((1, 4), (1, 4), (1, 3), (0, 3))
    )
    h, w = (int(rng.integers(d * (k - 1) + 1, 10)) for k, d in zip(window, dilation, strict=True))
    x = rng.standard_normal((int(rng.integers(1, 4)), channels, h, w))
    kernel = rng.standard_normal((filters, channels // groups, *window))
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    compare(
        lambda x, w, b: nn.conv2d(x, w, b, **options),
        lambda x, w, b: functional.conv2d(x, w, b, **options),
        x, kernel, rng.standard_normal(filters),
    )  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_conv1d(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, dilation = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    same = rng.random() < 0.3
    stride = 1 if same else int(rng.integers(1, 4))
    padding = "same" if same else int(rng.integers(0, 3))
    if same:
        size |= 1  # of even windows the two put the odd zero on different sides
    x = rng.standard_normal((2, 3, int(rng.integers(dilation * (size - 1) + 1, 15))))
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    compare(
        lambda x, w, b: nn.conv1d(x, w, b, **options),
        lambda x, w, b: functional.conv1d(x, w, b, **options),
        x, rng.standard_normal((4, 3, size)), rng.standard_normal(4),
    )  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_pooling(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, stride = (tuple(int(k) for k in rng.integers(1, 4, 2)) for _ in range(2))
    shape = (2, 3, *(int(rng.integers(k, 10)) for k in size))
    x = rng.permutation(np.prod(shape)).reshape(shape) / 7.0
    compare(
        lambda x: nn.max_pool2d(x, size, stride),
        lambda x: functional.max_pool2d(x, size, stride),
        x,
    )
    compare(
        lambda x: nn.avg_pool2d(x, size, stride),
        lambda x: functional.avg_pool2d(x, size, stride),
        x,
    )
    signal = x[:, :, 0]
    compare(
        lambda x: nn.max_pool1d(x, size[1], stride[1]),
        lambda x: functional.max_pool1d(x, size[1], stride[1]),
        signal,
    )
    compare(
        lambda x: nn.avg_pool1d(x, size[1], stride[1]),
        lambda x: functional.avg_pool1d(x, size[1], stride[1]),
        signal,
    )


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (nn.relu, functional.relu),
        (nn.leaky_relu, functional.leaky_relu),
        (nn.gelu, lambda x: functional.gelu(x, approximate="tanh")),
        (nn.sigmoid, torch.sigmoid),
        (nn.softplus, functional.softplus),
        (nn.softmax, lambda x: functional.softmax(x, -1)),
        (lambda x: nn.softmax(x, 0), lambda x: functional.softmax(x, 0)),
        (nn.log_softmax, lambda x: functional.log_softmax(x, -1)),
        (nn.layer_norm, lambda x: functional.layer_norm(x, x.shape[-1:])),
        (
            nn.batch_norm,
            lambda x: functional.batch_norm(x, None, None, training=True),
        ),
        (nn.flatten, torch.nn.Flatten()),
    ],
)
def test_functions_of_one_array(mine: Any, theirs: Any) -> None:
    rng = np.random.default_rng(0)
    compare(mine, theirs, 3 * rng.standard_normal((5, 7)), rtol=1e-8)


def test_normalisation_with_parameters() -> None:
    rng = np.random.default_rng(0)
    x, scale, shift = rng.standard_normal((4, 3, 5, 6)), *rng.standard_normal((2, 3))
    compare(
        nn.batch_norm,
        lambda x, a, b: functional.batch_norm(x, None, None, a, b, training=True),
        x, scale, shift,
    )  # fmt: skip
    scale, shift = rng.standard_normal((2, 6))
    compare(nn.layer_norm, lambda x, a, b: functional.layer_norm(x, (6,), a, b), x, scale, shift)


def test_dense_and_embedding() -> None:
    rng = np.random.default_rng(0)
    compare(
        nn.dense,
        lambda x, w, b: functional.linear(x, w.T, b),
        rng.standard_normal((3, 5, 4)), rng.standard_normal((4, 6)), rng.standard_normal(6),
    )  # fmt: skip
    ids = rng.integers(0, 9, (4, 7))
    compare(
        lambda table: nn.embedding(table, ids),
        lambda table: functional.embedding(torch.tensor(ids), table),
        rng.standard_normal((9, 3)),
    )


def test_losses() -> None:
    rng = np.random.default_rng(0)
    logits, labels = rng.standard_normal((6, 4)), rng.integers(0, 4, 6)
    compare(
        lambda x: np.asarray(nn.softmax_cross_entropy(x, labels)),
        lambda x: functional.cross_entropy(x, torch.tensor(labels)),
        logits,
    )
    compare(
        lambda x, t: np.asarray(nn.binary_cross_entropy_with_logits(x, t)),
        functional.binary_cross_entropy_with_logits,
        logits, rng.random((6, 4)),
    )  # fmt: skip
    compare(
        lambda x, t: np.asarray(nn.mse(x, t)),
        functional.mse_loss,
        logits, rng.standard_normal((6, 4)),
    )  # fmt: skip


def _network(kind: Any, w_x: Any, w_h: Any, b_x: Any, b_h: Any) -> Any:
    """A layer of PyTorch's that computes with these tensors."""
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    layer = kind(w_x.shape[0], w_h.shape[0]).double()

    def run(*args: Any) -> Any:
        given = dict(zip(names, (w_x.T, w_h.T, b_x, b_h), strict=True))
        return torch.func.functional_call(layer, given, args)

    return run


@pytest.mark.parametrize("seed", range(5))
def test_recurrent_layers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps, n, d, m = (int(k) for k in rng.integers(1, 6, 4))

    def arrays(gates: int) -> list[Any]:
        shapes = [(d, gates * m), (m, gates * m), (gates * m,), (gates * m,)]
        return [rng.standard_normal(shape) for shape in shapes]

    x, h0, c0 = (rng.standard_normal(shape) for shape in ((steps, n, d), (n, m), (n, m)))
    compare(
        nn.rnn,
        lambda x, h, w, u, b: _network(torch.nn.RNN, w, u, b, torch.zeros_like(b))(x, h[None])[0],
        x, h0, *arrays(1)[:3],
    )  # fmt: skip
    compare(
        nn.gru,
        lambda x, h, w, u, b, c: _network(torch.nn.GRU, w, u, b, c)(x, h[None])[0],
        x, h0, *arrays(3),
    )  # fmt: skip

    def lstm(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
        run = _network(torch.nn.LSTM, w, u, b, torch.zeros_like(b))
        states, (_, cell) = run(x, (h[None], c[None]))
        return torch.cat((states, cell))

    def mine(*args: Any) -> Any:
        states, cell = nn.lstm(*args)
        return np.concatenate((states, cell[None]))

    compare(mine, lstm, x, h0, c0, *arrays(4)[:3])


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (optim.sgd(0.05), lambda p: torch.optim.SGD(p, 0.05)),
        (
            optim.sgd(0.05, 0.9, weight_decay=0.1),
            lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, weight_decay=0.1),
        ),
        (optim.adam(0.01), lambda p: torch.optim.Adam(p, 0.01)),
        (optim.adam(0.01, 0.5, 0.9, 1e-3), lambda p: torch.optim.Adam(p, 0.01, (0.5, 0.9), 1e-3)),
        (optim.adamw(0.01), lambda p: torch.optim.AdamW(p, 0.01)),
    ],
    ids=["sgd", "momentum", "adam", "adam with options", "adamw"],
)
def test_optimisers(mine: Any, theirs: Any) -> None:
    rng = np.random.default_rng(0)
    p = rng.standard_normal((4, 3))
    tensor = torch.tensor(p.copy(), requires_grad=True)
    state, other = mine.init(p), theirs([tensor])
    for _ in range(10):
        g = rng.standard_normal(p.shape)
        mine.update(p, g, state)
        tensor.grad = torch.tensor(g)
        other.step()
        np.testing.assert_allclose(p, tensor.detach().numpy(), rtol=1e-10)


def test_second_derivatives_of_a_network() -> None:
    rng = np.random.default_rng(0)
    x, k, w = (
        rng.standard_normal((2, 1, 6, 6)),
        rng.standard_normal((2, 1, 3, 3)),
        rng.random((8, 3)),
    )
    v, labels = rng.standard_normal(k.shape), np.array([0, 2])

    def mine(k: Any, w: Any) -> Any:
        h = nn.max_pool2d(np.tanh(nn.conv2d(x, k)), 2)
        return nn.softmax_cross_entropy(nn.flatten(h) @ w, labels)

    def theirs(k: Any, w: Any) -> Any:
        h = functional.max_pool2d(torch.tanh(functional.conv2d(torch.tensor(x), k)), 2)
        return functional.cross_entropy(h.flatten(1) @ w, torch.tensor(labels))

    found = srcad.grad(lambda k, w: np.sum(srcad.grad(mine)(k, w) * v), argnums=(0, 1))(k, w)
    tensors = [torch.tensor(a, requires_grad=True) for a in (k, w)]
    (first,) = torch.autograd.grad(theirs(*tensors), tensors[0], create_graph=True)
    expected = torch.autograd.grad(torch.sum(first * torch.tensor(v)), tensors)
    for mine_, theirs_ in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine_, theirs_.numpy(), rtol=1e-8, atol=1e-11)
