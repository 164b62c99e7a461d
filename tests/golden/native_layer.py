import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import at_common
from srcad.native.functions import call_all
from srcad.native.functions import keep
from srcad.native.functions import lend
from srcad.native.functions import merge
from srcad.native.functions import own_part
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import sum_of
from srcad.native.functions import tanh
from srcad.native.functions import theirs
from srcad.native.functions import wait

__all__ = ["layer_value_and_grad"]


@njit(
    "(int64[::1], int64, float64[:, ::1], float64[::1], float64[:, ::1], float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def layer_value_and_grad_1(team, me, t, b, a, a_2):
    call_all(team, me)
    t_2 = t.shape
    n = t_2[0]
    n_2 = t_2[1]
    # h = np.tanh(x @ w + b)
    for i in range(share(team, me, n_2), share(team, me + 1, n_2)):
        a_2[at_common(i)] = 0.0
    wait(team)
    a_3 = np.empty((theirs(me, a_2.shape[0]),))
    a_3 = own_part(me, a_2, a_3)
    # h = np.tanh(x @ w + b)
    value = 0.0
    for i in range(share(team, me, n), share(team, me + 1, n)):
        for j in range(n_2):
            t_2 = tanh(t[at(i, j)] + b[at(j)])
            # return np.sum(h * h)
            value = add(value, t_2 * t_2)
            t_2 = (t_2 + t_2) * (1.0 - t_2 * t_2)
            a[at(i, j)] = t_2
            a_3[at_common(j)] += t_2
    put(team, me, 0, value, value)
    lend(team, me, 1, a_3)
    wait(team)
    value = sum_of(team, 0, value)
    merge(team, me, 1, a_2)
    wait(team)
    keep(a_3)
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

    n = 23 * t_2.shape[0] * t_2.shape[1] - 800000
    value, t, b_bar = kernels.together(layer_value_and_grad_1, n, t_2, t_3, a, a_2)
    value = np.float64(value)
    # h = np.tanh(x @ w + b)
    w_bar = kernels.product(x.T, t)
    return value, (w_bar, b_bar)
