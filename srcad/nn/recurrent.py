"""Recurrent layers: loops over time, differentiated as loops.

One product with the input weights serves all steps; what is left in the loop is the product with
the state. x is (T, N, inputs), time first; a result is the state after each step, (T, N, hidden).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.nn.activations import sigmoid

Array = NDArray[Any]


def rnn(x: Array, h0: Array, w_x: Array, w_h: Array, b: Array) -> Array:
    """`h = tanh(x_t @ w_x + h @ w_h + b)` for each step.

    Args:
        x: (T, N, inputs).
        h0: (N, hidden), the state before the first step.
        w_x: (inputs, hidden).
        w_h: (hidden, hidden).
        b: (hidden,).

    Returns:
        The states (T, N, hidden); the last one is `rnn(...)[-1]`. After Elman (1990).

    >>> import numpy as np
    >>> from srcad import nn
    >>> x, h0 = np.ones((28, 10, 3)), np.zeros((10, 5))  # 28 steps, 10 samples
    >>> nn.rnn(x, h0, np.ones((3, 5)), np.ones((5, 5)), np.zeros(5)).shape
    (28, 10, 5)
    """
    if x.ndim != 3 or h0.ndim != 2:
        raise ValueError(
            f"rnn: expected x (T, N, inputs) and h0 (N, hidden), got {x.shape}, {h0.shape}"
        )
    inputs = x @ w_x + b
    states = np.zeros_like(inputs)
    h = h0
    for t in range(x.shape[0]):
        h = np.tanh(inputs[t] + h @ w_h)
        states[t] = h
    return states


def _check_gates(w_x: Array, w_h: Array, n: int, all_gates: int) -> None:
    """What is checked is known: slices of gates have extents, and leave nothing to ask."""
    if w_x.shape[1] != all_gates:
        raise ValueError("expected w_x (inputs, gates * hidden)")
    if w_h.shape[0] != n:
        raise ValueError("expected w_h (hidden, gates * hidden)")
    if w_h.shape[1] != all_gates:
        raise ValueError("expected w_h (hidden, gates * hidden)")


def lstm(x: Array, h0: Array, c0: Array, w_x: Array, w_h: Array, b: Array) -> tuple[Array, Array]:
    """Long short-term memory, with gates in the order input, forget, cell, output.

    Args:
        x: (T, N, inputs).
        h0: (N, hidden), the state before the first step; c0: (N, hidden), the cell.
        w_x: (inputs, 4 * hidden).
        w_h: (hidden, 4 * hidden).
        b: (4 * hidden,).

    Returns:
        The states (T, N, hidden) and the last cell (N, hidden). After Hochreiter and Schmidhuber
        (1997), with the forget gate of Gers et al. (2000).
    """
    if x.ndim != 3 or h0.ndim != 2:
        raise ValueError(
            f"lstm: expected x (T, N, inputs) and h0 (N, hidden), got {x.shape}, {h0.shape}"
        )
    n = h0.shape[1]
    _check_gates(w_x, w_h, n, 4 * n)
    inputs = x @ w_x + b
    states = np.zeros((x.shape[0], *h0.shape), inputs.dtype)
    h, c = h0, c0
    for t in range(x.shape[0]):
        z = inputs[t] + h @ w_h
        i, f, o = sigmoid(z[:, :n]), sigmoid(z[:, n : 2 * n]), sigmoid(z[:, 3 * n :])
        c = f * c + i * np.tanh(z[:, 2 * n : 3 * n])
        h = o * np.tanh(c)
        states[t] = h
    return states, c


def gru(x: Array, h0: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> Array:
    """Gated recurrent unit, with gates in the order reset, update, new.

    Args:
        x: (T, N, inputs).
        h0: (N, hidden), the state before the first step.
        w_x: (inputs, 3 * hidden).
        w_h: (hidden, 3 * hidden).
        b_x: (3 * hidden,), added to the inputs' part; b_h: (3 * hidden,), to the state's, inside
            the reset.

    Returns:
        The states (T, N, hidden). After Cho et al. (2014), the reset after the product as cuDNN
        and PyTorch have it.
    """
    if x.ndim != 3 or h0.ndim != 2:
        raise ValueError(
            f"gru: expected x (T, N, inputs) and h0 (N, hidden), got {x.shape}, {h0.shape}"
        )
    n = h0.shape[1]
    _check_gates(w_x, w_h, n, 3 * n)
    if b_h.shape[0] != 3 * n:
        raise ValueError("expected b_h (gates * hidden,)")
    inputs = x @ w_x + b_x
    states = np.zeros((x.shape[0], *h0.shape), inputs.dtype)
    h = h0
    for t in range(x.shape[0]):
        z, s = inputs[t], h @ w_h + b_h
        r = sigmoid(z[:, :n] + s[:, :n])
        u = sigmoid(z[:, n : 2 * n] + s[:, n : 2 * n])
        new = np.tanh(z[:, 2 * n :] + r * s[:, 2 * n :])
        h = new + u * (h - new)
        states[t] = h
    return states


__all__ = ["gru", "lstm", "rnn"]
