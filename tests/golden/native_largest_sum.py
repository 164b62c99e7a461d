import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import at
from srcad.native.functions import got
from srcad.native.functions import put
from srcad.native.functions import share
from srcad.native.functions import wait

__all__ = ["largest_sum_value_and_grad"]


@njit(
    "(int64[::1], int64, float64[::1], float64[::1])", cache=True, nogil=True, error_model="numpy"
)
def largest_sum_value_and_grad_1(team, me, x, x_bar):
    n = x.shape[0]
    # s = s + x[i] * x[i]
    if me == 0:
        s = 0.0
        s_is_float = True
        for i in range(n):
            # if x[i] > 0.5:
            t = x[at(i)]
            if t > 0.5:
                # s = s + x[i] * x[i]
                s = s + t * t
                s_is_float = False
            # for i in range(len(x)):
            x_bar[at(i)] = 0.0
        put(team, me, 0, s, 0.0)
        put(team, me, 1, s_is_float, False)
    wait(team)
    s = got(team, 0, 0.0)
    s_is_float = got(team, 1, False)
    n_2 = n - share(team, me + 1, n) - 1
    # s = s + x[i] * x[i]
    for i in range(n - share(team, me, n) - 1, n_2, -1):
        # if x[i] > 0.5:
        t = x[at(i)]
        if t > 0.5:
            # s = s + x[i] * x[i]
            x_bar[at(i)] += t + t
    wait(team)
    return s, x_bar, s_is_float


def largest_sum_value_and_grad(x):
    """Value and gradient of `largest_sum` (test_text.py:52) with respect to `x`.

    x: f64[n]
    """
    t = np.ascontiguousarray(x)
    # for i in range(len(x)):
    x_bar = kernels.empty_like(x)
    n = 4 * t.shape[0]
    s, x_bar, s_is_float = kernels.together(largest_sum_value_and_grad_1, n, t, x_bar)
    s = float(s) if s_is_float else np.float64(s)
    return s, (x_bar,)
