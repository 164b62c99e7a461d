"""`scipy.signal.lfilter` with the state that it begins with: read in place of SciPy's.

y, zf = lfilter(b, a, x, zi=zi)      the state is what filtering by 1 / a adds for the samples zi
"""

from __future__ import annotations

from typing import Any

import numpy as np


def lfilter(b: Any, a: Any, x: Any, axis: Any, zi: Any) -> Any:
    """The samples, and the state behind them."""
    from scipy import signal  # the program has imported it

    b, a, x, zi = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x), np.asarray(zi)
    b, a = b / a[0], a / a[0]
    along, state = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n, order = along.shape[-1], max(len(b), len(a)) - 1
    shape = (*along.shape[:-1], order)
    if state.ndim != along.ndim or state.shape[-1] != order:
        raise ValueError("Unexpected shape for zi")
    state = np.broadcast_to(state, shape)
    if n < order:
        raise NotImplementedError("fewer samples than the filter's state has numbers")
    ahead = np.concatenate([state, np.zeros((*along.shape[:-1], n - order))], axis=-1)
    y = signal.lfilter(b, a, along) + signal.lfilter(np.ones(1), a, ahead)
    last = np.zeros(shape, y.dtype)
    for k in range(order):
        for j in range(k + 1, order + 1):
            if j < len(b):
                last[..., k] += b[j] * along[..., n + k - j]
            if j < len(a):
                last[..., k] -= a[j] * y[..., n + k - j]
    return np.moveaxis(y, -1, axis), np.moveaxis(last, -1, axis)
