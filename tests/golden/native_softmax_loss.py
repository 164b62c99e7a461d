import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import add
from srcad.native.functions import at
from srcad.native.functions import call_all
from srcad.native.functions import exp
from srcad.native.functions import larger
from srcad.native.functions import log
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import sum_of
from srcad.native.functions import wait
from srcad.native.functions import where

__all__ = ["softmax_loss_value_and_grad"]


@njit
def check_range(lowest, least, greatest, n):
    """Refuse positions from `least` to `greatest`, if there are any, outside `lowest` to `n`."""
    if least <= greatest and (least < lowest or greatest >= n):
        raise IndexError("a position is out of bounds")


@njit(
    "(int64[::1], int64, float64[:, ::1], float64[:, ::1], float64[:, ::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def softmax_loss_value_and_grad_1(team, me, x, y, x_bar):
    call_all(team, me)
    t = x.shape
    n = t[0]
    n_2 = t[1]
    # e = np.exp(x - np.max(x, axis=1)[:, None])
    check_range(0, 0, 0, n_2)
    e = np.empty((n_2,))
    # return -np.sum(y * np.log(p))
    a = np.empty((n_2,))
    # e = np.exp(x - np.max(x, axis=1)[:, None])
    a_2 = np.empty((n_2,), np.bool)
    t = 0.0
    for i in range(share(team, me, n), share(team, me + 1, n)):
        t_2 = x[at(i, 0)]
        for j in range(n_2):
            t_2 = larger(t_2, x[at(i, j)])
        t_3 = 0.0
        for j in range(n_2):
            t_4 = exp(x[at(i, j)] - t_2)
            e[at(j)] = t_4
            # p = e / np.sum(e, axis=1)[:, None]
            t_3 = add(t_3, t_4)
        # p = e / np.sum(e, axis=1)[:, None]
        t_4 = 0.0
        for j in range(n_2):
            t_5 = e[at(j)] / t_3
            # return -np.sum(y * np.log(p))
            t_6 = y[at(i, j)]
            t = add(t, t_6 * log(t_5))
            t_6 = t_6 / t_5
            a[at(j)] = t_6
            t_4 = add(t_4, t_6 * t_5)
        t_4 = t_4 / t_3
        t_5 = 0.0
        t_6 = 0
        for j in range(n_2):
            t_7 = (t_4 - a[at(j)] / t_3) * e[at(j)]
            x_bar[at(i, j)] = t_7
            t_5 = add(t_5, t_7)
            t_7 = x[at(i, j)] == t_2
            a_2[at(j)] = t_7
            t_6 = np.add(t_6, np.int64(t_7))
        t_2 = -t_5 / t_6
        for j in range(n_2):
            x_bar[at(i, j)] += where(a_2[at(j)], t_2, 0.0)
    put(team, me, 0, t, t)
    wait(team)
    # return -np.sum(y * np.log(p))
    value = -sum_of(team, 0, t)
    wait(team)
    return value, x_bar


def softmax_loss_value_and_grad(x, y):
    """Value and gradient of `softmax_loss` (test_text.py:23) with respect to `x`.

    x: f64[n, m]
    y: f64[n, m]
    """
    t = np.ascontiguousarray(x)
    t_2 = np.ascontiguousarray(y)
    # e = np.exp(x - np.max(x, axis=1)[:, None])
    x_bar = kernels.empty_like(x)
    n = 51 * t.shape[0] * t.shape[1] - 400000
    value, x_bar = kernels.together(softmax_loss_value_and_grad_1, n, t, t_2, x_bar)
    value = np.float64(value)
    return value, (x_bar,)
