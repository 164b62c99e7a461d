import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import tanh

__all__ = ["layer_value_and_grad"]


@njit(
    "(float64[:, ::1], float64[::1], float64[:, ::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def layer_value_and_grad_1(t, b, a, a_2):
    t_2 = t.shape
    n = t_2[0]
    n_2 = t_2[1]
    # h = np.tanh(x @ w + b)
    for i in range(n_2):
        a_2[at(i)] = 0.0
    value = 0.0
    for i in range(n):
        for j in range(n_2):
            t_2 = tanh(t[at(i, j)] + b[at(j)])
            # return np.sum(h * h)
            value = add(value, t_2 * t_2)
            t_2 = (t_2 + t_2) * (1.0 - t_2 * t_2)
            a[at(i, j)] = t_2
            a_2[at(j)] += t_2
    return value, a, a_2


def layer_value_and_grad(x, w, b):
    """Value and gradient of `layer` (test_text.py:30) with respect to `w`, `b`.

    x: f64[n, m]
    w: f64[m, k]
    b: f64[k]
    """
    # h = np.tanh(x @ w + b)
    t = kernels.product(x, w)
    a = kernels.empty_like(t)
    n = t.shape[1]
    # h = np.tanh(x @ w + b)
    a_2 = kernels.empty((n,))

    value, t, b_bar = layer_value_and_grad_1(
        np.ascontiguousarray(t), np.ascontiguousarray(b), a, a_2
    )
    value = np.float64(value)
    # h = np.tanh(x @ w + b)
    w_bar = kernels.product(x.T, t)
    return value, (w_bar, b_bar)
