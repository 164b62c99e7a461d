import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at

__all__ = ["weighted_value_and_grad"]


@njit(
    "(float32[:, ::1], float32[:, ::1], float32[:, ::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def weighted_value_and_grad_1(x, c, x_bar):
    t = x.shape
    n = t[0]
    n_2 = t[1]
    # return np.sum(np.where(x > 0, x * 0.5, c * x) ** 2)
    value = 0.0
    for i in range(n):
        for j in range(n_2):
            t = x[at(i, j)]
            t_2 = t > np.float32(0.0)
            t_3 = t * np.float32(0.5)
            t_4 = c[at(i, j)]
            t = t_4 * t
            t_3 = t_3 if t_2 else t
            value = add(value, t_3 * t_3)
            t = np.float32(2.0) * t_3 * t_4
            t = np.float32(0.0) if t_2 else t
            x_bar[at(i, j)] = t
            t_3 = np.float32(0.5) * (np.float32(2.0) * t_3)
            t_3 = t_3 if t_2 else np.float32(0.0)
            x_bar[at(i, j)] = t + t_3
    return value, x_bar


def weighted_value_and_grad(x, c):
    """Value and gradient of `weighted` (test_text.py:76) with respect to `x`.

    x: f32[n, m]
    c: f32[n, m]
    """
    # return np.sum(np.where(x > 0, x * 0.5, c * x) ** 2)
    x_bar = kernels.empty_like(x)
    value, x_bar = weighted_value_and_grad_1(
        np.ascontiguousarray(x), np.ascontiguousarray(c), x_bar
    )
    value = np.float32(value)
    return value, (x_bar,)
