import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import got
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import tanh
from srcad.native.functions import wait

__all__ = ["layer_value_and_grad"]


@njit(
    "(int64[::1], int64, float64[:, ::1], float64[::1], float64[:, ::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def layer_value_and_grad_1(team, me, t, b, a, a_2):
    t_2 = me == 0
    t_3 = t.shape
    n = t_3[0]
    n_2 = t_3[1]
    # h = np.tanh(x @ w + b)
    for i in range(share(team, me, n_2), share(team, me + 1, n_2)):
        a_2[at(i)] = 0.0
    wait(team)
    # h = np.tanh(x @ w + b)
    if t_2:
        value = 0.0
        for i in range(n):
            for j in range(n_2):
                t_2 = tanh(t[at(i, j)] + b[at(j)])
                # return np.sum(h * h)
                value = add(value, t_2 * t_2)
                t_2 = (t_2 + t_2) * (1.0 - t_2 * t_2)
                a[at(i, j)] = t_2
                a_2[at(j)] += t_2
        put(team, me, 0, value, 0.0)
    wait(team)
    value = got(team, 0, 0.0)
    wait(team)
    return value, a, a_2


def layer_value_and_grad(x, w, b):
    """Value and gradient of `layer` (test_text.py:30) with respect to `w`, `b`.

    x: f64[n, m]
    w: f64[m, k]
    b: f64[k]
    """
    # h = np.tanh(x @ w + b)
    t = kernels.product(x, w)
    t_2 = np.ascontiguousarray(t)
    t_3 = np.ascontiguousarray(b)
    # h = np.tanh(x @ w + b)
    a = kernels.empty_like(t)
    n = t.shape[1]
    # h = np.tanh(x @ w + b)
    a_2 = kernels.empty((n,))

    n = t_2.shape[1]
    value, t, b_bar = kernels.together(layer_value_and_grad_1, n, t_2, t_3, a, a_2)
    value = np.float64(value)
    # h = np.tanh(x @ w + b)
    w_bar = kernels.product(x.T, t)
    return value, (w_bar, b_bar)
