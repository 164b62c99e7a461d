import numpy as np

from numba import njit
from srcad import kernels
from srcad.native.functions import at
from srcad.native.functions import tanh

__all__ = ["recurrence_value_and_grad"]


@njit("(float64[::1], float64, float64[::1])", cache=True, nogil=True, error_model="numpy")
def recurrence_value_and_grad_1(x, w, x_bar):
    n = x.shape[0]
    # s = np.tanh(w * s + x[i])
    s_tape = np.empty((n,))
    s = 0.0
    for i in range(n):
        s = tanh(w * s + x[at(i)])
        s_tape[at(i)] = s
    # for i in range(len(x)):
    s_is_float = n <= 0
    # s = np.tanh(w * s + x[i])
    s_bar = np.float64(1.0)
    for i in range(n - 1, -1, -1):
        # for i in range(len(x)):
        s_2 = s_tape[at(i)]
        t = s_bar * (1.0 - s_2 * s_2)
        x_bar[at(i)] = t
        s_bar = t * w
    return s, x_bar, s_is_float


def recurrence_value_and_grad(x, w):
    """Value and gradient of `recurrence` (test_text.py:36) with respect to `x`.

    x: f64[n]
    w: float
    """
    # for i in range(len(x)):
    x_bar = kernels.empty_like(x)
    s, x_bar, s_is_float = recurrence_value_and_grad_1(np.ascontiguousarray(x), w, x_bar)
    s = float(s) if s_is_float else np.float64(s)
    return s, (x_bar,)
