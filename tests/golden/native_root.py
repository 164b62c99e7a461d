import numpy as np

from numba import njit
from srcad.native.functions import at_common

__all__ = ["root_value_and_grad"]


@njit
def grown(tape, n):
    """The array, or a longer one that starts with it, so that it has an entry `n`."""
    if n < tape.shape[0]:
        return tape
    longer = np.empty((2 * tape.shape[0] + 1,) + tape.shape[1:], tape.dtype)
    longer[:n] = tape
    return longer


@njit
def divide(a, b):
    """`a / b` of Python's numbers, which refuse to divide by zero."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


@njit("(float64,)", cache=True, nogil=True, error_model="numpy")
def root_value_and_grad_1(x):
    # while abs(x * x - a) > 1e-12:
    x_tape = np.empty((32,))
    x_2 = x
    count = 0
    while abs(x_2 * x_2 - x) > 1e-12:
        x_tape = grown(x_tape, count)
        x_tape[count] = x_2
        # x = 0.5 * (x + a / x)
        x_2 = 0.5 * (x_2 + divide(x, x_2))
        count = count + 1

    # x = 0.5 * (x + a / x)
    x_bar = 1.0
    x_bar_2 = 0.0
    for i in range(count - 1, -1, -1):
        # while abs(x * x - a) > 1e-12:
        x_3 = x_tape[at_common(i)]
        x_bar = 0.5 * x_bar
        x_bar_2 = x_bar_2 + divide(x_bar, x_3)
        x_bar = x_bar - divide(x_bar * divide(x, x_3), x_3)
    # while abs(x * x - a) > 1e-12:
    x_bar = x_bar_2 + x_bar
    return x_2, x_bar


def root_value_and_grad(a):
    """Value and gradient of `root` (test_text.py:44) with respect to `a`.

    a: float
    """
    x, x_bar = root_value_and_grad_1(a)
    return x, (x_bar,)
