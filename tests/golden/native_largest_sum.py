import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import at

__all__ = ["largest_sum_value_and_grad"]


@njit("(float64[::1], float64[::1])", cache=True, nogil=True, error_model="numpy")
def largest_sum_value_and_grad_1(x, x_bar):
    n = x.shape[0]
    # s = s + x[i] * x[i]
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
    for i in range(n - 1, -1, -1):
        # if x[i] > 0.5:
        t = x[at(i)]
        if t > 0.5:
            # s = s + x[i] * x[i]
            x_bar[at(i)] += t + t
    return s, x_bar, s_is_float


def largest_sum_value_and_grad(x):
    """Value and gradient of `largest_sum` (test_text.py:52) with respect to `x`.

    x: f64[n]
    """
    # for i in range(len(x)):
    x_bar = kernels.empty_like(x)
    s, x_bar, s_is_float = largest_sum_value_and_grad_1(np.ascontiguousarray(x), x_bar)
    s = float(s) if s_is_float else np.float64(s)
    return s, (x_bar,)
